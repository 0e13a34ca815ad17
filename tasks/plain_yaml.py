"""YAML as JSON values: safe, without aliases, of bounded depth."""

from __future__ import annotations

import math
from datetime import date
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from yaml import SafeLoader as Base
else:
    from yaml import SafeLoader

    Base = getattr(yaml, "CSafeLoader", SafeLoader)

DEEPEST = 20
_LONGEST_NUMBER = 40


class Loader(Base):
    """A scalar that is not plainly a number, a truth value or a date stays the text it was written as."""


def load_mapping(block: str) -> dict[str, Any] | None:
    """The mapping a block holds; None if it holds something else, is not YAML, is aliased or too deep."""
    try:
        if not _is_tame(block):
            return None
        value = yaml.load(block, Loader)
    except (yaml.YAMLError, ValueError, OverflowError, TypeError):
        return None
    plain = _plain(value)
    return plain if isinstance(plain, dict) else None


def _is_tame(block: str) -> bool:
    """Whether it repeats nothing by reference and nests no deeper than allowed: few bytes, few values."""
    depth = 0
    for event in yaml.parse(block, Loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST or isinstance(event, yaml.AliasEvent):
            return False
    return True


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(_plain(key)): _plain(inner) for key, inner in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(str(_plain(inner)) for inner in value)
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    is_json = value is None or isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))
    return value if is_json else str(value)


def _number(loader: Loader, node: yaml.ScalarNode) -> Any:
    """Not 12:30, which YAML 1.1 takes for 750, nor a number of more digits than one writes."""
    if ":" in node.value or len(node.value) > _LONGEST_NUMBER:
        return node.value
    is_whole = node.tag == "tag:yaml.org,2002:int"
    return loader.construct_yaml_int(node) if is_whole else loader.construct_yaml_float(node)


def _truth(_loader: Loader, node: yaml.ScalarNode) -> Any:
    """Not "no" and "on", which are words."""
    return {"true": True, "false": False}.get(node.value.lower(), node.value)


def _timestamp(loader: Loader, node: yaml.ScalarNode) -> Any:
    """As written if there is no such day."""
    try:
        return loader.construct_yaml_timestamp(node)
    except ValueError:
        return node.value


for _tag, _constructor in (("int", _number), ("float", _number), ("bool", _truth), ("timestamp", _timestamp)):
    Loader.add_constructor(f"tag:yaml.org,2002:{_tag}", _constructor)
