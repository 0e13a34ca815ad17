"""The options that may stand before the command as well as after it."""

from __future__ import annotations

from collections.abc import Sequence

_FLAGS = frozenset({"--json", "--quiet", "-q", "--debug"})
_VALUED = frozenset({"--workspace", "--set"})


def behind_command(arguments: Sequence[str]) -> list[str]:
    """Shared options that stand before the command, moved to its end (before a `--`)."""
    head = _leading(arguments)
    rest = list(arguments[head:])
    if not rest:
        return list(arguments)
    end = rest.index("--") if "--" in rest else len(rest)
    return [*rest[:end], *arguments[:head], *rest[end:]]


def _leading(arguments: Sequence[str]) -> int:
    """How many arguments at the start are shared options and their values."""
    count = 0
    while count < len(arguments):
        name, equals, _ = arguments[count].partition("=")
        if arguments[count] in _FLAGS or (name in _VALUED and equals):
            count += 1
        elif name in _VALUED:
            count += 2
        else:
            break
    return min(count, len(arguments))


def asked_for(flag: str, arguments: Sequence[str]) -> bool:
    """Whether a flag stands among the arguments, read before they are parsed."""
    end = list(arguments).index("--") if "--" in arguments else len(arguments)
    return flag in arguments[:end]
