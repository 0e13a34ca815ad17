"""Front matter: what counts as such, where the text begins after it, and that its values are JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.front_matter import LONGEST, FrontMatter, read_front_matter


def values(block: str) -> dict[str, object]:
    return read_front_matter(f"---\n{block}\n---\nbody").values


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("closing", ["---", "...", "--- \t"])
def test_the_text_begins_after_the_closing_line(end: str, closing: str) -> None:
    block = end.join(["---", "title: A walk", closing, ""])
    assert read_front_matter(block + "body") == FrontMatter({"title": "A walk"}, len(block), "A walk")


def test_front_matter_may_be_all_there_is() -> None:
    text = "---\ntitle: x\n---"
    assert read_front_matter(text).body_start == len(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---",
        "---\n",
        "---\n---\n",
        "---\n# a comment\n---\n",
        "---\ntitle: never closed\n",
        "\n---\ntitle: x\n---\n",
        " ---\ntitle: x\n---\n",
        "----\ntitle: x\n----\n",
        "---\njust a rule above\n---\n",
        "---\n- a\n- list\n---\n",
        "---\ntitle: a: b\n---\n",
        "---\n\tx: 1\n---\n",
        "---\nx: !!python/object/apply:os.getcwd []\n---\n",
        "---\nx: \x07\n---\n",
        "---\n? [a, b]\n: c\n---\n",
    ],
)
def test_anything_else_is_text(text: str) -> None:
    assert read_front_matter(text) == FrontMatter()


@pytest.mark.parametrize(
    "block",
    [
        "a: &a [1, 2]\nb: *a",
        "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]",
        "a: " + "[" * 5000,
        "a: " + "[" * 30 + "]" * 30,
        "a: " + "x" * LONGEST,
    ],
)
def test_a_hostile_block_is_text(block: str) -> None:
    assert values(block) == {}


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("2024-02-29", "2024-02-29"),
        ("2024-02-30", "2024-02-30"),
        ("2024-02-29 10:00:00", "2024-02-29T10:00:00"),
        ("2024-02-29T10:00:00Z", "2024-02-29T10:00:00+00:00"),
        ("12:30", "12:30"),
        ("12:30:15.5", "12:30:15.5"),
        ("5", 5),
        ("1.5", 1.5),
        (".nan", "nan"),
        ("9" * 5000, "9" * 5000),
        ("0x" + "f" * 5000, "0x" + "f" * 5000),
        ("true", True),
        ("no", "no"),
        ("~", None),
        ("", None),
        ("[a, 2024-01-01]", ["a", "2024-01-01"]),
        ("{k: {1: x}}", {"k": {"1": "x"}}),
        ("!!set {b, a}", ["a", "b"]),
        ("'Adı: Türkçe'", "Adı: Türkçe"),
    ],
)
def test_a_value_is_plain_json_and_no_guess(written: str, value: object) -> None:
    found = values(f"x: {written}")
    assert found == {"x": value}
    assert json.loads(json.dumps(found, allow_nan=False)) == found


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ("A walk", "A walk"),
        ("2024", "2024"),
        ("2024-01-01", "2024-01-01"),
        ("'  '", None),
        ("[a]", None),
        ("true", None),
    ],
)
def test_a_title_is_a_word_or_a_number(written: str, title: str | None) -> None:
    assert read_front_matter(f"---\ntitle: {written}\n---\n").title == title


@given(st.text(alphabet="-.:&*[]{}!?#'\" \nab1", max_size=60))
def test_no_block_breaks_it_and_every_value_is_json(block: str) -> None:
    text = f"---\n{block}\n---\nbody"
    found = read_front_matter(text)
    json.dumps(found.values, allow_nan=False).encode()
    assert 0 <= found.body_start <= len(text)
    assert (found.body_start > 0) == (found.values != {})
