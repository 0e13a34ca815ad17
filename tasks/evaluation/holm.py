"""Holm's step-down adjustment of several p-values."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values in the given order: the k-th smallest of m times (m - k + 1), made monotone, at most 1.

    Source: S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure", 1979.
    """
    order = sorted(range(len(p_values)), key=lambda at: (p_values[at], at))
    adjusted, highest = [1.0] * len(p_values), 0.0
    for place, at in enumerate(order):
        highest = max(highest, min(1.0, p_values[at] * (len(p_values) - place)))
        adjusted[at] = highest
    return adjusted
