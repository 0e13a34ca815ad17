"""The kinds of questions that are made by rule, and a set chosen from them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from store.errors import usage
from tasks.evaluation.golden import Question
from tasks.evaluation.making import absent, dates, fact, heading, howto, identifier, name, off_topic, paraphrase, phrase
from tasks.evaluation.making.corpus import Corpus, Draft

Maker = Callable[[Corpus], Iterator[Draft]]
Advance = Callable[[str, int, int], None]
MADE_BY = "rule"
_SPARE = 4
"""Drafts looked at for each question wanted."""
_PER_FILE = 2


def _facts(corpus: Corpus) -> Iterator[Draft]:
    yield from fact.drafts(corpus)
    yield from howto.drafts(corpus)


MAKERS: dict[str, Maker] = {
    heading.KIND: heading.drafts,
    dates.DAY: dates.days,
    dates.MONTH: dates.months,
    name.KIND: name.drafts,
    identifier.KIND: identifier.drafts,
    phrase.KIND: phrase.drafts,
    fact.KIND: _facts,
    paraphrase.KIND: paraphrase.drafts,
    absent.KIND: absent.drafts,
    off_topic.KIND: off_topic.drafts,
}
ANSWERED = MAKERS.keys() - {absent.KIND, off_topic.KIND}
LEXICAL = frozenset({heading.KIND, name.KIND, identifier.KIND, phrase.KIND, fact.KIND})
"""Kinds that ask in the words of the passage, as keyword search likes it."""
ENGLISH_ALONE = (dates.MONTH, phrase.KIND, fact.KIND, paraphrase.KIND, off_topic.KIND)
_SHARES = {absent.KIND: 2, off_topic.KIND: 2, fact.KIND: 2, paraphrase.KIND: 2}
"""Of the whole set, against 1 for every other kind."""


def make(corpus: Corpus, kinds: Sequence[str], count: int, advance: Advance = lambda *_: None) -> list[Question]:
    """Up to `count` questions, by kind in the order of MAKERS; the seed of the corpus decides which.

    No two ask the same, no passage gives two, and a kind takes at most two from a file. Where a kind has too few,
    the others give more; but there are no more questions without an answer than go with those that have one. `advance`
    is told each kind, how many are done, and of how many. Raises WhereinError (exit 2) for an unknown kind.
    """
    chosen = [kind for kind in MAKERS if kind in checked(kinds)]
    taken = _Taken()
    wanted = dict.fromkeys(chosen, 0)
    pools = {}
    for number, kind in enumerate(chosen, 1):
        pools[kind] = _pool(corpus, kind, count)
        advance(kind, number, len(chosen))
    while _gives_more(pools, chosen) and taken.count < count:
        for kind in list(pools):
            wanted[kind] += _share(kind)
            most = min(wanted[kind], _in_proportion(kind, chosen, taken), taken.of(kind) + count - taken.count)
            if not taken.fill(kind, pools[kind], most):
                del pools[kind]
    return _numbered(corpus, chosen, taken)


def _gives_more(left: Iterable[str], chosen: Sequence[str]) -> bool:
    """Whether a kind is left; questions without an answer alone are none, if others were wanted."""
    return bool(ANSWERED & set(left) if ANSWERED & set(chosen) else left)


def _in_proportion(kind: str, chosen: Sequence[str], taken: _Taken) -> int:
    """As many of a kind that nothing answers as go with the questions so far that have an answer."""
    answered = sorted(ANSWERED & set(chosen))
    if kind in ANSWERED or not answered:
        return sys.maxsize
    return sum(map(taken.of, answered)) * _share(kind) // sum(map(_share, answered))


def _share(kind: str) -> int:
    """Of the whole set, against others."""
    return _SHARES.get(kind, 1)


def checked(kinds: Sequence[str]) -> list[str]:
    """The kinds, all of them for none."""
    for kind in kinds:
        if kind not in MAKERS:
            raise usage(f"No kind of question is called {kind!r}: known are {', '.join(MAKERS)}.", kind="golden")
    return list(kinds) or list(MAKERS)


def _pool(corpus: Corpus, kind: str, count: int) -> Iterator[Draft]:
    """Drafts of a kind with those first that other files have not given any to."""
    by_file: dict[frozenset[int], int] = {}
    first: list[tuple[int, int, Draft]] = []
    for order, draft in enumerate(islice(MAKERS[kind](corpus), _SPARE * count)):
        before = by_file.get(draft.files, 0) if draft.files else 0
        by_file[draft.files] = before + 1
        if before < _PER_FILE:
            first.append((before, order, draft))
    return iter([draft for _, _, draft in sorted(first, key=lambda entry: entry[:2])])


class _Taken:
    """The drafts that are taken, by kind."""

    def __init__(self) -> None:
        self.drafts: dict[str, list[Draft]] = {}
        self._passages: set[tuple[int, int]] = set()
        self._questions: set[str] = set()

    @property
    def count(self) -> int:
        return sum(map(len, self.drafts.values()))

    def of(self, kind: str) -> int:
        return len(self.drafts.get(kind, ()))

    def fill(self, kind: str, pool: Iterator[Draft], wanted: int) -> bool:
        """Take drafts of a kind until there are as many as wanted; whether that was possible."""
        while self.of(kind) < wanted:
            draft = next((draft for draft in pool if self._is_new(draft)), None)
            if draft is None:
                return False
            self.drafts.setdefault(kind, []).append(draft)
            self._passages |= draft.passages
            self._questions.add(draft.question.lower())
        return True

    def _is_new(self, draft: Draft) -> bool:
        return draft.question.lower() not in self._questions and self._passages.isdisjoint(draft.passages)


def _numbered(corpus: Corpus, kinds: Sequence[str], taken: _Taken) -> list[Question]:
    found = [draft for kind in kinds for draft in taken.drafts.get(kind, ())]
    width = max(3, len(str(len(found))))
    return [
        Question(
            f"m{corpus.seed}-{number:0{width}}", draft.question, draft.relevant, bool(draft.relevant), draft.answer,
            draft.kind, MADE_BY,
        )
        for number, draft in enumerate(found, 1)
    ]  # fmt: skip


def remarks(corpus: Corpus, asked: Sequence[str], made: Sequence[Question], count: int) -> list[str]:
    """What the maker of a set should know: kinds that gave nothing and why, too few, and what it cannot show."""
    kinds = checked(asked)
    counts = {kind: sum(question.kind == kind for question in made) for kind in kinds}
    empty = [kind for kind in kinds if not counts[kind]]
    if empty and len(made) == count < sum(map(_share, kinds)):
        return [f"{count} questions are too few for every kind: none of {', '.join(empty)}", *one_sided(made)]
    notes = [f"no question of the kind {kind}: {_why_none(corpus, kind)}" for kind in empty]
    if len(made) < count:
        notes.append(f"{len(made)} of {count} questions: the files give no more of these kinds")
    return notes + one_sided(made)


def _why_none(corpus: Corpus, kind: str) -> str:
    if kind in (dates.DAY, dates.MONTH) and not corpus.is_journal:
        return "fewer than half of the files have a day of their own"
    if kind in ENGLISH_ALONE and not corpus.english:
        return f"its rules are those of English, and these files are in {', '.join(corpus.languages) or 'no language'}"
    return "no file gives one by its rules"


def one_sided(made: Sequence[Question]) -> list[str]:
    """A warning where all questions that have an answer ask in the words of the files."""
    kinds = sorted({question.kind for question in made if question.answerable})
    if not kinds or not set(kinds) <= LEXICAL:
        return []
    named = f"of the kind {kinds[0]}" if len(kinds) == 1 else f"of the kinds {', '.join(kinds)}"
    return [f"all answerable questions are {named}, in the words of the files: they favour keyword search, so that"
            " settings must not be tuned on them alone"]  # fmt: skip
