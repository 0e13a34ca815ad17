"""How many tokens a text has: counted where the model's tokenizer is at hand, else bounded."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from store.errors import usage

Counter = Callable[[str], int]

MESSAGE_TOKENS = 8
"""What a chat template puts around one message; SmolLM2's puts 5."""
TEMPLATE_TOKENS = 16
"""What a chat template puts around all messages; SmolLM2's puts 3."""
SMALLEST_WINDOW = 2048

_COMMON = """the of and to in a is that it was he for on with as his they at be this from i have or by one had not
but what all were when we there can an you are if"""
_ENGLISH = frozenset(_COMMON.split())
_LETTERS = re.compile(r"[^\W\d_]+")
_RUN = re.compile(r"[A-Za-z0-9]+| +(?=[0-9])| +|[\t-\r]+|[^\x00-\x7f]+|[\x00-\x7f]")
_CASE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_UNPRONOUNCEABLE = re.compile(r"[bcdfghjklmnpqrstvwxz]{5}", re.IGNORECASE)
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


def at_most(text: str) -> int:
    """An upper bound of a text's tokens.

    Bytes for everything outside ASCII (no tokenizer with a byte fall-back needs more), and rates for ASCII
    measured against four tokenizers; English prose is counted some 1.3 times over.
    """
    letters_per_token = 4 if _is_english(text) else 2
    return 1 + sum(_cost(run.group(), run.end() < len(text) and text[run.end()].isdigit(), letters_per_token)
                   for run in _RUN.finditer(text))  # fmt: skip


@lru_cache(maxsize=8)
def counter(file: Path, setting: str) -> Counter:
    """Counts with a tokenizer of Hugging Face's format; raises WhereinError (usage) naming the setting."""
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(file))
    except Exception as error:  # the library raises nothing narrower
        why = " ".join(str(error).split())[:100]
        raise usage(
            f"Setting {setting} is {str(file)!r}, which is no tokenizer that can be read ({why}): name the model's"
            " tokenizer.json, or leave it out.",
            kind="model",
        ) from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def at_least(text: str) -> int:
    """A lower bound of a text's tokens: a word between white space is one at least."""
    return len(text.split()) + len(_UNSPACED.findall(text)) // 3


def count_messages(messages: Sequence[Mapping[str, str]], count: Counter = at_most) -> int:
    """Tokens of a chat, with what the model's chat template adds."""
    return TEMPLATE_TOKENS + sum(MESSAGE_TOKENS + count(message["content"]) for message in messages)


def fit_window(tokens: int, context_window: int) -> int:
    """The smallest of 2048, 4096, 8192, … that holds `tokens`, and never more than `context_window`."""
    window = SMALLEST_WINDOW
    while window < tokens:
        window *= 2
    return min(window, context_window)


def _is_english(text: str) -> bool:
    words = _LETTERS.findall(text.lower())
    return len(words) >= 8 and 5 * sum(word in _ENGLISH for word in words) >= len(words)


@lru_cache(maxsize=65536)
def _cost(run: str, before_digit: bool, letters_per_token: int) -> int:
    if run[0] == " ":
        return len(run) - (0 if before_digit else 1)
    if not run.isascii():
        return len(run.encode("utf-8", "surrogatepass"))
    if run.isalnum():
        return _word_cost(run, letters_per_token)
    return len(run)


def _word_cost(word: str, letters_per_token: int) -> int:
    parts: list[str] = _CASE.findall(word)
    if len(parts) > 3 or len(word) > 24:
        return len(word)
    return sum(_part_cost(part, len(parts) > 1, letters_per_token) for part in parts)


def _part_cost(part: str, mixed: bool, letters_per_token: int) -> int:
    if part[0].isdigit() or _UNPRONOUNCEABLE.search(part):
        return len(part)
    rate = 2 if mixed or part.isupper() or len(part) > 14 else letters_per_token
    return 1 + (len(part) - 1) // rate
