"""Templates: text files that declare their variables; name and sha256 travel with every answer."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from store.errors import WhereinError, usage

PARTS = ("system", "user", "weak")
_OTHER_USES = {"condense", "expand", "golden", "hyde", "situate"}  # write questions, wordings, sentences: no answers
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")
_HEADER = re.compile(r"---[ \t]*\n(.*?)\n---[ \t]*\n", re.DOTALL)
_PART = re.compile(r"^=== (\w+) ===[ \t]*$", re.MULTILINE)
_FIELD = re.compile(r"\{\{([A-Za-z_]\w*)\}\}|\{([A-Za-z_]\w*)\}")


@dataclass(frozen=True, slots=True)
class Template:
    """A template's parts. `{name}` is filled, `{{name}}` stands for itself, other braces mean nothing.

    `weak` is what to say of weak evidence; `{weak}` is that with a blank line after it, or nothing at all.
    """

    name: str
    sha256: str
    variables: tuple[str, ...]
    system: str
    user: str
    weak: str = ""

    def render(self, values: Mapping[str, str], *, weak: bool = False) -> tuple[str, str]:
        """The system and the user text; what is filled in is never read as a template itself.

        Raises WhereinError naming a declared variable that has no value.
        """
        for variable in self.variables:
            if variable not in values and variable != "weak":
                known = ", ".join(sorted({*values, "weak"}))
                raise _wrong(self.name, f"declares {variable!r}, which nothing fills (known: {known})")
        said = _fill(self.weak, values) + "\n\n" if weak and self.weak else ""
        filled = {**values, "weak": said}
        return _fill(self.system, filled), _fill(self.user, filled)


def load(name: str, folder: Path | None = None) -> Template:
    """The template NAME.md of a person's own folder, else the one that comes with the program.

    Raises WhereinError (a usage error) for a name without a template and for a template that is wrong.
    """
    if not _NAME.fullmatch(name):
        raise usage(f"Setting synthesis.prompt is {name!r}; use a name of letters, digits, '-', '_' and '.'.")
    return parse(name, _read(name, folder))


def parse(name: str, data: bytes) -> Template:
    """Read a template: a header that declares the variables, then its parts.

    Raises WhereinError naming an undeclared variable, or a declared one that no part uses.
    """
    variables, body = _split_header(name, _decode(name, data))
    parts = _split_parts(name, body)
    _check_variables(name, variables, parts)
    digest = hashlib.sha256(data).hexdigest()
    return Template(name, digest, variables, parts["system"], parts["user"], parts.get("weak", ""))


def available(folder: Path | None = None) -> list[str]:
    """Names of the templates that ask for an answer, a person's own and those that come with the program."""
    own = [path.stem for path in folder.glob("*.md")] if folder is not None else []
    packaged = [Path(entry.name).stem for entry in resources.files("prompts").iterdir()
                if entry.name.endswith(".md")]  # fmt: skip
    return sorted({*own, *packaged} - _OTHER_USES)


def _read(name: str, folder: Path | None) -> bytes:
    if folder is not None and not folder.is_dir():
        raise usage(f"Setting synthesis.prompts_dir is {folder}, which is no folder; create it or unset it.")
    try:
        if folder is not None and (folder / f"{name}.md").is_file():
            return (folder / f"{name}.md").read_bytes()
        return resources.files("prompts").joinpath(f"{name}.md").read_bytes()
    except FileNotFoundError:
        names = ", ".join(available(folder))
        raise usage(f"Setting synthesis.prompt is {name!r}, which is no template; use one of {names}.") from None
    except OSError as error:
        raise _wrong(name, f"cannot be read ({error.strerror})") from error


def _decode(name: str, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise _wrong(name, f"is not UTF-8 text (byte {error.start})") from error


def _split_header(name: str, text: str) -> tuple[tuple[str, ...], str]:
    import yaml

    header = _HEADER.match(text)
    if header is None:
        raise _wrong(name, "does not begin with a header between two lines of ---")
    try:
        fields = yaml.safe_load(header[1])
    except yaml.YAMLError as error:
        raise _wrong(name, "has a header that is not YAML") from error
    variables = fields.get("variables") if isinstance(fields, dict) else None
    if not isinstance(variables, list) or not all(isinstance(variable, str) for variable in variables):
        raise _wrong(name, "does not declare `variables: [...]` in its header")
    return tuple(variables), text[header.end() :]


def _split_parts(name: str, body: str) -> dict[str, str]:
    pieces = _PART.split(body)
    parts = dict(zip(pieces[1::2], (piece.strip("\n") for piece in pieces[2::2]), strict=True))
    for part in parts:
        if part not in PARTS:
            raise _wrong(name, f"has a part {part!r}; parts are {', '.join(PARTS)}")
    for part in ("system", "user"):
        if not parts.get(part, "").strip():
            raise _wrong(name, f"has no part `=== {part} ===`, or an empty one")
    return parts


def _check_variables(name: str, variables: tuple[str, ...], parts: Mapping[str, str]) -> None:
    used = {plain for text in parts.values() for _, plain in _FIELD.findall(text) if plain}
    for variable in sorted(used - set(variables)):
        raise _wrong(name, f"uses {{{variable}}} without declaring it under `variables`")
    for variable in sorted(set(variables) - used):
        raise _wrong(name, f"declares {variable!r} and uses it nowhere")
    if ("weak" in parts) != ("weak" in used):
        raise _wrong(name, "needs both {weak} and a part `=== weak ===`, or neither")


def _fill(text: str, values: Mapping[str, str]) -> str:
    return _FIELD.sub(lambda found: values[found[2]] if found[2] else f"{{{found[1]}}}", text)


def _wrong(name: str, what: str) -> WhereinError:
    return usage(f"The prompt template {name!r} {what}.", kind="template")
