from __future__ import annotations

from wherein.cli.progress import WINDOW_SECONDS, Pace, said


def paced(*steps: tuple[float, int, float]) -> Pace:
    """What is known after some steps of (seconds, texts, share of the work)."""
    clock = iter([seconds for seconds, _, _ in steps])
    pace = Pace(lambda: next(clock))
    for _, done, share in steps:
        pace.note(done, share)
    return pace


def test_nothing_is_said_before_anything_was_done() -> None:
    assert said(paced()) == said(paced((0, 0, 0.0))) == said(paced((0, 0, 0.0), (5, 0, 0.0))) == ""


def test_what_is_left_takes_as_long_as_the_same_share_took() -> None:
    pace = paced((10, 0, 0.0), (20, 100, 0.25))
    assert (pace.units_per_second, pace.remaining_seconds) == (10, 30)


def test_only_the_last_half_minute_counts() -> None:
    slow = paced((0, 0, 0.0), (WINDOW_SECONDS, 10, 0.1), (2 * WINDOW_SECONDS, 110, 0.6))
    assert slow.remaining_seconds == 0.4 / 0.5 * WINDOW_SECONDS


def test_a_step_longer_than_the_window_still_gives_a_pace() -> None:
    assert paced((0, 0, 0.0), (4 * WINDOW_SECONDS, 8, 0.5)).remaining_seconds == 4 * WINDOW_SECONDS


def test_work_that_turns_out_to_be_more_gives_no_negative_pace() -> None:
    pace = paced((0, 10, 0.5), (1, 12, 0.4))
    assert said(pace) == ""


def test_hours_are_shown() -> None:
    assert said(paced((0, 0, 0.0), (10, 10, 0.0025))) == "1 texts/s, 1:06:30 left"


def test_slow_work_has_a_pace_too() -> None:
    assert said(paced((0, 0, 0.0), (20, 3, 0.5)), "answers") == "0.15 answers/s, 0:00:20 left"
