"""Line numbers: from 1, over every kind of line end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.lines import LineIndex


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [1]),
        ("a", [1, 1]),
        ("\n", [1, 2]),
        ("a\nb", [1, 1, 2, 2]),
        ("a\r\nb", [1, 1, 1, 2, 2]),
        ("a\rb\r", [1, 1, 2, 2, 3]),
        ("\r\r\n\n", [1, 2, 2, 3, 4]),
        ("a\u2028b\x0bc\x85d", [1] * 8),
        ("😀\né", [1, 1, 2, 2]),
    ],
)
def test_each_offset_lies_in_the_line_that_holds_it(text: str, lines: list[int]) -> None:
    index = LineIndex(text)
    assert [index.line(offset) for offset in range(len(text) + 1)] == lines


@given(st.text(alphabet="ab\r\n"))
def test_a_line_number_is_one_more_than_the_line_ends_before_it(text: str) -> None:
    index = LineIndex(text)
    for offset in range(len(text)):
        before = text[:offset].replace("\r\n", "\n").replace("\r", "\n").count("\n")
        inside = text[offset - 1 : offset + 1] == "\r\n"
        assert index.line(offset) == 1 + before - inside
