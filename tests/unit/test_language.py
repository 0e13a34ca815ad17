"""Language detection: sure where it shows, neutral where it does not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.language import detect_language
from tasks.stems import LANGUAGES

TEXTS = {
    "ca": "Avui he anat al mercat amb la meva germana i hem comprat pa per a tota la setmana.",
    "cs": "Dnes jsem šel se sestrou na trh a koupili jsme chleba na celý týden.",
    "da": "I dag gik jeg på markedet med min søster, og vi købte brød, som vi ikke havde fået noget af.",
    "de": "Heute war ich mit meiner Schwester auf dem Markt und habe frisches Brot gekauft.",
    "el": "Σήμερα πήγα στην αγορά με την αδελφή μου",
    "en": "The kettle was on the stove when she came in from the rain.",
    "es": "Hoy fui al mercado con mi hermana y compramos pan para toda la semana.",
    "fi": "Tänään kävin torilla siskoni kanssa ja ostimme leipää, joka oli vielä lämmintä.",
    "fr": "Ce matin je suis allé au marché avec ma soeur et nous avons acheté du pain.",
    "hu": "Ma a piacon voltam a nővéremmel, és kenyeret vettünk az egész hétre.",
    "it": "Oggi sono andato al mercato con mia sorella e abbiamo comprato il pane.",
    "ja": "猫が好きです",
    "ko": "오늘 나는 동생과 시장에 갔다",
    "nl": "Vandaag ben ik met mijn zus naar de markt gegaan en we hebben brood gekocht.",
    "no": "I dag gikk jeg på markedet med søsteren min, og vi kjøpte noe brød etter at vi hadde vært ute.",
    "pl": "Dzisiaj poszedłem na targ z moją siostrą i kupiliśmy chleb na cały tydzień.",
    "pt": "Hoje fui ao mercado com a minha irmã e comprámos pão para a semana.",
    "ro": "Astăzi am fost la piață cu sora mea și am cumpărat pâine pentru toată săptămâna.",
    "ru": "Сегодня я ходил на рынок с сестрой, и мы купили хлеб на всю неделю.",
    "sv": "Idag gick jag till torget med min syster och vi köpte bröd för hela veckan.",
    "th": "วันนี้ฉันไปตลาดกับน้องสาว",
    "tr": "Bugün kız kardeşimle pazara gittim ve bütün hafta için ekmek aldık.",
    "zh": "我今天和妹妹一起去了市场",
}


@pytest.mark.parametrize("language", sorted(TEXTS))
def test_a_sentence_shows_its_language(language: str) -> None:
    assert detect_language(TEXTS[language]) == language


@pytest.mark.parametrize(
    "text",
    [
        "",
        "garden notes",
        "Brixtelle",
        "1 2 3 4",
        "def f(x): return x + 1",
        "Сьогодні я ходив на ринок із сестрою, і ми купили хліб на весь тиждень.",  # Ukrainian
        "Hari ini saya pergi ke pasar dengan adik saya dan kami membeli roti.",  # Indonesian
        "Hôm nay tôi đi chợ với chị gái và mua bánh mì.",  # Vietnamese
    ],
)
def test_an_unsure_text_is_neutral(text: str) -> None:
    assert detect_language(text) == "none"


def test_code_and_links_do_not_speak() -> None:
    assert detect_language("```\nthe of and to in\n```\nsee `the and of` https://the.of/and/to/in") == "none"


def test_a_huge_text_is_read_from_its_beginning() -> None:
    assert detect_language(TEXTS["fr"] + " " + TEXTS["de"] * 5000) in ("de", "fr", "none")
    assert detect_language((TEXTS["de"] + " ") * 20000) == "de"


@settings(deadline=None)
@given(st.text())
def test_any_text_has_a_known_language_or_none(text: str) -> None:
    assert detect_language(text) in LANGUAGES
