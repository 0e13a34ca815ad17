"""What is put before each chunk of a file, as the settings have it."""

from __future__ import annotations

from typing import Any

from store.records import Document
from tasks.context import Tokenize, before, header, title
from tasks.file_dates import file_date
from wherein.pipelines.items import Item


def headed(item: Item, document: Document, shape: dict[str, Any], tokenize: Tokenize) -> list[str]:
    """The chunks with day, title and headings before them, where the settings want these."""
    chunking = shape["chunking"]
    if chunking["context"] != "headings":
        return item.texts
    day, _ = file_date(item.path, document, shape["dates"])
    name, tokens = title(item.path, document), chunking["header"]["tokens"]
    return [
        before(header(text, name, span.heading, day, tokenize, tokens), text)
        for span, text in zip(item.spans, item.texts, strict=True)
    ]
