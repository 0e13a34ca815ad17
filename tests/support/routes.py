"""The wire formats of the fake model server."""

from __future__ import annotations

import json
import re
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tests.support import replies
from tests.support.faults import Fault, Seen

if TYPE_CHECKING:
    from tests.support.stub import Stub

_KINDS = {
    "/api/chat": "chat",
    "/v1/chat/completions": "chat",
    "/api/embed": "embed",
    "/v1/embeddings": "embed",
    "/v1/rerank": "rerank",
    "/rerank": "rerank",
}
_PIECE = re.compile(r"\S+\s*|\s+")


class StubHandler(BaseHTTPRequestHandler):
    """Answers one connection; what it says is decided by the stub it belongs to."""

    protocol_version = "HTTP/1.1"

    @property
    def stub(self) -> Stub:
        """The stub behind the server."""
        return self.server.stub  # type: ignore[attr-defined,no-any-return]

    def log_message(self, format: str, *args: Any) -> None:
        """Keep the terminal quiet."""

    def handle(self) -> None:
        """Serve until the client goes away, however it goes."""
        try:
            super().handle()
        except (ConnectionError, TimeoutError, ValueError):
            self.close_connection = True

    def do_GET(self) -> None:
        """The calls that only ask what is there."""
        path = urlsplit(self.path).path
        self.stub.record("meta", path, {}, {name.title(): value for name, value in self.headers.items()})
        answers = {
            "/": {"status": "stub"},
            "/api/version": {"version": "0.12.0"},
            "/api/tags": replies.ollama_tags(self.stub.listed),
            "/api/ps": {"models": self.stub.running},
            "/v1/models": replies.openai_models(self.stub.listed),
        }
        self._json(answers[path]) if path in answers else self._json({"error": "no such path"}, 404)

    def do_POST(self) -> None:
        """The calls that do work."""
        path = urlsplit(self.path).path
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = json.loads(raw) if raw else {}
        headers = {name.title(): value for name, value in self.headers.items()}
        seen = self.stub.record(_KINDS.get(path, "meta"), path, body, headers)
        fault = self.stub.fault_for(seen) or self._own_fault(seen)
        if fault and self._suffer(fault, path):
            return
        self._serve(seen, fault)
        seen.answered = True

    def _serve(self, seen: Seen, fault: Fault | None) -> None:
        if seen.kind == "chat":
            self._chat(seen, fault.cut_after_pieces if fault else None)
        elif seen.kind == "embed":
            self._json(replies.embeddings(self.stub, seen))
        elif seen.kind == "rerank":
            self._json(replies.rerank(self.stub, seen))
        elif seen.path == "/api/show":
            self._json(replies.ollama_show(self.stub.declared_context))
        else:
            self._json({"error": "no such path"}, 404)

    # ── faults ───────────────────────────────────────────────────────────────────────────────────
    def _own_fault(self, seen: Seen) -> Fault | None:
        """What this model refuses by its nature."""
        stub = self.stub
        if seen.model in stub.missing or str(seen.body.get("name", "")) in stub.missing:
            return Fault(404, f"model '{seen.model}' not found, try pulling it first", "model_not_found")
        if seen.kind == "embed":
            return _refused_input(stub, seen)
        return _refused_chat(stub, seen) if seen.kind == "chat" else None

    def _suffer(self, fault: Fault, path: str) -> bool:
        """Let the fault happen; True if that was the whole answer."""
        if fault.hang:
            self.stub.stopping.wait(600)
            self.close_connection = True
            return True
        if fault.delay_seconds:
            self.stub.stopping.wait(fault.delay_seconds)
        if not fault.status:
            return False
        error: Any = fault.message
        if path.startswith("/v1"):
            error = {"message": fault.message, "type": "stub_error", "code": fault.code or None}
        self._json({"error": error}, fault.status, fault.headers)
        return True

    # ── chat ─────────────────────────────────────────────────────────────────────────────────────
    def _chat(self, seen: Seen, cut: int | None) -> None:
        text = self.stub.answer_to(seen.body)
        counts = self.stub.usage or (max(1, len(seen.prompt) // 4), max(1, len(text) // 4))
        ollama = seen.path == "/api/chat"
        if not seen.body.get("stream", ollama) and cut is None:
            whole = replies.ollama_chat if ollama else replies.openai_chat
            self._json(whole(seen.model, text, counts))
            return
        lines = (replies.ollama_stream if ollama else replies.openai_stream)(seen, _PIECE.findall(text), counts)
        self._stream(lines if cut is None else lines[:cut], "x-ndjson" if ollama else "event-stream", cut)

    def _stream(self, lines: list[bytes], subtype: str, cut: int | None) -> None:
        """Send the lines chunk by chunk; a cut stream never gets its closing chunk."""
        self.send_response(200)
        self.send_header("Content-Type", f"{'application' if 'json' in subtype else 'text'}/{subtype}")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for line in lines:
            self.wfile.write(f"{len(line):x}\r\n".encode() + line + b"\r\n")
            self.wfile.flush()
        if cut is None:
            self.wfile.write(b"0\r\n\r\n")
        else:
            self.close_connection = True

    def _json(self, value: Any, status: int = 200, headers: dict[str, str] | None = None) -> None:
        raw = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        for name, content in (headers or {}).items():
            self.send_header(name, content)
        self.end_headers()
        self.wfile.write(raw)


def _refused_input(stub: Stub, seen: Seen) -> Fault | None:
    if stub.poison and any(stub.poison in text for text in seen.texts):
        return Fault(500, "failed to encode response: json: unsupported value: NaN")
    if stub.refuse_blank and any(not text.strip() for text in seen.texts):
        return Fault(500, "empty input")
    return None


def _refused_chat(stub: Stub, seen: Seen) -> Fault | None:
    given = seen.body.get("options") or {} if seen.path == "/api/chat" else seen.body
    for name in sorted(stub.refused_parameters.get(seen.model, set())):
        if name in given and given[name] != 1:
            return Fault(
                400,
                f"Unsupported value: '{name}' does not support {given[name]} with this model. "
                "Only the default (1) value is supported.",
                "unsupported_value",
            )
    limit = stub.context_tokens.get(seen.model)
    if limit is not None and len(seen.prompt) // 4 > limit:
        return Fault(
            400,
            f"This model's maximum context length is {limit} tokens. "
            f"However, your messages resulted in {len(seen.prompt) // 4} tokens.",
            "context_length_exceeded",
        )
    return None
