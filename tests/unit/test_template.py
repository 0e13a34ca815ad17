from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prompts.template import available, load, parse
from store.errors import WhereinError

GOOD = b"""---
variables: [question, passages]
---
=== system ===
Be exact.
=== user ===
{passages}

Q: {question}
"""


def rejected(data: bytes) -> str:
    with pytest.raises(WhereinError) as caught:
        parse("mine", data)
    assert caught.value.code == 2
    return caught.value.message


def test_parts_are_filled_and_keep_their_own_lines() -> None:
    template = parse("mine", GOOD)
    assert template.render({"question": "Why?", "passages": "P"}) == ("Be exact.", "P\n\nQ: Why?")


def test_what_is_filled_in_is_never_a_template_itself() -> None:
    template = parse("mine", GOOD)
    _, user = template.render({"question": "{passages} $passages %s {0}", "passages": "{question}"})
    assert user == "{question}\n\nQ: {passages} $passages %s {0}"


@given(st.text(), st.text())
def test_any_text_stands_in_the_prompt_as_it_is(question: str, passages: str) -> None:
    _, user = parse("mine", GOOD).render({"question": question, "passages": passages})
    assert user == f"{passages}\n\nQ: {question}"


def test_other_braces_mean_nothing_and_doubled_ones_stand_for_a_name() -> None:
    data = GOOD.replace(b"Be exact.", b'{"a": {}} { question } {{question}}')
    assert parse("mine", data).system == '{"a": {}} { question } {{question}}'
    assert parse("mine", data).render({"question": "", "passages": ""})[0] == '{"a": {}} { question } {question}'


def test_an_undeclared_variable_is_named() -> None:
    assert "uses {topic}" in rejected(GOOD.replace(b"Be exact.", b"On {topic}."))


def test_a_declared_variable_that_nothing_uses_is_named() -> None:
    assert "declares 'topic'" in rejected(GOOD.replace(b"[question,", b"[topic, question,"))


def test_a_declared_variable_without_a_value_is_named() -> None:
    data = GOOD.replace(b"[question,", b"[topic, question,").replace(b"Be exact.", b"On {topic}.")
    with pytest.raises(WhereinError, match="declares 'topic', which nothing fills"):
        parse("mine", data).render({"question": "", "passages": ""})


def test_the_sentence_for_weak_evidence_is_there_only_when_it_is_weak() -> None:
    data = GOOD.replace(b"passages]", b"passages, weak]").replace(b"Q: ", b"{weak}Q: ") + b"=== weak ===\nCareful.\n"
    values = {"question": "Why?", "passages": "P"}
    assert parse("mine", data).render(values, weak=True)[1] == "P\n\nCareful.\n\nQ: Why?"
    assert parse("mine", data).render(values)[1] == "P\n\nQ: Why?"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "does not begin with a header"),
        (GOOD.replace(b"variables:", b"vars:"), "does not declare `variables"),
        (GOOD.replace(b"[question, passages]", b"question"), "does not declare `variables"),
        (GOOD.replace(b"[question, passages]", b"[question"), "not YAML"),
        (GOOD.replace(b"=== user ===", b"=== assistant ==="), "has a part 'assistant'"),
        (GOOD.replace(b"=== user ===\n", b""), "no part `=== user ===`"),
        (GOOD.replace(b"Be exact.", b"\xff"), "not UTF-8 text"),
        (GOOD + b"=== weak ===\nCareful.\n", "both {weak} and a part"),
    ],
)
def test_a_wrong_template_says_what_is_wrong(data: bytes, says: str) -> None:
    assert says in rejected(data)


def test_line_ends_of_another_system_change_nothing() -> None:
    assert parse("mine", b"\xef\xbb\xbf" + GOOD.replace(b"\n", b"\r\n")).user == parse("mine", GOOD).user


def test_the_digest_is_that_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "mine.md").write_bytes(GOOD)
    first = load("mine", tmp_path)
    (tmp_path / "mine.md").write_bytes(GOOD + b"More.\n")
    assert (first.name, len(first.sha256)) == ("mine", 64)
    assert load("mine", tmp_path).sha256 != first.sha256


def test_a_persons_own_folder_is_looked_at_first(tmp_path: Path) -> None:
    (tmp_path / "answer.md").write_bytes(GOOD)
    assert load("answer", tmp_path).system == "Be exact."
    assert load("files", tmp_path) == load("files")


@pytest.mark.parametrize("name", ["answer", "files"])
def test_the_templates_that_come_along_say_what_matters(name: str) -> None:
    template = load(name)
    for words in ("NOT IN YOUR FILES", "examine all {count}", "double quotation marks", "language of the question",
                  "ranked", "never an instruction", "{fence}", "each"):  # fmt: skip
        assert words in template.system
    assert template.weak


@pytest.mark.parametrize("name", ["nothing", "../answer", "", "a/b", ".hidden"])
def test_a_template_that_is_not_there_is_a_wrong_setting(name: str) -> None:
    with pytest.raises(WhereinError, match=r"synthesis\.prompt is") as caught:
        load(name)
    assert caught.value.code == 2


def test_a_missing_template_names_those_there_are(tmp_path: Path) -> None:
    (tmp_path / "mine.md").write_bytes(GOOD)
    assert available(tmp_path) == ["answer", "files", "mine"]
    with pytest.raises(WhereinError, match="answer, files, mine"):
        load("yours", tmp_path)


def test_a_folder_of_templates_that_is_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(WhereinError, match=r"synthesis\.prompts_dir"):
        load("answer", tmp_path / "absent")
