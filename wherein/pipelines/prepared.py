"""What stands before a comparison asks anything: its flags, the evidence, and the messages that every model gets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from store.errors import usage
from store.records import Evidence, Hit
from tasks.prompt import Prompt, load_template
from tasks.stage import tracing
from wherein.pipelines import comparison, query, synthesis
from wherein.pipelines.comparison import QuestionComparison
from wherein.pipelines.options import QueryOptions
from wherein.pipelines.synthesis import Choice, Model
from wherein.workspace import Workspace


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


@dataclass(frozen=True)
class Prepared:
    """`prompts` stand in the order of the questions, None where there is no evidence to ask about."""

    options: CompareOptions
    asked: tuple[Model, ...]
    choices: tuple[Choice, ...]
    questions: tuple[QuestionComparison, ...]
    prompts: tuple[Prompt | None, ...]
    window: int

    @property
    def notes(self) -> tuple[str, ...]:
        """What all models share because of one of them, and what did not fit."""
        notes = []
        if len({model.window for model in self.asked}) > 1:
            smallest = ", ".join(sorted(m.name for m in self.asked if m.window == self.window))
            notes.append(
                f"every model gets the same messages, fitted to the smallest window: {self.window} tokens ({smallest})"
            )
        dropped = sum(sent.dropped for sent in self.prompts if sent is not None)
        if dropped:
            notes.append(f"{dropped} passages did not fit that window")
        return tuple(notes)


def prepare(workspace: Workspace, questions: Sequence[str], options: CompareOptions) -> Prepared:
    """Search once for each question, and make the one prompt that every model gets.

    Raises WhereinError: exit 1 without an index, exit 2 for what cannot be asked or loaded.
    """
    asked, choices = _settle(workspace, questions, options)
    frozen = tuple(_freeze(workspace, question, options) for question in questions)
    window = min(model.window for model in asked)
    prompts = tuple(_prompt(workspace, one, options, choices[0], asked) for one in frozen)
    return Prepared(options, tuple(asked), tuple(choices), frozen, prompts, window)


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


def _freeze(workspace: Workspace, question: str, options: CompareOptions) -> QuestionComparison:
    with tracing() as trace:
        evidence = query.retrieve(workspace, question, options.query)
    return QuestionComparison.of(replace(evidence, stages=trace.times()), comparison.digest(evidence))


def _prompt(
    workspace: Workspace, one: QuestionComparison, options: CompareOptions, choice: Choice, asked: Sequence[Model]
) -> Prompt | None:
    evidence: Evidence = one.evidence
    hits: tuple[Hit, ...] = evidence.hits or (evidence.nearest if options.anyway else ())
    if not hits:
        return None
    window, counts = min(model.window for model in asked), {model.count for model in asked}
    sent = synthesis.prompt(workspace, evidence, hits, choice, window, lambda text: max(c(text) for c in counts))
    one.passages = sent.hits
    one.prompt = {"name": sent.name, "sha256": sent.sha256, "tokens": sent.tokens}
    return sent
