from __future__ import annotations

from store.records import FileStat
from wherein.pipelines.expected import Expected
from wherein.pipelines.items import Work


def works(count: int, size_bytes: int = 10) -> list[Work]:
    return [Work(FileStat(f"{n}.txt", size_bytes, 0, 0, 0), None, "added") for n in range(count)]


def reported(expected_of: list[Work]) -> tuple[Expected, list[tuple[int, int]]]:
    seen: list[tuple[int, int]] = []
    return Expected(expected_of, lambda size: size // 5, lambda done, expected: seen.append((done, expected))), seen


def test_before_anything_is_split_the_sizes_say_how_much_is_to_do() -> None:
    expected, _ = reported(works(4))
    assert expected.texts == 8


def test_what_waits_is_guessed_by_what_was_found() -> None:
    expected, seen = reported(works(4))
    expected.settle(works(2), 2)
    expected.advance(1)
    expected.settle(works(2), 6)
    expected.advance(7)
    assert seen == [(1, 4), (8, 8)]


def test_texts_that_are_all_remembered_leave_nothing_to_wait_for() -> None:
    expected, _ = reported(works(3))
    expected.settle(works(3), 0)
    assert expected.texts == 0


def test_more_than_expected_never_shows_as_over_the_whole() -> None:
    expected, seen = reported([])
    expected.advance(3)
    assert seen == [(3, 3)]
