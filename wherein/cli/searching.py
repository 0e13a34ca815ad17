"""`wherein search`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from store.errors import NOT_FOUND, PARTIAL, usage
from wherein.cli.command import Call, command
from wherein.cli.question import QueryFlags, asked
from wherein.cli.run import recorded
from wherein.cli.times import index_age

if TYPE_CHECKING:
    from store.records import Evidence
    from wherein.pipelines.options import QueryOptions
    from wherein.pipelines.why import LeftOut

Words = Annotated[list[str] | None, typer.Argument(metavar="QUERY", help="Words or a question; - reads it from stdin.")]
Verbose = Annotated[
    bool,
    typer.Option("--verbose", "-v", help="Whole passages, every score and rank, what was left out, and stage times."),
]


Why = Annotated[
    str | None, typer.Option("--why", metavar="PATH", help="Tell which step lost this file, and what would help.")
]


Like = Annotated[
    str | None, typer.Option("--like", metavar="PATH[:LINE]", help="Find what resembles this file or passage.")
]


@command("search", "Everyday")
def search(
    call: Call, flags: QueryFlags, words: Words = None, verbose: Verbose = False, why: Why = None, like: Like = None
) -> int:
    """Find passages; no language model is asked.

    "Quoted phrases" must occur. Scores: cosine, BM25, and the reranker's own.
    """
    text = _text(words, like)
    from store.records import to_json
    from wherein.pipelines import query
    from wherein.pipelines.why import left_out

    options = replace(flags.options(), like=like)
    if why is not None:
        return explain(call, text, options, why)
    dropped: list[LeftOut] = []
    more = {"seen": lambda trail: dropped.extend(left_out(trail))} if verbose else {}
    evidence = recorded(
        "search", call, lambda: query.search(call.workspace, text, options, **more), text, code=exit_code
    )
    code = exit_code(evidence)
    if call.as_json:
        document = to_json(evidence)
        return call.document({**document, "left_out": to_json(dropped)} if verbose else document, code)
    from wherein.cli.passages import show_evidence, show_left_out
    from wherein.pipelines.missed import searched

    told = "" if evidence.hits else searched(evidence, options, call.workspace.settings.retrieval.floor)
    show_evidence(evidence, told, verbose=verbose)
    show_left_out(dropped)
    call.notes(*evidence.notes, index_age(evidence.index_age_seconds))
    return code


def _text(words: Sequence[str] | None, like: str | None) -> str:
    if like is None or words:
        if like is not None:
            raise usage("Give a query or --like PATH, not both.", kind="usage")
        return asked(words or [])
    return like


def explain(call: Call, text: str, options: QueryOptions, path: str) -> int:
    """What became of one file."""
    from store.records import to_json
    from wherein.cli.output import print_line
    from wherein.cli.plain import one_line
    from wherein.pipelines.query import retrieval
    from wherein.pipelines.why import why

    with retrieval(call.workspace, text, options) as (trail, work):
        found = why(trail, work, path)
    code = 0 if found.stage == "shown" else NOT_FOUND
    if call.as_json:
        return call.document({"query": text, **to_json(found)}, code)
    print_line(one_line(f"{found.path}: {found.told}."))
    if found.remedy:
        print_line(one_line(f"What would help: {found.remedy}."))
    return code


def exit_code(evidence: Evidence) -> int:
    """Nothing found counts before a reranker that failed."""
    if not evidence.hits:
        return NOT_FOUND
    return PARTIAL if evidence.partial else 0
