from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from store import container
from store.container import Container, Damaged


def _write(path: Path, **arrays: np.ndarray) -> None:
    container.write(path, {"rows": 3}, arrays)


def test_arrays_come_back_as_written(tmp_path: Path) -> None:
    floats = np.arange(12, dtype=np.float32).reshape(3, 4)
    _write(tmp_path / "a", floats=floats, empty=np.empty((0, 4), dtype=np.int32), bytes=np.frombuffer(b"xyz", np.uint8))
    opened = Container(tmp_path / "a")
    assert opened.meta == {"rows": 3}
    assert np.array_equal(opened.arrays["floats"], floats)
    assert opened.arrays["empty"].shape == (0, 4)
    assert opened.arrays["bytes"].tobytes() == b"xyz"


def test_equal_content_gives_equal_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        _write(tmp_path / name, numbers=np.arange(5))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize("damage", ["missing", "empty", "cut", "grown", "header", "footer"])
def test_a_damaged_file_is_not_opened(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "a"
    _write(path, numbers=np.arange(100))
    data = path.read_bytes()
    changed = {
        "empty": b"",
        "cut": data[:-20],
        "grown": data + b"\0" * 8,
        "header": b"noise!!!" + data[8:],
        "footer": data[:-8] + b"noise!!!",
    }
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(changed[damage])
    with pytest.raises(Damaged, match="a is"):
        Container(path)
