"""The program: `wherein`, or `python -m wherein`."""

import os
import sys
from importlib import import_module

_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 - pathlib is not loaded yet
_PACKAGES = ("store", "tasks", "prompts", "flows")


def _prefer_own_packages() -> None:
    """Keep a `tasks.py` or `store/` of the current folder, or of PYTHONPATH, from being taken for ours."""
    if sys.path and sys.path[0] in ("", _current_folder()) and sys.path[0] != _ROOT:
        del sys.path[0]
    sys.path.insert(0, _ROOT)
    for name in _PACKAGES:
        import_module(name)
    del sys.path[0]


def _current_folder() -> str:
    try:
        return os.getcwd()  # noqa: PTH109
    except OSError:
        return ""


def _as_utf8(argument: str) -> str:
    """What was typed, also where the locale says ASCII; what is not UTF-8 stays as it is."""
    try:
        return os.fsencode(argument).decode()
    except (UnicodeDecodeError, UnicodeEncodeError):
        return argument


def main() -> int:
    """Run the command of `sys.argv`; the exit code."""
    _prefer_own_packages()
    from wherein.cli.program import INTERRUPTED, end_on_terminate, run

    end_on_terminate()
    code = run([_as_utf8(argument) for argument in sys.argv[1:]])
    if code == INTERRUPTED:
        os._exit(code)  # threads that a stage left working are not waited for; what matters is on disk
    return code


if __name__ == "__main__":
    sys.exit(main())
