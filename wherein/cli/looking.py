"""`wherein status`, `files`, `show`, `keywords`: what is in the index, without a model."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from store.errors import NOT_FOUND
from wherein.cli.command import Call, command
from wherein.cli.output import print_line
from wherein.cli.plain import one_line, visible
from wherein.cli.times import age, counted, size

if TYPE_CHECKING:
    from wherein.pipelines.status import CollectionStatus

Chosen = Annotated[
    list[str] | None, typer.Option("--collection", metavar="NAME", help="Only this collection; repeatable.")
]
_SHOWN_PROBLEMS = 20
_PANEL = "Look closer"


@command("status", "Everyday")
def status(call: Call, collections: Chosen = None) -> int:
    """Show what is indexed, how old, what was left out."""
    from store.records import to_json
    from wherein.pipelines.status import status as run

    found = run(call.workspace, collections or ())
    if call.as_json:
        return call.document(to_json(found), found.code)
    for number, entry in enumerate(found.collections):
        print_line("\n" * bool(number) + f"{entry.name}  {one_line(entry.root)}")
        _describe(entry)
    return found.code


def _describe(entry: CollectionStatus) -> None:
    lines = [entry.error] if entry.error else [_counts(entry), _age(entry)]
    lines += [f"{problem}: the next search or ingest rebuilds it from the catalog" for problem in entry.damaged]
    if entry.languages:
        unread = dict.fromkeys(entry.unread_languages, " (not read by the embedding model)")
        told = (f"{name} {count:,}{unread.get(name, '')}" for name, count in entry.languages.items())
        lines.append("languages: " + ", ".join(told))
    if entry.settings["differing"]:
        names = ", ".join(sorted(entry.settings["differing"]))
        lines.append(f"settings differ from those of the index ({names}): `wherein ingest {entry.name}` says more")
    if entry.writing:
        lines.append("being written now")
    if entry.interrupted_run:
        lines.append(f"the last run did not end: `wherein ingest {entry.name}` does the rest")
    lines += [f"{p.path}: {p.reason} ({p.kind})" for p in entry.problems[:_SHOWN_PROBLEMS]]
    if len(entry.problems) > _SHOWN_PROBLEMS:
        lines.append(f"and {len(entry.problems) - _SHOWN_PROBLEMS:,} more: wherein files")
    for line in lines:
        print_line(f"  {one_line(line)}")


def _counts(entry: CollectionStatus) -> str:
    states = [f"{count:,} {state}" for state, count in entry.files.items() if count or state == "indexed"]
    return f"files: {', '.join(states)} · {counted(entry.chunks, 'chunk')} · {size(entry.bytes)} of index"


def _age(entry: CollectionStatus) -> str:
    if entry.generation is None or entry.age_seconds is None:
        return f"not indexed yet: run `wherein ingest {entry.name}`"
    if entry.held:
        made = f"generation {entry.generation}, published {age(entry.age_seconds)} ({entry.refreshed_at}), is held"
        return f"{made}; the newest is {entry.newest}: `wherein generations --use latest` goes on with that"
    return f"generation {entry.generation}, refreshed {age(entry.age_seconds)} ({entry.refreshed_at})"


@command("files", _PANEL)
def files(
    call: Call,
    collections: Chosen = None,
    state: Annotated[
        str | None, typer.Option(metavar="STATE", help="Only indexed, failed, empty, skipped or pending ones.")
    ] = None,
) -> int:
    """List the files, and why any were left out."""
    from store.records import to_json
    from wherein.pipelines.listing import files as run
    from wherein.pipelines.listing import ruled_out

    entries = run(call.workspace, collections or (), state)
    _tell_damage(call, collections)
    if call.as_json:
        return call.document(to_json(entries))
    several = len({entry.collection for entry in entries}) > 1
    for entry in entries:
        name = f"{entry.collection}: {entry.path}" if several else entry.path
        size_text = "" if entry.size_bytes is None else size(entry.size_bytes)
        facts = f"{entry.state:8} {entry.date or '':10} {size_text:>9} {counted(entry.chunks, 'chunk'):>11}"
        print_line(one_line(f"{facts}  {name}{f'  ({entry.reason})' if entry.reason else ''}"))
    if state in (None, "skipped"):
        call.notes(*ruled_out(call.workspace, collections or ()))
    return 0


def _tell_damage(call: Call, collections: Sequence[str] | None) -> None:
    """Say what the next search will have to rebuild; nothing here depends on it."""
    from wherein.pipelines.inspect import damage

    if not call.quiet and not call.as_json:
        call.notes(*damage(call.workspace, collections or ()))


@command("show", _PANEL)
def show(
    call: Call,
    target: Annotated[str, typer.Argument(metavar="PATH[:LINE]", help="Relative to the collection's root.")],
    collections: Chosen = None,
) -> int:
    """Print the indexed text of a file, or around a line.

    Nothing is added; with :LINE it is the text of the passages that cover the line.
    """
    from store.records import to_json
    from wherein.pipelines.show import show as run

    shown = run(call.workspace, target, collections or ())
    _tell_damage(call, collections)
    if call.as_json:
        return call.document(to_json(shown))
    if sys.stdout.isatty():
        sys.stdout.write(visible(shown.text) + "\n" * (not shown.text.endswith("\n")))
        return 0
    sys.stdout.flush()
    sys.stdout.buffer.write(shown.text.encode("utf-8", "surrogatepass"))
    sys.stdout.buffer.flush()
    return 0


@command("keywords", _PANEL)
def keywords(
    call: Call,
    terms: Annotated[list[str], typer.Argument(metavar="TERM", help="Words; one with spaces is a phrase.")],
    regex: Annotated[bool, typer.Option("--regex", help="Terms are regular expressions, over single lines.")] = False,
    context: Annotated[int, typer.Option("--context", "-C", metavar="N", min=0, help="Lines around each.")] = 0,
    collections: Chosen = None,
) -> int:
    """List every line that holds one of the terms.

    Whole words, case and accents aside; files with most of them come first.
    """
    from store.records import to_json
    from wherein.pipelines.keywords import keywords as run

    found = run(call.workspace, terms, collections or (), regex=regex, context=context)
    _tell_damage(call, collections)
    code = 0 if found.hits else NOT_FOUND
    if call.as_json:
        return call.document(to_json(found), code)
    several = len({hit.collection for hit in found.hits}) > 1
    for hit in found.hits:
        place = one_line(f"{hit.collection}: {hit.path}" if several else hit.path)
        print_line(f"{place}:{hit.line}:{chr(10) if context else ' '}{hit.text}")
    for term in found.terms:
        call.note(f"{term.term}: {term.occurrences:,} in {counted(term.files, 'file')}")
    return code
