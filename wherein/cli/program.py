"""One run of the program: from arguments to an exit code."""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType

import typer

from store.errors import FAILED, USAGE, WhereinError
from wherein.cli.arguments import asked_for, behind_command
from wherein.cli.ending import INTERRUPTED, Terminated
from wherein.cli.output import prepare_streams, print_aside, print_json, reader_has_gone, silence

NAME = "wherein"
_OF_THE_DISK = {
    errno.ENOSPC: "There is no space left on the disk: free some",
    errno.EDQUOT: "The disk quota is used up: free some space",
    errno.EROFS: "The disk can only be read: make it writable, or name another folder in the settings",
    errno.EACCES: "Permission is denied: change the rights, or name another folder in the settings",
}
_COMPLETING = "_WHEREIN_COMPLETE"


def run(arguments: Sequence[str]) -> int:
    """Run a command; every way it can end becomes an exit code, and every error one sentence."""
    prepare_streams()
    try:
        code = _invoke(arguments)
        sys.stdout.flush()
    except BaseException as error:  # noqa: BLE001 - nothing may leave the program as a traceback
        code = _end(error, arguments)
    if reader_has_gone():
        silence("stdout")
    return code


def _invoke(arguments: Sequence[str]) -> int:
    from wherein.cli.app import app

    program = typer.main.get_command(app)
    if os.environ.get(_COMPLETING):
        program.main(list(arguments), prog_name=NAME)
    with program.make_context(NAME, behind_command(arguments)) as context:
        return int(program.invoke(context) or 0)


def end_on_terminate() -> None:
    """Let SIGTERM end a run as Ctrl-C does."""
    signal.signal(signal.SIGTERM, _interrupt)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise Terminated


def _end(error: BaseException, arguments: Sequence[str]) -> int:
    if isinstance(error, typer.Exit):
        return error.exit_code
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    if isinstance(error, BrokenPipeError) and reader_has_gone():
        return 0
    if asked_for("--debug", arguments):
        import traceback

        traceback.print_exception(error)
    code, kind, message = _described(error)
    try:
        _say(code, kind, message, as_json=asked_for("--json", arguments))
    except BrokenPipeError:
        silence("stdout")
    return code


def _described(error: BaseException) -> tuple[int, str, str]:
    """Exit code, kind and sentence of an error."""
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED, "interrupted", "Interrupted: what was finished is kept."
    if isinstance(error, WhereinError):
        return error.code, error.kind, error.message
    if isinstance(error, typer.TyperException):
        return USAGE, "usage", _usage_sentence(error)
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
        return USAGE, "usage", f"The name {str(error.filename)!r} is too long for a file: give a shorter one."
    if isinstance(error, OSError) and error.errno in _OF_THE_DISK:
        where = "" if error.filename is None else f" ({error.filename})"
        return FAILED, "disk", f"{_OF_THE_DISK[error.errno]}{where}, then run again."
    what = f"{type(error).__name__}: {error}".strip().rstrip(".:")
    return FAILED, "unexpected", f"Unexpected {what}; run again with --debug to see where."


def _usage_sentence(error: typer.TyperException) -> str:
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else NAME
    return f"{error.format_message().strip().rstrip('.')}: see `{path} --help`."


def _say(code: int, kind: str, message: str, *, as_json: bool) -> None:
    if as_json:
        print_json({"error": {"code": code, "kind": kind, "message": " ".join(message.split())}})
        sys.stdout.flush()
    else:
        print_aside(message)
