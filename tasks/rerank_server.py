"""Rerankers behind a `/v1/rerank`, as several model servers offer it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

from tasks.models import RerankConfig
from tasks.patience import Fault, lost, malformed, patiently, refusal
from tasks.scoring import RerankFailed
from tasks.servers import check_address, client_options, named_key

TIMEOUT_SECONDS = 120.0
TRIES = 2
SERVED_WINDOW = 512
_EDGE = 1e-9


class ServedScorer:
    """Scores by a server.

    Some servers answer logits, some probabilities, and none says which: an answer with a score outside 0 to 1
    holds logits, and so does every later one; until then scores are taken for probabilities and turned into
    logits.
    """

    window = SERVED_WINDOW

    def __init__(self, config: RerankConfig, sleep: Callable[[float], None] = time.sleep) -> None:
        self.model = config.model
        self.url = endpoint(config.base_url or "")
        self.key_variable = config.api_key_env
        self.sleep = sleep
        named_key("rerank.api_key_env", self.key_variable)
        self._answers_logits = False

    def logits(self, query: str, passages: Sequence[str]) -> list[float]:
        import httpx

        key = named_key("rerank.api_key_env", self.key_variable)
        with httpx.Client(**client_options(self.url, key, TIMEOUT_SECONDS)) as client:
            try:
                scores = patiently(lambda: self._ask(client, query, passages), self.sleep, TRIES)
            except Fault as fault:
                raise RerankFailed(f"{self.url}: {fault.reason}") from fault
        self._answers_logits |= any(score < 0 or score > 1 for score in scores)
        return scores if self._answers_logits else [log_odds(score) for score in scores]

    def _ask(self, client: Any, query: str, passages: Sequence[str]) -> list[float]:
        import httpx

        body = {"model": self.model, "query": query, "documents": list(passages)}
        try:
            answer = client.post(self.url, json=body)
        except httpx.TimeoutException as error:
            raise Fault(f"no answer within {TIMEOUT_SECONDS:g} seconds") from error
        except httpx.HTTPError as error:
            raise lost("no connection") from error
        if answer.status_code != httpx.codes.OK:
            raise refusal(answer.status_code, "", answer.headers.get("retry-after"))
        return _scores(answer, len(passages))


def endpoint(base_url: str) -> str:
    """The address to post to: of a server, of its `/v1`, or in full. Raises WhereinError if it is none."""
    check_address("rerank.base_url", base_url)
    url = base_url.rstrip("/")
    if url.endswith("/rerank"):
        return url
    return f"{url}/rerank" if urlsplit(url).path else f"{url}/v1/rerank"


def log_odds(probability: float) -> float:
    """The logit whose sigmoid this is, finite also at 0 and 1."""
    inside = min(max(probability, _EDGE), 1 - _EDGE)
    return math.log(inside) - math.log1p(-inside)


def _scores(answer: Any, count: int) -> list[float]:
    """The relevance of every document, by its index."""
    try:
        rows = answer.json()["results"]
        by_index = {int(row["index"]): float(row["relevance_score"]) for row in rows}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise malformed("the server's answer is no list of scores") from error
    if by_index.keys() != set(range(count)) or len(rows) != count:
        raise malformed(f"the server answered {len(rows)} scores for {count} passages")
    return [by_index[i] for i in range(count)]
