from __future__ import annotations

from store.records import FileStat
from wherein.pipelines.expected import Expected
from wherein.pipelines.items import Work


def works(count: int, size_bytes: int = 10) -> list[Work]:
    return [Work(FileStat(f"{n}.txt", size_bytes, 0, 0, 0), None, "added") for n in range(count)]


def reported(expected_of: list[Work]) -> tuple[Expected, list[tuple[int, int, float]]]:
    seen: list[tuple[int, int, float]] = []
    return Expected(expected_of, lambda size: size // 5, lambda *step: seen.append(step)), seen


def test_before_anything_is_split_the_sizes_say_how_much_is_to_do() -> None:
    expected, _ = reported(works(4))
    assert expected.texts == 8


def test_what_waits_is_guessed_by_what_was_found() -> None:
    expected, seen = reported(works(4))
    expected.settle(works(2), 2, 20)
    expected.advance(1, 10)
    expected.settle(works(2), 6, 80)
    expected.advance(7, 90)
    assert seen == [(0, 4, 0.0), (1, 4, 0.25), (1, 8, 0.1), (8, 8, 1.0)]


def test_long_texts_are_a_larger_share_of_the_work() -> None:
    expected, seen = reported(works(2))
    expected.settle(works(2), 2, 100)
    expected.advance(1, 90)
    assert seen[-1] == (1, 2, 0.9)


def test_texts_that_are_all_remembered_leave_nothing_to_wait_for() -> None:
    expected, seen = reported(works(3))
    expected.settle(works(3), 0, 0)
    assert expected.texts == 0
    assert seen == []


def test_more_than_expected_never_shows_as_over_the_whole() -> None:
    expected, seen = reported([])
    expected.advance(3, 30)
    assert seen == [(3, 3, 1.0)]
