"""The lines of a golden file, plain or gzip, and what is said of one that is wrong."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from store.errors import WhereinError, usage


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """(number from 1, text) of each line that is not blank; raises WhereinError (exit 2) if it cannot be read."""
    for number, line in enumerate(_text(path).split("\n"), 1):
        if line.strip():
            yield number, line.rstrip("\r")


def rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line number, object) of a JSONL file."""
    for number, line in lines(path):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise wrong(path, number, "is not JSON: write one object a line, as `wherein golden make` does") from error
        if not isinstance(row, dict):
            raise wrong(path, number, 'is not an object: write {"question": …, "relevant": […]}')
        yield number, row


def wrong(path: Path, number: int, what: str) -> WhereinError:
    return usage(f"Line {number} of {path} {what}.", kind="golden")


def _text(path: Path) -> str:
    try:
        data = path.read_bytes()
        return (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise usage(f"{path} is not UTF-8 text (byte {error.start}): convert it.", kind="golden") from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise usage(f"{path} is damaged ({error}): fetch it anew.", kind="golden") from error
    except OSError as error:
        raise usage(f"Cannot read {path}: {error.strerror}; check the name.", kind="golden") from error
