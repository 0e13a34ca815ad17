"""The same work in stock LlamaIndex, the way its documentation teaches it: what a person would otherwise write.

    python -m bench.stock build   FILES STORE --model FOLDER
    python -m bench.stock refresh FILES STORE --model FOLDER
    python -m bench.stock search  FILES STORE --model FOLDER QUESTION...

SimpleDirectoryReader, SentenceSplitter(256, 25), VectorStoreIndex kept as JSON; a refresh compares each file's
size and date with what the docstore recorded; a search merges the best 20 by vector and by BM25. No reranker,
no LLM. One JSON line on stdout.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import time
from collections.abc import Iterable
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

EXTENSIONS = [".md", ".txt"]
POOL = 20
RECORDED = ("file_size", "last_modified_date")


def main() -> None:
    """Run one command and print its line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("command", choices=["build", "refresh", "search"])
    parser.add_argument("files")
    parser.add_argument("store")
    parser.add_argument("questions", nargs="*")
    parser.add_argument("--model", required=True, help="a sentence-transformers folder")
    given = parser.parse_intermixed_args()
    set_up(given.model)
    if given.command == "build":
        line = build(given.files, given.store)
    elif given.command == "refresh":
        line = refresh(given.files, given.store)
    else:
        line = search(given.store, given.questions)
    print(json.dumps(line), flush=True)


def set_up(model: str) -> None:
    """The library's global settings."""
    from llama_index.core import Settings
    from llama_index.core.node_parser import SentenceSplitter
    from llama_index.embeddings.huggingface import HuggingFaceEmbedding

    Settings.embed_model = HuggingFaceEmbedding(model_name=model, device="cpu")
    Settings.transformations = [SentenceSplitter(chunk_size=256, chunk_overlap=25, paragraph_separator="\n\n")]
    with contextlib.redirect_stdout(sys.stderr):  # it announces on stdout that there is no LLM
        Settings.llm = None


def read(files: str) -> list[Any]:
    """Every document below the folder."""
    from llama_index.core import SimpleDirectoryReader

    reader = SimpleDirectoryReader(files, recursive=True, required_exts=EXTENSIONS, filename_as_id=True)
    return list(reader.load_data())


def load(store: str) -> Any:
    """The persisted index."""
    from llama_index.core import StorageContext, load_index_from_storage

    return load_index_from_storage(StorageContext.from_defaults(persist_dir=store))


def build(files: str, store: str) -> dict[str, Any]:
    """Index the folder anew."""
    from llama_index.core import VectorStoreIndex

    documents = read(files)
    index = VectorStoreIndex.from_documents(documents)
    index.storage_context.persist(store)
    return {"documents": len(documents), "chunks": len(index.docstore.docs)}


def refresh(files: str, store: str) -> dict[str, Any]:
    """Bring the index up to the folder."""
    index = load(store)
    known = {info.metadata["file_path"]: (id_, info.metadata) for id_, info in index.ref_doc_info.items()}
    documents = {document.metadata["file_path"]: document for document in read(files)}
    changed = [path for path, each in documents.items() if path in known and _differs(each.metadata, known[path][1])]
    added = [path for path in documents if path not in known]
    gone = [path for path in known if path not in documents]
    for path in [*changed, *gone]:
        index.delete_ref_doc(known[path][0], delete_from_docstore=True)
    for path in [*changed, *added]:
        index.insert(documents[path])
    if changed or added or gone:
        index.storage_context.persist(store)
    return {"changed": len(changed), "added": len(added), "deleted": len(gone), "chunks": len(index.docstore.docs)}


def _differs(now: dict[str, Any], then: dict[str, Any]) -> bool:
    return any(now.get(key) != then.get(key) for key in RECORDED)


def search(store: str, questions: Iterable[str]) -> dict[str, Any]:
    """Retrieve for each question in turn; seconds of each, the retrievers being made beforehand."""
    from llama_index.retrievers.bm25 import BM25Retriever

    index = load(store)
    retrievers = [
        index.as_retriever(similarity_top_k=POOL),
        BM25Retriever.from_defaults(index=index, similarity_top_k=POOL),
    ]
    seconds, best = [], []
    for question in questions:
        started = time.perf_counter()
        hits = merged(retrievers, question)
        seconds.append(time.perf_counter() - started)
        best.append(hits[0].node.metadata["file_name"] if hits else None)
    return {"seconds": seconds, "best": best}


def merged(retrievers: Iterable[Any], question: str) -> list[Any]:
    """The hits of every retriever, each passage once."""
    found: dict[str, Any] = {}
    for retriever in retrievers:
        for hit in retriever.retrieve(question):
            found.setdefault(hit.node.node_id, hit)
    return list(found.values())


if __name__ == "__main__":
    main()
