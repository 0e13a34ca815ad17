"""Charts as inline SVG: widths in per cent of their place, colours by the style of the page, numbers said in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wherein.pipelines.markup import lines, safe

Point = tuple[float, float]

_WIDTH, _HEIGHT, _LEFT, _TOP, _RIGHT, _BOTTOM = 720, 300, 46, 12, 14, 42


@dataclass(frozen=True)
class Scale:
    """The values at both ends of an axis."""

    low: float
    high: float

    def share(self, value: float) -> float:
        """Where a value stands, 0 to 1; beyond the ends, at them."""
        span = self.high - self.low
        return min(1.0, max(0.0, (value - self.low) / span)) if span else 0.5

    def percent(self, value: float) -> str:
        return f"{100 * self.share(value):.2f}%"

    def width(self, low: float, high: float) -> str:
        return f"{max(100 * (self.share(high) - self.share(low)), 0.5):.2f}%"


def interval(mean: float, ends: tuple[float, float] | None, scale: Scale, mark: float | None, told: str) -> str:
    """A mean as a dot on its interval; `mark` is a value to compare with."""
    parts = ['<line class="axis" x1="0" x2="100%" y1="8" y2="8"/>']
    if mark is not None:
        parts.append(f'<line class="mark" x1="{scale.percent(mark)}" x2="{scale.percent(mark)}" y1="0" y2="16"/>')
    return _bar([*parts, *_whisker(mean, ends, scale)], "interval", told)


def difference(mean: float, ends: tuple[float, float], smallest: float, scale: Scale, verdict: str, told: str) -> str:
    """A difference on its interval around 0, with the reach that cannot be told from it shaded."""
    return _bar(
        [
            f'<rect class="untold" x="{scale.percent(-smallest)}" width="{scale.width(-smallest, smallest)}"'
            ' y="0" height="16"/>',
            '<line class="axis" x1="0" x2="100%" y1="8" y2="8"/>',
            f'<line class="mark" x1="{scale.percent(0)}" x2="{scale.percent(0)}" y1="0" y2="16"/>',
            *_whisker(mean, ends, scale),
        ],
        f"difference {verdict}",
        told,
    )


def _whisker(mean: float, ends: tuple[float, float] | None, scale: Scale) -> list[str]:
    dot = f'<circle class="mean" cx="{scale.percent(mean)}" cy="8" r="4"/>'
    if ends is None:
        return [dot]
    low, high = ends
    return [f'<rect class="reach" x="{scale.percent(low)}" width="{scale.width(low, high)}" y="5" height="6"/>', dot]


def _bar(parts: Sequence[str], kind: str, told: str) -> str:
    return f'<svg class="{kind}" role="img" aria-label="{safe(told)}" height="16">{"".join(parts)}</svg>'


def stacked(counts: Mapping[str, int], total: int, classes: Mapping[str, str], told: str) -> str:
    """Counts side by side; each as wide as its share of the total, with its number where there is room."""
    parts, at = [], 0.0
    for name, count in counts.items():
        wide = 100 * count / total if total else 0.0
        parts.append(f'<rect class="{classes[name]}" x="{at:.2f}%" width="{wide:.2f}%" height="22"/>')
        if wide >= 3 + len(str(count)):
            parts.append(f'<text class="on" x="{at + wide / 2:.2f}%" y="15.5" text-anchor="middle">{count}</text>')
        at += wide
    return f'<svg class="stacked" role="img" aria-label="{safe(told)}" height="22">{"".join(parts)}</svg>'


def share(value: float, highest: float, told: str) -> str:
    """A plain bar from 0."""
    wide = 100 * value / highest if highest else 0.0
    return _bar([f'<rect class="reach" width="{wide:.2f}%" y="3" height="10"/>'], "share", told)


def steps(curves: Mapping[str, Sequence[Point]], marks: Mapping[str, float], axis: str, told: str) -> str:
    """Shares from 0 to 1 over a value, one line for each class of `curves`, with named thresholds upright."""
    values = [x for curve in curves.values() for x, _ in curve] + list(marks.values())
    scale = Scale(min(values, default=0), max(values, default=1))
    return lines([
        f'<svg class="curve" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{safe(told)}">',
        *(_level(percent) for percent in (0, 25, 50, 75, 100)),
        *(_tick(scale, scale.low + (scale.high - scale.low) * part / 4) for part in range(5)),
        f'<text class="name" x="{(_WIDTH + _LEFT) / 2}" y="{_HEIGHT - 4}" text-anchor="middle">{safe(axis)}</text>',
        *(_path(kind, curve, scale) for kind, curve in curves.items()),
        *(_mark(name, at, scale, row) for row, (name, at) in enumerate(marks.items())),
        "</svg>",
    ])  # fmt: skip


def _x(scale: Scale, value: float) -> float:
    return _LEFT + scale.share(value) * (_WIDTH - _LEFT - _RIGHT)


def _y(value: float) -> float:
    return _TOP + (1 - value) * (_HEIGHT - _TOP - _BOTTOM)


def _level(percent: int) -> str:
    y = _y(percent / 100)
    line = f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
    return f'{line}<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{percent} %</text>'


def _tick(scale: Scale, value: float) -> str:
    return f'<text x="{_x(scale, value):.1f}" y="{_HEIGHT - 22}" text-anchor="middle">{value:.3g}</text>'


def _path(kind: str, curve: Sequence[Point], scale: Scale) -> str:
    """Steps: a share of values strictly below rises right after each value."""
    if not curve:
        return ""
    start = f"M{_x(scale, curve[0][0]):.1f} {_y(curve[0][1]):.1f}"
    return f'<path class="{kind}" d="{start}{"".join(f"V{_y(y):.1f}H{_x(scale, x):.1f}" for x, y in curve[1:])}"/>'


def _mark(name: str, at: float, scale: Scale, row: int) -> str:
    x, y = _x(scale, at), _TOP + 12 + 16 * row
    side, anchor = (-5, "end") if scale.share(at) > 0.5 else (5, "start")
    line = f'<line class="mark" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{_HEIGHT - _BOTTOM}"/>'
    return f'{line}<text class="name" x="{x + side:.1f}" y="{y}" text-anchor="{anchor}">{safe(name)} {at:.3g}</text>'
