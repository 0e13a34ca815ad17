"""Questions for what notes say how to do."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tasks.evaluation.making.corpus import Corpus, Draft, Sentence
from tasks.evaluation.making.english import specific, tokens
from tasks.evaluation.making.fact import draft
from tasks.evaluation.making.layout import unmarked
from tasks.evaluation.making.verbs import DOING
from tasks.evaluation.making.wordlist import words

KIND = "fact"
_HOW = re.compile(
    r"(?<!n't )(?<!not )\b(?:how (?:to|you can|I)|used to|lets? (?:you|me|us)|allows? (?:you|me|us) to|trick to"
    r"|way to|want(?:ed)? to|need(?:ed)? to|useful (?:for|to)|possible to|you can(?: also)?|how do you|easy to"
    r"|tool to|recipe to) (?P<what>[a-z]+ .+)"
)
_CUT = re.compile(
    r"[,;:!?()]|\.(?=\s|$)| [-–—] | (?:so|but|because|which|when|where|that|if|and|by using|like|since|without|rather"
    r"|or|as|before|after|while|though|until|even|is|are|was) "
)
_POINTS_ELSEWHERE = re.compile(
    r"\b(?:this|these|those|it|them|they|here|above|below|following|another|such|same|other|its|their|everything"
    r"|something|anything|things?|there|you|we|I|me|he|she|own|first|second|last|one|ones|more|some)\b"
)
_FORMS = ("How do I {what}?", "How can I {what}?", "how to {what}", "How do I {what}?")
_LEAST_WORDS, _MOST_WORDS = 4, 14


def drafts(corpus: Corpus) -> Iterator[Draft]:
    """One for each instruction of an English note that holds code."""
    for number in corpus.shuffled("howto"):
        if corpus.is_english(number) and corpus.layout(number).has_code:
            for sentence in corpus.sentences(number):
                for what in instructions(corpus, sentence):
                    yield draft(corpus, KIND, [sentence], corpus.pick(_FORMS, KIND, what).format(what=what))


def instructions(corpus: Corpus, sentence: Sentence) -> Iterator[str]:
    """What a sentence says how to do, if all that it needs to be understood is in it, and no other file has it all."""
    text = unmarked(sentence.text)
    if "http" in text or '"' in text:
        return
    for match in _HOW.finditer(text):
        what = _CUT.split(match["what"])[0].strip()
        if _is_whole(what) and corpus.files_with(what) == {sentence.file}:
            yield re.sub(r"\byour\b", "my", what)
            return


def _is_whole(what: str) -> bool:
    told = what.split()
    if not _LEAST_WORDS <= len(told) <= _MOST_WORDS or told[0] not in DOING or _POINTS_ELSEWHERE.search(what):
        return False
    if told[1] in _HANGING - {"a", "an", "the", "my"} or any(len(word) == 1 and word not in "aCR" for word in told):
        return False
    return len(specific([token.text for token in tokens(what)][1:])) >= 2 and told[-1] not in _HANGING


_HANGING = words("a an the to of for with in on at from into by using and or is are my your")
