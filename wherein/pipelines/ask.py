"""Ask: retrieve, prompt, synthesise, cite."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from store.records import Evidence, to_json
from tasks.cite import cite
from tasks.prompt import Prompt, load_template
from tasks.providers.base import Generation, GenerationFailed
from tasks.stage import tracing
from wherein.pipelines import missed, query, synthesis
from wherein.pipelines.answer import Answer, starting
from wherein.pipelines.in_force import in_force
from wherein.pipelines.options import QueryOptions
from wherein.pipelines.synthesis import Choice, Model, OnToken
from wherein.workspace import Workspace


@dataclass(frozen=True)
class AskOptions:
    """The flags of `wherein ask`; None leaves a setting as it is.

    `typed`: what was typed, where the question was made of it; kept with the answer.
    """

    query: QueryOptions = field(default_factory=QueryOptions)
    model: str | None = None
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    prompt: str | None = None
    anyway: bool = False
    log: bool = True
    dry_run: bool = False
    typed: str | None = None


def ask(
    workspace: Workspace, question: str, options: AskOptions | None = None, on_token: OnToken | None = None
) -> Answer:
    """An answer from the files, with its citations looked up.

    Raises WhereinError: exit 1 without an index, exit 2 for what cannot be asked or loaded. A model that does
    not answer is told in the Answer, which then still shows the passages.
    """
    options = options or AskOptions()
    asked = synthesis.model(workspace, options.model)
    chosen = synthesis.choice(workspace, options.temperature, options.seed, options.max_tokens, options.prompt)
    load_template(chosen.prompt, synthesis.template_folder(workspace))
    with tracing() as trace:
        evidence = query.retrieve(workspace, question, options.query)
        answer = _answer(workspace, evidence, asked, chosen, options, on_token)
    answer = replace(answer, stages=trace.times(), typed=options.typed, flags=_flags(workspace, options, evidence))
    return _logged(workspace, answer) if options.log and not options.dry_run else answer


def _flags(workspace: Workspace, options: AskOptions, evidence: Evidence) -> dict[str, Any]:
    """All that it takes to ask the same again."""
    return {
        "query": {**to_json(options.query), "wordings": to_json(evidence.wordings)},
        "max_tokens": options.max_tokens,
        "anyway": options.anyway,
        "settings": in_force(workspace),
    }


def _answer(
    workspace: Workspace,
    evidence: Evidence,
    asked: Model,
    chosen: Choice,
    options: AskOptions,
    on_token: OnToken | None,
) -> Answer:
    fields = starting(evidence, evidence.query, asked.name, chosen.temperature, chosen.seed)
    hits = evidence.hits or (evidence.nearest if options.anyway else ())
    if not hits and not options.anyway:
        told = _not_found(evidence, options.query, workspace.settings.retrieval.floor)
        return Answer(**{**fields, "answer": told, "refused": True, "refused_by": "evidence"})
    sent = synthesis.prompt(workspace, evidence, hits, chosen, asked.window, asked.count)
    fields |= _sent(sent, asked)
    if options.dry_run:
        return Answer(**{**fields, "messages": sent.messages})
    try:
        generation = synthesis.generate(workspace, asked, sent, chosen, on_token)
    except GenerationFailed as failure:
        return Answer(**{**fields, "failure": failure.message, "failure_kind": failure.kind})
    return Answer(**{**fields, **_cited(generation, sent, asked.name, fields["notes"])})


def _not_found(evidence: Evidence, chosen: QueryOptions, floor: float) -> str:
    told = missed.searched(evidence, chosen, floor)
    return f"Not in your files: no passage answers this. {told} No model was asked; --anyway asks it all the same."


def _sent(sent: Prompt, asked: Model) -> dict[str, Any]:
    return {
        "evidence": sent.hits,
        "prompt": {"name": sent.name, "sha256": sent.sha256, "tokens": sent.tokens},
        "context": {"window": asked.window, "sent": sent.sent, "dropped": sent.dropped},
    }


def _cited(generation: Generation, sent: Prompt, model: str, notes: tuple[str, ...]) -> dict[str, Any]:
    cited = cite(generation.text, sent.hits)
    return {
        "answer": generation.text,
        "refused": cited.refused,
        "refused_by": "model" if cited.refused else None,
        "citations": cited.citations,
        "unknown_markers": cited.unknown_markers,
        "contributed": cited.contributed,
        "also_read": cited.also_read,
        "uncited_quotes": cited.uncited_quotes,
        "controlled": generation.controlled,
        "failure": None if generation.text.strip() else f"The model {model!r} gave an empty answer: ask again.",
        "failure_kind": None if generation.text.strip() else "empty",
        "usage": generation.usage,
        "seconds": generation.seconds,
        "device": generation.device,
        "notes": (*notes, *_dropped(sent), *generation.notes),
    }


def _dropped(sent: Prompt) -> tuple[str, ...]:
    if not sent.dropped:
        return ()
    return (f"{sent.dropped} of {sent.sent + sent.dropped} passages did not fit the model's window",)


def _logged(workspace: Workspace, answer: Answer) -> Answer:
    """The answer with its number in the log, if answers are kept."""
    if not workspace.settings.answers.log:
        return answer
    from wherein.pipelines.answers import keep

    return keep(workspace, answer)
