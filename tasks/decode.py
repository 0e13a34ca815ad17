"""Bytes to text: no letter is dropped, and what is not plain Unicode is said in a note."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from tasks.legacy import guess
from tasks.unread import Unread
from tasks.wide import wide_encoding

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DISGUISED = (
    (b"%PDF-", "a PDF"),
    (b"PK\x03\x04", "a ZIP archive or an office document"),
    (b"\xd0\xcf\x11\xe0", "an old office document"),
    (b"\x89PNG\r\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"\x1f\x8b", "compressed data"),
    (b"BZh", "compressed data"),
    (b"\xfd7zXZ", "compressed data"),
    (b"\x28\xb5\x2f\xfd", "compressed data"),
    (b"7z\xbc\xaf", "an archive"),
    (b"\x7fELF", "a program"),
)
_MAGIC = tuple(magic for magic, _ in _DISGUISED)
_CERTAIN = tuple(magic for magic in _MAGIC if not (magic.isascii() and magic.decode().isprintable()))
_PDF = re.compile(r"%PDF-\d.*\bendobj\b", re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x07\x0e-\x1a\x1c-\x1f\x7f-\x84\x86-\x9f]")
_CONTROL_BYTES = bytes(code for code in range(0x20) if _CONTROL.match(chr(code)))
_CONTROLS_SHARE = 0.02
_REPLACED_SHARE = 0.05
_STRAY = re.compile("[\udc80-\udcff]")
_BEYOND_ASCII = re.compile("[^\x00-\x7f\udc80-\udcff]")
_STRAY_IN_1252 = {0xDC00 + byte: bytes([byte]).decode("cp1252", "replace") for byte in range(0x80, 0x100)}


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text without byte-order mark, the encoding it was read in, and what there is to say about that."""

    text: str
    encoding: str
    note: str | None = None


def decode(data: bytes) -> Decoded:
    """The text of a file's bytes. Raises Unread (kind "binary") if they hold none."""
    found = _marked(data) or _plain(data)
    text = found.text.lstrip("\ufeff")
    if _PDF.match(text):
        raise Unread("binary", "it holds a PDF, not text")
    if "\0" in text or len(_CONTROL.findall(text)) > 1 + len(text) * _CONTROLS_SHARE:
        raise Unread("binary", _binary(data))
    return Decoded(text, found.encoding, found.note)


def _marked(data: bytes) -> Decoded | None:
    """The text after a byte-order mark; where two marks fit, the encoding that reads all of it."""
    fitting = [(mark, encoding) for mark, encoding in _MARKS if data.startswith(mark)]
    for mark, encoding in fitting:
        try:
            return Decoded(data[len(mark) :].decode(encoding), encoding)
        except UnicodeDecodeError:
            continue
    if not fitting:
        return None
    mark, encoding = fitting[-1]
    body = data[len(mark) :]
    return _damaged_utf8(body) if encoding == "utf-8" else _replaced(body, encoding)


def _plain(data: bytes) -> Decoded:
    if b"\0" in data:
        encoding = None if data.startswith(_MAGIC) else wide_encoding(data)
        if encoding is None:
            raise Unread("binary", _binary(data))
        return _replaced(data, encoding)
    if b"\x1b$" in data and data.isascii():
        return _escaped(data)
    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        return _joined(data) or _mostly_utf8(data) or _legacy(data)


def _replaced(data: bytes, encoding: str) -> Decoded:
    text = data.decode(encoding, "replace")
    if "\ufffd" not in text:
        return Decoded(text, encoding)
    count = text.count("\ufffd") - data.decode(encoding, "ignore").count("\ufffd")
    return Decoded(text, encoding, f"{_characters(count)} replaced" if count else None)


def _escaped(data: bytes) -> Decoded:
    """Seven-bit Japanese or Korean, where an escape starts the letters."""
    encoding = "iso2022_kr" if b"\x1b$)C" in data else "iso2022_jp_2"
    try:
        return Decoded(data.decode(encoding), encoding, f"read as {encoding.replace('_', '-').upper()}")
    except UnicodeDecodeError:
        return Decoded(data.decode("ascii"), "utf-8")


def _joined(data: bytes) -> Decoded | None:
    """UTF-8 whose characters beyond the first 65,536 were written as two halves each."""
    try:
        halves = data.decode("utf-8", "surrogatepass").encode("utf-16-le", "surrogatepass")
    except UnicodeDecodeError:
        return None
    found = _replaced(halves, "utf-16-le")
    return Decoded(found.text, "utf-8", "; ".join(filter(None, ("read as CESU-8", found.note))))


def _mostly_utf8(data: bytes) -> Decoded | None:
    """UTF-8 with some other bytes in it; None if these are the rule."""
    text = data.decode("utf-8", "surrogateescape")
    return None if len(_STRAY.findall(text)) > len(_BEYOND_ASCII.findall(text)) else _damaged_utf8(data)


def _damaged_utf8(data: bytes) -> Decoded:
    """UTF-8 in which other bytes are read as Windows-1252."""
    text = data.decode("utf-8", "surrogateescape")
    note = f"{_characters(len(_STRAY.findall(text)))} not UTF-8, read as Windows-1252"
    return Decoded(text.translate(_STRAY_IN_1252), "utf-8", note)


def _legacy(data: bytes) -> Decoded:
    if data.startswith(_CERTAIN):
        raise Unread("binary", _binary(data))
    if len(data) - len(data.translate(None, _CONTROL_BYTES)) > 1 + len(data) * _CONTROLS_SHARE:
        encoding = wide_encoding(data)  # Chinese without a space or a line end holds no NUL
        if encoding is not None:
            return _replaced(data, encoding)
    name = guess(data)
    found = _replaced(data, codecs.lookup(name).name)
    if found.text.count("\ufffd") > len(found.text) * _REPLACED_SHARE:
        found, name = _replaced(data, "cp1252"), "Windows-1252"
    return Decoded(found.text, found.encoding, "; ".join(filter(None, (f"read as {name}", found.note))))


def _characters(count: int) -> str:
    return "1 character" if count == 1 else f"{count:,} characters"


def _binary(data: bytes) -> str:
    what = next((what for magic, what in _DISGUISED if data.startswith(magic)), None)
    return f"it holds {what}, not text" if what else "it holds binary data, not text"
