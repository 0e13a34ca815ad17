"""Questions by a real small model: one whose quotation stands in its passage, or a reason why there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.evaluation.making.corpus import Corpus, SourceText
from tasks.models import ServerConfig
from wherein.pipelines.evaluation import written_questions
from wherein.pipelines.synthesis import Model
from wherein.workspace import Workspace

pytest_plugins = ["tests.support.servers"]
pytestmark = pytest.mark.slow

TEXT = (
    "The blue boat was sold to Anna in May for ninety pounds. She sailed it home alone, against the tide, and laid it"
    " up behind the chapel for the winter. In June the mast went, and Barney cut a new one from the larch that stood"
    " by the weir, with the adze of his uncle."
)


def test_what_a_real_model_writes_is_a_question_of_its_passage_or_refused_with_a_reason(
    llama_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "wherein.toml").write_text("[synthesis]\ntemperature = 0.0\n", encoding="utf-8")
    monkeypatch.setattr(written_questions, "_MAX_TOKENS", 48)
    model = Model("local", ServerConfig("local", "openai-compatible", llama_url, "smollm2"), 8192)
    corpus = Corpus([SourceText("notes", "boat.md", TEXT, ((0, len(TEXT)),), "en", None)])
    found = written_questions.write(Workspace.find(tmp_path), model, corpus, [], 1)
    assert not found.failed
    assert len(found.questions) + len([note for note in found.notes if "not used: " in note]) == 1
    assert all((question.relevant[0].quote or "") in TEXT for question in found.questions)
