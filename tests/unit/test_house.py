"""The laws of the house, read from its own source."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("store", "tasks", "wherein", "flows")
MAY_IMPORT = {
    "store": {"store"},
    "prompts": {"prompts", "store"},
    "tasks": {"tasks", "prompts", "store"},
    "wherein": {"wherein", "tasks", "prompts", "store"},
    "flows": {"flows", "wherein", "tasks", "prompts", "store"},
}
PACKAGES = ("prefect", "llama-index-core", "llama-index-retrievers-bm25", "llama-index-embeddings-huggingface")
PAGES = ("README.md", *sorted(f"docs/guide/{page.name}" for page in (ROOT / "docs" / "guide").glob("*.md")))
MORE_PACKAGES = ("llama-index-llms-ollama", "openai")


def modules(room: str) -> list[Path]:
    return sorted((ROOT / room).rglob("*.py"))


def imported(path: Path) -> set[str]:
    """The top-level names a module imports, wherever it does."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found.add(node.module.split(".")[0])
    return found


@pytest.mark.parametrize("room", sorted(MAY_IMPORT))
def test_imports_point_one_way(room: str) -> None:
    own = set(MAY_IMPORT)
    for path in modules(room):
        beyond = (imported(path) & own) - MAY_IMPORT[room]
        if path.is_relative_to(ROOT / "wherein" / "cli"):
            beyond -= {"flows"}
        assert not beyond, f"{path.relative_to(ROOT)} imports {sorted(beyond)}"


@pytest.mark.parametrize("room", ["store", "tasks"])
def test_stages_and_store_know_no_prefect_and_print_nothing(room: str) -> None:
    for path in modules(room):
        assert "prefect" not in imported(path), path
        calls = [n for n in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(n, ast.Call)]
        assert not any(isinstance(n.func, ast.Name) and n.func.id == "print" for n in calls), path


@pytest.mark.parametrize("room", [*ROOMS, "prompts", "bench", "tests"])
def test_no_file_is_over_350_lines(room: str) -> None:
    sizes = {str(p.relative_to(ROOT)): len(p.read_text(encoding="utf-8").splitlines()) for p in modules(room)}
    assert {name: size for name, size in sizes.items() if size > 350} == {}


def test_the_six_packages_are_dependencies_and_are_imported() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = {re.split(r"[<>=\[; ]", line)[0] for line in project["dependencies"]}
    assert {*PACKAGES, *MORE_PACKAGES} <= named
    used = {name for room in ROOMS for path in modules(room) for name in imported(path)}
    assert {"prefect", "llama_index", "openai"} <= used


def test_the_readme_names_only_commands_that_exist() -> None:
    from wherein.cli.app import app  # the registered commands

    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z]+)", readme)) <= targets
    import typer.main

    commands = set(typer.main.get_command(app).commands)  # type: ignore[attr-defined]
    used = set(re.findall(r"(?:^|[`$&] ?|&& )wherein ([a-z]+)", readme, re.MULTILINE))
    assert used
    assert used <= commands
    for module in re.findall(r"python -m (flows\.[a-z]+)", readme):
        assert (ROOT / (module.replace(".", "/") + ".py")).exists()


@pytest.mark.parametrize("page", PAGES)
def test_commands_of_the_pages_have_the_flags_they_are_given(page: str) -> None:
    import typer.main

    from wherein.cli.app import app

    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    text = (ROOT / page).read_text(encoding="utf-8")
    for line in re.findall(r"(?:^|[`$&] ?)wherein ([a-z]+[^`\n]*)", text, re.MULTILINE):
        name, *rest = re.split(r"\s+", line.partition(" && ")[0].partition(" #")[0].strip())
        assert name in commands, f"{page}: wherein {name}"
        below = getattr(commands[name], "commands", {})
        command = below[rest[0]] if rest and rest[0] in below else commands[name]
        known = {flag for option in command.params for flag in (*option.opts, *option.secondary_opts)}
        assert {part.partition("=")[0] for part in rest if part.startswith("--")} <= known, f"{page}: wherein {line}"
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", text):
        assert (ROOT / page).parent.joinpath(target).exists(), f"{page} links to {target}"


def test_nothing_names_a_path_of_one_machine() -> None:
    for room in (*ROOMS, "prompts", "bench", "tests", "docs"):
        for path in sorted((ROOT / room).rglob("*")):
            if path.suffix in (".py", ".md", ".yaml"):
                text = path.read_text(encoding="utf-8")
                assert not re.search(r"(?<![\w.])/(?:work|root|farm)/", text), path
