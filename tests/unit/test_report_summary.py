"""The figures of a comparison's page."""

from __future__ import annotations

from dataclasses import replace

from tasks.providers.base import Seconds, Usage
from tests.unit.test_report import Reader, asked, compared, read
from tests.unit.test_summary import PASSAGES, questions, said
from wherein.pipelines.comparison import Compared, QuestionComparison
from wherein.pipelines.report import page

STATES = ("Outcomes", "Citations", "Evidence cited, by rank", "Agreement between repeats", "Time and cost")


def whole() -> list[QuestionComparison]:
    """Eight questions to two models at two temperatures, two repeats each."""

    def answers(number: int) -> list[Compared]:
        return [
            said(
                f"So [{1 + number % 3}]." if model == "m1" else "So it is.",
                model,
                temperature,
                repeat=repeat,
                seed=repeat - 1,
                seconds=Seconds(None, 0.1, number + (5.0 if model == "m2" else 1.0)),
                usage=Usage(9, 8, 0.25) if model == "m2" else Usage(9, 8),
            )
            for model in ("m1", "m2")
            for temperature in (0.0, 0.8)
            for repeat in (1, 2)
        ]

    return questions(*(answers(number) for number in range(8)))


def test_every_part_has_its_heading_its_bars_and_its_words() -> None:
    reader = read(*whole())
    places = [reader.text.index(heading) for heading in STATES]
    assert places == sorted(places)
    assert reader.classes("interval") > 20
    assert reader.text.count("worse") >= 2
    assert "Cost of all answers 8: m2 at 0: 4, m2 at 0.8: 4" in reader.text
    assert "16 pairs" not in reader.text
    assert "8 pairs" in reader.text


def test_bars_of_ranks_count_the_answers_that_cite_them() -> None:
    told = [label for label in read(*whole()).values("aria-label") if "of 16 answers cited" in label]
    assert told == [
        "m1 at 0, of 16 answers cited: rank 1 6, rank 2 6, rank 3 4",
        "m1 at 0.8, of 16 answers cited: rank 1 6, rank 2 6, rank 3 4",
        "m2 at 0, of 16 answers cited: none",
        "m2 at 0.8, of 16 answers cited: none",
    ]


def test_repeats_with_the_same_text_stand_as_one() -> None:
    same = [said("So [1].", repeat=n, seed=n, seconds=Seconds(total=float(n))) for n in (1, 2)]
    reader = read(asked("q", PASSAGES, *same, said("Else.", repeat=3, seed=3)))
    assert "repeats 1, 2 · seeds 1, 2 · ok" in reader.text
    assert "1.00, 2.00 s" in reader.text
    assert "repeat 3 · seed 3 · ok" in reader.text
    assert [tag for tag, _ in reader.tags].count("article") == 2


def test_few_questions_have_no_bars_and_that_is_said() -> None:
    text = read(*whole()[:3]).text
    assert "3 of at least 6 questions: too few for intervals of the means" in text
    assert " to " not in text[text.index("Citations") : text.index("too few")].replace("first token", "")


def test_a_mean_over_fewer_questions_says_of_how_many() -> None:
    assert "of 1 of 2 questions" in read(*questions([said("So [1].")], [said("So.")])).text


def test_a_single_question_begins_with_its_answers_and_several_with_their_figures() -> None:
    for given, first in ((whole()[:1], "Answers"), (whole(), "Outcomes")):
        text = Reader(page(compared(*given), "")).text
        second = "Outcomes" if first == "Answers" else "1. q0"
        assert text.index(first) < text.index(second)


def test_columns_on_paper_are_at_most_three() -> None:
    many = [said("So.", f"m{number}") for number in range(18)]
    text = page(compared(asked("q", PASSAGES, *many)), "")
    assert "--columns: 18; --printed: 3" in text


def test_without_an_answer_that_is_ok_nothing_is_drawn_that_is_not_known() -> None:
    failed = Compared("m1", 0.3, 0, 1, status="failed", error="away")
    reader = read(asked("q", PASSAGES, failed, replace(failed, model="m2")))
    assert "Evidence cited" not in reader.text
    assert reader.classes("interval") == 0
