"""Write the first `wherein.toml` of a folder."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from string import Template

from store import disk
from store.errors import WhereinError, usage
from wherein.settings import FILE, load

PROFILES = ("default", "journal")
EXTRACTIVE = "extractive"
_HOST = "127.0.0.1"
_PORT = 11434
_PATIENCE_SECONDS = 0.3
_NAME = re.compile(r"[\w.:/@+-]+")
_EMBEDDER_FAMILIES = frozenset({"bert", "nomic-bert", "nomic-bert-moe", "xlm-roberta", "gemma-embedding"})

_DEFAULT = Template("""\
# Settings of this workspace. README.md explains those that people change; wherein/schema.py has them all.

[collections.$name]
path = "."                          # relative to this file, or absolute, or from ~
include = ["**/*.md", "**/*.txt"]
exclude = []

[embedding]
model = "bundled/bge-small-en-v1.5" # runs here; another model needs `wherein ingest --rebuild`

[rerank]
model = "bundled/ms-marco-MiniLM-L-12-v2"

[retrieval]
k = 15                              # passages shown, and read by the model that answers
per_source = 3                      # at most so many of one file; 0 = no limit

[synthesis]
model = $model$why
temperature = 0.3
""")

_JOURNAL = Template("""\
# Settings of this workspace, for a journal: a large embedding model, the best 30 passages of either search
# put before the reranker, and its best 15 before the model that answers.

[collections.$name]
path = "."                          # relative to this file, or absolute, or from ~
include = ["**/*.md", "**/*.txt"]
exclude = []

[embedding]
model = "BAAI/bge-large-en-v1.5"    # fetch it once with `wherein models pull`

[rerank]
model = "bundled/ms-marco-MiniLM-L-12-v2"

[retrieval]
fusion = "union"                    # the final order is the reranker's
pool_vector = 30
pool_keyword = 30
k = 15

[synthesis]
model = "ollama/command-r7b"
temperature = 0.3
""")


@dataclass(frozen=True, slots=True)
class Written:
    """What was set up."""

    file: Path
    collection: str
    model: str


def init(folder: Path, profile: str = "default", *, force: bool = False, find: Callable[[], str | None]) -> Written:
    """Write DIR/wherein.toml, making the folder if need be; `find` names the model for answers, None if there is none.

    Raises WhereinError (exit 2) if the folder is none, or holds the file already.
    """
    if profile not in PROFILES:
        raise usage(f"--profile {profile!r} is not one of {', '.join(PROFILES)}.", kind="usage")
    if folder.exists() and not folder.is_dir():
        raise usage(f"{folder} is a file, not a folder: name another.", kind="usage")
    disk.make_folder(folder)
    file = folder.resolve() / FILE
    if file.exists() and not force:
        raise usage(f"{file} is already there: edit it, or write it anew with --force.", kind="exists")
    name = collection_name(file.parent.name)
    model = "ollama/command-r7b" if profile == "journal" else find() or EXTRACTIVE
    _write(file, _JOURNAL.substitute(name=name) if profile == "journal" else _default(name, model))
    load(file, environment={})
    return Written(file, name, model)


def _default(name: str, model: str) -> str:
    why = "" if model != EXTRACTIVE else "               # no language model: the best sentences, quoted"
    return _DEFAULT.substitute(name=name, model=json.dumps(model, ensure_ascii=False), why=why)


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise WhereinError(f"Cannot write {file}: {error.strerror}.", kind="disk") from error


def collection_name(folder_name: str) -> str:
    """A name for a collection from that of its folder: ASCII letters, digits, - and _; `notes` if none is left."""
    ascii_only = unicodedata.normalize("NFKD", folder_name).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9_]+", "-", ascii_only.lower()).strip("-_") or "notes"


def running_model(host: str = _HOST, port: int = _PORT) -> str | None:
    """`ollama/NAME` for the first chat model of an Ollama that runs on this machine; None without one."""
    from http.client import HTTPConnection, HTTPException

    connection = HTTPConnection(host, port, timeout=_PATIENCE_SECONDS)
    try:
        connection.request("GET", "/api/tags")
        listed = json.loads(connection.getresponse().read())["models"]
        names = [str(model["name"]) for model in listed if _NAME.fullmatch(str(model["name"])) and not _embeds(model)]
    except (OSError, HTTPException, ValueError, KeyError, TypeError):
        return None
    finally:
        connection.close()
    return f"ollama/{names[0].removesuffix(':latest')}" if names else None


def _embeds(model: dict[str, object]) -> bool:
    """Whether it is an embedding model, which answers nothing."""
    from tasks.known_models import known

    details = model.get("details")
    family = details.get("family") if isinstance(details, dict) else None
    name = str(model["name"])
    return family in _EMBEDDER_FAMILIES or "embed" in name.lower() or known(name) is not None
