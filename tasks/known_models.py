"""What widely used embedding models read and expect before a text, by name."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SENTENCE = "Represent this sentence for searching relevant passages: "
_SENTENCE_ZH = "为这个句子生成表示以用于检索相关文章："
_WEB_SEARCH = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"


@dataclass(frozen=True, slots=True)
class Traits:
    """`window` in tokens, special tokens included; prefixes exactly as the model was trained with."""

    window: int
    query_prefix: str = ""
    document_prefix: str = ""


UNKNOWN = Traits(512)
"""A model nobody has described: the smallest window in wide use, no prefixes."""

# Sources: the model cards. The first pattern that is found wins, so special cases stand before families.
_TABLE: tuple[tuple[str, Traits], ...] = (
    (r"bge-m3", Traits(8192)),
    (r"bge-(small|base|large)-zh", Traits(512, _SENTENCE_ZH)),
    (r"bge-(small|base|large|micro)", Traits(512, _SENTENCE)),
    (r"multilingual-e5-large-instruct", Traits(512, _WEB_SEARCH + " ")),
    (r"e5-mistral", Traits(4096, _WEB_SEARCH + " ")),
    (r"e5-(small|base|large)", Traits(512, "query: ", "passage: ")),
    (r"nomic-embed-text-v2", Traits(512, "search_query: ", "search_document: ")),
    # 8,192 needs a RoPE setting that servers do not make: they cut at the 2,048 of training.
    (r"nomic-embed-text", Traits(2048, "search_query: ", "search_document: ")),
    (r"nomic-embed-code", Traits(2048, "Represent this query for searching relevant code: ")),
    (r"mxbai-embed-(large|2d-large|xsmall)", Traits(512, _SENTENCE)),
    (r"snowflake-arctic-embed(2|-[a-z]-v2)", Traits(8192, "query: ")),
    (r"snowflake-arctic-embed(-m-long|:137m)", Traits(2048, _SENTENCE)),
    (r"snowflake-arctic-embed", Traits(512, _SENTENCE)),
    (r"gte-qwen2", Traits(32768, _WEB_SEARCH + " ")),
    (r"gte-(multilingual|modernbert|[a-z]+-en-v1\.5)", Traits(8192)),
    (r"gte-(small|base|large)", Traits(512)),
    (r"qwen3-embedding", Traits(32768, _WEB_SEARCH)),
    (r"embeddinggemma", Traits(2048, "task: search result | query: ", "title: none | text: ")),
    (
        r"jina-embeddings-v3",
        Traits(
            8192,
            "Represent the query for retrieving evidence documents: ",
            "Represent the document for retrieval: ",
        ),
    ),
    (r"jina-embeddings-v2", Traits(8192)),
    (r"all-minilm-l12", Traits(128)),
    (r"all-minilm", Traits(256)),
    (r"all-mpnet-base", Traits(384)),
    (r"all-distilroberta", Traits(512)),
    (r"multi-qa-", Traits(512)),
    (r"paraphrase-multilingual", Traits(128)),
    (r"granite-embedding.*-r2", Traits(8192)),
    (r"granite-embedding", Traits(512)),
    (r"text-embedding-(3-small|3-large|ada-002)", Traits(8191)),
)
_PATTERNS = tuple((re.compile(r"(?<![a-z0-9])" + pattern), traits) for pattern, traits in _TABLE)


def known(name: str) -> Traits | None:
    """The traits of a hub id, a server's model name, a file name or a folder's path; None if not listed."""
    plain = name.lower().replace("_", "-").replace("\\", "/")
    return next((traits for pattern, traits in _PATTERNS if pattern.search(plain)), None)
