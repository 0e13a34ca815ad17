"""Questions for what stands under a heading within a passage."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tasks.evaluation.making.corpus import Corpus, Draft
from tasks.evaluation.making.english import specific, tokens
from tasks.evaluation.making.english_words import DETERMINERS, FUNCTION
from tasks.evaluation.making.layout import Heading, unmarked
from tasks.evaluation.making.verbs import DOING, GERUNDS
from tasks.folding import squeeze

KIND = "heading"
_LEAST_BODY, _LONGEST_TITLE, _QUOTED = 40, 80, 200
_ABOUT = ("What do my notes say about {title}?", "{title}", "notes on {title}")
_LONG_WORDS = 6
_UNCLEAR = re.compile(
    r"http|:|[Bb]ut |\b(?:it|this|that|these|those|them|instead|here|other|another|we|you)\b", re.IGNORECASE
)
_HOW = ("How do I {title}?", "How can I {title}?", "how to {title}")


def drafts(corpus: Corpus) -> Iterator[Draft]:
    """One for each heading that no other file has, if what follows it can be quoted."""
    for number in corpus.shuffled(KIND):
        for heading in corpus.headings(number):
            title, quote = usable(corpus, number, heading)
            if quote:
                yield Draft(
                    KIND,
                    question(corpus, number, title),
                    (corpus.relevant(number, quote),),
                    passages=corpus.passages_at(number, heading.start),
                    files=frozenset({number}),
                )


def usable(corpus: Corpus, number: int, heading: Heading) -> tuple[str, str]:
    """A title without its marks, and a line of what stands below it; the line is "" where no question can be made."""
    title = unmarked(heading.title).strip(" .:!")
    fits = bool(title) and _counts(corpus)[squeeze(title)] == 1 and _telling(title)
    return title, _quote(corpus.files[number].text, heading) if fits else ""


def _counts(corpus: Corpus) -> dict[str, int]:
    """How many headings of the corpus have each title; computed once."""
    if "titles" not in corpus.kept:
        corpus.kept["titles"] = _counted(corpus)
    found: dict[str, int] = corpus.kept["titles"]
    return found


def _counted(corpus: Corpus) -> dict[str, int]:
    counts: dict[str, int] = {}
    for number in range(len(corpus.files)):
        for heading in corpus.layout(number).headings:
            title = squeeze(unmarked(heading.title).strip(" .:!"))
            counts[title] = counts.get(title, 0) + 1
    return counts


def _telling(title: str) -> bool:
    words = specific([token.text for token in tokens(title)])
    plain = title[0].isalnum() and not _UNCLEAR.search(title)
    return plain and len(words) >= 2 and len(title) <= _LONGEST_TITLE


def _quote(text: str, heading: Heading) -> str:
    """The first line below a heading that says something; "" if there is too little."""
    body = text[slice(*heading.body)]
    if len(body.strip()) < _LEAST_BODY:
        return ""
    lines = (line.strip() for line in body.splitlines())
    return next((line[:_QUOTED] for line in lines if sum(c.isalnum() for c in line) >= 12), "")


def question(corpus: Corpus, number: int, title: str) -> str:
    """What a title says as a question; the title itself where it is not English, or asks already."""
    first, _, rest = title.partition(" ")
    if not corpus.is_english(number) or title.endswith("?"):
        return title
    doing = GERUNDS.get(first.lower()) or (first.lower() if first.lower() in DOING else None)
    if doing and rest:
        return corpus.pick(_HOW, KIND, title).format(title=f"{doing} {rest}")
    title = f"{_small(corpus, first)} {rest}".strip()
    forms = _ABOUT if first[-1] == "s" or first.lower() in DETERMINERS else _ABOUT[1:]
    if first.endswith("ing") or first.lower() in FUNCTION - DETERMINERS or len(title.split()) > _LONG_WORDS:
        return title
    return corpus.pick(forms, KIND, title).format(title=title)


def _small(corpus: Corpus, word: str) -> str:
    """The first word of a title as it would stand within a sentence."""
    return word[0].lower() + word[1:] if corpus.lower_words[word.lower()] and word[1:].islower() else word
