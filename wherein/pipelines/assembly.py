"""Put together what every stage said of a passage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from store.records import Hit, PassageKey, Ranked, Ranks, Scores
from tasks.globs import nfc
from tasks.source import Located
from wherein.workspace import Workspace


class Assembly:
    """Channel lists, fused order, logits and places of one query's pool."""

    def __init__(
        self,
        channels: Mapping[str, Sequence[Ranked]],
        fused: Sequence[Ranked],
        logits: Mapping[PassageKey, float],
        passages: Mapping[PassageKey, Located],
        pinned: frozenset[PassageKey],
        workspace: Workspace,
    ) -> None:
        self._channels = {name: {entry.key: entry for entry in entries} for name, entries in channels.items()}
        self._fused = {entry.key: entry for entry in fused}
        self._logits = logits
        ordered = sorted(logits, key=lambda key: (-logits[key], key))
        self._rerank_rank = {key: rank for rank, key in enumerate(ordered, 1)}
        self._passages = passages
        self._pinned = pinned
        self._workspace = workspace

    def hits(self, final: Sequence[Ranked]) -> list[Hit]:
        """The whole pool as hits, in its final order."""
        return [self._hit(number, entry) for number, entry in enumerate(final, 1)]

    def _hit(self, number: int, entry: Ranked) -> Hit:
        at = self._passages[entry.key]
        passage = at.passage
        return Hit(
            number, at.source.name, nfc(passage.path), self._day(at), passage.heading, passage.line_start,
            passage.line_end, passage.char_start, passage.char_end, passage.text, self._scores(entry),
            self._ranks(entry.key), entry.key in self._pinned, at.source.also_in(at.row), passage.position,
            passage.date_from or ("mtime" if self._day(at) else None),
        )  # fmt: skip

    def _of(self, channel: str, key: PassageKey) -> Ranked | None:
        return self._channels.get(channel, {}).get(key)

    def _scores(self, entry: Ranked) -> Scores:
        cosine = self._of("vector", entry.key) or self._of("date", entry.key)
        words = self._of("keyword", entry.key)
        if "vector" in self._channels:
            cosine = cosine or self._of("name", entry.key)
        else:
            words = words or self._of("name", entry.key)
        return Scores(
            vector=cosine.score if cosine else None,
            keyword=words.score if words and words.score > 0 else None,
            fused=self._fused[entry.key].score,
            rerank=self._logits.get(entry.key),
            final=entry.score,
        )

    def _ranks(self, key: PassageKey) -> Ranks:
        found = {name: self._of(name, key) for name in ("vector", "keyword", "date", "name")}
        ranks = {name: entry.rank if entry else None for name, entry in found.items()}
        return Ranks(**ranks, fused=self._fused[key].rank, rerank=self._rerank_rank.get(key))

    def _day(self, at: Located) -> str | None:
        if at.passage.date is not None:
            return at.passage.date
        by_time = "mtime" in at.source.snapshot.settings["dates"]
        return self._workspace.day_of(at.passage.modified_ns) if by_time else None
