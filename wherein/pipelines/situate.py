"""One sentence of a language model for each chunk: what is remembered, what is asked, and what it costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from prompts.template import load
from store.embeddings import text_key
from store.errors import usage
from store.records import Document, Problem, Span
from store.sentences import Sentences, sentence_key
from tasks.context import Tokenize, before, cut
from tasks.fence import fence_code
from tasks.prompt import neutral
from tasks.providers.base import Fault, Generation, GenerationFailed
from tasks.situate import excerpt, sentence
from tasks.stage import stage
from tasks.tokens import at_most, count_messages, fit_window
from wherein.pipelines import completion, models, synthesis
from wherein.pipelines.items import Item
from wherein.pipelines.synthesis import Model
from wherein.workspace import Workspace

TEMPLATE = "situate"
MAX_TOKENS = 100
"""Of an answer."""
DOCUMENT_TOKENS = 4000
"""The most that is shown of a document: what a long one costs would else grow with the square of its length."""
_SEAM_TOKENS = 2
_REFUSALS = (400, 413, 422)
"""HTTP states of a server that will not have this one prompt."""


def wanted(workspace: Workspace) -> bool:
    return workspace.settings.chunking.context == "llm"


def check(workspace: Workspace) -> None:
    """Raises WhereinError (exit 2) if the settings want sentences and name no model that writes."""
    if wanted(workspace):
        completion.model_for(workspace, 'chunking.context = "llm"')


def identity(workspace: Workspace) -> dict[str, str]:
    """What tells one writer of sentences from another: its model and the digest of its prompt."""
    name = workspace.settings.synthesis.model
    server = models.server(workspace, name)
    template = load(TEMPLATE, synthesis.template_folder(workspace))
    return {"model": server.model if server is not None else name, "prompt": template.sha256}


@dataclass
class Situator:
    """Puts a sentence before each chunk, asking for those that are not remembered, until the model fails.

    `window`: the tokens asked for so far, which never shrink: Ollama loads a model anew for another window.
    """

    workspace: Workspace
    model: Model
    made_by: dict[str, str]
    sentences: Sentences
    tokens: int
    written: int = 0
    reused: int = 0
    answers: list[Generation] = field(default_factory=list)
    unreachable: str | None = None
    window: int = 0

    @stage("situate", items=len)
    def situate(self, items: Sequence[Item], tokenize: Tokenize) -> list[list[str] | None]:
        """The texts to send of each file; None where a sentence is missing, which the file's state then says."""
        return [self._of_file(item, item.document, tokenize) if item.document else [] for item in items]

    def _of_file(self, item: Item, document: Document, tokenize: Tokenize) -> list[str] | None:
        keys = self._keys(document, item.texts)
        known = self.sentences.known(keys)
        self.reused += sum(key in known for key in keys)
        for key, span, text in zip(keys, item.spans, item.texts, strict=True):
            if key not in known:
                found = self._asked(item, document, span, text)
                if found is None:
                    return None
                known[key] = found
                self.sentences.keep({key: found})
        budget = self.tokens - _SEAM_TOKENS
        return [before(cut(known[key], tokenize, budget), text) for key, text in zip(keys, item.texts, strict=True)]

    def _keys(self, document: Document, texts: Sequence[str]) -> list[bytes]:
        model, prompt, whole = self.made_by["model"], self.made_by["prompt"], text_key(document.text)
        return [sentence_key(model, prompt, whole, text_key(text)) for text in texts]

    def _asked(self, item: Item, document: Document, span: Span, text: str) -> str | None:
        """The model's sentence; None, and the file's state, if it gives none."""
        if self.unreachable is None:
            try:
                made = self._complete(document.text, span, text)
                self.written += 1
                self.answers.append(made)
                return sentence(made.text)
            except GenerationFailed as failure:
                if isinstance(failure.__cause__, Fault) and failure.__cause__.status in _REFUSALS:
                    item.state = "failed"
                    item.problem = Problem(item.path, "refused", f"no sentence on a chunk: {failure.message}")
                    return None
                self.unreachable = failure.message.rstrip(".")
        item.state, item.problem = "pending", Problem(item.path, "unreachable", self.unreachable)
        return None

    def _complete(self, document: str, span: Span, text: str) -> Generation:
        code, seed = fence_code([document]), self.workspace.settings.synthesis.seed
        values = {"document": "", "chunk": neutral(text), "fence": code}
        system, user = load(TEMPLATE, synthesis.template_folder(self.workspace)).render(values)
        frame = count_messages([{"content": system}, {"content": user}], at_most)
        room = self.model.window - MAX_TOKENS - frame
        if room < 0:
            raise usage(
                f"Setting synthesis.context_window is {self.model.window} tokens, which does not hold the prompt"
                f" {TEMPLATE!r} and one chunk; raise it, or lower chunking.size."
            )
        shown = excerpt(neutral(document), span.char_start, span.char_end, min(room, DOCUMENT_TOKENS))
        self.window = max(self.window, fit_window(frame + at_most(shown) + MAX_TOKENS, self.model.window))
        return completion.complete(
            self.workspace, self.model, TEMPLATE, {**values, "document": shown}, MAX_TOKENS, seed, self.window
        )

    def report(self) -> dict[str, Any]:
        """For the JSON of `ingest`: sentences, and the tokens and the price of those that were written."""
        spent = [made.usage for made in self.answers]
        return {
            "written": self.written,
            "reused": self.reused,
            "prompt_tokens": _sum([each.prompt_tokens for each in spent]),
            "completion_tokens": _sum([each.completion_tokens for each in spent]),
            "cost": _sum([each.cost for each in spent]),
        }


def situator(workspace: Workspace, folder: Path, shape: dict[str, Any]) -> Situator | None:
    """None where the settings want no sentences."""
    if not wanted(workspace):
        return None
    model = completion.model_for(workspace, 'chunking.context = "llm"')
    chunking = shape["chunking"]
    return Situator(workspace, model, chunking["llm"], Sentences(folder), chunking["header"]["tokens"])


def priced(workspace: Workspace, chunks: Sequence[tuple[int, int]], size: int) -> dict[str, Any]:
    """What some files cost at most: `chunks` are (chunks to write on, tokens of the file), `size` tokens of a chunk."""
    model = completion.model_for(workspace, 'chunking.context = "llm"')
    template = load(TEMPLATE, synthesis.template_folder(workspace))
    around = at_most(template.system) + at_most(template.user) + size
    room = max(0, min(DOCUMENT_TOKENS, model.window - MAX_TOKENS - around))
    calls = sum(number for number, _ in chunks)
    sent = sum(number * (around + min(tokens, room)) for number, tokens in chunks)
    server = model.server
    cost = None
    if server is not None and server.price_in is not None and server.price_out is not None:
        cost = round((sent * server.price_in + calls * MAX_TOKENS * server.price_out) / 1e6, 6)
    return {"model": model.name, "calls": calls, "prompt_tokens": sent, "completion_tokens": calls * MAX_TOKENS,
            "cost": cost}  # fmt: skip


def _sum(values: Sequence[float | None]) -> float | None:
    """None where a server did not say."""
    return None if any(value is None for value in values) else sum(value or 0 for value in values)
