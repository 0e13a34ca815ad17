"""From hits to what is judged: files, or the passages that a golden question quotes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from store.records import Hit
from tasks.evaluation.golden import Question, Relevant
from tasks.folding import fold
from tasks.globs import nfc
from tasks.source import Located


def judged(question: Question) -> dict[str, int]:
    """Grades by unit; a path that names no indexed file is a unit that no hit has."""
    return {unit_of(entry, number): entry.score for number, entry in enumerate(question.relevant, 1)}


def unit_of(entry: Relevant, number: int) -> str:
    """`collection/path`, with `#number` for a quoted passage: the number of the entry in its question."""
    place = f"{entry.collection or '?'}/{nfc(entry.path)}"
    return place if entry.quote is None else f"{place}#{number}"


def ranking(question: Question, hits: Iterable[Hit]) -> list[str]:
    """The units of some hits, best first, each once."""
    return list(dict.fromkeys(unit for hit in hits for unit in units(question, hit)))


def units(question: Question, hit: Hit) -> list[str]:
    """What a hit stands for: the passages of the question that it holds, else itself.

    A hit stands for every place that has its text.
    """
    places = [(hit.collection, nfc(hit.path)), *((p.collection, nfc(p.path)) for p in hit.also_in)]
    found = _found(question, places, hit.text)
    by_passage = any(entry.quote is not None for entry in question.relevant)
    lines = [f"{hit.collection}/{nfc(hit.path)}:{hit.line_start}"] if by_passage else []
    return found or lines or [f"{collection}/{path}" for collection, path in places]


def at(question: Question, located: Located) -> set[str]:
    """The units of the question that a passage holds, by its own place alone."""
    passage = located.passage
    return set(_found(question, [(located.source.name, nfc(passage.path))], passage.text))


def _found(question: Question, places: Sequence[tuple[str, str]], text: str) -> list[str]:
    return [
        unit_of(entry, number)
        for number, entry in enumerate(question.relevant, 1)
        if (entry.collection, nfc(entry.path)) in places and (entry.quote is None or holds(text, entry.quote))
    ]


def holds(text: str, quote: str) -> bool:
    """Whether a passage holds a quotation, or at least half of one that the passage's border cuts.

    Letters and digits are compared; case, accents, marks and space do not count.
    """
    found, wanted = _letters(text), _letters(quote)
    if not wanted or wanted in found:
        return bool(wanted)
    sizes = range(max(1, -(-len(wanted) // 2)), min(len(wanted), len(found)) + 1)
    return any(found.endswith(wanted[:size]) or found.startswith(wanted[-size:]) for size in sizes)


def _letters(text: str) -> str:
    return "".join(character for character in fold(text) if character.isalnum())
