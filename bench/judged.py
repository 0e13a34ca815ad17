"""A set of documents with queries and judgements, in the layout of the BEIR sets.

`corpus.jsonl` {"_id", "title", "text"}, `queries.jsonl` {"_id", "text"}, either with `.gz`; `qrels.tsv` with a header
(query-id, corpus-id, score). Without a corpus, `files.tar.gz` holds the documents, a file's stem being its id.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from bench import folders

UNSAFE = re.compile(r"[^A-Za-z0-9._-]")


@dataclass(frozen=True)
class Judged:
    """`queries` text by id, those with a relevant document only; `qrels` score by document by query."""

    queries: dict[str, str]
    qrels: dict[str, dict[str, int]]


def read(folder: Path, limit: int | None = None) -> Judged:
    """All judged queries of a set, or the first `limit` of them."""
    qrels = _qrels(folder / "qrels.tsv")
    queries = {str(row["_id"]): str(row["text"]) for row in _rows(folder, "queries.jsonl")}
    chosen = [id_ for id_ in queries if any(score > 0 for score in qrels.get(id_, {}).values())][:limit]
    return Judged({id_: queries[id_] for id_ in chosen}, {id_: qrels[id_] for id_ in chosen})


def _rows(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    packed = folder / f"{name}.gz"
    content = gzip.decompress(packed.read_bytes()) if packed.exists() else (folder / name).read_bytes()
    for line in content.decode("utf-8").split("\n"):
        if line.strip():
            yield json.loads(line)


def _qrels(path: Path) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    with path.open(encoding="utf-8", newline="") as stream:
        for query, document, score in list(csv.reader(stream, delimiter="\t"))[1:]:
            found.setdefault(query, {})[document] = int(score)
    return found


def unfold(folder: Path, target: Path) -> dict[str, str]:
    """Write one text file a document (title, blank line, text) below `target`; ids by path relative to it."""
    if not any((folder / name).exists() for name in ("corpus.jsonl", "corpus.jsonl.gz")):
        if not target.exists():
            folders.copy(folder, target)
        paths = [path.relative_to(target).as_posix() for path in folders.notes(target)]
        return {path: PurePosixPath(path).stem for path in paths}
    target.mkdir(parents=True, exist_ok=True)
    ids: dict[str, str] = {}
    for row in _rows(folder, "corpus.jsonl"):
        name = _free(UNSAFE.sub("_", str(row["_id"])), ids)
        ids[name] = str(row["_id"])
        _write(target / name, "\n\n".join(part for part in (row.get("title"), row["text"]) if part))
    return ids


def _free(stem: str, taken: dict[str, str]) -> str:
    number = 0
    while (name := f"{stem}{f'~{number}' if number else ''}.txt") in taken:
        number += 1
    return name


def _write(path: Path, text: str) -> None:
    """Written only if it differs, so that a kept index finds nothing changed."""
    content = text.encode()
    if not path.exists() or path.read_bytes() != content:
        path.write_bytes(content)
