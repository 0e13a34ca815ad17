"""What `prefect deploy` fills into prefect.yaml."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from flows import environment, schedule
from store.errors import WhereinError
from wherein.schema import Settings
from wherein.workspace import Workspace


def here() -> dict[str, Any]:
    """The workspace of the current folder, its schedule and zone, and the environment of its runs."""
    try:
        workspace = Workspace.find()
    except WhereinError as error:
        if error.kind != "no-workspace":
            raise
        workspace = Workspace(Path.cwd(), Settings())
    return {
        "workspace": str(workspace.folder),
        "cron": schedule.cron(workspace).cron,
        "timezone": schedule.zone_name(workspace),
        "environment": {"PYTHONSAFEPATH": "1", "DO_NOT_TRACK": "1", **environment.packages(os.environ)},
    }
