from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.support.workspace import Workspace, open_workspace, paths

FILES = {
    "work/a.txt": "apple pie",
    "home/b.txt": "apple stock",
    "work/sub/c.txt": "pear tart",
    "diary/2024-01-15.md": "apple in winter",
    "diary/2024-02-20.md": "apple in late winter",
    "diary/2023-12-31.md": "apple at new year",
}
MODES = ("hybrid", "vector", "keyword")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with open_workspace(tmp_path_factory.mktemp("filters"), FILES) as workspace:
        old = 1_500_000_000
        for name in ("work/a.txt", "home/b.txt", "work/sub/c.txt"):
            os.utime(workspace.notes / name, (old, old))
        workspace.ingest()
        yield workspace


@pytest.mark.parametrize("mode", MODES)
def test_a_path_filter_is_absolute(corpus: Workspace, mode: str) -> None:
    found = paths(corpus.search("apple", "--path", "work/**", "-k", "10", "--mode", mode))
    assert found[0] == "work/a.txt"
    assert set(found) <= {"work/a.txt", "work/sub/c.txt"}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (("--since", "2024-01-01", "--until", "2024-01-31"), {"diary/2024-01-15.md"}),
        (("--since", "2024-01", "--until", "2024-02"), {"diary/2024-01-15.md", "diary/2024-02-20.md"}),
        (("--on", "2024-02"), {"diary/2024-02-20.md"}),
        (("--on", "2024-02-20"), {"diary/2024-02-20.md"}),
        (("--on", "2023"), {"diary/2023-12-31.md"}),
        (("--since", "2024-02-20", "--until", "2024-02-20"), {"diary/2024-02-20.md"}),
    ],
)
def test_a_date_filter_is_absolute_and_inclusive(
    corpus: Workspace, mode: str, flags: tuple[str, ...], expected: set[str]
) -> None:
    assert set(paths(corpus.search("apple", *flags, "--mode", mode))) == expected


def test_what_a_filter_leaves_out_reaches_no_model(corpus: Workspace) -> None:
    answer = corpus.ask("which apple?", "--path", "work/**")
    assert {hit["path"] for hit in answer["evidence"]} <= {"work/a.txt", "work/sub/c.txt"}
    assert "apple stock" not in corpus.stub.chats[-1].prompt


def test_file_times_count_for_filters(corpus: Workspace) -> None:
    assert set(paths(corpus.search("apple pear", "--on", "2017"))) == {
        "work/a.txt",
        "home/b.txt",
        "work/sub/c.txt",
    }


@pytest.mark.parametrize("flags", [("--path", "nowhere/**"), ("--on", "1999"), ("--since", "2090-01-01")])
def test_a_filter_that_leaves_nothing_finds_nothing(corpus: Workspace, flags: tuple[str, str]) -> None:
    answer = corpus.search("apple", *flags, code=4)
    assert (answer["hits"], answer["nearest"]) == ([], [])


@pytest.mark.parametrize(
    "flags",
    [("--on", "2024-02-30"), ("--since", "someday"), ("--collection", "nosuch"),
     ("--since", "2024-02-01", "--until", "2024-01-01"), ("-k", "0"), ("--per-source", "-1"), ("--mode", "psychic")],
)  # fmt: skip
def test_an_impossible_filter_is_wrong_usage(corpus: Workspace, flags: tuple[str, ...]) -> None:
    corpus.run("search", "apple", *flags).expect(2)


@pytest.mark.parametrize("mode", MODES)
def test_filters_apply_before_the_pools_are_filled(ws: Workspace, mode: str) -> None:
    ws.write_all({f"outside/f{n:02}.txt": f"apple apple apple variety{n}" for n in range(60)})
    ws.write("inside/only.txt", "a long line of words in which one apple appears among many other things")
    ws.ingest()
    assert paths(ws.search("apple", "--path", "inside/*", "--mode", mode)) == ["inside/only.txt"]


def test_collections_can_be_chosen_more_than_once(ws: Workspace) -> None:
    for name in ("one", "two", "three"):
        (ws.root / name).mkdir()
        (ws.root / name / "a.txt").write_text(f"apple of {name}", encoding="utf-8")
        ws.configure({"collections": {name: {"path": name}}})
    ws.run("ingest").expect(0)
    answer = ws.search("apple", "--collection", "one", "--collection", "three")
    assert {hit["collection"] for hit in answer["hits"]} == {"one", "three"}
    assert set(answer["generations"]) == {"one", "three"}
