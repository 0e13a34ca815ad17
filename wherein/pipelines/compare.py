"""Compare models: one retrieval a question, frozen evidence, identical messages for every answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from store.errors import FAILED, NOT_FOUND, PARTIAL, usage
from store.records import Evidence, Hit
from tasks.cite import cite
from tasks.measure import measure
from tasks.prompt import Prompt, load_template
from tasks.providers.base import GenerationFailed
from tasks.stage import tracing
from wherein.pipelines import comparison, query, synthesis
from wherein.pipelines.comparison import Compared, Comparison, QuestionComparison
from wherein.pipelines.options import QueryOptions
from wherein.pipelines.report_files import Report
from wherein.pipelines.synthesis import Choice, Model
from wherein.workspace import Workspace

__all__ = ["CompareOptions", "Comparison", "compare"]
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class CompareOptions:
    """The flags of `wherein compare`; no temperature means that of the settings."""

    query: QueryOptions = field(default_factory=QueryOptions)
    models: tuple[str, ...] = ()
    temperatures: tuple[float, ...] = ()
    repeat: int = 1
    out: Path | None = None
    anyway: bool = False
    seed: int | None = None
    max_tokens: int | None = None
    prompt: str | None = None


def compare(
    workspace: Workspace,
    questions: Sequence[str],
    options: CompareOptions,
    progress: Progress = lambda _label, _done, _all: None,
) -> Comparison:
    """Every (model, temperature, repeat) on the same evidence; answers run grouped by model.

    Raises WhereinError: exit 1 without an index, exit 2 for what cannot be asked or loaded.
    """
    asked, choices = _settle(workspace, questions, options)
    frozen = [_freeze(workspace, question, options) for question in questions]
    window = min(model.window for model in asked)
    prompts = [_prompt(workspace, one, options, choices[0], window) for one in frozen]
    report = Report(workspace, options.out, frozen[0].evidence_digest, len(frozen), options.repeat)
    todo = [(m, c, r, i) for m in asked for i in range(len(frozen)) for c in choices for r in range(options.repeat)]
    notes = _notes(asked, window, prompts)
    with tracing() as trace:

        def done(*more: str) -> Comparison:
            times = trace.times()
            return Comparison(tuple(frozen), (*notes, *more), times, window, code(frozen), options.models)

        try:
            for number, (model, choice, repeat, index) in enumerate(todo, 1):
                sent, one = prompts[index], frozen[index]
                if sent is not None:
                    seeded = replace(choice, seed=choice.seed + repeat)
                    one.answers.append(_one(workspace, model, sent, seeded, repeat + 1))
                    report.keep(index + 1, one, one.answers[-1])
                progress(model.name, number, len(todo))
        except KeyboardInterrupt:
            report.close(done(f"interrupted after {sum(len(one.answers) for one in frozen)} of {len(todo)} answers"))
            raise
    return report.close(done())


def _freeze(workspace: Workspace, question: str, options: CompareOptions) -> QuestionComparison:
    with tracing() as trace:
        evidence = query.retrieve(workspace, question, options.query)
    return QuestionComparison.of(replace(evidence, stages=trace.times()), comparison.digest(evidence))


def _settle(
    workspace: Workspace, questions: Sequence[str], options: CompareOptions
) -> tuple[list[Model], list[Choice]]:
    if not questions:
        raise usage("There is no question to compare models on.", kind="usage")
    if not options.models:
        raise usage("Name the models to compare: --model A --model B.", kind="usage")
    if options.repeat < 1:
        raise usage(f"--repeat {options.repeat} is not possible: give 1 or more.", kind="usage")
    asked = [synthesis.model(workspace, name) for name in dict.fromkeys(options.models)]
    choices = [
        synthesis.choice(workspace, temperature, options.seed, options.max_tokens, options.prompt)
        for temperature in dict.fromkeys(options.temperatures or (None,))
    ]
    load_template(choices[0].prompt, synthesis.template_folder(workspace))
    return asked, choices


def _prompt(
    workspace: Workspace, one: QuestionComparison, options: CompareOptions, choice: Choice, window: int
) -> Prompt | None:
    """The one prompt that every model gets; None where there is no evidence to ask about."""
    evidence: Evidence = one.evidence
    hits: tuple[Hit, ...] = evidence.hits or (evidence.nearest if options.anyway else ())
    if not hits:
        return None
    sent = synthesis.prompt(workspace, evidence, hits, choice, window)
    one.passages = sent.hits
    one.prompt = {"name": sent.name, "sha256": sent.sha256, "tokens": sent.tokens}
    return sent


def _one(workspace: Workspace, model: Model, sent: Prompt, choice: Choice, repeat: int) -> Compared:
    start = Compared(model.name, choice.temperature, choice.seed, repeat)
    try:
        generation = synthesis.generate(workspace, model, sent, choice)
    except GenerationFailed as failure:
        return replace(start, status="failed", error=failure.message)
    cited = cite(generation.text, sent.hits)
    status = "refused" if cited.refused else "ok" if generation.text.strip() else "empty"
    return replace(
        start,
        status=status,
        controlled=generation.controlled,
        answer=generation.text,
        citations=cited.citations,
        unknown_markers=cited.unknown_markers,
        metrics=measure(cited, sent.hits),
        usage=generation.usage,
        seconds=generation.seconds,
        notes=generation.notes,
    )


def _notes(asked: Sequence[Model], window: int, prompts: Sequence[Prompt | None]) -> tuple[str, ...]:
    notes = []
    if len({model.window for model in asked}) > 1:
        smallest = ", ".join(sorted(m.name for m in asked if m.window == window))
        notes.append(f"every model gets the same messages, fitted to the smallest window: {window} tokens ({smallest})")
    dropped = sum(sent.dropped for sent in prompts if sent is not None)
    if dropped:
        notes.append(f"{dropped} passages did not fit that window")
    return tuple(notes)


def code(frozen: Sequence[QuestionComparison]) -> int:
    """4 if no question had evidence, 1 if every answer failed or is empty, 3 if some did, else 0."""
    answers = [answer for one in frozen for answer in one.answers]
    if not answers:
        return NOT_FOUND
    failed = [answer for answer in answers if answer.status in ("failed", "empty")]
    if len(failed) == len(answers):
        return FAILED
    return PARTIAL if failed or any(one.evidence.partial for one in frozen) else 0
