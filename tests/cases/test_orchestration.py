from __future__ import annotations

from pathlib import Path

from tests.support.workspace import Workspace, paths, tree_bytes


def _small(ws: Workspace) -> None:
    ws.write_all({"a.txt": "the pelican code is 7", "b.txt": "garden notes"})


def test_interactive_commands_start_no_server_and_leave_no_home_behind(ws: Workspace) -> None:
    _small(ws)
    ws.ingest()
    for command in (("search", "pelican"), ("ask", "pelican?"), ("keywords", "pelican"), ("status",), ("files",)):
        assert "server" not in ws.run(*command).expect(0).stderr.lower()
    assert not (ws.home / ".prefect").exists()
    assert not list(ws.state.rglob("prefect.db"))


def test_a_users_own_orchestrator_folder_is_left_untouched(ws: Workspace) -> None:
    own = ws.home / ".prefect"
    own.mkdir()
    profile = own / "profiles.toml"
    profile.write_text(
        'active = "mine"\n[profiles.mine]\nPREFECT_API_URL = "http://127.0.0.1:9/api"\n', encoding="utf-8"
    )
    before = (profile.read_bytes(), profile.stat().st_mtime_ns)
    _small(ws)
    for command in (("ingest",), ("search", "pelican"), ("ask", "pelican?"), ("status",)):
        ws.run(*command).expect(0)
    assert (profile.read_bytes(), profile.stat().st_mtime_ns) == before
    assert [path.name for path in own.iterdir()] == ["profiles.toml"]


def test_an_orchestrator_that_cannot_be_reached_harms_nobody(ws: Workspace) -> None:
    _small(ws)
    dead = {"PREFECT_API_URL": "http://127.0.0.1:9/api", "PREFECT_SERVER_ALLOW_EPHEMERAL_MODE": "false"}
    for command in (("ingest",), ("search", "pelican"), ("ask", "pelican?"), ("status",)):
        ws.run(*command, env=dead).expect(0)


def test_a_large_text_passes_like_any_other(ws: Workspace) -> None:
    line = "ordinary words stand in line {} of a rather long text about thing{}.\n"
    ws.write("big.txt", "".join(line.format(n, n % 997) + ("\n" if n % 9 == 0 else "") for n in range(28_000)))
    ws.write("b.txt", "garden notes")
    assert ws.ingest(timeout=240)["files"]["added"] == 2
    assert "big.txt" in paths(ws.search("thing500", "--mode", "keyword"))


def test_many_tiny_files_are_sent_in_batches_and_not_one_by_one(ws: Workspace) -> None:
    ws.write_all({f"f{n:03}.txt": f"tiny note {n}" for n in range(200)})
    ws.ingest()
    assert len(ws.stub.requests("embed")) <= 2 * (200 // 32 + 1)


def test_no_change_runs_leave_no_growing_records(ws: Workspace) -> None:
    _small(ws)
    ws.ingest()
    ws.ingest()
    before = tree_bytes(ws.state) + tree_bytes(ws.home)
    for _ in range(5):
        ws.ingest()
    assert tree_bytes(ws.state) + tree_bytes(ws.home) - before < 5 * 100_000


def test_the_program_works_from_any_folder_inside_the_workspace(ws: Workspace) -> None:
    _small(ws)
    deep = ws.root / "some" / "where" / "deep"
    deep.mkdir(parents=True)
    assert ws.ingest(cwd=deep)["files"]["added"] == 2
    assert paths(ws.search("pelican", cwd=deep))[0] == "a.txt"
    assert not list(Path(deep).iterdir())
