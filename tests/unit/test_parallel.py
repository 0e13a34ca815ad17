from __future__ import annotations

import threading
from contextvars import ContextVar

import pytest

from tasks.parallel import ahead, each

WHO: ContextVar[str] = ContextVar("who", default="nobody")


@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_results_come_in_the_order_of_the_items(count: int) -> None:
    assert list(ahead(lambda n: n * n, range(count))) == [n * n for n in range(count)]
    assert each(lambda n: n * n, range(count), threads=3) == [n * n for n in range(count)]


def test_the_next_item_is_made_ready_while_the_last_is_worked_on() -> None:
    begun = [threading.Event() for _ in range(3)]

    def prepare(number: int) -> int:
        begun[number].set()
        return number

    for number in ahead(prepare, range(3)):
        assert number == 2 or begun[number + 1].wait(10)
        assert number > 0 or not begun[2].is_set()


def test_preparing_sees_the_context_of_the_caller() -> None:
    token = WHO.set("caller")
    try:
        assert list(ahead(lambda _: WHO.get(), range(2))) == ["caller", "caller"]
    finally:
        WHO.reset(token)


def test_an_error_comes_in_its_turn() -> None:
    done = []
    with pytest.raises(ZeroDivisionError):
        for value in ahead(lambda n: 1 // (2 - n), range(4)):
            done.append(value)
    assert done == [0, 1]
