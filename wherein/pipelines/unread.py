"""Files in a language that the embedding model does not read: its voice counts less there, and that is said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tasks.language import detect_language
from tasks.models import UNSURE, embedding_languages, embedding_reads
from tasks.source import Source
from wherein.pipelines.asked import Asked


def vector_share(asked: Asked, pool: Sequence[Source]) -> float:
    """What `weight_vector` is multiplied by; below 1 only with a note.

    Most files with a known language must be in one that the model is known not to read, and the question in none that
    it does read.
    """
    share = asked.settings.retrieval.weight_vector_unread
    language = _unread(pool) if share < 1 else None
    if language is None or any(detect_language(asked.query) in embedding_languages(_model(source)) for source in pool):
        return 1.0
    asked.notes.append(
        f"most files are in a language ({language}) that the embedding model does not read: similar vectors count"
        f" {share:g} times as much as elsewhere (retrieval.weight_vector_unread)"
    )
    return share


def _unread(pool: Sequence[Source]) -> str | None:
    """The commonest language that is not read, if the files in such ones are the majority."""
    if all(embedding_reads(_model(source), language) for source in pool for language in source.languages):
        return None
    read, unread = 0, Counter[str]()
    for source in pool:
        for language, files in source.snapshot.languages().items():
            if not embedding_reads(_model(source), language):
                unread[language] += files
            elif language != UNSURE:
                read += files
    most = min(unread, key=lambda language: (-unread[language], language), default=None)
    return most if unread.total() > read else None


def _model(source: Source) -> str:
    return str((source.snapshot.settings or {}).get("embedding", {}).get("model", ""))
