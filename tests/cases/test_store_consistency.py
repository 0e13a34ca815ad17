from __future__ import annotations

import random
import shutil
import string
from pathlib import Path
from typing import Any

import pytest

import wherein
from tests.support.stub import Stub
from tests.support.workspace import Workspace, open_workspace, paths

MODES = ("keyword", "vector", "hybrid")


def _found(ws: Workspace, word: str, mode: str) -> list[str]:
    return paths(ws.run("search", word, "--mode", mode, "--json").expect(0, 4).json)


def test_both_halves_follow_additions_and_deletions(ws: Workspace) -> None:
    ws.write_all({"o.txt": "shy numbat", "stay.txt": "shy wombat"})
    ws.ingest()
    ws.write("n.txt", "shy quokka")
    (ws.notes / "o.txt").unlink()
    ws.ingest()
    for mode in MODES:
        assert _found(ws, "quokka", mode)[0] == "n.txt"
        assert "o.txt" not in _found(ws, "numbat", mode)
    assert _found(ws, "numbat", "keyword") == []


def test_a_process_that_searched_before_sees_additions_and_deletions_in_both_halves(ws: Workspace) -> None:
    ws.write_all({"o.txt": "shy numbat", "stay.txt": "shy wombat"})
    ws.ingest()
    here = wherein.Workspace.find(ws.root)
    assert wherein.search("numbat", here, mode="hybrid").hits[0].path == "o.txt"
    ws.write("n.txt", "shy quokka")
    (ws.notes / "o.txt").unlink()
    ws.ingest()
    for mode in MODES:
        assert wherein.search("quokka", here, mode=mode).hits[0].path == "n.txt"
        assert "o.txt" not in [hit.path for hit in wherein.search("numbat", here, mode=mode).hits]


def test_deleting_half_the_files_leaves_exactly_the_other_half(ws: Workspace) -> None:
    ws.write_all({f"f{n}.txt": f"shared word and own{n}" for n in range(10)})
    ws.ingest()
    for n in range(0, 10, 2):
        (ws.notes / f"f{n}.txt").unlink()
    ws.ingest()
    for mode in MODES:
        assert sorted(_found(ws, "shared", mode)) == [f"f{n}.txt" for n in range(1, 10, 2)]


def test_a_hit_is_exactly_what_show_prints_at_its_offsets(ws: Workspace) -> None:
    text = "---\ntitle: Été\ndate: 2024-05-01\n---\r\n" + "\r\n\r\n".join(
        f"Paragraph {n} 😀 about the pelican’s éclair. " + "More words follow here. " * 30 for n in range(8)
    )
    ws.write("a.md", b"\xef\xbb\xbf" + text.encode())
    ws.ingest()
    shown = ws.show("a.md")
    assert shown == text
    for hit in ws.search("pelican éclair", "-k", "30", "--per-source", "0")["hits"]:
        assert hit["text"] == shown[hit["char_start"] : hit["char_end"]]
        assert hit["line_start"] == shown[: hit["char_start"]].count("\n") + 1
        assert hit["line_end"] == shown[: hit["char_end"]].rstrip("\r\n").count("\n") + 1
        assert hit["char_start"] >= shown.index("Paragraph 0"), "front matter is in no chunk"


def test_chunks_of_a_file_cover_its_words(ws: Workspace) -> None:
    words = [f"w{n:04}" for n in range(1500)]
    ws.write("a.txt", " ".join(words))
    ws.ingest()
    hits = ws.search("w0000", "--mode", "vector", "-k", "200", "--per-source", "0")["hits"]
    assert set(" ".join(hit["text"] for hit in hits).split()) >= set(words)


def test_status_files_and_search_speak_of_one_generation(ws: Workspace) -> None:
    ws.write_all({"a.txt": "shy numbat", "b.txt": "shy wombat"})
    report = ws.ingest()
    status = ws.status()
    assert status["generation"] == report["generation"]
    assert status["chunks"] == report["chunks"]["total"] == 2
    assert ws.search("numbat")["generations"] == {"notes": report["generation"]}
    assert sum(row["chunks"] for row in ws.files().values()) == 2


def test_deleting_the_index_costs_time_and_model_calls_and_nothing_else(ws: Workspace) -> None:
    ws.write_all({"a.txt": "shy numbat", "b.txt": "shy wombat"})
    ws.ingest()
    before = ws.search("numbat")["hits"]
    shutil.rmtree(ws.state / "collections" / "notes")
    ws.run("search", "numbat").expect(1)
    report = ws.ingest()
    assert (report["files"]["added"], report["embedded"]) == (2, 2)
    assert ws.search("numbat")["hits"] == before


def test_collections_keep_to_themselves(ws: Workspace) -> None:
    other = ws.root / "other"
    other.mkdir()
    (other / "a.txt").write_text("shy numbat elsewhere", encoding="utf-8")
    ws.configure({"collections": {"other": {"path": "other"}}})
    ws.write("a.txt", "shy numbat here")
    reports = ws.run("ingest", "--json").expect(0).json
    assert sorted(report["collection"] for report in reports) == ["notes", "other"]
    hits = ws.search("numbat")["hits"]
    assert sorted((hit["collection"], hit["path"]) for hit in hits) == [
        ("notes", "a.txt"),
        ("other", "a.txt"),
    ]
    ws.run("show", "a.txt").expect(2)
    shutil.rmtree(ws.state / "collections" / "other")
    assert ws.search("numbat", "--collection", "notes")["hits"][0]["text"] == "shy numbat here"


def _spoilable(ws: Workspace) -> list[str]:
    home = ws.state / "collections" / "notes"
    return sorted(
        path.relative_to(home).as_posix() for path in home.rglob("*") if path.is_file() and path.stat().st_size > 0
    )


@pytest.mark.parametrize("how", ["cut", "gone"])
def test_a_spoilt_index_file_gives_the_right_answer_or_one_clear_sentence(
    ws: Workspace, how: str, tmp_path: Path
) -> None:
    ws.write_all({f"f{n}.txt": f"shared word and own{n}" for n in range(6)})
    ws.ingest()
    right = ws.search("shared own3")["hits"]
    shutil.copytree(ws.state, tmp_path / "whole")
    for name in _spoilable(ws):
        victim = ws.state / "collections" / "notes" / name
        if how == "gone":
            victim.unlink()
        else:
            victim.write_bytes(victim.read_bytes()[: victim.stat().st_size // 2])
        result = ws.run("search", "shared own3", "--json")
        if result.expect(0, 1, 3).code == 0:
            assert result.json["hits"] == right, f"{name} {how}"
        else:
            assert result.json["error"]["message"]
        shutil.rmtree(ws.state)
        shutil.copytree(tmp_path / "whole", ws.state)


class _History:
    """A random life of a folder: every step leaves files whose bytes differ from the step before."""

    def __init__(self, ws: Workspace, seed: int) -> None:
        self.ws = ws
        self.random = random.Random(seed)
        self.counter = 0

    def _text(self) -> str:
        vocabulary = [f"{letter}{letter}word" for letter in string.ascii_lowercase]
        words = self.random.choices(vocabulary, k=self.random.choice([1, 20, 400]))
        blocks = [" ".join(words[at : at + 40]) for at in range(0, len(words), 40)]
        return "\n\n".join(blocks)

    def _names(self) -> list[str]:
        return sorted(path.relative_to(self.ws.notes).as_posix() for path in self.ws.notes.rglob("*.txt"))

    def add(self) -> None:
        self.counter += 1
        self.ws.write(f"d{self.counter % 3}/f{self.counter}.txt", self._text())

    def edit(self) -> None:
        path = self.ws.notes / self.random.choice(self._names())
        cut = self.random.random()
        text = path.read_text(encoding="utf-8")
        at = int(len(text) * cut)
        path.write_text(text[:at] + " " + self._text() + " " + text[at:], encoding="utf-8")

    def copy(self) -> None:
        self.counter += 1
        source = self.ws.notes / self.random.choice(self._names())
        shutil.copy(source, source.parent / f"copy{self.counter}.txt")

    def move(self) -> None:
        self.counter += 1
        source = self.ws.notes / self.random.choice(self._names())
        source.rename(self.ws.notes / f"moved{self.counter}.txt")

    def delete(self) -> None:
        (self.ws.notes / self.random.choice(self._names())).unlink()

    def live(self, steps: int) -> None:
        kinds = [self.add, self.edit, self.edit, self.copy, self.move, self.delete]
        for _ in range(steps):
            self.random.choice(kinds)()


def _all_answers(ws: Workspace) -> list[dict[str, Any]]:
    queries = ("aaword bbword", "zzword", "mmword nnword ooword ppword", "ccword")
    calls = [(query, mode) for query in queries for mode in MODES]
    answers = [ws.run("search", query, "--mode", mode, "--json").expect(0, 4).json for query, mode in calls]
    return [{key: answer[key] for key in ("hits", "dropped", "confidence")} for answer in answers]


@pytest.mark.parametrize("seed", [1, 2])
def test_after_any_history_results_equal_those_of_a_fresh_workspace(ws: Workspace, tmp_path: Path, seed: int) -> None:
    history = _History(ws, seed)
    for _ in range(8):
        history.add()
    ws.ingest("--allow-deletes")
    for _ in range(5):
        history.live(4)
        ws.ingest("--allow-deletes")
    with open_workspace(tmp_path / "fresh") as fresh:
        shutil.copytree(ws.notes, fresh.notes, dirs_exist_ok=True)
        fresh.ingest()
        assert fresh.status()["chunks"] == ws.status()["chunks"]
        assert _all_answers(ws) == _all_answers(fresh)


def test_purging_changes_no_result(ws: Workspace, stub: Stub) -> None:
    history = _History(ws, 3)
    for _ in range(6):
        history.add()
    ws.ingest()
    history.live(4)
    ws.ingest("--allow-deletes")
    before = _all_answers(ws)
    stub.forget()
    ws.run("purge").expect(0)
    assert stub.requests("embed") == []
    assert _all_answers(ws) == before
