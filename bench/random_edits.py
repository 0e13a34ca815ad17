"""A folder of made-up notes, and random edits of it."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

SYLLABLES = ("ba", "co", "di", "fu", "gel", "hor", "jin", "kal", "lem", "mos", "nar", "pil", "quo", "rus", "tam", "vex")
PARAGRAPHS = (1, 6)
WORDS = (8, 60)
MOST_FILES = 70


class RandomNotes:
    """The same seed gives the same folder and the same edits."""

    def __init__(self, root: Path, chance: random.Random) -> None:
        self.root = root
        self.chance = chance
        self._count = 0
        self._old: list[tuple[Path, bytes]] = []
        self.vocabulary = ["".join(chance.choices(SYLLABLES, k=chance.randint(1, 3))) for _ in range(600)]
        self.vocabulary += [f"RX-{number}" for number in range(40)] + ["Zoë", "naïve", "Ελλάς", "東京"]
        root.mkdir(parents=True)

    def fill(self, files: int) -> None:
        for _ in range(files):
            self._add()

    def queries(self, count: int) -> list[str]:
        """Words of the vocabulary, one to four together; some name a day."""
        chosen = [" ".join(self.chance.sample(self.vocabulary, self.chance.randint(1, 4))) for _ in range(count)]
        return [*chosen, "what was said on 2024-03-05", "RX-7"]

    def edit(self) -> None:
        """One to twelve edits."""
        for _ in range(self.chance.randint(1, 12)):
            self.chance.choice(
                (self._add, self._append, self._insert, self._cut, self._delete, self._rename, self._swap, self._copy,
                 self._revert, self._touch, self._move_folder)
            )()  # fmt: skip

    def _paths(self) -> list[Path]:
        return sorted(path for path in self.root.rglob("*") if path.is_file())

    def _any(self) -> Path:
        path = self.chance.choice(self._paths())
        self._old.append((path, path.read_bytes()))
        return path

    def _fresh(self) -> Path:
        self._count += 1
        day = f"2024-{self.chance.randint(1, 12):02}-{self.chance.randint(1, 28):02}"
        folder = self.root / self.chance.choice(("", "sub", "sub/deep", "other"))
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{day} note {self._count}{self.chance.choice(('.md', '.txt'))}"

    def _paragraph(self) -> str:
        words = self.chance.choices(self.vocabulary, k=self.chance.randint(*WORDS))
        return " ".join(words).capitalize() + "."

    def _text(self) -> bytes:
        count = self.chance.randint(*PARAGRAPHS)
        return "\n\n".join(self._paragraph() for _ in range(count)).encode()

    def _add(self) -> None:
        if len(self._paths()) < MOST_FILES:
            self._fresh().write_bytes(self._text())

    def _append(self) -> None:
        path = self._any()
        path.write_bytes(path.read_bytes() + b"\n\n" + self._text())

    def _insert(self) -> None:
        path = self._any()
        parts = path.read_text(encoding="utf-8").split("\n\n")
        parts.insert(self.chance.randint(0, len(parts)), self._paragraph())
        path.write_bytes("\n\n".join(parts).encode())

    def _cut(self) -> None:
        path = self._any()
        parts = path.read_text(encoding="utf-8").split("\n\n")
        path.write_bytes("\n\n".join(parts[: self.chance.randint(0, len(parts))]).encode())

    def _delete(self) -> None:
        if len(self._paths()) > MOST_FILES // 2:
            self._any().unlink()

    def _rename(self) -> None:
        self._any().rename(self._fresh())

    def _swap(self) -> None:
        first, second = self._any(), self._any()
        one, other = first.read_bytes(), second.read_bytes()
        first.write_bytes(other)
        second.write_bytes(one)

    def _copy(self) -> None:
        shutil.copyfile(self._any(), self._fresh())

    def _revert(self) -> None:
        """Bring an earlier state of some file back."""
        if self._old:
            path, content = self.chance.choice(self._old)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def _touch(self) -> None:
        self._any().touch()

    def _move_folder(self) -> None:
        source, target = self.root / "sub", self.root / f"moved {self._count}"
        if source.exists() and not target.exists():
            source.rename(target)
