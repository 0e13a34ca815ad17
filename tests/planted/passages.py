"""The passages that the planted answers quote: of the sample journal, and some that it has no like of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

from store.records import Hit
from tests.unit.hits import hit

JOURNAL = Path(__file__).resolve().parents[2] / "data" / "sample" / "journal"
ENTRIES = {
    "chisel": "2021-09-25.txt",
    "decided": "2021-02-28.md",
    "fall": "2021-08-03.md",
    "figures": "2021-12-31.md",
    "lunch": "2022-05-15.md",
    "engine": "2022-10-30.md",
    "wall": "2023-04-16.md",
}
OWN = {
    "de": "Am 3. Mai fuhr Käthe mit der Straßenbahn nach Köln. „Ich komme nicht vor acht“, sagte sie, „und bringe "
    "nichts mit.“ Das Fährgeld betrug 12,50 Mark.",
    "tr": "İskeledeki ışıklar sönünce Irmak eve döndü. “Yarın gelmem” dedi; cebinde 45 lira vardı.",
    "zh": "三月九日，船终于下水了。他说：“这块木板不是橡木，是落叶松。”\n油漆花了四十五块钱，比去年少。",
    "ar": "باع أبي القارب القديم في ربيع عام ١٩٧٤، ولم يندم قط. قالت أمي: «لن أركبه مرة أخرى»، ثم ضحكت.",
    "ja": "昨日は雨が降っていたので、家で本を読んだ。彼は「船はもう沈まない」と言って\n帰った。",
    "hyphens": "The ferry was laid up for repairs in the autumn, and the har-\nbourmaster would not say when "
    "the well-\nknown boat was to sail again. A rope three-\nquarters of an inch thick held her.",
    "quoted": "Her letter says:\n\n> The slip is let until\n> the end of October, and\n> not a day longer.\n\n"
    "Nothing else.",
    "marked": "The _red lead_ is in the **second drawer**, beside `paint.md`; see [the list](lists/paint.md) for the\n"
    "~~old~~ colours.\n\n* one tin of black\n* two tins of cream",
    "apostrophes": "'Tis the dogs' dinner, said O'Hara; it's the fishermen's own, and nobody's but theirs.",
    "papers": "Masks reduce the spread [2], as others found [14, 15], though not outdoors (p < 0.05).",
    "code": 'Run `make "all the things"` first; then x = a[1] + b["the key of it"] gives 7.',
}
_LONG = (
    "The mill was let in March to a cooper from Wexcombe. He paid nine pounds a year for it, in two halves. ",
    "The wheel had not turned since the flood, and he did not mean it to. He wanted the roof and the dry floor. ",
    "In June he asked whether the meadow went with it, and was told that it did not.",
)


@cache
def passage(name: str) -> str:
    """The text of a passage."""
    if name in ENTRIES:
        return (JOURNAL / ENTRIES[name]).read_text(encoding="utf-8")
    return OWN[name]


def numbered(names: str) -> list[Hit]:
    """The passages named, as they are numbered in a prompt; `mill 1 2 3` are neighbours in one file."""
    if names.startswith("mill"):
        order = [int(number) - 1 for number in names.split()[1:]]
        chunks = list(_chunks())
        return [replace(chunks[at], rank=rank) for rank, at in enumerate(order, start=1)]
    return [hit(passage(name), f"{name}.md", rank=rank) for rank, name in enumerate(names.split(), start=1)]


def _chunks() -> Iterator[Hit]:
    start = 0
    for text in _LONG:
        yield replace(hit(text.rstrip(), "mill.md"), char_start=start, char_end=start + len(text.rstrip()))
        start += len(text)
