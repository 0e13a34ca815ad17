"""Whatever files and models hold, nothing of it commands a terminal, and no page runs it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.planted.injections import INJECTIONS
from tests.property.folder import use
from tests.support.embedder import HashedWords
from tests.unit.cli_workspace import Place, Terminal, place
from tests.unit.scripted import Reply, events, ollama_lines, scripted

__all__ = ["place"]
EVIL = (
    "pelican \x1b]0;owned\x07 \x1b[2J \x9b31m \x7f \x08\x08 \r over \u202edekcah\u202c \u2066x\u2069"
    " <script>alert(1)</script>"
)
DULL = "and the water lay quiet under the wall all day " * 6  # beside which it is taken for text
ANSWER = f"So it is: “{EVIL}” [1]. And {EVIL} [2][99]."
OBEYED = [
    *map(chr, range(0x20)),
    *map(chr, range(0x7F, 0xA0)),
    *"\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
]
ALLOWED = frozenset("\n\t\r")
COMMANDS = [
    ("search", "pelican", "--mode", "keyword", "-v"),
    ("ask", "pelican?", "--mode", "keyword"),
    ("ask", "pelican?", "--mode", "keyword", "--no-stream"),
    ("ask", "pelican?", "--mode", "keyword", "--dry-run"),
    ("ask", "pelican?", "--mode", "keyword", "--json"),
    ("search", "pelican", "--mode", "keyword", "--json"),
    ("compare", "pelican?", "--mode", "keyword", "--model", "evil"),
    ("keywords", "pelican"),
    ("show", "a\x1b[31m.md"),
    ("files",),
    ("answers",),
]


def ingested(place: Place, monkeypatch: pytest.MonkeyPatch, files: dict[str, str]) -> Place:
    use(monkeypatch, HashedWords())
    for name, text in files.items():
        (place.folder / "notes" / name).write_bytes(text.encode())
    model(place, "http://127.0.0.1:9", "ollama")
    assert place.run("ingest").code == 0
    return place


@pytest.fixture
def evil(place: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    return ingested(place, monkeypatch, {"a\x1b[31m.md": f"{EVIL} {DULL}", "b.md": f"{DULL} {EVIL}"})


def model(place: Place, url: str, provider: str) -> None:
    base = url if provider == "ollama" else f"{url}/v1"
    place.settings(
        '[collections.notes]\npath = "notes"\n[rerank]\nenabled = false\n[synthesis]\nmodel = "evil"\n'
        f'[models.evil]\nprovider = "{provider}"\nbase_url = "{base}"\nmodel = "m"\n'
    )


@pytest.mark.parametrize("provider", ["ollama"])
def test_nothing_that_a_terminal_obeys_reaches_it(evil: Place, provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pieces = [ANSWER[at : at + 3] for at in range(0, len(ANSWER), 3)]
    reply = Reply(chunks=ollama_lines(*pieces)) if provider == "ollama" else events(*pieces)
    with scripted(reply) as served:
        model(evil, served.url, provider)
        for command in COMMANDS:
            screen = Terminal()
            with monkeypatch.context() as patched:
                patched.setattr(sys, "stdout", screen)
                patched.setattr(sys, "stderr", screen)
                patched.setenv("NO_COLOR", "1")
                ended = evil.run(*command)
            shown = screen.getvalue() + ended.out + ended.err
            assert shown, command
            bare = {c for c in OBEYED if c in shown} - ALLOWED
            assert not {c for c in bare if c != "\x1b"}, command
            assert "\x1b]" not in shown
            assert "\x1b[2J" not in shown


def test_a_json_document_says_the_same_with_nothing_to_obey_in_it(evil: Place) -> None:
    ended = evil.run("search", "pelican", "--mode", "keyword", "--json")
    assert any(EVIL in hit["text"] for hit in json.loads(ended.out)["hits"])
    assert not {c for c in OBEYED if c in ended.out} - {"\n"}


def test_no_instruction_of_a_file_is_markup_in_a_report(
    place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    files = {f"{number:02}.md": f"pelican {injection.text}" for number, injection in enumerate(INJECTIONS)}
    ingested(place, monkeypatch, {**files, "evil.md": f"{EVIL} {DULL}"})
    with scripted(Reply(chunks=ollama_lines(ANSWER))) as served:
        model(place, served.url, "ollama")
        flags = ("--mode", "keyword", "--model", "evil", "-k", "60", "--set", "synthesis.context_window=60000")
        ended = place.run("compare", "pelican <b>?</b>", *flags, "--out", str(tmp_path / "out"))
    assert ended.code == 0, ended.err
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "alert(1)" in page
    for markup in ("<script", "<span style", "<!-- ", "<b>?", "</passage>", "\x1b", "\x9b"):
        assert markup not in page.partition("<body")[2], markup
