"""A fake model server on loopback that speaks Ollama, OpenAI and a served reranker, and remembers."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from http.server import ThreadingHTTPServer
from types import TracebackType
from typing import Any

from tests.support.faults import Fault, Gate, Rule, Seen
from tests.support.routes import StubHandler
from tests.support.vectors import bag, cosine

Answer = str | Callable[[dict[str, Any]], str]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    stub: Stub

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news."""


class Stub:
    """The server and everything it can be told to do; all of it may change while it runs."""

    def __init__(self) -> None:
        self.default_answer: Answer = "The passages say so [1]."
        self.answers: dict[str, Answer] = {}
        self.usage: tuple[int, int] | None = None
        self.dims: dict[str, int] = {}
        self.default_dim = 512
        self.first_words: int | None = None
        self.missing: set[str] = set()
        self.listed: list[str] = ["stub-chat", "stub-embed"]
        self.running: Any = []
        self.refused_parameters: dict[str, set[str]] = {}
        self.context_tokens: dict[str, int] = {}
        self.declared_context = 131072
        self.poison: str | None = None
        self.refuse_blank = False
        self.vector_faults: dict[str, str] = {}
        self.relevance: Callable[[str, str], float] = self._overlap
        self._seen: list[Seen] = []
        self._rules: list[tuple[str, Rule]] = []
        self._gates: list[Gate] = []
        self._lock = threading.Lock()
        self.stopping = threading.Event()
        self._server = _Server(("127.0.0.1", 0), StubHandler)
        self._server.stub = self

    # ── life ─────────────────────────────────────────────────────────────────────────────────────
    def __enter__(self) -> Stub:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Release whoever is held and close the port."""
        self.stopping.set()
        self.calm()
        self._server.shutdown()
        self._server.server_close()

    @property
    def port(self) -> int:
        """The port listened on."""
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        """Base address for the Ollama protocol."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def v1(self) -> str:
        """Base address for the OpenAI protocol."""
        return f"{self.url}/v1"

    # ── faults ───────────────────────────────────────────────────────────────────────────────────
    def rule(self, kind: str, rule: Rule) -> None:
        """Ask the rule about every request of a kind (`chat`, `embed`, `rerank`)."""
        self._rules.append((kind, rule))

    def hold(self, kind: str, first: int | None = None) -> Gate:
        """Hold requests of a kind: from the given ordinal on, by default from the next one."""
        gate = Gate(kind, first if first is not None else len(self.requests(kind)) + 1)
        self._gates.append(gate)
        return gate

    def calm(self) -> None:
        """Forget all rules and release all gates."""
        self._rules.clear()
        for gate in self._gates:
            gate.release()
        self._gates.clear()

    def fault_for(self, seen: Seen) -> Fault | None:
        """Wait at the gates, then ask the rules in order."""
        for gate in list(self._gates):
            gate.pass_through(seen)
        faults = (rule(seen) for kind, rule in list(self._rules) if kind == seen.kind)
        return next((fault for fault in faults if fault is not None), None)

    # ── memory ───────────────────────────────────────────────────────────────────────────────────
    def record(self, kind: str, path: str, body: dict[str, Any], headers: dict[str, str]) -> Seen:
        """Remember a request and number it within its kind."""
        with self._lock:
            ordinal = sum(1 for seen in self._seen if seen.kind == kind) + 1
            seen = Seen(kind, path, body, headers, time.monotonic(), ordinal)
            self._seen.append(seen)
        return seen

    def forget(self) -> None:
        """Start counting anew."""
        with self._lock:
            self._seen.clear()

    def requests(self, kind: str | None = None) -> list[Seen]:
        """Everything seen so far, or everything of one kind, in order of arrival."""
        with self._lock:
            return [seen for seen in self._seen if kind is None or seen.kind == kind]

    def wait_for(self, kind: str, wanted: Callable[[Seen], bool], seconds: float = 60) -> Seen:
        """Wait until a request of a kind has arrived that is the one wanted."""
        limit = time.monotonic() + seconds
        while time.monotonic() < limit:
            found = next((seen for seen in self.requests(kind) if wanted(seen)), None)
            if found is not None:
                return found
            time.sleep(0.02)
        raise TimeoutError(f"no such {kind} request within {seconds} s")

    @property
    def chats(self) -> list[Seen]:
        """The chat requests."""
        return self.requests("chat")

    @property
    def embedded(self) -> list[str]:
        """Every text sent to be embedded, in order."""
        return [text for seen in self.requests("embed") for text in seen.texts]

    # ── what the models say ──────────────────────────────────────────────────────────────────────
    def answer_to(self, body: dict[str, Any]) -> str:
        """The canned text for a chat request."""
        answer = self.answers.get(str(body.get("model", "")), self.default_answer)
        return answer if isinstance(answer, str) else answer(body)

    def vector_for(self, model: str, text: str) -> list[float]:
        """The vector of a text, spoilt if the text holds a word that spoils it."""
        dim = self.dims.get(model, self.default_dim)
        fault = next((kind for word, kind in self.vector_faults.items() if word in text), None)
        if fault == "nan":
            return [float("nan")] * dim
        if fault == "zero":
            return [0.0] * dim
        return bag(text, dim - 1 if fault == "short" else dim, self.first_words)

    def _overlap(self, query: str, text: str) -> float:
        return 12.0 * cosine(bag(query, 512), bag(text, 512)) - 6.0
