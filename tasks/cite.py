"""What an answer rests on: its markers and quotations, looked up in the passages of the prompt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from store.records import Citation, Hit
from tasks import markers, neighbours
from tasks.markers import Group
from tasks.quoted_words import Quoted
from tasks.quotes import Quotation, quotations
from tasks.scripts import quotable
from tasks.sentences import Extent, sentences
from tasks.spans import Spans
from tasks.stage import stage

REFUSAL = "NOT IN YOUR FILES"
_LINE_END = re.compile(r"\r\n|\n|\r")
_CODE_BLOCK = re.compile(r"^[ \t]*```.*?(?:^[ \t]*```[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_UNSTATED = re.compile(r"[ \t]*#|.*[:：][ \t*_]*\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class CheckedCitation(Citation):
    """`found_in` is the marker of another passage that holds a quotation the cited one does not."""

    found_in: int | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A file of the prompt with the markers of its passages: those cited, or for one only read, all."""

    collection: str
    path: str
    markers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Cited:
    """An answer's references. `uncited_quotes` have no known marker in their sentence."""

    refused: bool
    citations: tuple[CheckedCitation, ...]
    unknown_markers: tuple[int, ...]
    contributed: tuple[Source, ...]
    also_read: tuple[Source, ...]
    sentences_without_citation: int
    uncited_quotes: tuple[str, ...]


def is_refusal(answer: str) -> bool:
    """Whether the answer is the words of refusal alone, whatever their case, white space and outer punctuation."""
    said = [at for at, character in enumerate(answer) if character.isalnum()]
    return bool(said) and " ".join(answer[said[0] : said[-1] + 1].split()).casefold() == REFUSAL.casefold()


@stage("cite", items=lambda cited: len(cited.citations))
def cite(answer: str, hits: Sequence[Hit]) -> Cited:
    """Look up every marker and quotation of the answer; marker n is `hits[n - 1]`."""
    if is_refusal(answer):
        return Cited(True, (), (), (), _sources(hits, range(1, len(hits) + 1)), 0, ())
    reader = _Reader(answer, hits)
    citations = tuple(dict.fromkeys(reader.citations()))
    cited = {c.marker for c in citations if c.verified is not False}
    contributed = _sources(hits, [c.marker for c in citations if c.marker in cited])
    known = {(source.collection, source.path) for source in contributed}
    rest = [m for m, hit in enumerate(hits, start=1) if (hit.collection, hit.path) not in known]
    return Cited(
        False,
        citations,
        tuple(dict.fromkeys(m for group in reader.groups for m in group.markers if m not in reader.passages)),
        contributed,
        _sources(hits, rest),
        sum(1 for _ in reader.sentences_without_citation()),
        tuple(quotation.text for quotation in reader.uncited()),
    )


def _sources(hits: Sequence[Hit], cited: Sequence[int]) -> tuple[Source, ...]:
    """The files of the cited passages, in order of first citation."""
    found: dict[tuple[str, str], list[int]] = {}
    for marker in dict.fromkeys(cited):
        hit = hits[marker - 1]
        found.setdefault((hit.collection, hit.path), []).append(marker)
    return tuple(Source(collection, path, tuple(numbers)) for (collection, path), numbers in found.items())


class _Passage:
    """A passage that is folded once, when a quotation is first looked up in it."""

    def __init__(self, hit: Hit) -> None:
        self.hit = hit

    @cached_property
    def quoted(self) -> Quoted:
        return Quoted(self.hit.text)

    def lines(self, extent: Extent) -> tuple[int, int]:
        """Lines of the file that an extent of the passage covers."""
        first = self.hit.line_start + len(_LINE_END.findall(self.hit.text, 0, extent[0]))
        return first, first + len(_LINE_END.findall(self.hit.text, *extent))


Holders = dict[int, tuple[_Passage, Extent]]
"""By marker, where a text stands."""


class _Reader:
    """An answer taken apart: sentences, groups of markers, quotations, and which belongs to which."""

    def __init__(self, answer: str, hits: Sequence[Hit]) -> None:
        self.answer = answer
        self.passages = {marker: _Passage(hit) for marker, hit in enumerate(hits, start=1)}
        self._joined = {pair: _Passage(hit) for pair, hit in neighbours.joined(hits)}
        self._looked_up: dict[tuple[str, bool], Holders] = {}
        found = quotations(answer)
        self.quotations = [quotation for quotation in found if quotation.counts]
        self.sentences = sentences(answer, [(q.start, q.end) for q in found], markers.TAIL)
        self._sentences: Spans[Extent] = Spans(self.sentences, lambda extent: extent[0])
        self._quotations = Spans(self.quotations, lambda quotation: quotation.start)
        self._groups = Spans(markers.groups(answer), lambda group: group.start)
        self.groups = [group for group in self._groups.items if not self._is_quoted(group)]
        self._groups = Spans(self.groups, lambda group: group.start)
        self._group_of = {quotation: self._group_for(quotation) for quotation in self.quotations}

    def citations(self) -> Iterator[CheckedCitation]:
        """In order of the markers; a quotation belongs to those of its group that hold it, or else to all."""
        quoted: dict[Group | None, list[Quotation]] = {}
        for quotation, group_of in self._group_of.items():
            quoted.setdefault(group_of, []).append(quotation)
        for group in self.groups:
            known = [marker for marker in group.markers if marker in self.passages]
            checks = [self._check(quotation, known) for quotation in quoted.get(group, [])]
            for marker in known:
                own = [check[marker] for check in checks if marker in check]
                yield from own or [self._plain(marker)]

    def uncited(self) -> list[Quotation]:
        """Quotations that no known marker stands for."""
        return [q for q, group in self._group_of.items() if group is None or not self._known(group)]

    def sentences_without_citation(self) -> Iterator[Extent]:
        """Sentences that state something and have no known marker; not headings, lead-ins and code."""
        code = Spans([found.span() for found in _CODE_BLOCK.finditer(self.answer)], lambda extent: extent[0])
        for start, end in self.sentences:
            text = self.answer[start:end]
            block = code.last_from(start)
            states = quotable(text) and not _UNSTATED.match(text) and (block is None or block[1] <= start)
            if states and not any(map(self._known, self._groups.between(start, end))):
                yield start, end

    def _known(self, group: Group) -> bool:
        return any(marker in self.passages for marker in group.markers)

    def _is_quoted(self, group: Group) -> bool:
        """Whether the brackets are a passage's own, quoted along with its words: others follow, or they stand there."""
        around = self._quotations.last_from(group.start - 1)
        if around is None or around.end <= group.start:
            return False
        _, end = self._sentence_of(around)
        return self._groups.first(around.end, end) is not None or bool(self._holders(around.text))

    def _holders(self, text: str, *, whole: bool = False) -> Holders:
        """The passages that hold a text, or the two neighbours in a file over which it runs; looked up once."""
        if (text, whole) not in self._looked_up:
            self._looked_up[text, whole] = self._find(text, whole)
        return self._looked_up[text, whole]

    def _find(self, text: str, whole: bool) -> Holders:
        looked_up = ((marker, p, p.quoted.find(text, whole=whole)) for marker, p in self.passages.items())
        found = {marker: (p, extent) for marker, p, extent in looked_up if extent is not None}
        if found:
            return found
        runs = ((pair, p, p.quoted.find(text, whole=whole)) for pair, p in self._joined.items())
        return {marker: (p, extent) for pair, p, extent in runs if extent is not None for marker in pair}

    def _sentence_of(self, quotation: Quotation) -> Extent:
        found = self._sentences.last_from(quotation.start)
        return found if found is not None and quotation.start < found[1] else (0, 0)

    def _group_for(self, quotation: Quotation) -> Group | None:
        """The next group in the quotation's sentence, else the nearest before it there."""
        start, end = self._sentence_of(quotation)
        after = self._groups.first(max(start, quotation.start), end)
        return after or self._groups.last(start, end)

    def _check(self, quotation: Quotation, known: Sequence[int]) -> dict[int, CheckedCitation]:
        holders = self._holders(quotation.text)
        if not holders and markers.groups(quotation.text):
            holders = self._holders(markers.without(quotation.text), whole=True)
        verified = {marker: holders[marker] for marker in known if marker in holders}
        if verified:
            return {marker: self._verified(marker, quotation, *where) for marker, where in verified.items()}
        found_in = min(holders, default=None)
        return {marker: self._unverified(marker, quotation, found_in) for marker in known}

    def _verified(self, marker: int, quotation: Quotation, passage: _Passage, extent: Extent) -> CheckedCitation:
        hit = passage.hit
        return CheckedCitation(marker, hit.collection, hit.path, *passage.lines(extent), quotation.text, True)

    def _unverified(self, marker: int, quotation: Quotation, found_in: int | None) -> CheckedCitation:
        hit = self.passages[marker].hit
        place = (hit.collection, hit.path, hit.line_start, hit.line_end)
        return CheckedCitation(marker, *place, quotation.text, False, found_in)

    def _plain(self, marker: int) -> CheckedCitation:
        hit = self.passages[marker].hit
        return CheckedCitation(marker, hit.collection, hit.path, hit.line_start, hit.line_end, None, None)
