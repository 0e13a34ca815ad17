"""The indexed texts of a workspace, for the makers of questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from store.snapshot import Snapshot
from tasks.evaluation.making.corpus import UNKNOWN, Corpus, SourceText
from tasks.globs import nfc
from wherein.pipelines.inspect import opened
from wherein.workspace import Workspace


def corpus(workspace: Workspace, chosen: Sequence[str] = (), seed: int = 0) -> Corpus:
    """What the current generations hold; raises WhereinError (exit 1) without an index."""
    with opened(workspace, chosen) as found:
        return Corpus([text for name, opening in found for text in _texts(name, opening)], seed)


def _texts(name: str, opening: Snapshot) -> Iterator[SourceText]:
    for row in list(opening.files()):
        passages = tuple((start, end) for start, end, _, _ in opening.spans(row["id"]))
        if passages:
            text = opening.text_of(row["content_id"])
            yield SourceText(name, nfc(row["path"]), text, passages, row["language"] or UNKNOWN, row["date"])
