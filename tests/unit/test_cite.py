from __future__ import annotations

import pytest

from tasks.cite import CheckedCitation, cite, is_refusal
from tests.unit.hits import hit, hits

HITS = hits(
    "Up betimes.\nDined at home, and had a very good dinner.\nThen to bed.",
    "The King went to Portsmouth with the Queen on Monday last.",
    "Nothing else of note happened.",
)


def pairs(answer: str) -> list[tuple[int, str | None, bool | None, int | None]]:
    return [(c.marker, c.quote, c.verified, c.found_in) for c in cite(answer, HITS).citations]


def test_a_known_marker_is_the_passage_of_the_prompt_and_an_unknown_one_is_no_source() -> None:
    cited = cite("Blue [2]. Green [7].", HITS)
    assert cited.citations == (CheckedCitation(2, "notes", "p2.md", 1, 1, None, None),)
    assert cited.unknown_markers == (7,)
    assert [source.path for source in cited.contributed] == ["p2.md"]
    assert [source.path for source in cited.also_read] == ["p1.md", "p3.md"]


def test_a_verified_quotation_has_its_own_lines_in_the_file() -> None:
    passage = hit("one two three\r\nfour five six\rseven eight\nnine ten eleven", line=31)
    answer = '"four five six" [1]. "six seven eight nine" [1]. "two four five" [1]. x [1]'
    lines = [(c.line_start, c.line_end, c.verified) for c in cite(answer, [passage]).citations]
    assert lines == [(32, 32, True), (32, 34, True), (31, 34, False), (31, 34, None)]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("He dined [1].", [(1, None, None, None)]),
        ('He "had a very good dinner" [1].', [(1, "had a very good dinner", True, None)]),
        ('He "had a very good dinner" [2].', [(2, "had a very good dinner", False, 1)]),
        ('He "had a very bad dinner" [1].', [(1, "had a very bad dinner", False, None)]),
        ('He "Had A Very  Good dinner," [1].', [(1, "Had A Very  Good dinner,", True, None)]),
        ('A "dinner" [1].', [(1, None, None, None)]),
        ("No marker, no citation.", []),
        ('Unknown "had a very good dinner" [9].', []),
        ('Two "had a very good dinner" and "Then to bed" [1].',
         [(1, "had a very good dinner", True, None), (1, "Then to bed", True, None)]),
        ('Two "had a very good dinner" [1] and "went to Portsmouth with" [2].',
         [(1, "had a very good dinner", True, None), (2, "went to Portsmouth with", True, None)]),
        ('Both "with the Queen on" [1][2].', [(1, None, None, None), (2, "with the Queen on", True, None)]),
        ('Both "with the Queen on" [1, 2].', [(1, None, None, None), (2, "with the Queen on", True, None)]),
        ('All "went to sea" [1-3].', [(marker, "went to sea", False, None) for marker in (1, 2, 3)]),
        ('As [1] says, "had a very good dinner".', [(1, "had a very good dinner", True, None)]),
        ('He "Dined at home." [1] The rest [2].', [(1, "Dined at home.", True, None), (2, None, None, None)]),
        ('He "had a very good dinner". It rained [2].', [(2, None, None, None)]),
        ('Same [1]. Same again [1].', [(1, None, None, None)]),
        ('"Then to bed" [1]. Again "Then to bed" [1].', [(1, "Then to bed", True, None)]),
        ('"had a very good dinner [1]"', [(1, "had a very good dinner [1]", True, None)]),
        ('- "had a very good dinner" [1]\n- "went to Portsmouth with" [2]',
         [(1, "had a very good dinner", True, None), (2, "went to Portsmouth with", True, None)]),
        ('"had a very good dinner"\n[1]', [(1, "had a very good dinner", True, None)]),
        ('Order [3], then [1].', [(3, None, None, None), (1, None, None, None)]),
    ],
)  # fmt: skip
def test_which_marker_a_quotation_has_and_whether_it_stands_there(
    answer: str, expected: list[tuple[int, str | None, bool | None, int | None]]
) -> None:
    assert pairs(answer) == expected


def test_a_quotation_without_a_known_marker_in_its_sentence_is_listed() -> None:
    assert cite('He "had a very good dinner". It rained [2].', HITS).uncited_quotes == ("had a very good dinner",)
    assert cite('He "had a very good dinner" [9].', HITS).uncited_quotes == ("had a very good dinner",)
    assert cite('He "had a very good dinner" [1].', HITS).uncited_quotes == ()


def test_brackets_that_are_the_passages_own_are_no_markers() -> None:
    passages = hits("Masks help [2], as shown by others [14].", "Other.")
    cited = cite('It says "Masks help [2], as shown by others [14]" [1].', passages)
    assert [(c.marker, c.verified) for c in cited.citations] == [(1, True)]
    assert cited.unknown_markers == ()
    altered = cite('It says "Masks harm [2], as shown by others [14]" [1].', passages)
    assert [(c.marker, c.verified) for c in altered.citations] == [(1, False)]
    assert altered.unknown_markers == ()


def test_a_file_with_a_wrong_quotation_alone_was_only_read() -> None:
    cited = cite('He "had a very bad dinner" [1], in Portsmouth [2].', HITS)
    assert [source.path for source in cited.contributed] == ["p2.md"]
    assert [(source.path, source.markers) for source in cited.also_read] == [("p1.md", (1,)), ("p3.md", (3,))]


def test_a_file_contributes_once_whatever_the_number_of_its_passages() -> None:
    passages = [hit("a", "one.md"), hit("b", "two.md"), hit("c", "one.md")]
    cited = cite("x [3] y [1].", passages)
    assert [(source.path, source.markers) for source in cited.contributed] == [("one.md", (3, 1))]
    assert [(source.path, source.markers) for source in cited.also_read] == [("two.md", (2,))]


@pytest.mark.parametrize(
    ("answer", "count"),
    [
        ("", 0),
        ("It is blue [1].", 0),
        ("It is quite blue.", 1),
        ("It is blue [9].", 1),
        ("It is blue. [1] It is quite green.", 1),
        ("# What it says\n\nThe files say this:\n- It is blue [1].\n- It is quite green.", 1),
        ("Yes. It is blue [1].", 0),
        ("```\nthis is code not claims\n```\nIt is blue [1].", 0),
        ("これは青いです。これは緑色です[1]。", 1),
    ],
)
def test_sentences_that_state_something_without_a_citation_are_counted(answer: str, count: int) -> None:
    assert cite(answer, HITS).sentences_without_citation == count


@pytest.mark.parametrize(
    "answer",
    [
        "NOT IN YOUR FILES",
        "Not in your files.",
        " “not  in\nyour files” ",
        "**NOT IN YOUR FILES**",
        "_Not In Your Files_!",
    ],
)
def test_the_words_of_refusal_alone_are_a_refusal_without_citations(answer: str) -> None:
    cited = cite(answer, HITS)
    assert cited.refused
    assert (cited.citations, cited.contributed, len(cited.also_read)) == ((), (), 3)


@pytest.mark.parametrize(
    "answer", ["", "NOT IN YOUR FILES, but I know it.", "It is not in your files [1].", "NOT IN FILES"]
)
def test_more_or_less_than_these_words_is_none(answer: str) -> None:
    assert not is_refusal(answer)
    assert not cite(answer, HITS).refused


def test_no_passages_and_no_answer_are_nothing_at_all() -> None:
    cited = cite("", [])
    assert (cited.citations, cited.unknown_markers, cited.also_read) == ((), (), ())
    assert cite("x [1]", []).unknown_markers == (1,)


PLANTED = {
    "english": (
        "Up, and to the office, where we sat all the morning; Sir W. Batten was angry.",
        "At noon home to dinner, and my wife told me all the news of the parish.",
        ["where we sat all the morning", "Sir W. Batten was angry", "to the office, where we sat"],
        ("sat", "stood"),
        "the ships were burnt at Chatham",
    ),
    "german": (
        "Gestern fuhr ich mit der Straßenbahn zum Bahnhof und wartete auf meine Schwester.",
        "Am Abend aßen wir Suppe und sprachen über die Reise nach Köln.",
        ["mit der Straßenbahn zum Bahnhof", "und wartete auf meine Schwester"],
        ("der", "dem"),
        "wir verkauften das alte Haus",
    ),
    "french": (
        "L'été dernier, nous sommes allés à la plage près d'Étretat avec les enfants.",
        "Le soir, il a dit que « tout va bien » et puis il est parti.",
        ["nous sommes allés à la plage", "près d'Étretat avec les enfants"],
        ("sommes", "étions"),
        "la maison fut vendue en hiver",
    ),
    "japanese": (
        "昨日は雨が降っていたので、家で本を読みながら一日を過ごしました。",
        "夕方に友だちが来て、一緒に夕食を食べました。",
        ["雨が降っていたので", "家で本を読みながら一日を過ごしました"],
        ("で", "に"),
        "町の図書館で働いています",
    ),
    "turkish": (
        "Sabah erkenden kalktım ve pazara gidip taze ekmek aldım.",
        "Akşam komşularla birlikte çay içtik ve uzun uzun konuştuk.",
        ["Sabah erkenden kalktım ve", "pazara gidip taze ekmek aldım"],
        ("ve", "ya"),
        "yeni bir araba satın aldık",
    ),
}
STYLES = ["“{}”", '"{}"', "„{}“", "«{}»", "« {} »", "»{}«", "「{}」", "『{}』"]
RIGHT = ["He says {q} [1].", "{q} [1]", "{q}[1].", "It is {q}, as he says [1].", "See [2]. And {q} [1][2].",
         "- {q} [1, 2]\n- more [2]", "He says {q}. [1] Next.", "そう{q}と[1]。", "In [1] he says {q}."]  # fmt: skip
CASES = [(language, style) for language in sorted(PLANTED) for style in STYLES]


@pytest.mark.parametrize(("language", "style"), CASES)
def test_no_right_quotation_raises_an_alarm(language: str, style: str) -> None:
    first, second, right, *_ = PLANTED[language]
    for quote in right:
        gap = len(quote) // 2
        space = quote.find(" ", gap)
        elided = f"{quote[:space]} … {quote[space:].strip()}" if space > 0 else quote
        variants = [quote, quote.upper(), f"…{quote}…", f"{quote},", f"{quote}.", elided, quote.replace("'", "’")]
        for shown in variants:
            for frame in RIGHT:
                cited = cite(frame.format(q=style.format(shown)), hits(first, second))
                assert [c.verified for c in cited.citations if c.quote] == [True], (frame, shown)
                assert cited.uncited_quotes == ()


@pytest.mark.parametrize(("language", "style"), CASES)
def test_every_planted_error_is_caught(language: str, style: str) -> None:
    first, second, right, (was, becomes), invented = PLANTED[language]
    passages = hits(first, second)

    def verdict(answer: str) -> list[tuple[bool | None, int | None]]:
        return [(c.verified, c.found_in) for c in cite(answer, passages).citations if c.quote]

    for frame in RIGHT[:4]:
        for quote in right:
            assert verdict(frame.replace("[1]", "[2]").format(q=style.format(quote))) == [(False, 1)]
            cut = quote[1:] if language != "japanese" else "町" + quote
            assert verdict(frame.format(q=style.format(cut))) == [(False, None)], cut
        altered = next(quote for quote in right if was in quote).replace(was, becomes, 1)
        assert verdict(frame.format(q=style.format(altered))) == [(False, None)], altered
        assert verdict(frame.format(q=style.format(invented))) == [(False, None)]
        assert verdict(frame.format(q=style.format(f"{right[0]} … {invented}"))) == [(False, None)]
        assert verdict(frame.format(q=style.format(f"{right[0]} {right[-1]}XX"))) == [(False, None)]


@pytest.mark.parametrize(
    ("passage", "answer"),
    [
        ('He said "no" to me and left.', '"He said "no" to me" [1]'),
        ("He said “no” to me and left.", "“He said ‘no’ to me” [1]"),
        ("He said “no” to me and left.", "\"He said 'no' to me\" [1]"),
        ("Er sagte „nein“ zu mir und ging.", "„Er sagte ‚nein‘ zu mir“ [1]"),
        ("Il dit « non » à tous et part.", "« Il dit “non” à tous » [1]"),
        ("彼は「はい」と言って帰りました。", "『彼は「はい」と言って帰りました』[1]"),
    ],
)
def test_nested_quotation_marks_of_other_styles_raise_no_alarm(passage: str, answer: str) -> None:
    (citation,) = cite(answer, hits(passage)).citations
    assert citation.verified is True
    assert citation.quote is not None
