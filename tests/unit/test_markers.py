from __future__ import annotations

import pytest

from tasks.markers import groups, without


def read(answer: str) -> list[tuple[int, ...]]:
    return [group.markers for group in groups(answer)]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("", []),
        ("No marker.", []),
        ("Blue [1].", [(1,)]),
        ("Blue [1][2].", [(1, 2)]),
        ("Blue [1] [2].", [(1, 2)]),
        ("Blue [1], [2].", [(1, 2)]),
        ("Blue [1, 2].", [(1, 2)]),
        ("Blue [1,2;4].", [(1, 2, 4)]),
        ("Blue [1-3].", [(1, 2, 3)]),
        ("Blue [1–3].", [(1, 2, 3)]),
        ("Blue [1, 3-5].", [(1, 3, 4, 5)]),
        ("Blue [3-1].", [(1, 2, 3)]),
        ("Blue [2][2].", [(2,)]),
        ("Blue [0].", [(0,)]),
        ("Blue [ 1 ].", [(1,)]),
        ("青い[1]。赤い【2】。", [(1,), (2,)]),
        ("Blue [1]. Green [2].", [(1,), (2,)]),
        ("[1](notes/a.md)", [(1,)]),
        ("[1-999]", [(1, 999)]),
        ("“code: ``` x[0] ``` ends” [2]", [(0,), (2,)]),
        ("an odd ` tick [2] and ` more", [(2,)]),
    ],
)
def test_every_form_of_marker_is_read(answer: str, expected: list[tuple[int, ...]]) -> None:
    assert read(answer) == expected


@pytest.mark.parametrize("answer", ["`a[1]`", "```\na[1] = 2\n```", "In [1666] it burnt.", "[x] [] [1a] [-1]", "[1.5]"])
def test_other_brackets_are_no_markers(answer: str) -> None:
    assert read(answer) == []


def test_an_extent_covers_all_markers_of_a_group() -> None:
    (group,) = groups("Blue [1][2, 3].")
    assert (group.start, group.end) == (5, 14)


def test_a_text_without_its_markers() -> None:
    assert without("Blue [1][2] and green [3].") == "Blue and green."
