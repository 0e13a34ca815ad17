"""What a command is asked, and how it is to be searched."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from store.errors import usage

if TYPE_CHECKING:
    from wherein.pipelines.options import QueryOptions

STDIN = "-"
_FILTERS = "absolute: YYYY, YYYY-MM or YYYY-MM-DD"


@dataclass(frozen=True)
class QueryFlags:
    """The flags of a search."""

    mode: Annotated[
        str | None, typer.Option(metavar="MODE", help="auto, hybrid, vector or keyword; auto looks at the query.")
    ] = None
    rerank: Annotated[
        bool | None, typer.Option("--rerank/--no-rerank", help="Have a model read question and passage together.")
    ] = None
    k: Annotated[int | None, typer.Option("-k", metavar="N", help="How many passages.")] = None
    per_source: Annotated[
        int | None, typer.Option(metavar="N", help="At most so many passages of one file; 0 for no limit.")
    ] = None
    collections: Annotated[
        list[str] | None, typer.Option("--collection", metavar="NAME", help="Only this collection; repeatable.")
    ] = None
    path: Annotated[str | None, typer.Option(metavar="GLOB", help="Only files that match, as 'journal/**/*.md'.")] = (
        None
    )
    since: Annotated[str | None, typer.Option(metavar="DATE", help=f"Not before; {_FILTERS}.")] = None
    until: Annotated[str | None, typer.Option(metavar="DATE", help="Not after.")] = None
    on: Annotated[str | None, typer.Option(metavar="DATE", help="That day, month or year.")] = None
    expand: Annotated[bool, typer.Option("--expand", help="Search by paraphrases too; asks the language model.")] = (
        False
    )
    hyde: Annotated[
        bool, typer.Option("--hyde", help="Search by a passage that might answer too; asks the language model.")
    ] = False

    def options(self) -> QueryOptions:
        """As the pipelines take them."""
        from wherein.pipelines.options import QueryOptions

        return QueryOptions(
            mode=self.mode,
            rerank=self.rerank,
            k=self.k,
            per_source=self.per_source,
            collections=tuple(self.collections or ()),
            path=self.path,
            since=self.since,
            until=self.until,
            on=self.on,
            expand=self.expand,
            hyde=self.hyde,
        )


def asked(words: Sequence[str], what: str = "query") -> str:
    """The words as one text, `-` standing for stdin; raises (exit 2) if there is nothing in it."""
    text = read_stdin() if list(words) == [STDIN] else " ".join(words)
    readable = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace").strip()
    if not readable:
        raise usage(f"The {what} is blank: give some words, or - to read it from stdin.", kind="usage")
    return readable


def read_stdin() -> str:
    """All of stdin as UTF-8; bytes that are none are replaced."""
    if sys.stdin is None:
        return ""
    return sys.stdin.buffer.read().decode("utf-8-sig", "replace")
