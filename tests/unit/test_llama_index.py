"""The retrievers for LlamaIndex, over a real index of the bundled model."""

from __future__ import annotations

import pytest

from wherein import api
from wherein.pipelines.query import QueryOptions, search
from wherein.workspace import Workspace

FILES = {
    "vitamins.txt": "vitamin C dose",
    "other.txt": "vitamin D dose",
    "rule.txt": "RULE-A002 blocks the gate",
    "tea.md": "# Tea\n\nHe tasted tea for the first time in September.",
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    place = tmp_path_factory.mktemp("llama")
    (place / "notes").mkdir()
    for name, text in FILES.items():
        (place / "notes" / name).write_text(text, encoding="utf-8")
    (place / "wherein.toml").write_text('[collections.notes]\npath = "notes"\n', encoding="utf-8")
    found = Workspace.find(place)
    api.ingest(workspace=found)
    return found


def test_the_keyword_retriever_returns_what_the_keyword_channel_finds(workspace: Workspace) -> None:
    from wherein.llama_index import KeywordRetriever

    retriever = KeywordRetriever(workspace, "notes", similarity_top_k=3)
    for query in ("vitamin C", "RULE-A002", "tea in September"):
        nodes = retriever.retrieve(query)
        hits = search(workspace, query, QueryOptions(mode="keyword", rerank=False, k=3)).hits
        assert [(n.node.metadata["path"], n.score) for n in nodes] == [(h.path, h.scores.keyword) for h in hits]
        assert all(n.score and n.score > 0 for n in nodes)


def test_the_whole_search_is_a_retriever(workspace: Workspace) -> None:
    from wherein.llama_index import WhereinRetriever

    nodes = WhereinRetriever(workspace, k=2).retrieve("When did he taste tea?")
    assert nodes[0].node.metadata["path"] == "tea.md"
    assert nodes[0].node.get_content() in FILES["tea.md"]
    assert len(nodes) == 2


def test_a_stock_query_engine_answers_from_what_the_retriever_finds(workspace: Workspace) -> None:
    from llama_index.core import PromptTemplate
    from llama_index.core.llms import MockLLM
    from llama_index.core.query_engine import RetrieverQueryEngine

    from wherein.llama_index import WhereinRetriever

    engine = RetrieverQueryEngine.from_args(
        WhereinRetriever(workspace, k=2),
        llm=MockLLM(),  # it answers with the prompt
        text_qa_template=PromptTemplate("{context_str}\n--\n{query_str}"),
    )
    answer = engine.query("When did he taste tea?")
    assert FILES["tea.md"].partition("\n\n")[2] in str(answer)
    assert str(answer).endswith("When did he taste tea?")
    assert answer.source_nodes[0].metadata["path"] == "tea.md"
    assert answer.source_nodes[0].score == search(workspace, "When did he taste tea?").hits[0].scores.final
