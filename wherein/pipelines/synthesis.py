"""From settings to a model that answers, and the request it gets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from store.errors import usage
from store.records import Evidence, Hit
from tasks.models import ServerConfig
from tasks.prompt import Budget, Prompt, build, load_template
from tasks.providers.base import Generation, GenerationRequest
from tasks.stage import labelled
from tasks.synthesise import check, synthesise
from tasks.tokens import Counter, at_most, counter, fit_window
from wherein.pipelines import models
from wherein.workspace import Workspace

EXTRACTIVE = "extractive"
COUNTED_OVER = 1.2
"""By so much is English prose counted over, in chunks that are mostly a little shorter than set."""
FRAME_TOKENS = 700
"""Instructions and question, as they are counted."""
OnToken = Callable[[str], None]


@dataclass(frozen=True)
class Model:
    """A model as named, its server (None: extractive), the tokens its window holds, and how they are counted."""

    name: str
    server: ServerConfig | None
    window: int
    count: Counter = at_most


@dataclass(frozen=True)
class Choice:
    """What is asked of a model; the temperature and the seed are sent exactly as they stand here."""

    temperature: float
    seed: int
    max_tokens: int
    prompt: str


def model(workspace: Workspace, name: str | None) -> Model:
    """The model of a name, or of the settings; raises WhereinError (exit 2) for an unknown one."""
    chosen = workspace.settings.synthesis.model if name is None else name
    window = workspace.settings.synthesis.context_window
    if chosen == EXTRACTIVE:
        return Model(chosen, None, window)
    server = models.server(workspace, chosen)
    if server is None:
        known = ", ".join([EXTRACTIVE, *sorted(workspace.settings.models)])
        raise usage(
            f"Model {chosen!r} is not known: use {known}, ollama/NAME or openai/NAME, or name a server of your own "
            "as [models.NAME] in wherein.toml.",
            kind="model",
        )
    check(server)
    count = counter(server.tokenizer, f"models.{chosen}.tokenizer") if server.tokenizer else at_most
    return Model(chosen, server, server.context_window or window, count)


def choice(
    workspace: Workspace, temperature: float | None, seed: int | None, max_tokens: int | None, prompt: str | None
) -> Choice:
    """The settings with a call's own values; raises WhereinError (exit 2) for impossible ones."""
    section = workspace.settings.synthesis
    if temperature is not None and not 0 <= temperature <= 2:
        raise usage(f"--temperature {temperature} is not possible: give 0 to 2.", kind="usage")
    if max_tokens is not None and max_tokens < 1:
        raise usage(f"--max-tokens {max_tokens} is not possible: give 1 or more.", kind="usage")
    return Choice(
        section.temperature if temperature is None else temperature,
        section.seed if seed is None else seed,
        section.max_tokens if max_tokens is None else max_tokens,
        prompt or section.prompt,
    )


def template_folder(workspace: Workspace) -> Path | None:
    named = workspace.settings.synthesis.prompts_dir
    return workspace.path(named) if named else None


def prompt(
    workspace: Workspace, evidence: Evidence, hits: tuple[Hit, ...], chosen: Choice, window: int, count: Counter
) -> Prompt:
    """The prompt over the evidence, fitted to a window (tokens)."""
    template = load_template(chosen.prompt, template_folder(workspace))
    weak = evidence.confidence != "strong"
    return build(evidence.query, hits, template, Budget(window, chosen.max_tokens), weak, count)


def usual_window(workspace: Workspace, window: int) -> int:
    """The tokens that most answers over as many passages as the settings say will ask for."""
    settings = workspace.settings
    passages = settings.retrieval.k * settings.chunking.size * COUNTED_OVER
    return fit_window(round(passages) + FRAME_TOKENS + settings.synthesis.max_tokens, window)


def generate(
    workspace: Workspace, asked: Model, sent: Prompt, chosen: Choice, on_token: OnToken | None = None
) -> Generation:
    """One answer; raises GenerationFailed."""
    section = workspace.settings.synthesis
    request = GenerationRequest(
        messages=sent.messages,
        temperature=chosen.temperature,
        seed=chosen.seed,
        max_tokens=chosen.max_tokens,
        num_ctx=fit_window(sent.tokens + chosen.max_tokens, asked.window),
        keep_alive=section.keep_alive,
        first_token_seconds=section.first_token_seconds,
        timeout_seconds=section.timeout_seconds,
        least_tokens=sent.least_tokens,
        question=sent.question,
        passages=tuple(hit.text for hit in sent.hits),
    )
    with labelled(**_labels(asked, chosen)):
        return synthesise(asked.server, request, on_token)


def _labels(asked: Model, chosen: Choice) -> dict[str, str]:
    """`server`: the host and port that the request goes to, which may serve several models."""
    told = {"model": asked.name, "temperature": f"{chosen.temperature:g}"}
    if asked.server is not None:
        address = urlsplit(asked.server.base_url)
        told["server"] = f"{address.hostname}:{address.port}" if address.port else f"{address.hostname}"
    return told
