"""Every setting, its type, its range and its default."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

DateSource = Literal["name", "front_matter", "content", "mtime"]
Count = Annotated[int, Field(ge=1)]
Seconds = Annotated[float, Field(gt=0)]
Weight = Annotated[float, Field(ge=0)]


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class WorkspaceSection(Section):
    state: str = ".wherein"
    results: str = "results"
    timezone: str = "local"


class Collection(Section):
    path: str
    include: list[str] = ["**/*.md", "**/*.txt"]
    exclude: list[str] = []
    language: str = "auto"
    gitignore: bool = True
    follow_symlinks: bool = False
    max_file_mb: Annotated[float, Field(gt=0)] = 32
    dates: list[DateSource] = ["name", "front_matter", "content", "mtime"]


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


class Retrieval(Section):
    prose: Literal["hybrid", "vector", "keyword"] = "hybrid"
    pool_vector: Count = 20
    pool_keyword: Count = 20
    pool_date: Count = 20
    fusion: Literal["minmax", "rrf", "union"] = "minmax"
    rrf_k: Count = 60
    floor: Annotated[float, Field(ge=0, le=1)] = 0.0
    weight_vector: Weight = 1.0
    weight_keyword: Weight = 1.0
    strip_request_words: bool = False
    pin_rare: bool = True
    today: str | None = None
    per_source: Annotated[int, Field(ge=0)] = 3
    k: Count = 15


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


class Settings(Section):
    """All of `wherein.toml`."""

    workspace: WorkspaceSection = WorkspaceSection()
    collections: dict[str, Collection] = {}
    chunking: Chunking = Chunking()
    embedding: Embedding = Embedding()
    rerank: Rerank = Rerank()
    retrieval: Retrieval = Retrieval()
    synthesis: Synthesis = Synthesis()
    answers: Answers = Answers()
    index: Index = Index()
    prefect: PrefectSection = PrefectSection()
    models: dict[str, ModelServer] = {}

    @model_validator(mode="after")
    def _collection_names(self) -> Settings:
        for name in self.collections:
            if not name or not name.replace("-", "").replace("_", "").isalnum():
                raise ValueError(f"a collection's name holds letters, digits, - and _ only, not {name!r}")
        return self
