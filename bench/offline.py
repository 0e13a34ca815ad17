"""Every everyday command in a network namespace with nothing but loopback: `python -m bench.offline [--json]`.

The environment is full of lures (API keys, server addresses, proxies, all pointing outside), which must change
nothing. With strace installed, every address the processes turn to is recorded: a connection beyond loopback or a
name look-up counts, whether or not it could succeed. Two control commands do try to leave, and must be caught.
The home folder must stay empty: identifiers that libraries keep there are a start of telling on a person.
Exit 1 if a command fails, tries to leave or writes there, or a control goes unnoticed; 77 where no namespace can be
made.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from bench import namespace
from bench.processes import environment, module

UNAVAILABLE = 77
OUTSIDE = "198.51.100.7"  # reserved for documentation: nobody's address
LURES = {
    "OPENAI_API_KEY": "lure",
    "OPENAI_BASE_URL": f"http://{OUTSIDE}/v1",
    "OLLAMA_HOST": f"http://{OUTSIDE}:11434",
    "PREFECT_API_URL": f"http://{OUTSIDE}:4200/api",
    "HTTP_PROXY": f"http://{OUTSIDE}:3128",
    "HTTPS_PROXY": f"http://{OUTSIDE}:3128",
    "ALL_PROXY": f"http://{OUTSIDE}:3128",
}
NOTES = {
    "2024-03-05 garden.md": "# Garden\n\nThe pelican code of the shed is 4471.\n\nPlanted beans by the wall.\n",
    "2024-04-01.txt": "Rain all day. Read about tides and mended the bicycle.\n",
    "letters/aunt.txt": "Dear aunt, the parcel with the blue cups arrived whole.\n",
}
SETTINGS = """[collections.notes]
path = "notes"
[models.served]
base_url = "{address}/v1"
model = "stub-chat"
[models.ollama]
provider = "ollama"
base_url = "{address}"
model = "stub-chat"
"""
QUESTION = "What is the pelican code of the shed?"
COMMANDS = {
    "ingest": ("ingest",),
    "ingest again": ("ingest",),
    "search": ("search", QUESTION),
    "search by keyword": ("search", "pelican", "--mode", "keyword", "--no-rerank"),
    "ask, extractive": ("ask", QUESTION, "--model", "extractive"),
    "ask, OpenAI protocol": ("ask", QUESTION, "--model", "served"),
    "ask, Ollama protocol": ("ask", QUESTION, "--model", "ollama"),
    "compare": ("compare", QUESTION, "--model", "served", "--model", "ollama"),
    "keywords": ("keywords", "pelican"),
    "show": ("show", "2024-04-01.txt"),
    "files": ("files",),
    "status": ("status",),
}
CONTROLS = {
    "control: a connection": f"import socket; socket.create_connection(('{OUTSIDE}', 80), timeout=5)",
    "control: a name": "import socket; socket.getaddrinfo('name.example', 80)",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a command went; `outside` is None where nothing could be watched."""

    name: str
    code: int
    outside: list[str] | None
    said: str

    @property
    def control(self) -> bool:
        return self.name in CONTROLS

    @property
    def fine(self) -> bool:
        if self.control:
            return self.code != 0 and self.outside != []
        return self.code == 0 and not self.outside


def main() -> int:
    """Enter a namespace, run everything in it, print what was seen."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inside:
        return inside(given.json)
    reason = namespace.obstacle()
    if reason is not None:
        print(reason, file=sys.stderr)
        return UNAVAILABLE
    again = module("bench.offline", "--inside", *(["--json"] if given.json else []))
    return subprocess.run([*namespace.enter(), *again], check=False).returncode


def inside(as_json: bool) -> int:
    """Everything that happens within the namespace."""
    from tests.support.stub import Stub

    namespace.raise_loopback()
    with tempfile.TemporaryDirectory(prefix="bench-offline-") as temporary, Stub() as stub:
        place = Path(temporary)
        _lay(place, stub.url)
        outcomes = [_outcome(name, module("wherein", *arguments), place) for name, arguments in COMMANDS.items()]
        outcomes += [_outcome(name, [sys.executable, "-c", code], place) for name, code in CONTROLS.items()]
        left = sorted(str(path.relative_to(place)) for path in (place / "home").rglob("*") if path.is_file())
    if as_json:
        commands = [asdict(outcome) for outcome in outcomes]
        print(json.dumps({"interfaces": namespace.interfaces(), "commands": commands, "home": left}))
    else:
        _show(outcomes, left)
    return 0 if all(outcome.fine for outcome in outcomes) and not left else 1


def _lay(place: Path, address: str) -> None:
    (place / "home").mkdir()
    (place / "wherein.toml").write_text(SETTINGS.format(address=address), encoding="utf-8")
    for name, text in NOTES.items():
        path = place / "notes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _outcome(name: str, command: list[str], place: Path) -> Outcome:
    log = place / "calls.txt"
    prefix = namespace.watched(log)
    env = environment({"HOME": str(place / "home"), **LURES, **{key.lower(): LURES[key] for key in _proxies()}})
    done = subprocess.run([*prefix, *command], cwd=place, env=env, capture_output=True, text=True, check=False)
    seen = namespace.outside(log) if prefix else None
    return Outcome(name, done.returncode, seen, (done.stdout + done.stderr)[-2000:])


def _proxies() -> list[str]:
    return [key for key in LURES if key.endswith("_PROXY")]


def _show(outcomes: list[Outcome], left: list[str]) -> None:
    print(f"interfaces: {', '.join(namespace.interfaces())}")
    print(f"left in the home folder: {', '.join(left) or 'nothing'}")
    for outcome in outcomes:
        tries = "not watched (no strace)" if outcome.outside is None else f"{len(outcome.outside)} tries to leave"
        verdict = "as it should" if outcome.fine else "NOT as it should"
        print(f"{outcome.name:<24} exit {outcome.code:>3}, {tries:<24} {verdict}")
        if not outcome.fine:
            print("\n".join([*(outcome.outside or []), outcome.said]))


if __name__ == "__main__":
    sys.exit(main())
