"""`wherein golden`: questions whose answers are known."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from store.errors import usage
from wherein.cli.command import Call, command, group
from wherein.cli.listening import listening
from wherein.cli.output import print_line
from wherein.cli.plain import escaped, one_line
from wherein.cli.progress import progress_bar
from wherein.cli.times import counted

if TYPE_CHECKING:
    from tasks.evaluation.golden import Question, Relevant
    from wherein.pipelines.evaluation.make import Made, MakeOptions
    from wherein.pipelines.evaluation.review import Review

FILE = "golden.jsonl"
_KEYS = "y accept, n drop, s later, q stop"
_SHOWN_QUOTE = 300
Golden = Annotated[Path, typer.Argument(metavar="FILE", help="Golden questions, as `golden make` writes them.")]
Chosen = Annotated[
    list[str] | None, typer.Option("--collection", metavar="NAME", help="Only this collection; repeatable.")
]


@group("golden", "Quality")
def golden(call: Call) -> int:
    """Make, review and check questions whose answers are known."""
    from tasks.evaluation.making.kinds import MAKERS

    if call.as_json:
        return call.document({"kinds": [*MAKERS, "llm"]})
    print_line(f"Kinds of questions that can be made: {', '.join(MAKERS)}; llm by a language model.")
    print_line("Next: wherein golden make, then golden review FILE, then evaluate --golden FILE.")
    return 0


@dataclass(frozen=True)
class MakeFlags:
    """What `golden make` takes."""

    kinds: Annotated[
        list[str] | None,
        typer.Option("--kinds", metavar="KIND,…", help="Only these kinds, with commas between; `golden` lists them."),
    ] = None
    count: Annotated[int, typer.Option(metavar="N", min=1, help="How many questions in all.")] = 100
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Another number makes other questions.")] = 0
    collections: Chosen = None
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write them here; - is stdout.")] = None
    llm: Annotated[bool, typer.Option("--llm", help="Have a quarter of them written by the model that answers.")] = (
        False
    )
    model: Annotated[str | None, typer.Option(metavar="NAME", help="Which model writes, with --llm.")] = None

    def options(self) -> MakeOptions:
        """As the pipeline takes them."""
        from wherein.pipelines.evaluation.make import MakeOptions

        if self.model is not None and not self.llm:
            raise usage("--model names the model that writes questions: add --llm to ask it.", kind="usage")
        kinds = [kind.strip() for text in self.kinds or () for kind in text.split(",") if kind.strip()]
        return MakeOptions(
            tuple(kinds), self.count, self.seed, tuple(self.collections or ()), llm=self.llm, model=self.model
        )


@command("make", group=golden)
def make(call: Call, flags: MakeFlags) -> int:
    """Make questions from the files themselves, with the files that answer them.

    The same seed over the same files makes the same questions. Nothing is asked of a model but with --llm.
    """
    from tasks.evaluation import golden_files
    from wherein.pipelines.evaluation.make import make as run

    target = flags.out or call.workspace.results / FILE
    if str(target) != "-":
        _ready(target, named=flags.out is not None)
    options = flags.options()
    with progress_bar(call, "kinds") as progress:
        made = run(call.workspace, options, progress)
    if str(target) == "-":
        for question in made.questions:
            sys.stdout.write(escaped(golden_files.line(question).decode()))
    else:
        _write(target, made, named=flags.out is not None)
    if call.as_json and str(target) != "-":
        call.document({"file": str(target), **made.to_json()})
    elif str(target) != "-":
        print_line(one_line(f"{counted(len(made.questions), 'question')}: {_kinds(made.kinds)}"))
        print_line(one_line(f"Written to {target}; next: wherein golden review {target}"))
    call.notes(*made.notes)
    return made.code


def _ready(target: Path, *, named: bool) -> None:
    """Raise before the work what would stop the writing; what somebody may have reviewed is never written over."""
    from tasks.evaluation import golden_files
    from wherein.pipelines.writable import can_write

    try:
        taken = target.exists()
    except OSError as error:
        raise usage(f"Cannot write {target}: {error.strerror}; name another file with --out.", "golden") from error
    if taken:
        raise usage(f"{target} is there already: name another file with --out, or remove it.", kind="golden")
    if named:
        golden_files.check_folder(target)
    can_write(target.parent)


def _write(target: Path, made: Made, *, named: bool) -> None:
    from store import disk
    from tasks.evaluation import golden_files

    if not named:
        disk.make_folder(target.parent)
    golden_files.write(target, made.questions)


def _kinds(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {kind}" for kind, count in counts.items())


@command("check", group=golden)
def check(call: Call, file: Golden, collections: Chosen = None) -> int:
    """Find the paths and quotations that are no longer in the index (exit 3)."""
    from wherein.pipelines.evaluation.check import check as run

    found = run(call.workspace, file, collections or ())
    if call.as_json:
        return call.document(found.to_json(), found.code)
    for problem in found.gone:
        print_line(one_line(f"{problem.id}: {problem.path} {problem.reason}"))
    answerable = sum(question.answerable for question in found.questions)
    total = f"{counted(len(found.questions), 'question')} ({answerable:,} answerable): {_kinds(found.kinds)}"
    print_line(one_line(f"{total}; {f'{len(found.gone):,} gone' if found.gone else 'all is there'}"))
    call.notes(*found.notes)
    return found.code


@command("show", group=golden)
def show(
    call: Call,
    file: Golden,
    kind: Annotated[str | None, typer.Option(metavar="KIND", help="Only questions of this kind.")] = None,
) -> int:
    """List the questions with the files that answer them."""
    from store.records import to_json
    from tasks.evaluation import golden_files

    questions = [question for question in golden_files.read(file) if kind in (None, question.kind)]
    if call.as_json:
        return call.document(to_json(questions))
    width = max((len(question.kind) for question in questions), default=0)
    for question in questions:
        paths = ", ".join(dict.fromkeys(entry.path for entry in question.relevant)) or "nothing answers it"
        print_line(one_line(f"{question.id}  {question.kind:{width}}  {question.question}  ({paths})"))
    return 0


@command("review", group=golden)
def review(call: Call, file: Golden) -> int:
    """Accept or drop questions one by one; what is decided is written at once."""
    from wherein.pipelines.evaluation.review import Review

    found = Review.of(file)
    for number, question in enumerate(found.waiting(), 1):
        if not call.as_json:
            _present(question, f"{number} of {number + found.left - 1}")
        key = _key()
        if key == "q":
            break
        if key != "s":
            (found.accept if key == "y" else found.drop)(question)
    return _reviewed(call, found)


def _present(question: Question, place: str) -> None:
    print_line(one_line(f"\n{place}  [{question.kind}]  {question.question}").strip())
    if question.answer:
        print_line(one_line(f"   answer: {question.answer}"))
    for entry in question.relevant:
        print_line(f"   {_told(entry)}")
    if not question.answerable:
        print_line("   nothing answers it")


def _told(entry: Relevant) -> str:
    quote = "" if entry.quote is None else f': "{" ".join(entry.quote.split())[:_SHOWN_QUOTE]}"'
    return one_line(f"{entry.path}{quote}")


def _key() -> str:
    """y, n, s or q; asked again until it is one of them. The end of input stops."""
    while True:
        sys.stderr.write(f"{_KEYS}: ")
        sys.stderr.flush()
        with listening():
            typed = sys.stdin.readline() if sys.stdin is not None else ""
        if not typed:
            return "q"
        if typed.strip().lower()[:1] in _ACCEPTED:
            return typed.strip().lower()[0]


_ACCEPTED: Sequence[str] = ("y", "n", "s", "q")


def _reviewed(call: Call, found: Review) -> int:
    if call.as_json:
        return call.document({"accepted": found.accepted, "dropped": found.dropped, "left": found.left})
    print_line(f"{found.accepted:,} accepted, {found.dropped:,} dropped, {found.left:,} to review.")
    if found.left:
        print_line(one_line(f"Go on with: wherein golden review {found.file}"))
    return 0
