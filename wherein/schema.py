"""Every setting, its type, its range and its default."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator, model_validator

from tasks.stems import LANGUAGES

DateSource = Literal["name", "front_matter", "content", "mtime"]
Count = Annotated[int, Field(ge=1)]
Seconds = Annotated[float, Field(gt=0, le=604_800)]
Weight = Annotated[float, Field(ge=0, le=1_000_000)]


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class WorkspaceSection(Section):
    state: str = ".wherein"
    results: str = "results"
    timezone: str = "local"

    @field_validator("timezone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        if value != "local":
            try:
                ZoneInfo(value)
            except (ZoneInfoNotFoundError, ValueError, OSError):
                raise ValueError("it is not a known zone: name one (Europe/Berlin), or local") from None
        return value


class Collection(Section):
    path: str
    include: list[str] = ["**/*.md", "**/*.txt"]
    exclude: list[str] = []
    language: str = "auto"
    gitignore: bool = True
    follow_symlinks: bool = False
    max_file_mb: Annotated[float, Field(gt=0, le=1_000_000)] = 32
    dates: list[DateSource] = ["name", "front_matter", "content", "mtime"]

    @field_validator("language")
    @classmethod
    def _known_language(cls, value: str) -> str:
        if value not in ("auto", *LANGUAGES):
            raise ValueError(f'use "auto", "none" or one of {", ".join(LANGUAGES)}')
        return value


class Chunking(Section):
    size: Annotated[int, Field(ge=16)] = 256
    overlap: Annotated[int, Field(ge=0)] = 25
    paragraph_separator: Annotated[str, Field(min_length=1)] = "\n\n"
    context: Literal["none", "headings", "llm"] = "none"

    @model_validator(mode="after")
    def _overlap_below_size(self) -> Chunking:
        if self.overlap * 2 > self.size:
            raise ValueError(f"chunking.overlap must be at most half of chunking.size ({self.size})")
        return self


class Embedding(Section):
    model: Annotated[str, Field(min_length=1)] = "bundled/bge-small-en-v1.5"
    device: str = "auto"
    batch: Count = 32
    window: Annotated[int, Field(ge=16)] | None = None
    query_prefix: str | None = None
    document_prefix: str | None = None


class Rerank(Section):
    enabled: bool = True
    model: Annotated[str, Field(min_length=1)] = "bundled/ms-marco-MiniLM-L-12-v2"
    weight: Annotated[float, Field(ge=0, le=1)] = 0.5
    base_url: str | None = None
    api_key_env: str | None = None


class Retrieval(Section):
    prose: Literal["hybrid", "vector", "keyword"] = "hybrid"
    pool_vector: Count = 20
    pool_keyword: Count = 20
    pool_date: Count = 20
    pool_name: Annotated[int, Field(ge=0)] = 5
    fusion: Literal["minmax", "rrf", "union"] = "minmax"
    rrf_k: Count = 60
    floor: Annotated[float, Field(ge=0, le=1)] = 0.0
    weight_vector: Weight = 1.0
    weight_keyword: Weight = 1.0
    weight_vector_unread: Annotated[float, Field(gt=0, le=1)] = 0.25
    strip_request_words: bool = False
    pin_rare: bool = True
    today: str | None = None
    per_source: Annotated[int, Field(ge=0)] = 3
    k: Count = 15

    @model_validator(mode="after")
    def _some_channel_counts(self) -> Retrieval:
        if self.weight_vector == 0 and self.weight_keyword == 0:
            raise ValueError("weight_vector and weight_keyword cannot both be 0")
        return self

    @field_validator("today")
    @classmethod
    def _is_a_day(cls, value: str | None) -> str | None:
        if value is not None:
            try:
                date.fromisoformat(value)
            except ValueError:
                raise ValueError("it is not a day such as 2024-03-14") from None
        return value


class Synthesis(Section):
    model: Annotated[str, Field(min_length=1)] = "extractive"
    prompt: str = "answer"
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.3
    seed: int = 0
    context_window: Annotated[int, Field(ge=256)] = 8192
    max_tokens: Count = 1024
    first_token_seconds: Seconds = 300
    timeout_seconds: Seconds = 600
    keep_alive: str = "10m"
    prompts_dir: str = ""


class Answers(Section):
    log: bool = True
    keep_days: Count = 365


class Index(Section):
    keep_generations: Count = 2


class PrefectSection(Section):
    record: Literal["auto", "always", "never"] = "auto"
    schedule: str = "0 * * * *"
    record_text: bool = False
    api_url: str | None = None


class ModelServer(Section):
    provider: Literal["openai-compatible", "ollama", "openai"] = "openai-compatible"
    base_url: str | None = None
    model: Annotated[str, Field(min_length=1)]
    api_key_env: str | None = None
    context_window: Annotated[int, Field(ge=256)] | None = None
    price_in: Weight | None = None
    price_out: Weight | None = None
    tokenizer: Annotated[str, Field(min_length=1)] | None = None


def _name(text: str) -> str:
    if not text or not text.replace("-", "").replace("_", "").isalnum():
        raise ValueError(f"a collection's name holds letters, digits, - and _ only, not {text!r}")
    return text


class Settings(Section):
    """All of `wherein.toml`."""

    workspace: WorkspaceSection = WorkspaceSection()
    collections: dict[Annotated[str, AfterValidator(_name)], Collection] = {}
    chunking: Chunking = Chunking()
    embedding: Embedding = Embedding()
    rerank: Rerank = Rerank()
    retrieval: Retrieval = Retrieval()
    synthesis: Synthesis = Synthesis()
    answers: Answers = Answers()
    index: Index = Index()
    prefect: PrefectSection = PrefectSection()
    models: dict[str, ModelServer] = {}
