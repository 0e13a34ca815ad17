"""The analyser: which queries reach which documents, and which of two comes first."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.analyse import Analyser
from tasks.stems import LANGUAGES

ANALYSER = Analyser()


def scores(query: str, documents: Sequence[str], language: str) -> list[float]:
    """BM25 (k1 1.5, b 0.75) of each document."""
    counts = [Counter(ANALYSER.document_terms(text, language)) for text in documents]
    mean = sum(c.total() for c in counts) / len(counts)
    asked = ANALYSER.query_terms(query, [language])
    return [sum(_weight(term, count, counts, mean) for term in asked) for count in counts]


def _weight(term: str, count: Counter[str], counts: Sequence[Counter[str]], mean: float) -> float:
    held = sum(term in c for c in counts)
    rarity = math.log(1 + (len(counts) - held + 0.5) / (held + 0.5))
    return rarity * count[term] * 2.5 / (count[term] + 1.5 * (0.25 + 0.75 * count.total() / mean))


def test_an_identifier_wins_clearly_over_its_neighbour() -> None:
    first, second, other = scores("RULE-A002", ["RULE-A002 blocks", "RULE-A003 blocks", "other"], "none")
    assert first > 2 * second > 0
    assert other == 0


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("A002", "RULE-A002 blocks"),
        ("2024-1234", "fixed in CVE-2024-1234 today"),
        ("XPS9380", "an XPS-9380 laptop"),
        ("xps-9380", "an XPS9380 laptop"),
        ("PEP 1", "see PEP1"),
        ("pep-0385", "see PEP 385"),
        ("runfailederror", "raises RunFailedError"),
        ("run_failed_error", "raises RunFailedError"),
        ("failed", "raises RunFailedError"),
        ("os.path", "use os.path.join here"),
        ("site-packages/foo", "in /usr/lib/python3.11/site-packages/foo/bar.py"),
        ("stage.py", "see tasks/stage.py"),
        ("v1.2.3", "release v1.2.3."),
        ("1.2", "release v1.2.3."),
        ("x@y.z", "write to x@y.z, please"),
        ("email", "by e-mail"),
        ("e-mail", "by email"),
        ("USA", "in the U.S.A."),
        ("1000", "cost 1,000 pounds"),
        ("C++", "written in C++."),
        ("5 November", "the 5th of November"),
        ("GitHub", "on github"),
        ("PDF", "some PDFs"),
    ],
)
def test_identifiers_match_whole_and_by_parts(query: str, text: str) -> None:
    found, other = scores(query, [text, "nothing of the kind"], "en")
    assert found > 0
    assert other == 0


@pytest.mark.parametrize(
    ("query", "near", "far"),
    [
        ("vitamin C", "vitamin C dose", "vitamin D dose"),
        ("language R", "language R", "language S"),
        ("plan 7", "plan 7", "plan 8"),
        ("C++ book", "a C++ book", "a C book"),
    ],
)
def test_single_letters_and_digits_tell_texts_apart(query: str, near: str, far: str) -> None:
    first, second = scores(query, [near, far], "en")
    assert first > second


def test_a_letter_of_an_identifier_is_not_asked_for_alone() -> None:
    first, second = scores("A002", ["RULE-A002 blocks", "a walk"], "none")
    assert first > 0
    assert second == 0


def test_numbers_with_separators_are_not_other_numbers() -> None:
    assert scores("35", ["3.5 litres", "35 litres"], "en")[0] == 0


@pytest.mark.parametrize("language", ["en", "fr", "none"])
def test_an_unaccented_query_reaches_accented_text(language: str) -> None:
    accented, other = scores("resume", ["mon résumé est prêt", "le chat"], language)
    assert accented > 0
    assert other == 0


@pytest.mark.parametrize("language", ["en", "es", "fr", "none"])
def test_an_accented_query_prefers_the_exact_form(language: str) -> None:
    exact, bare = scores("résumé", ["mon résumé", "mon resume"], language)
    assert exact > bare > 0


@pytest.mark.parametrize(
    ("language", "query", "text"),
    [
        ("es", "ocupacion", "la ocupación"),
        ("es", "ocupación", "las ocupaciones"),
        ("de", "Haus", "Die Häuser sind alt"),
        ("de", "Häuser", "das Haus"),
        ("de", "Haeuser", "die Häuser"),
        ("de", "Häuser", "die Haeuser"),
        ("de", "Strasse", "die Straße"),
        ("fr", "homme", "l’homme"),
        ("tr", "istanbul", "İSTANBUL'DA"),
        ("tr", "ışık", "IŞIK"),
        ("tr", "isik", "ışık"),
        ("tr", "kitap", "kitapları"),
        ("ru", "елка", "ёлка"),
        ("en", "wife", "his wife’s nose"),
        ("en", "tables", "the table"),
    ],
)
def test_forms_of_a_word_meet_in_its_language(language: str, query: str, text: str) -> None:
    found, other = scores(query, [text, "xyz"], language)
    assert found > 0
    assert other == 0


def test_a_pair_of_words_agrees_in_one_term_where_accents_are_letters() -> None:
    for query in ("savunması", "savunmasi"):
        asked = ANALYSER.query_terms(query, ["tr"])
        held = ANALYSER.document_terms("savunması", "tr")
        assert len(set(asked) & set(held)) == 1


def test_without_a_language_words_are_not_stemmed() -> None:
    assert ANALYSER.document_terms("running Häuser", "none") == ["running", "hauser", "=häuser"]


def test_scripts_without_spaces_are_found_by_parts() -> None:
    first, second = scores("国際標準化", ["国際標準化に関する動向", "猫が好き"], "none")
    assert first > 0
    assert second == 0
    assert scores("猫", ["猫が好き", "犬"], "none")[0] > 0
    assert scores("ภาษาไทย", ["เรียนภาษาไทยง่าย", "xyz"], "none")[0] > 0
    assert scores("한국", ["한국어를 배운다", "xyz"], "none")[0] > 0


def test_a_lone_kana_of_a_longer_query_is_not_asked_for() -> None:
    assert "が" not in ANALYSER.query_terms("猫が好き", ["none"])
    assert "猫" in ANALYSER.query_terms("猫が好き", ["none"])


def test_half_width_and_full_width_forms_are_one() -> None:
    assert ANALYSER.document_terms("ＡＢＣ　１２", "none") == ANALYSER.document_terms("ABC 12", "none")


def test_query_terms_are_distinct_and_in_order() -> None:
    assert ANALYSER.query_terms("tea, Tea and teas", ["en"]) == ["tea", "and"]


def test_query_terms_of_several_languages_are_united() -> None:
    terms = ANALYSER.query_terms("notes", ["en", "none"])
    assert terms == ["note", "notes"]


def test_question_and_request_words_are_left_out_of_queries_only() -> None:
    assert ANALYSER.query_terms("Who is Brixtelle?", ["none"]) == ["brixtelle"]
    assert ANALYSER.query_terms("find notes about tea", ["none"], strip_request_words=True) == ["tea"]
    assert ANALYSER.query_terms("find notes about tea", ["none"])[:2] == ["find", "notes"]
    assert ANALYSER.document_terms("Who is Brixtelle?", "none") == ["who", "is", "brixtelle"]


def test_query_words_keep_what_was_typed() -> None:
    words = ANALYSER.query_words("Where is “RULE-A002”, please?", ["none"])
    assert [word.surface for word in words] == ["RULE-A002", "please"]
    assert words[0].terms[0] == "rulea002"


def test_the_whole_of_an_identifier_is_told_from_its_parts() -> None:
    assert ANALYSER.whole_terms("RULE-A002", ["en"]) == (("rulea002",),)
    assert ANALYSER.whole_terms("Müller", ["de", "none"]) == (("mull", "muell", "muller"),)


@pytest.mark.parametrize("text", ["", " \n\t", "?!…—", "🎉", "\u200b"])
def test_text_without_words_has_no_terms(text: str) -> None:
    assert ANALYSER.document_terms(text, "en") == []
    assert ANALYSER.query_terms(text, ["en"]) == []


def test_a_huge_run_without_spaces_is_bounded() -> None:
    assert len(ANALYSER.document_terms("a1b2" * 50_000, "en")) <= 3
    assert len(ANALYSER.document_terms("/".join(["part"] * 1000), "en")) == 1001
    assert len(ANALYSER.document_terms("漢" * 10_000, "ja")) == 19_999


@settings(deadline=None)
@given(st.text(), st.sampled_from(LANGUAGES))
def test_a_text_asked_for_by_its_own_words_matches_itself(text: str, language: str) -> None:
    held = set(ANALYSER.document_terms(text, language))
    for piece in ANALYSER.whole_terms(text, [language]):
        assert held & set(piece)


@settings(deadline=None)
@given(st.text(), st.text(), st.sampled_from(LANGUAGES))
def test_terms_of_joined_texts_are_the_terms_of_each(one: str, other: str, language: str) -> None:
    joined = ANALYSER.document_terms(f"{one}\n{other}", language)
    assert joined == ANALYSER.document_terms(one, language) + ANALYSER.document_terms(other, language)


@settings(deadline=None)
@given(st.text(), st.sampled_from(LANGUAGES))
def test_no_term_is_empty_or_holds_a_space(text: str, language: str) -> None:
    terms = [*ANALYSER.document_terms(text, language), *ANALYSER.query_terms(text, [language])]
    assert all(term and not any(c.isspace() for c in term) for term in terms)


def test_threads_give_the_same_terms() -> None:
    texts = [f"Häuser{i} laufend gelaufen Bücher-{i} straße" for i in range(400)]
    alone = [ANALYSER.document_terms(text, "de") for text in texts]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda text: Analyser().document_terms(text, "de"), texts)) == alone


def test_the_fingerprint_is_constant() -> None:
    assert Analyser().fingerprint == Analyser().fingerprint == "wherein-words-1"
