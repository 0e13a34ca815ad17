"""A model's thinking aloud, taken out of its answer as it streams."""

from __future__ import annotations

import re

_TAG = "think|thinking|thought|reasoning"
_OPEN = re.compile(f"<({_TAG})>")
_LONGEST = len("<reasoning>")
_UNOPENED = re.compile(f"(?:(?!<(?:{_TAG})>).)*?</(?:{_TAG})>", re.DOTALL)


class Visible:
    """Passes on what follows leading thinking blocks; text without one passes as it comes."""

    def __init__(self) -> None:
        self._held = ""
        self._closing: str | None = None
        self._answering = False
        self._opened = False
        self._parts: list[str] = []

    def feed(self, text: str) -> str:
        """What of the text so far may now be shown."""
        if self._answering:
            return self._show(text)
        self._held += text
        return self._decide()

    def end(self) -> str:
        """What was held back and turned out to be the answer; an unclosed thinking block never is."""
        return self._release() if self._closing is None and not self._answering else ""

    @property
    def answer(self) -> str:
        """All of the answer; a block whose opening the chat template kept to itself is taken out too."""
        text = "".join(self._parts)
        unopened = None if self._opened else _UNOPENED.match(text)
        return text[unopened.end() if unopened else 0 :].strip()

    def _decide(self) -> str:
        if self._closing is None:
            self._open()
        if self._closing is None:
            return "" if self._undecided() else self._release()
        _, found, rest = self._held.partition(self._closing)
        if not found:
            return ""
        self._closing, self._held = None, rest
        return self._decide()

    def _open(self) -> None:
        found = _OPEN.match(self._held.lstrip())
        if found:
            self._closing = f"</{found[1]}>"
            self._opened = True

    def _undecided(self) -> bool:
        start = self._held.lstrip()
        return not start or (start[0] == "<" and len(start) < _LONGEST and ">" not in start)

    def _release(self) -> str:
        self._answering = True
        return self._show(self._held.lstrip())

    def _show(self, text: str) -> str:
        if text:
            self._parts.append(text)
        return text
