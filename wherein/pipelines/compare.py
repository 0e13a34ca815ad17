"""Compare models: one retrieval a question, frozen evidence, identical messages for every answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from store.errors import FAILED, NOT_FOUND, PARTIAL
from tasks.cite import cite
from tasks.measure import measure
from tasks.prompt import Prompt
from tasks.providers.base import GenerationFailed
from tasks.stage import Trace, labelled, tracing
from wherein.pipelines import synthesis
from wherein.pipelines.compare_plan import Plan
from wherein.pipelines.comparison import Compared, Comparison, QuestionComparison
from wherein.pipelines.prepared import CompareOptions, Prepared, prepare
from wherein.pipelines.report_files import Report
from wherein.pipelines.synthesis import Choice, Model
from wherein.pipelines.writable import can_write
from wherein.workspace import Workspace

__all__ = ["CompareOptions", "Comparison", "compare"]
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class _Task:
    """One answer to get; `question` counts from 0, `repeat` from 1."""

    model: Model
    question: int
    choice: Choice
    repeat: int


def compare(
    workspace: Workspace,
    questions: Sequence[str],
    options: CompareOptions,
    progress: Progress = lambda _label, _done, _all: None,
    before: Callable[[Plan], None] = lambda _plan: None,
) -> Comparison:
    """Every (model, temperature, repeat) on the same evidence; answers run grouped by model.

    `before` is told what is about to be asked. Raises WhereinError: exit 1 without an index, exit 2 for what cannot be
    asked or loaded.
    """
    can_write(options.out if options.out is not None else workspace.results)
    ready = prepare(workspace, questions, options)
    before(Plan.of(ready))
    report = Report(workspace, options.out, ready.questions[0].evidence_digest, len(questions), options.repeat)
    todo = list(_tasks(ready))
    with tracing() as trace:
        try:
            for number, task in enumerate(todo, 1):
                _answer(workspace, ready, task, report)
                progress(task.model.name, number, len(todo))
        except KeyboardInterrupt:
            given = sum(len(one.answers) for one in ready.questions)
            report.close(_done(ready, trace, f"interrupted after {given} of {len(todo)} answers"))
            raise
    return report.close(_done(ready, trace))


def _tasks(ready: Prepared) -> Iterator[_Task]:
    """Each question begins at another temperature, since the first answer to it pays for reading the prompt.

    Later ones find what was read in the server's cache.
    """
    for model in ready.asked:
        for question in range(len(ready.questions)):
            start = question % len(ready.choices)
            for choice in (*ready.choices[start:], *ready.choices[:start]):
                for repeat in range(1, ready.options.repeat + 1):
                    yield _Task(model, question, choice, repeat)


def _answer(workspace: Workspace, ready: Prepared, task: _Task, report: Report) -> None:
    """Ask, keep the answer, and write its file; nothing where there is no evidence."""
    sent, one = ready.prompts[task.question], ready.questions[task.question]
    if sent is None:
        return
    seeded = replace(task.choice, seed=task.choice.seed + task.repeat - 1)
    with labelled(question=str(task.question + 1), repeat=str(task.repeat)):
        one.answers.append(_one(workspace, task.model, sent, seeded, task.repeat))
    report.keep(task.question + 1, one, one.answers[-1])


def _done(ready: Prepared, trace: Trace, *more: str) -> Comparison:
    """The answers in the order of models, temperatures and repeats, whatever the order they came in."""
    models = [model.name for model in ready.asked]
    temperatures = [choice.temperature for choice in ready.choices]
    for one in ready.questions:
        one.answers.sort(key=lambda a: (models.index(a.model), temperatures.index(a.temperature), a.repeat))
    notes, times = (*ready.notes, *more), trace.times()
    return Comparison(ready.questions, notes, times, ready.window, code(ready.questions), ready.options.models)


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
        device=generation.device,
        notes=generation.notes,
    )


def code(frozen: Sequence[QuestionComparison]) -> int:
    """4 if no question had evidence, 1 if every answer failed or is empty, 3 if some did, else 0."""
    answers = [answer for one in frozen for answer in one.answers]
    if not answers:
        return NOT_FOUND
    failed = [answer for answer in answers if answer.status in ("failed", "empty")]
    if len(failed) == len(answers):
        return FAILED
    return PARTIAL if failed or any(one.evidence.partial for one in frozen) else 0
