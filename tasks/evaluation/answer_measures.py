"""How good one answer is, beside a golden question."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from store.records import Citation
from tasks.evaluation.golden import Question
from tasks.folding import fold
from tasks.globs import nfc

MEASURES = ("right to answer", "citation precision", "reference contained", "reference words")


def measures(question: Question, answer: str, citations: Sequence[Citation], *, refused: bool) -> dict[str, float]:
    """Each from 0 to 1.

    "right to answer": answered where the files hold an answer, refused where they do not. The others are of answerable
    questions only, and 0 where the question was refused: the share of citations that lead to a relevant file and whose
    quotation is not wrong (0 without a citation), whether the reference answer is contained word by word, and the share
    of its words that are. Case, accents and punctuation do not count.
    """
    right = {MEASURES[0]: float(refused != question.answerable)}
    if not question.answerable:
        return right
    right[MEASURES[1]] = 0.0 if refused else _precision(question, citations)
    if question.answer:
        said, wanted = _words(answer), _words(question.answer)
        right[MEASURES[2]] = float(not refused and _contains(said, wanted))
        right[MEASURES[3]] = 0.0 if refused else fmean(word in said for word in wanted) if wanted else 0.0
    return right


def _precision(question: Question, citations: Sequence[Citation]) -> float:
    relevant = {(entry.collection, nfc(entry.path)) for entry in question.relevant if entry.score > 0}
    good = [(c.collection, nfc(c.path)) in relevant and c.verified is not False for c in citations]
    return fmean(good) if good else 0.0


def _words(text: str) -> list[str]:
    return "".join(letter if letter.isalnum() else " " for letter in fold(text)).split()


def _contains(said: Sequence[str], wanted: Sequence[str]) -> bool:
    size = len(wanted)
    return size > 0 and any(list(said[at : at + size]) == list(wanted) for at in range(len(said) - size + 1))
