from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.workspace import Workspace, open_workspace, paths

FILES = {
    "p1.txt": "RULE-A002 blocks",
    "p2.txt": "RULE-A003 blocks",
    "p3.txt": "some other matter",
    "v1.txt": "vitamin C dose",
    "v2.txt": "vitamin D dose",
    "cve.txt": "yesterday CVE-2024-1234 was patched",
    "cve2.txt": "yesterday CVE-2024-1235 was patched",
    "rel1.txt": "release v2.0.1 came out",
    "rel2.txt": "release v2.0.2 came out",
    "ids.txt": "XPS-9380 foo_bar getName NASA config.yaml src/main.py on 2024-05-01",
    "whale1.txt": "the blue whale has a song",
    "whale2.txt": "a whale of a song in blue",
    "question.txt": "who asked what is the matter and why",
    "pelican.txt": "a pelican by the lake",
    "chapter.txt": "chapter 7 of the manual",
    "chapter8.txt": "chapter 8 of the manual",
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with open_workspace(tmp_path_factory.mktemp("terms"), FILES) as workspace:
        workspace.ingest()
        yield workspace


def _keyword(ws: Workspace, query: str) -> dict[str, Any]:
    return ws.run("search", query, "--mode", "keyword", "--json").expect(0, 4).json  # type: ignore[no-any-return]


def test_a_whole_identifier_beats_its_neighbour_clearly(corpus: Workspace) -> None:
    hits = _keyword(corpus, "RULE-A002")["hits"]
    assert hits[0]["path"] == "p1.txt"
    others = [hit["scores"]["keyword"] for hit in hits if hit["path"] == "p2.txt"]
    assert all(score < 0.8 * hits[0]["scores"]["keyword"] for score in others)


@pytest.mark.parametrize(
    ("part", "path"),
    [
        ("A002", "p1.txt"),
        ("a002", "p1.txt"),
        ("2024-1234", "cve.txt"),
        ("1234", "cve.txt"),
        ("CVE-2024-1235", "cve2.txt"),
        ("XPS", "ids.txt"),
        ("v2.0.2", "rel2.txt"),
        ("foo_bar", "ids.txt"),
        ("main.py", "ids.txt"),
    ],
)
def test_identifiers_are_found_by_their_parts(corpus: Workspace, part: str, path: str) -> None:
    assert paths(_keyword(corpus, part))[0] == path


@pytest.mark.parametrize(
    ("query", "path", "other"),
    [
        ("vitamin C", "v1.txt", "v2.txt"),
        ("vitamin d", "v2.txt", "v1.txt"),
        ("C", "v1.txt", "v2.txt"),
        ("8", "chapter8.txt", "chapter.txt"),
        ("chapter 7", "chapter.txt", "chapter8.txt"),
    ],
)
def test_single_letters_and_digits_count(corpus: Workspace, query: str, path: str, other: str) -> None:
    scores = {hit["path"]: hit["scores"]["keyword"] for hit in _keyword(corpus, query)["hits"]}
    assert scores[path] > scores.get(other, 0.0)


@pytest.mark.parametrize("query", ["XPS-9380", "foo_bar", "getName", "NASA", "config.yaml", "src/main.py"])
def test_a_lone_identifier_is_searched_by_keyword(corpus: Workspace, query: str) -> None:
    answer = corpus.search(query)
    assert answer["mode"] == "keyword"
    assert paths(answer)[0] == "ids.txt"


@pytest.mark.parametrize("query", ["2024-05-01", "well-known", "pelican", "Pelican", "RULE-A002 blocks"])
def test_prose_dates_and_hyphenated_words_are_searched_both_ways(corpus: Workspace, query: str) -> None:
    assert corpus.search(query)["mode"] == "hybrid"


def test_an_identifier_nobody_wrote_falls_back_with_a_note(corpus: Workspace) -> None:
    answer = corpus.search("ZZT-0815")
    assert answer["mode"] == "hybrid"
    assert "zzt-0815" in " ".join(answer["notes"]).lower()


def test_an_explicit_mode_wins_over_the_guess(corpus: Workspace) -> None:
    answer = corpus.search("NASA", "--mode", "vector")
    assert answer["mode"] == "vector"
    assert all(hit["scores"]["keyword"] is None for hit in answer["hits"])


@pytest.mark.parametrize("mode", ["keyword", "vector", "hybrid"])
def test_a_quoted_phrase_must_occur(corpus: Workspace, mode: str) -> None:
    answer = corpus.search('a song with "Blue  Whale"', "--mode", mode)
    assert paths(answer) == ["whale1.txt"]
    corpus.search('"whale blue"', "--mode", mode, code=4)


def test_no_match_is_no_hit(corpus: Workspace) -> None:
    answer = corpus.search("qqqqxx", "--mode", "keyword", code=4)
    assert (answer["hits"], answer["confidence"]) == ([], "none")


def test_every_keyword_hit_has_a_positive_score(corpus: Workspace) -> None:
    hits = _keyword(corpus, "whale song")["hits"]
    assert {hit["path"] for hit in hits} == {"whale1.txt", "whale2.txt"}
    assert all(hit["scores"]["keyword"] > 0 for hit in hits)


def test_a_term_that_cannot_match_is_named(corpus: Workspace) -> None:
    answer = _keyword(corpus, "pelican zzyzx")
    assert paths(answer) == ["pelican.txt"]
    assert "zzyzx" in " ".join(answer["notes"])


def test_question_words_are_stripped_from_the_query_only(corpus: Workspace) -> None:
    assert paths(_keyword(corpus, "what is the pelican"))[0] == "pelican.txt"
    assert "question.txt" not in paths(_keyword(corpus, "who is what pelican"))
    assert paths(_keyword(corpus, "who what why"))[0] == "question.txt"


def test_more_hits_asked_for_than_there_are(corpus: Workspace) -> None:
    assert len(corpus.search("pelican", "-k", "500", "--mode", "vector")["hits"]) == len(FILES)
    assert len(_keyword(corpus, "pelican")["hits"]) == 1


def test_one_file_and_a_large_k(ws: Workspace) -> None:
    ws.write("only.txt", "a pelican by the lake")
    ws.ingest()
    for mode in ("hybrid", "keyword", "vector"):
        assert paths(ws.search("pelican", "-k", "20", "--mode", mode)) == ["only.txt"]


KEYWORD_FILES = {
    "a.txt": "Café here.\ncafe there, CAFÉ everywhere\nno match\n",
    "b.txt": "one cafe\ncafeteria and cafes do not count\n",
    "c.txt": "the blue whale\nwhale blue\nfoo_bar-7\n",
}


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with open_workspace(tmp_path_factory.mktemp("listed"), KEYWORD_FILES) as workspace:
        workspace.ingest()
        yield workspace


def _list(ws: Workspace, *terms: str, code: int = 0) -> dict[str, Any]:
    return ws.run("keywords", *terms, "--json").expect(code).json  # type: ignore[no-any-return]


def test_keywords_lists_whole_words_with_case_and_accents_folded(listed: Workspace) -> None:
    answer = _list(listed, "CAFE")
    (term,) = answer["terms"]
    assert (term["files"], term["occurrences"]) == (2, 4)
    assert [(hit["path"], hit["line"]) for hit in answer["hits"]] == [
        ("a.txt", 1),
        ("a.txt", 2),
        ("b.txt", 1),
    ]
    assert "here" in answer["hits"][0]["text"]


def test_keywords_ors_its_terms_and_takes_a_spaced_argument_as_a_phrase(listed: Workspace) -> None:
    assert {hit["path"] for hit in _list(listed, "cafes", "whale")["hits"]} == {"b.txt", "c.txt"}
    assert [(hit["path"], hit["line"]) for hit in _list(listed, "blue whale")["hits"]] == [("c.txt", 1)]


def test_keywords_takes_regular_expressions(listed: Workspace) -> None:
    answer = _list(listed, "--regex", r"foo_\w+-\d")
    assert [(hit["path"], hit["line"]) for hit in answer["hits"]] == [("c.txt", 3)]
    listed.run("keywords", "--regex", "(").expect(2)


def test_keywords_without_a_match_is_not_found(listed: Workspace) -> None:
    assert _list(listed, "zzyzx", code=4)["hits"] == []


def test_keywords_can_print_context(listed: Workspace) -> None:
    assert "no match" in listed.run("keywords", "everywhere", "--context", "1").expect(0).stdout
