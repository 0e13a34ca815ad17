"""Words that turn a statement into its opposite."""

from __future__ import annotations

import re

_WORDS = """
not no never none nor neither cannot without nobody nothing hardly
nicht kein keine keinen keinem keiner keines nie niemals nichts weder ohne
ne pas jamais aucun aucune ni sans rien
non mai nessun nessuno nessuna senza
nunca jamás tampoco sin não jamais nem sem
niet geen nooit ikke aldrig inte ingen ei
nie brak bez не нет ни без никогда
değil hiç yok
لا لم لن ليس ليست ما غير بلا
δεν μην όχι ποτέ
"""
_LISTED = frozenset(_WORDS.split())
_WORD = re.compile(r"[^\W\d_]+(?:['’\"][^\W\d_]+)?")
_SHORT = re.compile(r"n['’\"]t\Z")
_UNSPACED = re.compile("[不没沒未無无非別别莫]|ない|ません|なかった|ぬ|ไม่|មិន|မ")


def negates(text: str) -> bool:
    """Whether a text holds a negation; in languages that negate by an ending alone none is seen."""
    found = (word.lower() for word in _WORD.findall(text))
    return any(word in _LISTED or _SHORT.search(word) for word in found) or bool(_UNSPACED.search(text))
