"""Golden questions made from one's own files, and what becomes of them when files go."""

from __future__ import annotations

import json

from tests.support.workspace import Workspace

TEXT = "It rained all day and nothing much came of it.\n\n{}\n"


def test_questions_are_made_checked_and_found_gone(ws: Workspace) -> None:
    for day, said in (("01", "Zephaniah Cobb came by."), ("02", "We saw Lazlo Hruby."), ("03", "No Enid Crale yet.")):
        (ws.notes / f"2021-03-{day}.md").write_text(TEXT.format(said), encoding="utf-8")
    assert ws.run("ingest").code == 0
    ws.stub.forget()
    made = ws.run("golden", "make", "--kinds", "name", "--out", "golden.jsonl")
    assert made.code == 0
    assert ws.stub.requests() == []
    rows = [json.loads(line) for line in (ws.root / "golden.jsonl").read_text(encoding="utf-8").splitlines()]
    assert any("Lazlo Hruby" in row["question"] for row in rows)
    (ws.notes / "2021-03-02.md").unlink()
    assert ws.run("ingest").code == 0
    checked = ws.run("golden", "check", "golden.jsonl")
    assert checked.code == 3
    assert "2021-03-02.md" in checked.stdout
