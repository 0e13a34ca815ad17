"""Arms: the settings that an evaluation measures side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from store.errors import usage
from wherein.pipelines.options import MODES, QueryOptions
from wherein.workspace import Workspace

CURRENT = "current"
FUSIONS = ("minmax", "rrf", "union")
_SECTIONS = ("retrieval.", "rerank.")
_SWITCH = {"on": True, "true": True, "off": False, "false": False}


@dataclass(frozen=True)
class Arm:
    """`settings` are (key, value) pairs that act at query time, beside `mode`, `rerank`, `k` and `per_source`."""

    name: str
    settings: tuple[tuple[str, str], ...] = ()

    def workspace(self, found: Workspace) -> Workspace:
        """The workspace under the settings of this arm; raises WhereinError (exit 2) naming what is not possible."""
        given = [f"{key}={value}" for key, value in self.settings if "." in key]
        return Workspace.find(found.folder, [*found.overrides, *given]) if given else found

    def options(self, base: QueryOptions) -> QueryOptions:
        """The options of a query in this arm."""
        given: dict[str, Any] = {k: _option(self.name, k, value) for k, value in self.settings if "." not in k}
        return replace(base, **given)


def parse(text: str) -> Arm:
    """`name:key=value,key=value`; raises WhereinError (exit 2)."""
    name, colon, rest = text.partition(":")
    pairs = [part.partition("=") for part in rest.split(",")] if colon else []
    if not name.strip() or not pairs or not all(key.strip() and equals for key, equals, _ in pairs):
        raise usage(
            f"--arm {text!r} is not NAME:KEY=VALUE,…, such as rrf:retrieval.fusion=rrf or words:mode=keyword.",
            kind="usage",
        )
    arm = Arm(name.strip(), tuple((key.strip(), value.strip()) for key, _, value in pairs))
    keys = [key for key, _ in arm.settings]
    for key, value in arm.settings:
        if keys.count(key) > 1:
            raise usage(f"Arm {arm.name!r} sets {key} twice: give each value an arm of its own.", kind="usage")
        if "." not in key:
            _option(arm.name, key, value)
        elif not key.startswith(_SECTIONS):
            raise usage(
                f"Arm {arm.name!r} sets {key}, which shapes the index or plays no part in a search: an arm can set"
                " retrieval.*, rerank.*, mode, rerank, k and per_source. Evaluate another index in another workspace.",
                kind="usage",
            )
    return arm


def _option(name: str, key: str, value: str) -> str | bool | int:
    if key == "mode" and value in MODES:
        return value
    if key in ("rerank", "expand", "hyde") and value in _SWITCH:
        return _SWITCH[value]
    if key in ("k", "per_source") and value.isdecimal() and len(value) < 7 and int(value) >= (key == "k"):
        return int(value)
    raise usage(
        f"Arm {name!r} sets {key} = {value!r}: use mode=auto|hybrid|vector|keyword, rerank=on|off, expand=on|off,"
        " hyde=on|off, k=N or per_source=N.",
        kind="usage",
    )


def matrix(*, reranked: bool) -> list[Arm]:
    """The default arms: each channel and each fusion, alone, with the reranker's voice, and in its order alone.

    The settings as they are, with `auto` as mode, are the base that all are compared with.
    """
    ways: list[tuple[str, tuple[tuple[str, str], ...]]]
    ways = [("keyword", (("mode", "keyword"),)), ("vector", (("mode", "vector"),))]
    ways += [(f"hybrid {name}", (("mode", "hybrid"), ("retrieval.fusion", name))) for name in FUSIONS]
    arms = [Arm(name, (*settings, ("rerank", "off"))) for name, settings in ways]
    if reranked:
        for name, settings in ways:
            weights = ("1",) if name == "hybrid union" else (FITTED, "1")
            arms += [Arm(f"{name}, rerank {w}", (*settings, ("rerank", "on"), ("rerank.weight", w))) for w in weights]
    return arms


FITTED = "fitted"
"""A weight that stands for the best of WEIGHTS on the other folds of the questions."""
WEIGHTS = ("0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9")


def fitted(arm: Arm) -> list[Arm]:
    """The arms that one with a fitted weight chooses from; empty for others."""
    if ("rerank.weight", FITTED) not in arm.settings:
        return []
    others = tuple(pair for pair in arm.settings if pair[1] != FITTED)
    return [Arm(f"{arm.name} {w}", (*others, ("rerank.weight", w))) for w in WEIGHTS]


def distinct(arms: Sequence[Arm]) -> list[Arm]:
    """The arms as given; raises WhereinError (exit 2) if two have one name."""
    names = [arm.name for arm in arms]
    for name in names:
        if names.count(name) > 1 or name == CURRENT:
            raise usage(f"Two arms are called {name!r}: give each its own name.", kind="usage")
    return list(arms)
