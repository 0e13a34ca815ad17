"""Sentences turned into questions: when, where, why, who, how much."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tasks.evaluation.making.corpus import Corpus, Draft, Sentence
from tasks.evaluation.making.english import specific
from tasks.evaluation.making.english_words import VAGUE
from tasks.evaluation.making.facts import Fact, facts, prices
from tasks.evaluation.making.verbs import PASTS

KIND = "fact"
_MOST_FILES, _MOST_ABOUT = 2, 6


def drafts(corpus: Corpus) -> Iterator[Draft]:
    """One for each fact of an English sentence that one file alone tells."""
    for number in corpus.shuffled(KIND):
        if corpus.is_english(number):
            for sentence in corpus.sentences(number):
                yield from _of(corpus, sentence)


def _of(corpus: Corpus, sentence: Sentence) -> Iterator[Draft]:
    for price in prices(sentence):
        if specific(price.thing.split()) and corpus.files_with(price.thing) == {sentence.file}:
            yield draft(corpus, KIND, [sentence], f"How much did I pay for {price.thing}?", price.amount)
    for fact in facts(corpus, sentence):
        told = tellings(corpus, fact)
        question, answer = asked(corpus, fact) if told else ("", None)
        if question and (len(told) == 1 or answer is None):
            yield draft(corpus, KIND, told, question, answer)


def draft(corpus: Corpus, kind: str, told: Sequence[Sentence], question: str, answer: str | None = None) -> Draft:
    """A question made from the first of some sentences, which all answer it."""
    made_from = told[0]
    return Draft(
        kind,
        question,
        tuple(corpus.said_in(sentence) for sentence in sorted(told, key=lambda sentence: sentence.file)),
        answer,
        corpus.passages_at(made_from.file, made_from.start),
        frozenset(sentence.file for sentence in told),
    )


def tellings(corpus: Corpus, fact: Fact) -> list[Sentence]:
    """The sentences that tell a fact, its own first; none if it tells little, or if many files may tell it too."""
    telling = specific(fact.words)
    if not telling or fact.head.lower() in VAGUE:
        return []
    about = corpus.files_with(" ".join(fact.words))
    rarest = min(len(corpus.files_with(word)) for word in telling)
    if len(about) > _MOST_ABOUT or rarest > 2 * corpus.few():
        return []
    verbs = corpus.files_with_any((fact.base, PASTS.get(fact.base, fact.past), fact.past))
    others = [_same(corpus, number, fact) for number in sorted((about & verbs) - {fact.sentence.file})]
    found = [fact.sentence, *(sentence for sentence in others if sentence is not None)]
    return found if len(found) <= _MOST_FILES else []


def _same(corpus: Corpus, number: int, fact: Fact) -> Sentence | None:
    """The first sentence of another file that holds the verb and all the words of a fact."""
    for sentence in corpus.all_sentences(number):
        terms = corpus.terms(sentence)
        if all(corpus.holds(terms, word) for word in fact.words) and any(
            corpus.holds(terms, verb) for verb in (fact.base, PASTS.get(fact.base, fact.past), fact.past)
        ):
            return sentence
    return None


def asked(corpus: Corpus, fact: Fact) -> tuple[str, str | None]:
    """A question that the fact answers, with its answer where the sentence states it; "" where none fits."""
    dated = corpus.files[fact.sentence.file].date is not None
    stated = _stated(corpus, fact, dated)
    if stated is not None:
        return stated
    return (f"When {clause(fact)}?", None) if dated else ("", None)


def _stated(corpus: Corpus, fact: Fact, dated: bool) -> tuple[str, str] | None:
    """A question whose answer stands in the sentence, if there is one."""
    chance = corpus.chance(KIND, fact.thing, fact.base) % 3
    if fact.reason:
        return f"Why {clause(fact)}?", fact.reason
    if fact.form != "active" or fact.preposition:
        return None
    if fact.price:
        return f"How much {clause(fact, tail=False)} for?", fact.price
    if fact.place.split(" ")[0] in ("at", "in") and chance == 0:
        return f"Where {clause(fact, tail=False)}?", fact.place
    if fact.who not in ("I", "we") and (chance == 1 or not dated):
        return f"Who {fact.past} {_full(fact)}?", fact.who
    return None


def clause(fact: Fact, base: str = "", thing: str = "", *, tail: bool = True) -> str:
    """ "did I sell the engine": what comes after the question word, with another verb or thing where one is given."""
    end = f" {fact.tail}" if fact.tail and tail else ""
    if fact.form == "passive":
        return f"{'were' if fact.head.endswith('s') else 'was'} {thing or fact.thing} {base or fact.past}{end}"
    verb = " ".join(part for part in (base or fact.base, fact.preposition) if part)
    said = f"did {fact.who} {verb}"
    return f"{said} {thing or fact.thing}{end}" if fact.form == "active" else f"{said}{end}"


def _full(fact: Fact) -> str:
    return f"{fact.thing} {fact.tail}".strip()
