"""How far repeated answers to one question agree, over all pairs of them."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean


@dataclass(frozen=True, slots=True)
class Repeated:
    """One of several answers to the same question: its text, and the markers of the passages it cites."""

    text: str
    cited: frozenset[int]


@dataclass(frozen=True, slots=True)
class Agreement:
    """Of one question. None where there is no pair to compare.

    `equal_text` is the share of pairs with the same text, white space aside. `cited_jaccard` is the mean Jaccard index
    of the cited passages over those `citing_pairs` of which at least one answer cites any.
    """

    pairs: int
    citing_pairs: int
    equal_text: float | None
    cited_jaccard: float | None


def agreement(answers: Sequence[Repeated]) -> Agreement:
    """Observed pairwise agreement: over n answers, n(n - 1)/2 pairs.

    Source: J. L. Fleiss, "Measuring nominal scale agreement among many raters", 1971, the extent of agreement on one
    subject, each text being a category of its own.
    """
    pairs = list(combinations(answers, 2))
    equal = [" ".join(one.text.split()) == " ".join(other.text.split()) for one, other in pairs]
    indexes = [index for one, other in pairs if (index := jaccard(one.cited, other.cited)) is not None]
    return Agreement(len(pairs), len(indexes), fmean(equal) if equal else None, fmean(indexes) if indexes else None)


def jaccard(one: Set[int], other: Set[int]) -> float | None:
    """What both hold as a share of what either holds; None for two empty sets, which have nothing to share.

    Source: P. Jaccard, "The distribution of the flora in the alpine zone", 1912.
    """
    union = one | other
    return len(one & other) / len(union) if union else None
