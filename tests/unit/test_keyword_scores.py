"""Scores of the keyword channel of a real index against BM25 written out plainly, and against plain bm25s."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tasks.analyse import Analyser
from tests.property.folder import Folder, use
from tests.support.embedder import HashedWords
from wherein.pipelines.query import QueryOptions, search

bm25s = pytest.importorskip("bm25s")
ODD = {
    "rule.txt": "RULE-A002 blocks the gate, RULE-A002 again",
    "next.txt": "RULE-A003 opens the gate",
    "cve.txt": "CVE-2024-1234 was mended in v1.2.3",
    "code.txt": "run_failed_error and RunFailedError of os.path.join",
    "c.txt": "vitamin C dose",
    "d.txt": "vitamin D dose",
    "resume.txt": "mon résumé",
    "plain.txt": "mon resume",
    "kanji.txt": "国際標準化に関する動向",
    "cat.txt": "猫が好き",
    "who.txt": "The Who played in Leeds",
    "seven.txt": "plan 7 and plan 7 and plan 8",
}
QUERIES = (
    "RULE-A002", "A002", "2024-1234", "run failed error", "os.path", "vitamin C", "plan 7", "résumé", "resume",
    "国際標準化", "猫", "The Who", "who blocks the gate?", "dose dose gate",
)  # fmt: skip
PLAIN = {
    f"{name}.txt": text
    for name, text in {
        "a": "alder beech cedar alder", "b": "beech cedar", "c": "cedar alder beech cedar elder fig", "d": "elder",
        "e": "fig grape hazel fig fig", "f": "alder hazel",
    }.items()
}  # fmt: skip


def indexed(place: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str]) -> Folder:
    use(monkeypatch, HashedWords())
    folder = Folder(place, size=200)
    settings = (place / "wherein.toml").read_text(encoding="utf-8").replace("dates =", 'language = "none"\ndates =')
    (place / "wherein.toml").write_text(settings, encoding="utf-8")
    for path, text in files.items():
        folder.write(path, text.encode())
    folder.ingest()
    return folder


def found(folder: Folder, query: str) -> dict[str, float]:
    """Keyword scores by path."""
    hits = search(folder.workspace, query, QueryOptions(mode="keyword", k=50)).hits
    return {hit.path: float(hit.scores.keyword or 0) for hit in hits}


def brute_force(query: str, files: dict[str, str]) -> dict[str, float]:
    """BM25 as Lucene has it, summed in float64 for each file in turn; files that score nothing left out."""
    terms = {path: Analyser().document_terms(text, "none") for path, text in files.items()}
    mean = sum(map(len, terms.values())) / len(terms)
    scores: dict[str, float] = {}
    for path, held in terms.items():
        for term in Analyser().query_terms(query, ["none"]):
            frequency = sum(term in other for other in terms.values())
            count = held.count(term)
            rarity = math.log(1 + (len(terms) - frequency + 0.5) / (frequency + 0.5))
            part = rarity * count / (count + 1.5 * (1 - 0.75 + 0.75 * len(held) / mean))
            scores[path] = scores.get(path, 0.0) + part
    return {path: score for path, score in scores.items() if score > 0}


def test_keyword_scores_are_those_of_bm25_written_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = indexed(tmp_path, monkeypatch, ODD)
    for query in QUERIES:
        expected = brute_force(query, ODD)
        assert expected, query
        assert found(folder, query) == pytest.approx(expected, abs=1e-5), query


def test_plain_words_score_as_stock_bm25s_scores_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where words are plain and no language stems them, the stock tokenizer makes the same terms."""
    folder = indexed(tmp_path, monkeypatch, PLAIN)
    stock = bm25s.BM25(method="lucene")
    stock.index(bm25s.tokenize(list(PLAIN.values()), stopwords=None, show_progress=False), show_progress=False)
    for query in ("alder", "cedar fig", "hazel grape elder", "beech beech alder"):
        words = sorted(set(query.split()))
        scores = dict(zip(PLAIN, map(float, stock.get_scores(words)), strict=True))
        expected = {path: score for path, score in scores.items() if score > 0}
        assert found(folder, query) == pytest.approx(expected, abs=1e-5), query


@pytest.mark.parametrize(
    ("query", "first", "second"),
    [
        ("résumé", "resume.txt", "plain.txt"),
        ("RULE-A002", "rule.txt", "next.txt"),
        ("vitamin C", "c.txt", "d.txt"),
        ("plan 7", "seven.txt", None),
        ("The Who", "who.txt", None),
        ("国際標準化", "kanji.txt", None),
    ],
)
def test_the_exact_form_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, query: str, first: str, second: str | None
) -> None:
    scores = found(indexed(tmp_path, monkeypatch, ODD), query)
    assert next(iter(scores)) == first
    assert second is None or scores[first] > scores[second]


def test_the_same_scores_come_from_a_fresh_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the analyser is kept in the process that built the index."""
    before = found(indexed(tmp_path, monkeypatch, ODD), "RULE-A002 résumé 猫")
    assert found(Folder(tmp_path, size=200), "RULE-A002 résumé 猫") == before
