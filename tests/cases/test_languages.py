from __future__ import annotations

from collections.abc import Iterator

import pytest

import wherein
from tests.support.workspace import Workspace, open_workspace, paths

FILES = {
    "j1.txt": "国際標準化に関する動向",
    "j2.txt": "猫が好き",
    "th1.txt": "ประเทศไทยมีอาหารอร่อย",
    "th2.txt": "แมวนอนหลับ",
    "zh1.txt": "大典得幸，同道兼發；如新聞、教本",
    "zh2.txt": "今天天氣很好",
    "ko1.txt": "역사적 예수 연구자들은 복음서를 읽었다",
    "fr1.txt": "mon résumé est prêt",
    "fr2.txt": "to resume the talks",
    "es1.txt": "la ocupación de la ciudad",
    "nfd.txt": "un cafe\u0301 noir",
    "vi1.txt": "tiếng Việt rất hay",
    "el1.txt": "Η ελληνική γλώσσα",
    "tr1.txt": "İstanbul ve Iğdır",
    "ru1.txt": "После окончательного разорения",
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with open_workspace(tmp_path_factory.mktemp("languages"), FILES) as workspace:
        workspace.configure({"collections": {"notes": {"language": "none"}}})
        workspace.ingest()
        yield workspace


@pytest.mark.parametrize(
    ("query", "found", "absent"),
    [
        ("国際標準化", "j1.txt", "j2.txt"),
        ("標準化", "j1.txt", "j2.txt"),
        ("猫", "j2.txt", "j1.txt"),
        ("อาหาร", "th1.txt", "th2.txt"),
        ("แมว", "th2.txt", "th1.txt"),
        ("新聞", "zh1.txt", "zh2.txt"),
        ("天氣", "zh2.txt", "zh1.txt"),
        ("예수", "ko1.txt", "zh1.txt"),
    ],
)
def test_scripts_without_spaces_are_found_by_a_word(corpus: Workspace, query: str, found: str, absent: str) -> None:
    answer = corpus.search(query, "--mode", "keyword")
    assert paths(answer)[0] == found
    assert answer["hits"][0]["scores"]["keyword"] > 0
    assert absent not in paths(answer)


def test_text_in_another_script_is_no_hit(corpus: Workspace) -> None:
    answer = corpus.search("経済政策", "--mode", "keyword", code=4)
    assert answer["hits"] == []


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("ocupacion", "es1.txt"),
        ("ocupación", "es1.txt"),
        ("OCUPACIÓN", "es1.txt"),
        ("café", "nfd.txt"),
        ("cafe\u0301", "nfd.txt"),
        ("cafe", "nfd.txt"),
        ("viet", "vi1.txt"),
        ("ελληνικη", "el1.txt"),
        ("ΓΛΩΣΣΑ", "el1.txt"),
        ("istanbul", "tr1.txt"),
        ("ПОСЛЕ", "ru1.txt"),
    ],
)
def test_case_and_accents_need_not_be_typed(corpus: Workspace, query: str, path: str) -> None:
    assert paths(corpus.search(query, "--mode", "keyword")) == [path]


@pytest.mark.parametrize(("query", "first"), [("résumé", "fr1.txt"), ("resume", "fr2.txt")])
def test_the_exact_form_comes_first(corpus: Workspace, query: str, first: str) -> None:
    found = paths(corpus.search(query, "--mode", "keyword"))
    assert found[0] == first
    assert set(found) == {"fr1.txt", "fr2.txt"}


@pytest.mark.parametrize(
    ("language", "texts", "query"),
    [
        ("de", ("Die Häuser sind alt", "Das Wetter bleibt"), "Haus"),
        ("en", ("she was running home", "the weather stays"), "run"),
        ("fr", ("les chevaux galopaient vite", "le temps reste beau"), "galoper"),
    ],
)
def test_the_set_language_stems_and_is_shown(ws: Workspace, language: str, texts: tuple[str, str], query: str) -> None:
    ws.configure({"collections": {"notes": {"language": language}}})
    ws.write_all({"d1.txt": texts[0], "d2.txt": texts[1]})
    ws.ingest()
    assert paths(ws.search(query, "--mode", "keyword")) == ["d1.txt"]
    assert language in str(ws.status()["languages"])


@pytest.mark.parametrize("language", ["none", "de"])
def test_the_process_that_built_an_index_and_a_fresh_one_find_the_same(ws: Workspace, language: str) -> None:
    ws.configure({"collections": {"notes": {"language": language}}})
    ws.write_all(FILES | {"de1.txt": "Die alten Häuser am Fluss", "id.txt": "RULE-A002 blocks plan B"})
    here = wherein.Workspace.find(ws.root)
    wherein.ingest(workspace=here)
    for query in ("国際標準化 resume", "Haus", "RULE-A002 plan B"):
        found = wherein.search(query, here, mode="keyword")
        fresh = ws.run("search", query, "--mode", "keyword", "--json").expect(0, 4).json
        kept = [(hit["path"], hit["scores"]["keyword"]) for hit in fresh["hits"]]
        assert [(hit.path, hit.scores.keyword) for hit in found.hits] == kept
        assert kept or (query, language) == ("Haus", "none")


def test_language_none_never_stems(corpus: Workspace) -> None:
    corpus.search("talk", "--mode", "keyword", code=4)
    assert paths(corpus.search("talks", "--mode", "keyword")) == ["fr2.txt"]


def test_mixed_notes_with_the_default_language_keep_every_word_findable(ws: Workspace) -> None:
    ws.write_all({
        "de.txt": "Gestern habe ich die alten Häuser in der Stadt gesehen und viele Fotos gemacht.",
        "en.txt": "Yesterday we watched the old lighthouse and walked along the windy shore for hours.",
        "fr.txt": "Hier nous avons visité la vieille ville avec des amis et mangé des crêpes délicieuses.",
    })  # fmt: skip
    ws.ingest()
    for query, path in (
        ("Häuser", "de.txt"),
        ("die", "de.txt"),
        ("lighthouse", "en.txt"),
        ("crêpes", "fr.txt"),
    ):
        assert paths(ws.search(query, "--mode", "keyword"))[0] == path
    assert ws.status()["languages"]
