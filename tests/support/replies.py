"""Bodies of the fake model server's answers, protocol by protocol."""

from __future__ import annotations

import base64
import json
from array import array
from typing import TYPE_CHECKING, Any

from tests.support.faults import Seen

if TYPE_CHECKING:
    from tests.support.stub import Stub

_WHEN = "2026-01-01T00:00:00.000000Z"
_CREATED = 1767225600


def ollama_tags(names: list[str]) -> dict[str, Any]:
    """The models an Ollama server has."""
    details = {"family": "stub", "parameter_size": "1B", "quantization_level": "Q4_0", "format": "gguf"}
    return {
        "models": [
            {"name": f"{name}:latest", "model": f"{name}:latest", "modified_at": _WHEN, "size": 1,
             "digest": "0" * 64, "details": details}
            for name in names
        ]
    }  # fmt: skip


def ollama_show(context_length: int) -> dict[str, Any]:
    """What an Ollama server says of a model."""
    return {
        "modelfile": "FROM stub",
        "parameters": "",
        "template": "{{ .Prompt }}",
        "details": {"family": "stub", "format": "gguf"},
        "model_info": {"general.architecture": "stub", "stub.context_length": context_length},
        "capabilities": ["completion"],
        "modified_at": _WHEN,
    }


def openai_models(names: list[str]) -> dict[str, Any]:
    """The models an OpenAI-compatible server has."""
    rows = [{"id": name, "object": "model", "created": _CREATED, "owned_by": "stub"} for name in names]
    return {"object": "list", "data": rows}


def ollama_chat(model: str, text: str, counts: tuple[int, int]) -> dict[str, Any]:
    """A whole answer in the Ollama protocol."""
    return {
        "model": model,
        "created_at": _WHEN,
        "message": {"role": "assistant", "content": text},
        "done": True,
        "done_reason": "stop",
        "total_duration": 50_000_000,
        "load_duration": 10_000_000,
        "prompt_eval_count": counts[0],
        "prompt_eval_duration": 20_000_000,
        "eval_count": counts[1],
        "eval_duration": 20_000_000,
    }


def ollama_stream(seen: Seen, pieces: list[str], counts: tuple[int, int]) -> list[bytes]:
    """The lines of a streamed answer in the Ollama protocol."""
    rows = [
        {"model": seen.model, "created_at": _WHEN, "done": False,
         "message": {"role": "assistant", "content": piece}}
        for piece in pieces
    ]  # fmt: skip
    rows.append(ollama_chat(seen.model, "", counts))
    return [json.dumps(row).encode() + b"\n" for row in rows]


def _usage(counts: tuple[int, int]) -> dict[str, int]:
    return {
        "prompt_tokens": counts[0],
        "completion_tokens": counts[1],
        "total_tokens": counts[0] + counts[1],
    }


def openai_chat(model: str, text: str, counts: tuple[int, int]) -> dict[str, Any]:
    """A whole answer in the OpenAI protocol."""
    message = {"role": "assistant", "content": text}
    return {
        "id": "chatcmpl-stub",
        "object": "chat.completion",
        "created": _CREATED,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}],
        "usage": _usage(counts),
    }


def openai_stream(seen: Seen, pieces: list[str], counts: tuple[int, int]) -> list[bytes]:
    """The events of a streamed answer in the OpenAI protocol."""
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": piece} for piece in pieces]
    rows = [_openai_chunk(seen.model, [{"index": 0, "delta": delta, "finish_reason": None}])
            for delta in deltas]  # fmt: skip
    rows.append(_openai_chunk(seen.model, [{"index": 0, "delta": {}, "finish_reason": "stop"}]))
    if (seen.body.get("stream_options") or {}).get("include_usage"):
        rows.append({**_openai_chunk(seen.model, []), "usage": _usage(counts)})
    return [b"data: " + json.dumps(row).encode() + b"\n\n" for row in rows] + [b"data: [DONE]\n\n"]


def _openai_chunk(model: str, choices: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": "chatcmpl-stub",
        "object": "chat.completion.chunk",
        "created": _CREATED,
        "model": model,
        "choices": choices,
    }


def embeddings(stub: Stub, seen: Seen) -> dict[str, Any]:
    """The vectors of a request, as numbers or base64, in the protocol of its path."""
    vectors = [stub.vector_for(seen.model, text) for text in seen.texts]
    tokens = sum(max(1, len(text) // 4) for text in seen.texts)
    if seen.path == "/api/embed":
        return {"model": seen.model, "embeddings": vectors, "prompt_eval_count": tokens}
    packed = seen.body.get("encoding_format") == "base64"
    rows = [
        {"object": "embedding", "index": index, "embedding": _packed(vector) if packed else vector}
        for index, vector in enumerate(vectors)
    ]
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "model": seen.model, "data": rows, "usage": usage}


def _packed(vector: list[float]) -> str:
    return base64.b64encode(array("f", vector).tobytes()).decode()


def rerank(stub: Stub, seen: Seen) -> dict[str, Any]:
    """Relevance of every document, best first, as a served reranker gives it."""
    documents = [doc if isinstance(doc, str) else str(doc["text"]) for doc in seen.body["documents"]]
    rows = [
        {"index": index, "relevance_score": stub.relevance(str(seen.body["query"]), document)}
        for index, document in enumerate(documents)
    ]
    rows.sort(key=lambda row: (-row["relevance_score"], row["index"]))
    top = seen.body.get("top_n") or len(rows)
    return {"model": seen.model, "results": rows[:top], "usage": {"total_tokens": 1}}
