"""`wherein search`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from store.errors import NOT_FOUND, PARTIAL
from wherein.cli.command import Call, command
from wherein.cli.question import QueryFlags, asked
from wherein.cli.run import recorded
from wherein.cli.times import index_age

if TYPE_CHECKING:
    from store.records import Evidence

Words = Annotated[list[str], typer.Argument(metavar="QUERY", help="Words or a question; - reads it from stdin.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Whole passages, every score, and stage times.")]


@command("search", "Everyday")
def search(call: Call, flags: QueryFlags, words: Words, verbose: Verbose = False) -> int:
    """Find passages; no language model is asked.

    "Quoted phrases" must occur. Scores: cosine, BM25, and the reranker's logit.
    """
    text = asked(words)
    from store.records import to_json
    from wherein.pipelines import query

    options = flags.options()
    evidence = recorded("search", call, lambda: query.search(call.workspace, text, options), text, code=exit_code)
    code = exit_code(evidence)
    if call.as_json:
        return call.document(to_json(evidence), code)
    from wherein.cli.passages import show_evidence

    show_evidence(evidence, verbose=verbose)
    call.notes(*evidence.notes, index_age(evidence.index_age_seconds))
    return code


def exit_code(evidence: Evidence) -> int:
    """Nothing found counts before a reranker that failed."""
    if not evidence.hits:
        return NOT_FOUND
    return PARTIAL if evidence.rerank_failed else 0
