"""Text of files, names and models made harmless for a terminal."""

from __future__ import annotations

_C0_PICTURES = 0x2400
_DELETE = 0x7F
_KEPT = "\n\t"
_TURNING = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def _table() -> dict[int, str]:
    """Control characters as the pictures Unicode has for them, others that matter as `�`."""
    table = {code: chr(_C0_PICTURES + code) for code in range(0x20) if chr(code) not in _KEPT}
    table[_DELETE] = "\u2421"
    table |= dict.fromkeys(range(0x80, 0xA0), "\ufffd")
    return table | dict.fromkeys(map(ord, _TURNING), "\ufffd")


_VISIBLE = _table()
_ESCAPED = {code: f"\\u{code:04x}" for code in _VISIBLE if code >= _DELETE}
_ONE_LINE = _VISIBLE | {ord("\n"): " ", ord("\t"): " ", 0x2028: " ", 0x2029: " "}


def visible(text: str) -> str:
    """The text with nothing in it that a terminal would obey; line ends become newlines."""
    return text.replace("\r\n", "\n").translate(_VISIBLE)


def one_line(text: str) -> str:
    """The same on one line, for names and messages."""
    return text.replace("\r\n", "\n").translate(_ONE_LINE)


def escaped(document: str) -> str:
    """A JSON document, the same to who reads it, with what a terminal would obey written as escapes."""
    return document.translate(_ESCAPED)
