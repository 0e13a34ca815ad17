"""The bundled embedder in other precisions and engines, a row at a time, so that no vector depends on its batch mates.

    python -m bench.precisions [--texts 48] [--rounds 3] [--judged SET [--documents 1000]]

Run it where openvino and onnx are installed beside the project. The weights are
int8; fp32 and bf16 run on what they stand for. With --judged also nDCG@10 of int8, fp32 and bf16: whole documents,
vectors alone, over the judged documents and so many others as to make `--documents`. Wall and processor time, the best
of the rounds.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench import judged
from bench.dequantise import dequantised
from bench.embedding import diary
from bench.other_weights import static_int8, torch_model
from bench.ranking import ndcg
from tasks.onnx_models import Bert
from tasks.parallel import cores
from tasks.weights import EMBEDDER, read

Row = list[int]
Way = Callable[[Sequence[Row]], Any]
MULTIPLE = 32
CALIBRATING = 32
"""Texts beside those that are measured."""
JUDGED = (
    "int8, onnxruntime, one session", "static int8, onnxruntime, one session", "bf16, openvino", "fp32, openvino",
)  # fmt: skip


def feed(row: Row, width: int | None = None) -> dict[str, Any]:
    """Inputs of the graph, padded to `width` tokens."""
    ids = np.zeros((1, width or len(row)), dtype=np.int64)
    ids[0, : len(row)] = row
    mask = (np.arange(ids.shape[1]) < len(row)).astype(np.int64)[None]
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}


def unit(rows: Sequence[Any]) -> Any:
    stacked = np.stack(rows).astype(np.float32)
    return stacked / np.linalg.norm(stacked, axis=1, keepdims=True)


def onnx_way(graph: bytes, *, sessions: int = 1, multiple: int = 1) -> Way:
    """A thread a core; padded to a multiple of so many tokens."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    opened = [onnxruntime.InferenceSession(graph, options, ["CPUExecutionProvider"]) for _ in range(sessions)]

    def one(number: int, row: Row) -> Any:
        width = -(-len(row) // multiple) * multiple
        return opened[number % sessions].run(None, feed(row, width))[0][0, 0]

    def way(rows: Sequence[Row]) -> Any:
        with ThreadPoolExecutor(cores()) as pool:
            return unit(list(pool.map(one, range(len(rows)), rows)))

    return way


def openvino_way(graph: str, precision: str) -> Way:
    """As many streams as cores, each of one thread."""
    import openvino

    chosen = {"INFERENCE_PRECISION_HINT": precision, "INFERENCE_NUM_THREADS": cores(), "NUM_STREAMS": cores()}
    compiled = openvino.Core().compile_model(graph, "CPU", chosen)

    def way(rows: Sequence[Row]) -> Any:
        found: dict[int, Any] = {}
        queue = openvino.AsyncInferQueue(compiled, cores())
        queue.set_callback(lambda run, place: found.update({place: np.array(run.get_output_tensor(0).data[0, 0])}))
        for place, row in enumerate(rows):
            queue.start_async(feed(row), place)
        queue.wait_all()
        return unit([found[place] for place in range(len(rows))])

    return way


def torch_way(graph: bytes, *, bf16: bool = False) -> Way:
    """A thread a core, a row at a time."""
    import torch

    torch.set_num_threads(1)
    model = torch_model(graph).to(torch.bfloat16 if bf16 else torch.float32)

    def one(row: Row) -> Any:
        with torch.inference_mode():
            inputs = {name: torch.from_numpy(values) for name, values in feed(row).items()}
            return model(**inputs).last_hidden_state[0, 0].float().numpy()

    def way(rows: Sequence[Row]) -> Any:
        with ThreadPoolExecutor(cores()) as pool:
            return unit(list(pool.map(one, rows)))

    return way


@contextmanager
def ways(calibrating: Sequence[Row]) -> Iterator[dict[str, Way]]:
    """By name; the first is what runs in the product. Static int8 takes its ranges from the rows given."""
    with tempfile.TemporaryDirectory() as place:
        packed, wide = read(EMBEDDER, EMBEDDER.graph), Path(place) / "wide.onnx"
        (Path(place) / "int8.onnx").write_bytes(packed)
        wide.write_bytes(dequantised(packed))
        static = Path(place) / "static.onnx"
        static_int8(wide, static, [feed(row) for row in calibrating])
        yield {
            "int8, onnxruntime, one session": onnx_way(packed),
            f"int8, onnxruntime, {cores()} sessions": onnx_way(packed, sessions=cores()),
            f"int8, onnxruntime, padded to a multiple of {MULTIPLE}": onnx_way(packed, multiple=MULTIPLE),
            "static int8, onnxruntime, one session": onnx_way(static.read_bytes()),
            "fp32, onnxruntime, one session": onnx_way(wide.read_bytes()),
            "fp32, torch": torch_way(wide.read_bytes()),
            "bf16, torch": torch_way(wide.read_bytes(), bf16=True),
            "fp32, openvino": openvino_way(str(wide), "f32"),
            "bf16, openvino": openvino_way(str(wide), "bf16"),
            "int8, openvino": openvino_way(str(Path(place) / "int8.onnx"), "f32"),
        }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=48)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--judged", type=Path)
    parser.add_argument("--documents", type=int, default=1000)
    given = parser.parse_args()
    bert = Bert(EMBEDDER)
    read_rows = [bert.single(bert.ids(text), EMBEDDER.window)[0] for text in diary(given.texts + CALIBRATING)]
    rows = sorted(read_rows[: given.texts], key=len)[::-1]
    with ways(read_rows[given.texts :]) as named:
        show(named, rows, given.rounds)
        if given.judged:
            for name in JUDGED:
                found = quality(named[name], bert, given.judged, given.documents)
                print(f"{name}: nDCG@10 {found:.4f}", flush=True)


def show(named: dict[str, Way], rows: Sequence[Row], rounds: int) -> None:
    """A line a way."""
    vectors = {name: way(rows) for name, way in named.items()}
    costs = [{name: cost(partial(way, rows)) for name, way in named.items()} for _ in range(rounds)]
    for name in named:
        wall, cpu = (min(each[name][clock] for each in costs) / len(rows) for clock in (0, 1))
        cosines = np.sum(vectors[name] * vectors["fp32, onnxruntime, one session"], axis=1)
        print(
            f"{name:<46}{1 / wall:>7.1f} texts/s {1000 * cpu:>7.1f} cpu ms, cosine to fp32 {cosines.min():.4f} at least"
        )


def cost(body: Callable[[], Any]) -> tuple[float, float]:
    started, worked = time.perf_counter(), time.process_time()
    body()
    return time.perf_counter() - started, time.process_time() - worked


def quality(way: Way, bert: Bert, source: Path, most: int) -> float:
    """nDCG@10 of a judged set, cut down to `most` documents but for the judged ones."""
    found = judged.read(source)
    wanted = {document for grades in found.qrels.values() for document in grades}
    with tempfile.TemporaryDirectory() as place:
        every = judged.unfold(source, Path(place))
        others = [path for path, id_ in every.items() if id_ not in wanted]
        kept = sorted([path for path, id_ in every.items() if id_ in wanted] + others[: max(0, most - len(wanted))])
        documents = [(Path(place) / path).read_text(encoding="utf-8") for path in kept]
    asked = [EMBEDDER.query_prefix + text for text in found.queries.values()]
    vectors = way([bert.single(bert.ids(text), EMBEDDER.window)[0] for text in (*documents, *asked)])
    scores = vectors[len(documents) :] @ vectors[: len(documents)].T
    return ndcg(scores, [every[path] for path in kept], [found.qrels[id_] for id_ in found.queries])


if __name__ == "__main__":
    main()
