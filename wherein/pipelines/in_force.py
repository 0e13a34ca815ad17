"""The settings a question was asked under: kept with its answer, and put back in force where it is asked again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from wherein.pipelines import options
from wherein.workspace import Workspace

SECTIONS = ("retrieval", "rerank", "synthesis")
"""Those that act when a question is asked."""

Values = dict[str, dict[str, Any]]


def in_force(workspace: Workspace) -> Values:
    """By section; the day that "last week" counts from is the one it was, also where none is set.

    No address is among them: one may hold a password.
    """
    found: Values = {
        name: getattr(workspace.settings, name).model_dump(mode="json", exclude={"base_url"}) for name in SECTIONS
    }
    found["retrieval"]["today"] = options.today(workspace).isoformat()
    return found


def put_back(workspace: Workspace, kept: Mapping[str, Any] | None) -> tuple[Workspace, list[str]]:
    """The workspace under the settings of then, and a note for what differs from those of now.

    What the call itself sets wins. Settings that cannot be read are left as they are now, which a note says.
    """
    if not kept:
        return workspace, ["the settings of this answer were not kept: searched under those of now"]
    now, own = in_force(workspace), {text.partition("=")[0].strip() for text in workspace.overrides}
    sections, notes = {}, []
    for name in SECTIONS:
        then = {key: kept.get(name, {}).get(key, value) for key, value in now[name].items()}
        wanted = {key: now[name][key] if f"{name}.{key}" in own else value for key, value in then.items()}
        try:
            current = getattr(workspace.settings, name)
            sections[name] = type(current).model_validate({**current.model_dump(mode="json"), **wanted})
        except ValidationError:
            notes.append(f"the {name} settings of then are not possible any more: searched under those of now")
            continue
        notes += [
            f"{name}.{key} is {value!r} as then, and now {now[name][key]!r}"
            for key, value in wanted.items()
            if value != now[name][key] and key != "today"
        ]
    return replace(workspace, settings=workspace.settings.model_copy(update=sections)), notes
