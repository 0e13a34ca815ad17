from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.records import Dropped, Evidence, Hit, Signal
from tasks.cite import cite
from tasks.measure import measure
from tests.unit.hits import hit, hits
from wherein.pipelines.compare import code
from wherein.pipelines.comparison import Compared, Comparison, QuestionComparison
from wherein.pipelines.report import page
from wherein.pipelines.report_files import Report, file_name
from wherein.workspace import Workspace

VOID = {"meta", "link", "br", "hr", "img", "col"}


class Reader(HTMLParser):
    """The elements of a page, whether they nest, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def values(self, name: str) -> list[str]:
        return [value for _, attrs in self.tags if (value := attrs.get(name)) is not None]

    def classes(self, name: str) -> int:
        return sum(name in value.split() for value in self.values("class"))


def asked(question: str, passages: list[Hit], *answers: Compared, nearest: tuple[Hit, ...] = ()) -> QuestionComparison:
    confidence = "strong" if passages else "none"
    signal = Signal(None, None, None, None)
    found = tuple(passages)
    evidence = Evidence(
        question, "hybrid", {"notes": 1}, confidence, signal, found, Dropped(), nearest, ("a note",), (), 1.0
    )
    return replace(QuestionComparison.of(evidence, "d1e5"), answers=list(answers))


def answered(text: str, passages: list[Hit], model: str = "m1", temperature: float = 0.3, **more: object) -> Compared:
    cited = cite(text, passages)
    known = Compared(
        model,
        temperature,
        0,
        1,
        answer=text,
        citations=cited.citations,
        unknown_markers=cited.unknown_markers,
        metrics=measure(cited, passages),
    )
    return replace(known, **more)  # type: ignore[arg-type]


def compared(*questions: QuestionComparison) -> Comparison:
    models = tuple(dict.fromkeys(answer.model for one in questions for answer in one.answers))
    return Comparison(questions, ("said once",), (), 8192, 0, models)


def read(*questions: QuestionComparison) -> Reader:
    reader = Reader(page(compared(*questions), "2026-01-02 03:04"))
    assert reader.open == []
    return reader


def test_every_link_of_the_page_leads_to_a_passage_of_its_question() -> None:
    passages = hits("the pelican code is 7", "garden notes")
    one = asked("pelican?", passages, answered("Seven [1][2].", passages))
    reader = read(one, asked("garden?", passages, answered("Notes [2].", passages)))
    ids = reader.values("id")
    assert len(ids) == len(set(ids))
    links = {link.removeprefix("#") for link in reader.values("href")}
    assert {"q1-p1", "q1-p2", "q2-p2", "q1", "q2"} == links
    assert links <= set(ids)


def test_evidence_stands_once_with_its_place_however_many_answers_there_are() -> None:
    passages = [hit("first\nsecond", "deep/a.md", line=3)]
    reader = read(asked("q", passages, *(answered("So [1].", passages, model) for model in ("m1", "m2", "m3"))))
    assert reader.text.count("first\nsecond") == 1
    assert reader.text.count("notes/deep/a.md:3-4") == 1 + 3


def test_quotations_are_marked_as_verified_or_not_found() -> None:
    passages = hits("the pelican code is 7", "a garden of old notes")
    text = 'It says "the pelican code is 7" [1]. It says "the code is a lie" [1]. And "garden of old notes" [1].'
    reader = read(asked("q", passages, answered(text, passages)))
    assert (reader.classes("verified"), reader.classes("unverified")) == (1, 2)
    assert "but stands in [2]" in reader.text


def test_a_marker_without_a_passage_is_flagged_and_no_link() -> None:
    passages = hits("the pelican code is 7")
    reader = read(asked("q", passages, answered("So it is [1, 9].", passages)))
    assert "[9?]" in reader.text
    assert "No such passage: [9]" in reader.text
    assert set(reader.values("href")) == {"#q1-p1"}


def test_failed_refused_and_uncontrolled_answers_say_so() -> None:
    passages = hits("the pelican code is 7")
    failed = Compared("m1", 0.3, 0, 1, status="failed", error="The engine <caught> fire.")
    refused = answered("NOT IN YOUR FILES", passages, "m2", status="refused")
    free = answered("Seven [1].", passages, "m3", controlled=False)
    reader = read(asked("q", passages, failed, refused, free))
    assert "The engine <caught> fire." in reader.text
    assert (reader.classes("failed"), reader.classes("refused"), reader.classes("uncontrolled")) == (2, 1, 1)


def test_temperatures_of_one_model_stand_side_by_side_and_models_else() -> None:
    passages = hits("text")
    warm = [answered("So [1].", passages, temperature=t) for t in (0.1, 0.3, 0.9)]
    assert "--columns: 3" in page(compared(asked("q", passages, *warm)), "")
    both = [answered("So [1].", passages, model, t) for model in ("m1", "m2") for t in (0.1, 0.3, 0.9)]
    assert "--columns: 2" in page(compared(asked("q", passages, *both)), "")


def test_without_evidence_the_nearest_passages_are_named_as_such() -> None:
    reader = read(asked("q", [], nearest=tuple(hits("far away"))))
    assert "The nearest passages" in reader.text
    assert "far away" in reader.text
    assert "Not in your files" in reader.text


def test_nothing_is_fetched_and_nothing_runs() -> None:
    passages = hits("see https://example.org <img src=x onerror=alert(1)>")
    reader = read(asked("q", passages, answered("[1] <script>alert(1)</script>", passages)))
    assert {"script", "img", "link", "iframe"}.isdisjoint(tag for tag, _ in reader.tags)
    assert reader.values("src") == []
    assert all(link.startswith("#") for link in reader.values("href"))


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=40), st.text(max_size=40), st.text(max_size=40))
def test_no_text_of_files_or_models_adds_an_element(question: str, passage: str, said: str) -> None:
    def tags(*texts: str) -> list[str]:
        passages = [hit(texts[1], texts[1])]
        answer = Compared(texts[2] or "m", 0.3, 0, 1, answer=f"x{texts[2]}", error=f"x{texts[2]}")
        return [tag for tag, _ in read(asked(texts[0], passages, answer)).tags]

    assert tags(f"<b>{question}", f"</div>{passage}", f"\"'><i>{said}") == tags("plain", "plain", "plain")


def test_the_page_can_be_written_whatever_a_model_emits() -> None:
    passages = hits("text")
    text = page(compared(asked("q", passages, answered("a\x00b\ud800c [1]", passages))), "")
    assert "a\ufffdb\ufffdc" in text
    text.encode()


def test_file_names_hold_what_sets_answers_apart() -> None:
    answer = Compared("odd/name:7b v2", 0.3, 0, 2)
    assert file_name(answer, None, repeated=False) == "results_odd-name-7b-v2_t0.3.txt"
    assert file_name(answer, 4, repeated=True) == "results_odd-name-7b-v2_t0.3_q4_r2.txt"


def test_names_that_make_the_same_file_name_lose_no_answer(tmp_path: Path) -> None:
    (tmp_path / "wherein.toml").write_text('[collections.c]\npath = "."\n', encoding="utf-8")
    passages = hits("text")
    models = ("a/b", "a-b", "a:b")
    one = asked("q", passages, *(answered(f"By {model} [1].", passages, model) for model in models))
    report = Report(Workspace.find(tmp_path), tmp_path / "out", "0" * 64, questions=1, repeats=1)
    for answer in one.answers:
        report.keep(1, one, answer)
    names = ["results_a-b_t0.3.txt", "results_a-b_t0.3_2.txt", "results_a-b_t0.3_3.txt"]
    assert sorted(file.name for file in report.folder.iterdir()) == sorted(names)
    for model, name in zip(models, names, strict=True):
        assert f"By {model} [1]." in (report.folder / name).read_text(encoding="utf-8")


def test_the_time_of_a_file_is_not_shown_as_the_date_of_its_text() -> None:
    own, files = hit("text", date="2026-01-02"), replace(hit("text", date="2026-03-04"), date_from="mtime")
    text = read(asked("q", [own, files])).text
    assert "2026-03-04 (time of the file)" in text
    assert "2026-01-02 (" not in text


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        ([], 4),
        (["ok"], 0),
        (["ok", "refused"], 0),
        (["ok", "failed"], 3),
        (["ok", "empty"], 3),
        (["failed", "empty"], 1),
        (["failed", "refused"], 3),
    ],
)
def test_the_exit_code_tells_failed_and_empty_answers(statuses: list[str], expected: int) -> None:
    answers = [Compared("m1", 0.3, 0, 1, status=status) for status in statuses]
    assert code([asked("q", hits("text"), *answers)]) == expected
