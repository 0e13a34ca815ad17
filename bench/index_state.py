"""Everything of an index that must not depend on how it came about, and what it has paid for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import wherein
from store import catalog, snapshot
from store.embeddings import embedding_key
from tasks.models import embedding_spec
from wherein.pipelines import models

COLLECTION = "notes"
MODES = ("hybrid", "vector", "keyword")


def contents(workspace: wherein.Workspace) -> dict[str, Any]:
    """Every chunk with its place, text, date and vector, in order; the keyword index byte for byte."""
    with snapshot.searchable(workspace.folder_of(COLLECTION)) as opened:
        if opened is None or not len(opened):
            return {"chunks": [], "keywords": {}}
        table = opened.rows.arrays
        chunks = []
        for row, passage in enumerate(opened.passages(range(len(opened)))):
            vector = opened.segments[int(table["segment"][row])][int(table["row"][row])]
            place = (passage.path, passage.position, passage.char_start, passage.line_start)
            chunks.append((*place, passage.heading, passage.date, passage.text, vector.tobytes()))
        return {"chunks": chunks, "keywords": {name: a.tobytes() for name, a in opened.lexicon.arrays.items()}}


def answers(workspace: wherein.Workspace, queries: Sequence[str]) -> list[Any]:
    """Hits in order with all their scores and ranks, for every query in every mode."""
    found = []
    for query in queries:
        for mode in MODES:
            evidence = wherein.search(query, workspace, mode=mode)
            hits = [(h.key, h.text, h.scores, h.ranks, h.pinned, h.also_in) for h in evidence.hits]
            found.append((query, mode, evidence.confidence, hits))
    return found


def generation(workspace: wherein.Workspace) -> int:
    """The number of the current generation; 0 before the first."""
    with snapshot.opened(workspace.folder_of(COLLECTION)) as opened:
        return 0 if opened is None else opened.number


def remembered(folder: Path) -> set[bytes]:
    """The keys of all embeddings that a collection's catalog holds."""
    connection = catalog.open_for_reading(folder)
    if connection is None:
        return set()
    try:
        return {bytes(row[0]) for row in connection.execute("SELECT key FROM embeddings")}
    finally:
        connection.close()


def keys_of(workspace: wherein.Workspace, sent: Sequence[str]) -> list[bytes]:
    """What the embeddings of some texts, as sent to the model, are remembered by."""
    fingerprint = embedding_spec(models.embedding(workspace)).fingerprint
    return [embedding_key(fingerprint, text) for text in sent]


def staged(folder: Path) -> bool:
    """Whether a run has written versions of files that no generation holds yet."""
    connection = catalog.open_for_reading(folder)
    if connection is None:
        return False
    try:
        born = connection.execute("SELECT max(born) FROM files").fetchone()[0]
        return born is not None and born > catalog.current(connection)
    finally:
        connection.close()


def difference(found: dict[str, Any], expected: dict[str, Any]) -> str:
    """Where two contents differ, in a line: chunks by their path and position, arrays by their name."""
    mine, theirs = ({chunk[:2]: chunk for chunk in one["chunks"]} for one in (found, expected))
    places = sorted(place for place in mine.keys() | theirs.keys() if mine.get(place) != theirs.get(place))
    arrays = sorted(name for name, array in expected["keywords"].items() if found["keywords"].get(name) != array)
    kinds = [f"{path}:{position} {_kind(mine, theirs, (path, position))}" for path, position in places[:5]]
    return f"{len(places)} chunks ({', '.join(kinds)}), keyword arrays {arrays}"


def _kind(mine: dict[Any, Any], theirs: dict[Any, Any], place: Any) -> str:
    if place not in mine or place not in theirs:
        return "missing" if place in theirs else "surplus"
    names = ("path", "position", "start", "line", "heading", "date", "text", "vector")
    pairs = zip(names, mine[place], theirs[place], strict=True)
    return "other " + "+".join(name for name, one, other in pairs if one != other)
