"""The program: `wherein`, or `python -m wherein`."""

import gc
import os
import sys
from importlib import import_module

_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 - pathlib is not loaded yet
_MADE_BETWEEN_LOOKS = 50_000
"""Objects made before cycles are looked for: a run over many files keeps what it makes, and each look costs."""
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


def _insist_on_utf8() -> None:
    """Start again in UTF-8 mode where the locale is a poorer one: every other file name would be unreadable."""
    if os.name == "posix" and not sys.flags.utf8_mode and sys.getfilesystemencoding() != "utf-8":
        os.execve(sys.executable, sys.orig_argv, {**os.environ, "PYTHONUTF8": "1"})


def main() -> int:
    """Run the command of `sys.argv`; the exit code."""
    _insist_on_utf8()
    _prefer_own_packages()
    gc.set_threshold(_MADE_BETWEEN_LOOKS)
    from wherein.cli.ending import INTERRUPTED
    from wherein.cli.program import end_on_terminate, run

    end_on_terminate()
    code = run(sys.argv[1:])
    if code == INTERRUPTED:
        os._exit(code)  # threads that a stage left working are not waited for; what matters is on disk
    return code


if __name__ == "__main__":
    sys.exit(main())
