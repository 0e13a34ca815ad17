"""Whether the installed packages are of versions that go together; none is imported."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

_FAMILY = ("llama-index-retrievers-bm25", "llama-index-embeddings-huggingface", "llama-index-llms-ollama")
_CORE = "llama-index-core"


def unmet() -> list[tuple[str, str]]:
    """(package, what is wrong): our own bounds, and the bounds its companions put on llama-index-core."""
    found = dict(_check(_own()))
    for package in _FAMILY:
        bounds = [line for line in _required_by(package) if line.replace(" ", "").startswith(_CORE)]
        found |= {name: f"{why}, as {package} demands" for name, why in _check(bounds) if name not in found}
    return sorted(found.items())


def _own() -> list[str]:
    """The bounds of the installed distribution, or of the source tree this runs from."""
    listed = _required_by("wherein")
    project = Path(__file__).parents[2] / "pyproject.toml"
    if not listed and project.is_file():
        listed = list(tomllib.loads(project.read_text(encoding="utf-8"))["project"]["dependencies"])
    return listed


def _required_by(package: str) -> list[str]:
    try:
        return list(requires(package) or ())
    except PackageNotFoundError:
        return []


def _check(lines: list[str]) -> Iterator[tuple[str, str]]:
    from packaging.requirements import Requirement

    for requirement in map(Requirement, lines):
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        try:
            installed = version(requirement.name)
        except PackageNotFoundError:
            yield requirement.name, "is not installed"
            continue
        if not requirement.specifier.contains(installed, prereleases=True):
            yield requirement.name, f"is {installed}, but must be {requirement.specifier}"
