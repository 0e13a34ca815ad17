"""Passages on a terminal."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Literal

from store.records import Evidence, Hit
from wherein.cli.plain import one_line, visible
from wherein.cli.times import stage_times

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from wherein.pipelines.why import LeftOut

_WORD = re.compile(r"\w+", re.UNICODE)
_SNIPPET_CHARACTERS = 320
_BEFORE_CHARACTERS = 80
_PLACES = 5
NEAREST = 5
"""How many passages are shown where none answers the question."""
_CHANNELS = (("vector", "vector"), ("bm25", "keyword"), ("date", "date"), ("name", "name"))


def console() -> Console:
    """Plain unless on a terminal; lines are never folded, so that what is piped stays greppable."""
    from rich.console import Console

    styles: Literal["auto"] | None = None if os.environ.get("NO_COLOR") else "auto"
    return Console(soft_wrap=True, highlight=False, markup=False, emoji=False, color_system=styles)


def show_evidence(evidence: Evidence, searched: str = "", *, verbose: bool = False) -> None:
    """Hits, or the nearest passages where nothing was good enough to be one; `searched` tells of a miss."""
    screen = console()
    marks = Marks(evidence.query)
    if not evidence.hits:
        missed = "Not in your files: no passage answers this." if evidence.nearest else "No passage found."
        screen.print(one_line(f"{missed} {searched}".strip()))
    if not evidence.hits and evidence.nearest:
        screen.print("The nearest passages:")
    nearest = evidence.nearest if verbose else evidence.nearest[:NEAREST]
    for number, hit in enumerate(evidence.hits or nearest):
        if number:
            screen.print()
        show_hit(screen, hit, marks, verbose=verbose)
    if not evidence.hits and len(nearest) < len(evidence.nearest):
        screen.print(f"\n{len(evidence.nearest) - len(nearest)} more with -v.")
    if evidence.hits and evidence.confidence == "weak":
        screen.print("\nConfidence is weak: these passages may not answer the question.")
    if verbose:
        screen.print(f"\n{stage_times(evidence.stages)}")


def show_hit(screen: Console, hit: Hit, marks: Marks, *, verbose: bool = False) -> None:
    """`1. path:line  date  [vector+bm25]  scores`, the heading, and what it says."""
    from rich.text import Text

    head = Text(f"{hit.rank}. ", style="bold")
    head.append(one_line(f"{hit.path}:{hit.line_start}"), style="bold cyan")
    details = [hit.date or "", channels(hit), "pinned" if hit.pinned else "", scores(hit, verbose=verbose)]
    head.append("".join(f"  {detail}" for detail in details if detail), style="not bold")
    screen.print(head)
    text = hit.text if verbose else snippet(hit.text, marks)
    if hit.heading and not _begins_with(text, hit.heading):
        screen.print(Text(f"   {one_line(hit.heading)}", style="italic"))
    screen.print(marks.painted("\n".join(f"   {line}" for line in visible(text).split("\n"))))
    if verbose:
        screen.print(Text(f"   {ranks(hit)}", style="dim"))
        words = marks.words(hit.text)
        screen.print(Text(one_line(f"   matched: {', '.join(words) or 'no word'}"), style="dim"))
    for place in also_in(hit):
        screen.print(Text(one_line(f"   also in {place}"), style="dim"))


def _begins_with(text: str, heading: str) -> bool:
    """Whether the first line says the whole path of headings already."""
    return text.lstrip().partition("\n")[0].strip("# \t\r") == heading


def also_in(hit: Hit) -> list[str]:
    """Where else the same text stands, each place once, the last entry for those beyond five."""
    places = list(dict.fromkeys(f"{place.path}:{place.line_start}" for place in hit.also_in))
    more = len(places) - _PLACES
    return places if more <= 1 else [*places[:_PLACES], f"{more:,} other places"]


def channels(hit: Hit) -> str:
    """Which channels found the passage: `[vector+bm25]`, `[bm25-only]`."""
    names = [name for name, rank in _CHANNELS if getattr(hit.ranks, rank) is not None]
    if not names:
        return "[other wording]"
    return f"[{'+'.join(names)}]" if len(names) > 1 else f"[{names[0]}-only]"


def scores(hit: Hit, *, verbose: bool = False) -> str:
    """The final score; the others on request."""
    shown = [] if hit.scores.final is None else [f"{hit.scores.final:.3f}"]
    if verbose:
        named = (("vector", "cosine"), ("keyword", "bm25"), ("fused", "fused"), ("rerank", "rerank"))
        found = [(label, getattr(hit.scores, name)) for name, label in named]
        shown += [f"{label} {value:.3f}" for label, value in found if value is not None]
    return " ".join(shown)


def ranks(hit: Hit | LeftOut) -> str:
    """`vector 3, bm25 1, fused 2, rerank 1 (+1)`: places in each list, and how far the reranker moved it up."""
    named = (("vector", "vector"), ("keyword", "bm25"), ("date", "date"), ("name", "name"), ("fused", "fused"),
             ("rerank", "rerank"))  # fmt: skip
    shown = [f"{label} {place}" for name, label in named if (place := getattr(hit.ranks, name)) is not None]
    if hit.ranks.fused is not None and hit.ranks.rerank is not None:
        shown[-1] += f" ({hit.ranks.fused - hit.rank:+d})"
    return f"places: {', '.join(shown)}"


def show_left_out(dropped: Sequence[LeftOut]) -> None:
    """A line for each passage of the pool that is no hit."""
    screen = console()
    for entry in dropped:
        place = one_line(f"{entry.path}:{entry.line_start}")
        final = "" if entry.scores.final is None else f"{entry.scores.final:.3f}  "
        screen.print(f"{entry.stage:<6} {entry.rank}. {place}  {final}{ranks(entry)}")


class Marks:
    """Finds a query's words in a passage: the forms that the keyword search takes for the same."""

    def __init__(self, query: str) -> None:
        from tasks.analyse import Analyser

        self._analyser = Analyser()
        self._query = query
        self._wanted = cache(self._terms)

    def _terms(self, language: str) -> frozenset[str]:
        return frozenset(self._analyser.query_terms(self._query, [language]))

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where words of the query stand (half-open, code points)."""
        detected = self._analyser.detect_language(text)
        language = "en" if detected == "none" else detected
        wanted = self._wanted(language)
        words = ((match.span(), match[0]) for match in _WORD.finditer(text))
        return [span for span, word in words if not wanted.isdisjoint(self._analyser.document_terms(word, language))]

    def words(self, text: str) -> list[str]:
        """The words of the query as the passage has them, each once, small ones aside."""
        from tasks.function_words import FUNCTION_WORDS

        small = {word for words in FUNCTION_WORDS.values() for word in words}
        found = [text[start:end] for start, end in self.spans(text) if text[start:end].lower() not in small]
        return list({word.lower(): word for word in reversed(found)}.values())[::-1]

    def painted(self, text: str) -> Text:
        from rich.text import Text

        painted = Text(text)
        for start, end in self.spans(text):
            painted.stylize("bold yellow", start, end)
        return painted


def snippet(text: str, marks: Marks) -> str:
    """The stretch of a passage that holds most words of the query, cut at words, with blank lines left out."""
    squeezed = "\n".join(line.strip() for line in text.splitlines() if line.strip())
    if len(squeezed) <= _SNIPPET_CHARACTERS:
        return squeezed
    start = _densest(marks.spans(squeezed), len(squeezed))
    start = squeezed.rfind(" ", 0, start) + 1 if start else 0
    end = squeezed.find(" ", start + _SNIPPET_CHARACTERS)
    end = len(squeezed) if end < 0 else end
    return f"{'… ' if start else ''}{squeezed[start:end]}{' …' if end < len(squeezed) else ''}"


def _densest(spans: Sequence[tuple[int, int]], length: int) -> int:
    """Where a snippet best starts: some way before the word that most others follow closely."""

    def following(start: int) -> int:
        return sum(start <= other < start + _SNIPPET_CHARACTERS - _BEFORE_CHARACTERS for other, _ in spans)

    best = max((start for start, _ in spans), key=lambda start: (following(start), -start), default=0)
    return max(0, min(best - _BEFORE_CHARACTERS, length - _SNIPPET_CHARACTERS))


def paths(hits: Iterable[Hit]) -> list[str]:
    """The files of some hits, each once, in their order."""
    return list(dict.fromkeys(hit.path for hit in hits))
