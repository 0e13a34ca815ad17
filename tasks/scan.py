"""What files are there: one walk over a root by its rules, without opening any of them."""

from __future__ import annotations

import time
from pathlib import Path

from store.errors import WhereinError, usage
from store.records import Scan
from tasks import symlinks
from tasks.globs import BadGlob
from tasks.ignore import Ignore
from tasks.stage import stage
from tasks.walk import Folder, Rules, Walk, reason

__all__ = ["Rules", "scan"]


@stage("scan", items=lambda found: len(found.files))
def scan(root: Path, rules: Rules) -> Scan:
    """Walk `root`. Raises WhereinError if the root cannot be listed or a glob cannot be read."""
    started_ns = time.time_ns()
    walk = _walked(root, rules)
    return Scan(
        started_ns=started_ns,
        files=sorted(walk.files, key=lambda file: file.path),
        skipped=sorted(walk.skipped, key=lambda problem: (problem.path, problem.reason)),
        excluded=walk.excluded,
        unlistable=sorted(walk.unlistable, key=lambda problem: (problem.path, problem.reason)),
    )


def _walked(root: Path, rules: Rules) -> Walk:
    try:
        walk = Walk(root, rules)
        walk.enter(Folder("", "", Ignore()))
    except BadGlob as error:
        raise usage(f"An include or exclude pattern cannot be read: {error}; correct it in the settings") from error
    except OSError as error:
        raise _root_error(root, error) from error
    if rules.follow_symlinks:
        symlinks.follow(walk)
    else:
        symlinks.refuse(walk)
    return walk


def _root_error(root: Path, error: OSError) -> WhereinError:
    if isinstance(error, FileNotFoundError):
        message = f"The folder {root} does not exist; mount it or correct the collection's path"
    elif isinstance(error, NotADirectoryError):
        message = f"{root} is not a folder; name one as the collection's path"
    else:
        message = f"The folder {root} cannot be listed ({reason(error)}); make it readable"
    return WhereinError(message, kind="root")
