"""The prompt: the question, numbered passages fenced as data, and the instructions of a template."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from prompts.template import Template, load
from store.errors import WhereinError, usage
from store.records import Hit
from tasks.fence import fence_code
from tasks.stage import stage
from tasks.tokens import Counter, at_least, at_most, count_messages

VARIABLES = ("question", "passages", "count", "fence", "weak")

_FENCE_LINE = re.compile(r"(?<=-)(?=-{2,}[ \t]*[0-9a-f]{8}[ \t]+(?:begin|end)\b)")
_CONTROL = re.compile(
    r"<(?=[|｜][^\s<>|｜]+[|｜]>)|<(?=/?s>)|<(?=(?:start|end)_of_turn>)|<(?=/?think(?:ing)?>)|\[(?=/?INST\])"
)
_UNSEEN = re.compile("[\U000e0000-\U000e007f]")
"""Letters that no person sees, and that some models read."""
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


@dataclass(frozen=True, slots=True)
class Budget:
    """Tokens a model's window holds, and how many of them are kept for the answer."""

    context_window: int
    max_tokens: int

    @property
    def for_prompt(self) -> int:
        return self.context_window - self.max_tokens


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is sent. Marker n of the answer means `hits[n - 1]`.

    `tokens` is an upper bound, `least_tokens` a lower one; `dropped` passages did not fit.
    """

    messages: tuple[dict[str, str], ...]
    question: str
    hits: tuple[Hit, ...]
    tokens: int
    least_tokens: int
    name: str
    sha256: str
    dropped: int = 0

    @property
    def sent(self) -> int:
        return len(self.hits)


def load_template(name: str, folder: Path | None = None) -> Template:
    """A template that can carry a question and passages; WhereinError (usage) where it cannot."""
    template = load(name, folder)
    for variable in ("question", "passages"):
        if template.user.count(f"{{{variable}}}") != 1:
            message = f"The prompt template {name!r} must hold {{{variable}}} once, in its user part."
            raise usage(message, kind="template")
    for variable in template.variables:
        if variable not in VARIABLES:
            known = ", ".join(VARIABLES)
            raise usage(f"The prompt template {name!r} declares {variable!r}; use {known}.", kind="template")
    return template


@stage("prompt", items=lambda prompt: prompt.sent)
def build(
    question: str,
    hits: Sequence[Hit],
    template: Template,
    budget: Budget,
    weak: bool = False,
    count: Counter = at_most,
) -> Prompt:
    """Fill the template; passages are dropped whole, lowest first, until prompt and answer fit the window.

    Raises WhereinError (kind "context") if not even the best passage fits, a usage error if nothing ever can.
    """
    if budget.for_prompt <= 0:
        raise usage(
            f"Setting synthesis.max_tokens is {budget.max_tokens}, which leaves nothing of the context window of "
            f"{budget.context_window} tokens for the prompt; lower it.",
            kind="settings",
        )
    code = fence_code(_shown(question, hits))
    passages = [_passage(marker, hit, code) for marker, hit in enumerate(hits, start=1)]
    frame = count_messages(_messages(question, [], template, code, weak), count)
    totals = list(accumulate((count(passage) for passage in passages), initial=frame))
    kept = bisect_right(totals, budget.for_prompt) - 1
    if kept < min(1, len(hits)):
        raise _too_long(totals[min(1, len(hits))], budget)
    messages = _messages(question, passages[:kept], template, code, weak)
    least = sum(at_least(message["content"]) for message in messages)
    return Prompt(
        messages, question, tuple(hits[:kept]), totals[kept], least, template.name, template.sha256, len(hits) - kept
    )


def _shown(question: str, hits: Sequence[Hit]) -> list[str]:
    """Every text that stands in the prompt beside the template's own, as it stands there."""
    return [question, *(part for hit in hits for part in (_own_path(hit), _own_date(hit), neutral(hit.text)))]


def neutral(text: str) -> str:
    """A passage's text in which nothing reads as a fence or as a chat template's control token, or cannot be seen."""
    seen = _UNSEEN.sub("", text)
    return _CONTROL.sub(lambda found: found.group() + " ", _FENCE_LINE.sub(" ", seen))


def _own_path(hit: Hit) -> str:
    return neutral(_UNPRINTABLE.sub(" ", hit.path))


def _own_date(hit: Hit) -> str:
    """A date that the file states: the time it was last touched would change the prompt, and tells little."""
    return hit.date or "" if hit.date_from != "mtime" else ""


def _passage(marker: int, hit: Hit, code: str) -> str:
    date = f" ({_own_date(hit)})" if _own_date(hit) else ""
    return f"--- {code} begin [{marker}] {_own_path(hit)}{date}\n{neutral(hit.text)}\n--- {code} end [{marker}]"


def _messages(
    question: str, passages: Sequence[str], template: Template, code: str, weak: bool
) -> tuple[dict[str, str], ...]:
    values = {
        "question": question,
        "passages": "\n".join(passages) or "(no passages)",
        "count": str(len(passages)),
        "fence": code,
    }
    system, user = template.render(values, weak=weak)
    if weak and not template.weak:
        user += "\n\n" + load("answer").weak
    return ({"role": "system", "content": system}, {"role": "user", "content": user})


def _too_long(tokens: int, budget: Budget) -> WhereinError:
    return WhereinError(
        f"The question, the instructions and one passage come to {tokens} tokens, and synthesis.context_window "
        f"{budget.context_window} less synthesis.max_tokens {budget.max_tokens} leaves {budget.for_prompt}: "
        "raise the first or lower the second.",
        kind="context",
    )
