"""One request to a language model beside the answer itself: a template filled, and what came back."""

from __future__ import annotations

from collections.abc import Mapping

from prompts.template import load
from store.errors import usage
from tasks.providers.base import Generation, GenerationRequest
from tasks.synthesise import synthesise
from tasks.tokens import at_least, at_most, count_messages, fit_window
from wherein.pipelines import synthesis
from wherein.pipelines.synthesis import Model
from wherein.workspace import Workspace


def model_for(workspace: Workspace, what: str, name: str | None = None) -> Model:
    """A model that writes; raises WhereinError (exit 2) where `extractive` is set, which only quotes."""
    found = synthesis.model(workspace, name)
    if found.server is None:
        raise usage(
            f"{what} needs a language model, and {found.name!r} only quotes: name a model that writes, as with"
            " --set synthesis.model=ollama/NAME.",
            kind="model",
        )
    return found


def complete(
    workspace: Workspace,
    asked: Model,
    template: str,
    values: Mapping[str, str],
    max_tokens: int,
    seed: int,
    least_window: int = 0,
) -> Generation:
    """Fill a template and ask once; raises GenerationFailed. The temperature is that of the settings.

    `least_window`: the tokens that the requests before and after ask for; Ollama loads a model anew for another window.
    """
    system, user = load(template, synthesis.template_folder(workspace)).render(values)
    messages = ({"role": "system", "content": system}, {"role": "user", "content": user})
    section = workspace.settings.synthesis
    need = count_messages(messages, at_most) + max_tokens
    request = GenerationRequest(
        messages=messages,
        temperature=section.temperature,
        seed=seed,
        max_tokens=max_tokens,
        num_ctx=min(asked.window, max(least_window, fit_window(need, asked.window))),
        keep_alive=section.keep_alive,
        first_token_seconds=section.first_token_seconds,
        timeout_seconds=section.timeout_seconds,
        least_tokens=sum(at_least(message["content"]) for message in messages),
        question=user,
    )
    return synthesise(asked.server, request)
