"""Ask your own files, and be shown where it says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wherein import environment  # noqa: F401 - first: it sets what the model libraries read at import

__version__ = "0.1.0"
__all__ = ["Workspace", "ask", "compare", "evaluate", "ingest", "search"]

if TYPE_CHECKING:
    from wherein.api import ask, compare, evaluate, ingest, search
    from wherein.workspace import Workspace


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'wherein' has no attribute {name!r}")
    import importlib

    module = importlib.import_module("wherein.workspace" if name == "Workspace" else "wherein.api")
    return getattr(module, name)
