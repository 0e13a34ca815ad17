"""Questions made by rule from the texts of a corpus."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.errors import USAGE, WhereinError
from tasks.evaluation.golden import Question, Relevant
from tasks.evaluation.making import absent, dates, fact, heading, howto, identifier, name, off_topic, paraphrase, phrase
from tasks.evaluation.making.corpus import Corpus, SourceText
from tasks.evaluation.making.kinds import MAKERS, make, one_sided, remarks

FILLER = "It rained all day and nothing much came of it, as so often here."
ENTRIES = {
    "2021-03-01": "Barney came at ten and we talked of the copper nails. I sold the old piano to Mrs Pelham.",
    "2021-03-09": "The post brought a letter from Lazlo Hruby. Barney laughed, said it was late. We were glad.",
    "2021-04-02": "I took the walnut clock to Wexcombe. Zephaniah Cobb said that the clock was worth nothing.",
    "2021-04-20": "The number on the crate was RX-4471, in red. Barney said so too, and Ottilie agreed with Barney.",
    "2021-05-11": "I cancelled the picnic because the meadow was under water. Ottilie took the tuning fork to Barney.",
    "2021-05-12": "Nothing of the picnic, the bicycle, the bench, the lamp, the supper. The letter is lost.",
    "2021-05-30": "We walked to Harrow Mill in the afternoon. The harbour office sent a bill. I found the tin box.",
}


def entry(day: str, text: str, language: str = "en") -> SourceText:
    """A dated file of one passage whose first line is not what it tells."""
    whole = f"{FILLER}\n\n{text}\n"
    return SourceText("journal", f"{day}.md", whole, ((0, len(whole)),), language, day)


def journal(seed: int = 0) -> Corpus:
    return Corpus([entry(day, text) for day, text in ENTRIES.items()], seed)


def note(path: str, text: str, language: str = "en") -> SourceText:
    return SourceText("notes", path, text, ((0, len(text)),), language)


def asked(corpus: Corpus, *kinds: str, count: int = 40) -> list[str]:
    return [question.question for question in make(corpus, kinds, count)]


def told(text: str) -> list[str]:
    """The facts asked for from one sentence among the other entries."""
    corpus = Corpus([*journal().files, entry("2021-06-20", text)])
    return [draft.question for draft in fact.drafts(corpus) if draft.relevant[0].path == "2021-06-20.md"]


@pytest.mark.parametrize(
    ("text", "questions"),
    [
        ("I sold the red bicycle, at last.", ["When did I sell the red bicycle?"]),
        ("We've painted the garden bench.", ["When did we paint the garden bench?"]),
        ("I bought the yellow lamp for £45 from a dealer.", ["How much did I buy the yellow lamp for?"]),
        ("I paid £22.50 for the impeller, and left.", ["How much did I pay for the impeller?"]),
        ("I burned the letter because it was a lie.", ["Why did I burn the letter?"]),
        ("Yesterday I drove to Brackenhurst.", ["When did I drive to Brackenhurst?"]),
        ("The harvest supper was cancelled.", ["When was the harvest supper cancelled?"]),
        ("If I sold the red bicycle, I should walk.", []),
        ("She never told me who sold the red bicycle.", []),
        ('"I sold the red bicycle," he said.', []),
        ("I found him asleep.", []),
        ("I took her hand.", []),
        ("I spent a day.", []),
    ],
)
def test_a_sentence_becomes_the_question_that_it_answers(text: str, questions: list[str]) -> None:
    assert told(text) == questions


def test_the_answer_is_given_where_the_sentence_states_it() -> None:
    answers = {draft.question: draft.answer for draft in fact.drafts(journal())}
    assert answers["Why did I cancel the picnic?"] == "the meadow was under water"


def test_what_many_files_tell_is_not_asked_for() -> None:
    files = [entry(f"2021-07-{day:02}", "I sold the red bicycle.") for day in range(1, 9)]
    assert list(fact.drafts(Corpus(files))) == []


def test_instructions_of_notes_with_code_become_questions() -> None:
    text = f"{FILLER}\n\nI figured out how to convert a spreadsheet into a calendar feed. It works.\n\n```\nx\n```\n"
    corpus = Corpus([note("a.md", text), note("b.md", FILLER)])
    (draft,) = howto.drafts(corpus)
    assert re.sub(r"\W*$", "", draft.question).endswith("convert a spreadsheet into a calendar feed")
    assert draft.relevant[0].quote == "I figured out how to convert a spreadsheet into a calendar feed."


def test_a_heading_within_a_passage_is_asked_for_and_one_that_begins_it_is_not() -> None:
    body = "The feed wants a token, which is kept beside the settings.\n\n"
    text = f"# Scraping weather feeds\n\n{body}## Configuring the Atom feed\n\n{body}## Usage\n\n{body}"
    found = [draft.question for draft in heading.drafts(Corpus([note("a.md", text)]))]
    assert len(found) == 1
    assert "configure the Atom feed" in found[0]


def test_headings_of_several_files_or_in_code_are_not_asked_for() -> None:
    body = "The feed wants a token, which is kept beside the settings.\n\n"
    same = f"{body}## Configuring the Atom feed\n\n{body}```\n# Building the whole thing\n\nyes, {body}```\n"
    assert list(heading.drafts(Corpus([note("a.md", same), note("b.md", same)]))) == []


def test_names_that_few_files_hold_are_asked_for() -> None:
    found = asked(journal(), name.KIND)
    assert any("Lazlo Hruby" in question for question in found)
    assert any("Zephaniah Cobb" in question for question in found)
    assert not any("Barney" in question for question in found)


def test_a_word_that_is_also_written_small_is_no_name() -> None:
    files = [entry("2021-01-01", "We saw Meadow there."), entry("2021-01-02", "The meadow was wet.")]
    assert list(name.drafts(Corpus(files))) == []


def test_a_phrase_is_a_thing_that_only_one_file_names() -> None:
    found = {draft.question: draft.relevant for draft in phrase.drafts(journal())}
    assert any("walnut clock" in question or "tuning fork" in question for question in found)
    assert all(relevant[0].quote for relevant in found.values())


def test_identifiers_are_asked_for_letter_by_letter() -> None:
    (draft,) = identifier.drafts(journal())
    assert "RX-4471" in draft.question
    links = note("a.md", f"{FILLER}\n\nSee https://example.org/a/b843-ce80 and commit f17e39a2d3a1, then v2 of it.")
    assert list(identifier.drafts(Corpus([links]))) == []


def test_a_day_is_answered_by_all_its_files() -> None:
    files = [entry(day, text) for day, text in ENTRIES.items()]
    twin = SourceText("journal", "later-2021-03-01.md", FILLER, ((0, len(FILLER)),), "en", "2021-03-01")
    by_files = {len(draft.relevant) for draft in dates.days(Corpus([*files, twin]))}
    assert by_files == {1, 2}


def test_days_are_written_as_people_write_them() -> None:
    texts = " ".join(draft.question for draft in dates.days(journal()))
    assert re.search(r"\b1 March 2021|March 1, 2021|the 1st of March 2021", texts)


def test_a_corpus_without_days_gives_none_and_says_so() -> None:
    corpus = Corpus([note(f"{n}.md", FILLER) for n in range(6)])
    assert list(dates.days(corpus)) == list(dates.months(corpus)) == []
    assert "no question of the kind date: fewer than half of the files have a day" in remarks(corpus, (), [], 5)[1]


def test_a_paraphrase_has_other_words_than_its_passage() -> None:
    found = list(paraphrase.drafts(Corpus([*journal().files, entry("2021-06-20", "I sold the wooden boat box.")])))
    assert found
    for draft in found:
        told_words = set(re.findall(r"\w+", draft.relevant[0].quote or ""))
        assert set(re.findall(r"\w+", draft.question)) - told_words - {"What", "Where", "did", "do", "I", "about"}


def test_near_misses_speak_of_what_never_meets() -> None:
    corpus = journal()
    strangers = re.compile(r"Who is (\w+) (\w+)\?")
    met = re.compile(r"(?:did|with|does) (\w+) (?:say |think of |about )")
    found = [draft.question for draft in absent.drafts(corpus)]
    assert found
    for question in found:
        if match := strangers.match(question):
            assert not corpus.files_with(match[1]) & corpus.files_with(match[2])
        elif match := met.search(question):
            assert not corpus.files_with(match[1]) & corpus.files_saying(question.rstrip("?").split()[-1])
    assert not any(draft.relevant for draft in absent.drafts(corpus))


def test_a_missing_day_that_a_later_entry_speaks_of_is_no_near_miss() -> None:
    files = [entry(f"2021-01-{day:02}", "Nothing.") for day in (1, 2, 3, 4, 31)]
    spoken = entry("2021-01-20", "On Friday the 15th it blew.")
    assert not any("15" in question for question in absent.days(Corpus([*files, spoken])))
    assert any("15" in question for question in absent.days(Corpus([*files, entry("2021-01-28", "Nothing.")])))


def test_a_changed_identifier_occurs_nowhere() -> None:
    files = [entry(f"2021-01-{n + 1:02}", f"The part was RX-44{n:02}.") for n in range(0, 20)]
    corpus = Corpus(files)
    found = list(absent.codes(corpus))
    assert found
    assert not any(corpus.files_with(question.split()[-1].rstrip("?")) for question in found)


def test_the_seed_decides_and_the_order_of_the_files_does_not() -> None:
    forward, again = make(journal(), (), 12), make(Corpus(reversed(journal().files)), (), 12)
    assert forward == again
    assert [q.question for q in make(journal(seed=1), (), 12)] != [q.question for q in forward]


def test_no_more_than_asked_for_and_every_kind_has_its_share() -> None:
    made = make(journal(), (), 12)
    assert len(made) == 12
    assert len({question.id for question in made}) == 12
    assert len({question.kind for question in made}) >= 6
    assert len(make(journal(), (), 1)) == 1


def test_few_questions_do_not_make_a_kind_look_impossible() -> None:
    made = make(journal(), (), 2)
    assert remarks(journal(), (), made, 2)[0].startswith("2 questions are too few for every kind: none of ")


def test_an_unknown_kind_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(WhereinError, match="'riddle': known are heading, date") as caught:
        make(journal(), ["riddle"], 5)
    assert caught.value.code == USAGE


def test_of_a_subject_off_the_topic_no_file_holds_a_word() -> None:
    asked = {draft.question for draft in off_topic.drafts(Corpus([note("a.md", "The boat was sold to Anna in May.")]))}
    assert len(asked) == len(off_topic.QUESTIONS)
    told = note("b.md", "The volcanoes near Naples erupted, and the penguin in the zoo of Berlin died.")
    fewer = {draft.question for draft in off_topic.drafts(Corpus([told]))}
    assert len(asked - fewer) == 3
    assert not any(word in question for question in fewer for word in ("volcano", "penguin", "Berlin"))
    german = note("c.md", "Das Boot wurde im Mai an Anna verkauft, und niemand weiß warum.", "de")
    assert list(off_topic.drafts(Corpus([german]))) == []


def test_questions_without_an_answer_never_make_up_for_those_with_one() -> None:
    few = make(journal(), (), 1000)
    answered = sum(question.answerable for question in few)
    assert 0 < len(few) - answered <= answered / 2


def test_nothing_comes_of_nothing() -> None:
    for files in ([], [note("a.md", "")], [SourceText("n", "a.md", "  \n", ())], [note("a.md", "word " * 5)]):
        assert make(Corpus(files), (), 10) == []


def test_a_line_without_end_and_a_storm_of_marks_are_borne() -> None:
    files = [note("a.md", "the a I " * 8_000), note("b.md", "`*[(# \n" * 3_000), note("c.md", "Aa. " * 2_000)]
    assert isinstance(make(Corpus(files), (), 5), list)


def test_other_languages_give_bare_names_and_the_rest_is_said() -> None:
    text = "Bu eski bir kitapta yazıyor ve herkes bunu biliyor.\n\nBir gün Thorstein Veblen şehre geldi, ama kalmadı."
    corpus = Corpus([note("a.md", text, "tr"), note("b.md", "Bu da başka bir kitap.", "tr")])
    made = make(corpus, (), 10)
    assert [(question.question, question.kind) for question in made] == [("Thorstein Veblen", "name")]
    said = remarks(corpus, (), made, 10)
    assert any("kind fact: its rules are those of English, and these files are in tr" in line for line in said)
    assert any("1 of 10 questions" in line for line in said)


def test_a_set_in_the_words_of_the_files_alone_is_said_to_be_one_sided() -> None:
    by_name = Question("1", "Barney", (Relevant("a"),), kind="name")
    other = Question("2", "in March", (Relevant("a"),), kind="date")
    unanswered = Question("3", "?", answerable=False, kind="near-miss")
    assert "of the kind name" in one_sided([by_name, unanswered])[0]
    assert one_sided([by_name, other]) == one_sided([unanswered]) == one_sided([]) == []


WORDS = (
    "I",
    "sold",
    "the",
    "old",
    "boat",
    "Barney",
    "Cobb",
    ".",
    ",",
    "?",
    "because",
    "for",
    "£45",
    "#",
    "##",
    "-",
    "*",
)
MORE = ("`", "\n\n", "RX-4471", "yesterday", "to", "and", "house", "letter", "Mrs", "was", "mended", "of")
words = st.sampled_from([*WORDS, *MORE])
texts = st.lists(words, min_size=5, max_size=60).map(" ".join)


@given(st.lists(texts, min_size=1, max_size=6), st.integers(0, 3), st.integers(1, 30))
@settings(deadline=None, max_examples=60)
def test_every_quotation_stands_in_its_file_and_no_passage_gives_two(bodies: list[str], seed: int, count: int) -> None:
    files = [entry(f"2021-01-{n + 1:02}", body) for n, body in enumerate(bodies)]
    text_of = {file.path: file.text for file in files}
    made = make(Corpus(files, seed), (), count)
    assert len(made) <= count
    assert len({question.question.lower() for question in made}) == len(made)
    for question in made:
        assert question.answerable == bool(question.relevant)
        assert question.kind in MAKERS
        assert question.question != FILLER
        assert all(entry.quote is None or entry.quote in text_of[entry.path] for entry in question.relevant)
