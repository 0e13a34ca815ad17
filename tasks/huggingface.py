"""Loading with the Hugging Face libraries: their errors, their devices, their chatter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, TypeVar

from store.errors import WhereinError, usage
from tasks.parallel import cores, each

Item = TypeVar("Item")
Result = TypeVar("Result")


@contextmanager
def loading(setting: str, model: str) -> Iterator[None]:
    """Turn whatever goes wrong while a model is loaded into one sentence that names the setting."""
    try:
        yield
    except WhereinError:
        raise
    except Exception as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise usage(
            f"Setting {setting} is {model!r}, which cannot be loaded: {reason.rstrip('.')};"
            " repair the model's files, or name another model.",
            kind="model",
        ) from error


@contextmanager
def quiet() -> Iterator[None]:
    """No progress bars and load reports: a model is loaded, or there is an error."""
    logging: Any = import_module("transformers.utils.logging")
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def devices(device: str) -> list[str]:
    """Torch devices to try in turn; "auto" is the best there is, then the CPU. Raises WhereinError for no device."""
    import torch

    if device != "auto":
        if not _works(device):
            raise usage(f'Setting embedding.device is {device!r}, which torch cannot use here; use "auto" or "cpu".')
        return [device]
    accelerators = (("cuda", torch.cuda.is_available()), ("mps", torch.backends.mps.is_available()))
    return [*(name for name, present in accelerators if present and _works(name)), "cpu"]


def _works(device: str) -> bool:
    import torch

    try:
        torch.zeros(1, device=device).sum().item()
    except (RuntimeError, AssertionError):
        return False
    return True


def on_cores(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """`work` of every item on all cores, each item on one.

    As fast as batches on a free machine, and much faster on a busy one, where threads that share an item wait for
    each other at every step.
    """
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return each(work, items, cores())
    finally:
        torch.set_num_threads(threads)


class OnDevice:
    """A loaded model that moves on to its next device when one fails, as for want of memory."""

    def __init__(self, load: Callable[[str], Any], devices: Sequence[str]) -> None:
        self._load = load
        self._spare = list(devices)
        self._model: Any = None
        self.device = ""
        self.run(lambda _model: None)

    def run(self, work: Callable[[Any], Result]) -> Result:
        """`work` of the model; raises RuntimeError if it fails on the last device."""
        while True:
            try:
                if self._model is None:
                    self.device = self._spare.pop(0)
                    self._model = self._load(self.device)
                return work(self._model)
            except RuntimeError:
                if not self._spare:
                    raise
                self._model = None
