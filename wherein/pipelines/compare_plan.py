"""What a comparison is about to ask, and what it may cost: known before any model is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from store.errors import NOT_FOUND, PARTIAL
from store.records import to_json
from tasks.models import ServerConfig
from tasks.prompt import Prompt
from tasks.providers.failure import address
from tasks.servers import is_loopback
from wherein.pipelines.comparison import QuestionComparison
from wherein.pipelines.prepared import CompareOptions, Prepared, prepare
from wherein.workspace import Workspace

WORDINGS = "other wordings are a model's: they were not asked for, and may bring other passages"


@dataclass(frozen=True, slots=True)
class ModelPlan:
    """Requests to one model. Tokens and `price` are upper bounds; `price` is None where none is set.

    `sends_to`: where the prompts go, `remote` if that is another machine; None where no server is asked.
    """

    model: str
    sends_to: str | None
    remote: bool
    requests: int
    prompt_tokens: int
    completion_tokens: int
    price: float | None


@dataclass(frozen=True, slots=True)
class QuestionPlan:
    """The prompt of one question: how many passages are sent, and how many do not fit."""

    question: str
    evidence_digest: str
    confidence: str
    sent: int
    dropped: int
    prompt_tokens: int


@dataclass(frozen=True)
class Plan:
    """Of all questions; `window` in tokens is that of the smallest model."""

    questions: tuple[QuestionPlan, ...]
    models: tuple[ModelPlan, ...]
    temperatures: tuple[float, ...]
    repeat: int
    max_tokens: int
    window: int
    notes: tuple[str, ...]
    code: int

    @classmethod
    def of(cls, ready: Prepared, *notes: str) -> Plan:
        """What these prompts come to."""
        questions = tuple(map(_question, ready.questions, ready.prompts))
        each = len(ready.choices) * ready.options.repeat
        asked = [one for one in questions if one.sent]
        tokens = each * sum(one.prompt_tokens for one in asked), each * len(asked) * ready.choices[0].max_tokens
        return cls(
            questions,
            tuple(_model(model.name, model.server, each * len(asked), *tokens) for model in ready.asked),
            tuple(choice.temperature for choice in ready.choices),
            ready.options.repeat,
            ready.choices[0].max_tokens,
            ready.window,
            (*ready.notes, *notes),
            _code(ready.questions, bool(asked)),
        )

    @property
    def price(self) -> float | None:
        """Of all models that have one."""
        prices = [one.price for one in self.models if one.price is not None]
        return sum(prices) if prices else None

    def to_json(self) -> dict[str, Any]:
        return {"dry_run": True, **to_json(self), "price": self.price}


def plan(workspace: Workspace, questions: Sequence[str], options: CompareOptions) -> Plan:
    """Search as the comparison would, and ask no model; raises as `compare` does."""
    expands = options.query.expand or options.query.hyde
    quiet = replace(options, query=replace(options.query, expand=False, hyde=False))
    return Plan.of(prepare(workspace, questions, quiet), *([WORDINGS] if expands else []))


def _question(one: QuestionComparison, sent: Prompt | None) -> QuestionPlan:
    known = one.question, one.evidence_digest, one.evidence.confidence
    return QuestionPlan(*known, sent.sent, sent.dropped, sent.tokens) if sent else QuestionPlan(*known, 0, 0, 0)


def _model(name: str, server: ServerConfig | None, requests: int, prompt_tokens: int, completion: int) -> ModelPlan:
    if server is None:
        return ModelPlan(name, None, False, 0, 0, 0, None)
    price = None
    if server.price_in is not None and server.price_out is not None:
        price = (prompt_tokens * server.price_in + completion * server.price_out) / 1e6
    return ModelPlan(
        name, address(server), not is_loopback(server.base_url), requests, prompt_tokens, completion, price
    )


def _code(questions: Sequence[QuestionComparison], asked: bool) -> int:
    if not asked:
        return NOT_FOUND
    return PARTIAL if any(one.evidence.partial for one in questions) else 0
