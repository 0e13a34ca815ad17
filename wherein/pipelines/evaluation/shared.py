"""Work that the arms of an evaluation share: each list and each logit is computed once, and its cost remembered.

Logits are kept on disk as well: an evaluation that is interrupted, or run again, pays for new pairs only.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from store.logits import FILE_NAME, Logits, logit_key
from store.records import Ranked
from tasks.models import rerank_spec
from tasks.source import Source
from tasks.stage import charge, within
from wherein.pipelines import models
from wherein.pipelines.asked import Asked
from wherein.pipelines.expansion import Expansion
from wherein.pipelines.synthesis import Model
from wherein.pipelines.work import Opened, Work
from wherein.workspace import Workspace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Key = tuple[Any, ...]


@dataclass
class Kept:
    """What was computed so far, with the seconds it took."""

    pools: dict[Key, list[Source]] = field(default_factory=dict)
    queries: dict[Key, tuple[Mapping[str, Any], float]] = field(default_factory=dict)
    lists: dict[Key, tuple[list[Ranked], float]] = field(default_factory=dict)
    expansions: dict[Key, tuple[Expansion, float]] = field(default_factory=dict)
    logits: dict[bytes, tuple[float, float]] = field(default_factory=dict)

    @property
    def requests(self) -> list[str]:
        """What was asked of language models for other wordings: a sentence a model."""
        failed: dict[str, list[bool]] = {}
        for (model, *_), (found, _) in self.expansions.items():
            failed.setdefault(str(model), []).append(found.failed)
        return [
            f"{model} was asked {len(each)} times for other wordings, of which {sum(each)} failed; each arm used the"
            " same answers"
            for model, each in sorted(failed.items())
        ]


class SharedWork(Work):
    """Work of one arm; a stage is charged what its result cost when it was computed, whichever arm that was for."""

    def __init__(self, workspace: Workspace, found: Opened, kept: Kept) -> None:
        super().__init__(workspace, found)
        self._kept = kept
        self._disk = Logits(workspace.state / FILE_NAME)

    def pool(self, asked: Asked) -> list[Source]:
        key = _asked(asked)
        if key not in self._kept.pools:
            self._kept.pools[key] = super().pool(asked)
        return self._kept.pools[key]

    def query_vectors(self, asked: Asked, pool: Sequence[Source]) -> Mapping[str, NDArray[np.float32]]:
        key = _asked(asked)
        if key not in self._kept.queries:
            lazy = super().query_vectors(asked, pool)
            self._kept.queries[key] = _timed(lambda: {name: lazy[name] for name in lazy})
        return self._kept.queries[key][0]

    def vector(
        self, asked: Asked, pool: Sequence[Source], queries: Mapping[str, NDArray[np.float32]], depth: int
    ) -> list[Ranked]:
        charge("vector", self._kept.queries[_asked(asked)][1], 0)
        return self._list("vector", asked, pool, (depth,), lambda: Work.vector(self, asked, pool, queries, depth))

    def keyword(self, asked: Asked, pool: Sequence[Source], depth: int) -> list[Ranked]:
        key = (depth, asked.settings.retrieval.strip_request_words)
        return self._list("keyword", asked, pool, key, lambda: Work.keyword(self, asked, pool, depth))

    def date(
        self, asked: Asked, pool: Sequence[Source], queries: Mapping[str, NDArray[np.float32]], depth: int
    ) -> list[Ranked]:
        return self._list("date", asked, pool, (depth,), lambda: Work.date(self, asked, pool, queries, depth))

    def expansion(self, asked: Asked, model: Model) -> Expansion:
        wanted = [kind for kind in ("expand", "hyde") if getattr(asked.options, kind)]
        parts = [self._wordings(asked, model, kind) for kind in wanted]
        wordings = tuple(wording for part in parts for wording in part.wordings)
        return Expansion(wordings, tuple(n for part in parts for n in part.notes), any(part.failed for part in parts))

    def _wordings(self, asked: Asked, model: Model, kind: str) -> Expansion:
        """One request, answered once for every arm that makes it."""
        key = (model.name, asked.query, kind)
        if key not in self._kept.expansions:
            chosen = replace(asked.options, expand=kind == "expand", hyde=kind == "hyde")
            one = replace(asked, options=chosen)
            self._kept.expansions[key] = _timed(lambda: Work.expansion(self, one, model))
        found, seconds = self._kept.expansions[key]
        charge("expand", seconds, len(found.wordings))
        return found

    def logits(self, asked: Asked, texts: Sequence[str]) -> list[float]:
        digest = rerank_spec(models.rerank(self.workspace)).digest
        keys = {text: logit_key(digest, asked.query, text) for text in texts}
        known = self._kept.logits
        known |= self._disk.known([key for key in keys.values() if key not in known])
        new = [text for text, key in keys.items() if key not in known]
        if new:
            values, seconds = _timed(lambda: Work.logits(self, asked, new))
            scored = {keys[text]: (logit, seconds / len(new)) for text, logit in zip(new, values, strict=True)}
            self._disk.keep(scored)
            known |= scored
        charge("rerank", sum(known[key][1] for key in keys.values()), len(texts))
        return [known[keys[text]][0] for text in texts]

    def _list(
        self, stage: str, asked: Asked, pool: Sequence[Source], key: Key, compute: Callable[[], list[Ranked]]
    ) -> list[Ranked]:
        """A list leaves its passages in the pool it is made from: another question by that wording makes its own."""
        whole = (stage, id(pool), *_asked(asked), *key)
        if whole not in self._kept.lists:
            self._kept.lists[whole] = _timed(compute)
        entries, seconds = self._kept.lists[whole]
        charge(stage, seconds, len(entries))
        return entries


def _asked(asked: Asked) -> Key:
    return asked.query, asked.as_passage, asked.filters


def _timed(compute: Callable[[], Any]) -> Any:
    """A result with its seconds; the stages in it are charged by the caller."""
    started = time.perf_counter()
    with within():
        result = compute()
    return result, time.perf_counter() - started
