"""`python -m flows.ingest`, `query`, `compare` and `evaluate`: one run each, as a flow, here and now."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from flows import connection, reports
from store.errors import FAILED, WhereinError
from wherein.cli.ending import INTERRUPTED
from wherein.cli.output import prepare_streams, print_aside
from wherein.workspace import Workspace

Show = Callable[[Any], None]
_ROOT = Path(__file__).resolve().parents[1]


def ingest_command() -> int:
    """Bring indexes up to their folders."""
    parser = _parser("flows.ingest", "Bring the index up to date with the files, as a Prefect flow.")
    parser.add_argument("collections", metavar="COLLECTION", nargs="*", help="which ones; all by default")
    for flag in ("verify", "rebuild", "forget", "allow-deletes"):
        parser.add_argument(f"--{flag}", action="store_true", help=f"as of `wherein ingest --{flag}`")
    parser.add_argument("--wait", dest="wait_seconds", metavar="SECONDS", type=float, default=0.0)
    return _run(parser, "ingest", reports.show_ingest)


def query_command() -> int:
    """Ask a question."""
    parser = _parser("flows.query", "Answer a question from the files, as a Prefect flow.")
    parser.add_argument("question", metavar="QUESTION")
    parser.add_argument("--collection", dest="collections", metavar="NAME", action="append")
    parser.add_argument("--model", metavar="NAME", help="which model answers")
    parser.add_argument("--temperature", metavar="T", type=float, help="0 to 2, sent as given")
    parser.add_argument("--seed", metavar="N", type=int, help="sent as given")
    return _run(parser, "query", reports.show_answer)


def compare_command() -> int:
    """Compare models."""
    parser = _parser("flows.compare", "Ask several models the same, on the same passages, as a Prefect flow.")
    parser.add_argument("questions", metavar="QUESTION", nargs="+")
    parser.add_argument("--model", dest="models", metavar="NAME", action="append", required=True)
    parser.add_argument("--temperature", dest="temperatures", metavar="T", type=float, action="append")
    parser.add_argument("--repeat", metavar="N", type=int, default=1)
    parser.add_argument("--seed", metavar="N", type=int, help="the first seed")
    parser.add_argument("--collection", dest="collections", metavar="NAME", action="append")
    parser.add_argument("--out", metavar="DIR", help="write the report here")
    return _run(parser, "compare", reports.show_comparison)


def evaluate_command() -> int:
    """Measure settings on golden questions."""
    parser = _parser("flows.evaluate", "Measure settings on golden questions, as a Prefect flow: a task run an arm.")
    parser.add_argument("--golden", metavar="FILE", required=True, help="golden questions")
    parser.add_argument("--arm", dest="arms", metavar="NAME:KEY=VALUE,…", action="append")
    parser.add_argument("--limit", metavar="N", type=int, help="only the first N questions")
    parser.add_argument("--collection", dest="collections", metavar="NAME", action="append")
    parser.add_argument("--out", metavar="DIR", help="write the report here")
    return _run(parser, "evaluate", reports.show_evaluation)


def _parser(name: str, about: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"python -m {name}", description=about, allow_abbrev=False)
    parser.add_argument("--workspace", metavar="DIR", help="the folder of wherein.toml, instead of looking up")
    parser.add_argument(
        "--set", dest="settings", metavar="KEY=VALUE", action="append", help="a setting for this run, as retrieval.k=10"
    )
    return parser


def _run(parser: argparse.ArgumentParser, name: str, show: Show) -> int:
    """Settings are checked before a server is started; an error is one sentence on stderr."""
    prepare_streams()
    _forget_current_folder()
    parameters = vars(parser.parse_args())
    try:
        workspace = Workspace.find(parameters["workspace"], parameters["settings"] or ())
        connection.connect(workspace, print_aside)
        parameters["workspace"] = str(workspace.folder)
        finished = connection.call(_flow(name), parameters, print_aside)
    except WhereinError as error:
        print_aside(error.message)
        return error.code
    except KeyboardInterrupt:
        print_aside("Interrupted.")
        return INTERRUPTED
    if finished is None:
        return FAILED
    if finished.value is not None:
        show(finished.value)
    else:
        print_aside(finished.message)
    sys.stdout.flush()
    return finished.code


def _forget_current_folder() -> None:
    """`python -m` looks for modules there first: a file of the workspace must not be taken for a library."""
    with suppress(OSError):  # it may have been deleted
        if Path(sys.path[0]) == Path.cwd() != _ROOT:
            del sys.path[0]


def _flow(name: str) -> Callable[..., Any]:
    from importlib import import_module

    found: Callable[..., Any] = getattr(import_module(f"flows.{name}"), name)
    return found
