"""Path patterns as regular expressions: `*`, `?`, `[…]` inside one name, `**` over whole folders.

Wildcards never match "/". A piece between two stars is matched where it first occurs and never tried again,
which loses no match and keeps a hostile pattern from taking exponential time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from unicodedata import normalize

Match = Callable[[str], re.Match[str] | None]

_CLASS = re.compile(r"\[:([^\]]*):\]")
_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": " \\t\\n\\r\\f\\v",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}
_WILD = {"*": "*", "/": "/", "?": "[^/]"}


class BadGlob(ValueError):
    """A pattern that can match nothing: an open bracket, an unknown class, an empty name, a backslash at its end."""


def nfc(path: str) -> str:
    """`path` in NFC, at no cost for ASCII."""
    return path if path.isascii() else normalize("NFC", path)


def translate(pattern: str) -> str:
    """The regular expression, for `fullmatch` with DOTALL, of a pattern. Raises BadGlob."""
    names: list[list[str]] = [[]]
    for piece in _pieces(nfc(pattern)):
        if piece == "/":
            names.append([])
        else:
            names[-1].append(piece)
    if [] in names:
        raise BadGlob(f"the pattern {pattern!r} holds an empty name")
    groups: list[list[str]] = [[]]
    for name in names:
        if len(name) > 1 and set(name) == {"*"}:
            groups.append([])
        else:
            groups[-1].append(_name_regex(name))
    return _path_regex(["/".join(group) for group in groups])


def compile_globs(patterns: Iterable[str]) -> Match | None:
    """One match for paths relative to a root, without case; a folder is matched as `path + "/"`.

    A pattern that matches a folder, or all that is in it, matches the folder. None without patterns.
    """
    sources = [translate(_rooted(p)) for pattern in patterns for p in _braces(pattern)]
    if not sources:
        return None
    return re.compile(f"(?:{either(sources)})/?", re.DOTALL | re.IGNORECASE).fullmatch


def either(sources: Sequence[str]) -> str:
    """An expression for any of these."""
    return "|".join(f"(?:{source})" for source in sources)


def _rooted(pattern: str) -> str:
    return pattern.removeprefix("./").removeprefix("/").removesuffix("/")


def _braces(pattern: str) -> list[str]:
    """`a.{b,c}` → `a.b`, `a.c`; a brace without a comma or a partner stands for itself."""
    found = re.search(r"(?<!\\)\{([^{}]*,[^{}]*)\}", pattern)
    if found is None:
        return [pattern]
    head, tail = pattern[: found.start()], pattern[found.end() :]
    return [p for choice in found[1].split(",") for p in _braces(head + choice + tail)]


def _pieces(pattern: str) -> Iterator[str]:
    """What matches one character each, with "*" and "/" standing for themselves."""
    i = 0
    while i < len(pattern):
        if pattern[i] == "[":
            piece, i = _bracket(pattern, i)
        elif pattern[i] == "\\":
            char, i = _char(pattern, i)
            piece = "/" if char == "/" else re.escape(char)
        else:
            piece = _WILD.get(pattern[i]) or re.escape(pattern[i])
            i += 1
        yield piece


def _char(pattern: str, i: int) -> tuple[str, int]:
    """The character at `i`, a backslash before it taken off, and where the pattern goes on."""
    i += pattern[i : i + 1] == "\\"
    if i >= len(pattern):
        raise BadGlob(f"the pattern {pattern!r} ends too early")
    return pattern[i], i + 1


def _bracket(pattern: str, i: int) -> tuple[str, int]:
    i += 1
    negated = pattern[i : i + 1] in {"!", "^"}
    i += negated
    member, i = _member(pattern, i)
    members = [member]
    while pattern[i : i + 1] != "]":
        member, i = _member(pattern, i)
        members.append(member)
    body = "".join(members)
    return (f"[^/{body}]" if negated else f"(?!/)[{body}]"), i + 1


def _member(pattern: str, i: int) -> tuple[str, int]:
    """A character, range or class of a bracket. A range from high to low holds only where it starts."""
    named = _CLASS.match(pattern, i)
    if named:
        if named[1] not in _CLASSES:
            raise BadGlob(f"the pattern {pattern!r} names an unknown class {named[0]!r}")
        return _CLASSES[named[1]], named.end()
    low, i = _char(pattern, i)
    if pattern[i : i + 1] != "-" or pattern[i + 1 : i + 2] in {"]", ""}:
        return re.escape(low), i
    high, i = _char(pattern, i + 1)
    ranged = f"{re.escape(low)}-{re.escape(high)}" if low <= high else ""
    return re.escape(low) + ranged, i


def _name_regex(pieces: list[str]) -> str:
    runs = [""]
    for piece in pieces:
        if piece == "*":
            runs.append("")
        else:
            runs[-1] += piece
    if len(runs) == 1:
        return runs[0]
    inner = "".join(f"(?>[^/]*?{run})" for run in runs[1:-1] if run)
    return f"{runs[0]}{inner}[^/]*{runs[-1]}"


def _path_regex(groups: list[str]) -> str:
    """Join what stands between the `**` of a pattern; an empty group is a `**` at an end or beside another."""
    if len(groups) == 1:
        return groups[0]
    head = f"{groups[0]}/" if groups[0] else ""
    inner = "".join(f"(?>(?:[^/]+/)*?{group}/)" for group in groups[1:-1] if group)
    return head + inner + (f"(?:.*/)?{groups[-1]}" if groups[-1] else ".*")
