"""Bytes to text: no letter lost, no binary taken for text, and a note where it was not plain Unicode."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.decode import decode
from tasks.unread import Unread

FRENCH = "Hier soir, nous avons mangé à la crêperie ; le garçon était très gentil. Après, j'ai téléphoné à ma sœur."
GERMAN = "Gestern hat es geregnet, trotzdem sind wir über die Brücke zum Markt gegangen. Süße Äpfel, schöne Grüße!"
POLISH = "Wczoraj poszliśmy nad rzekę, żeby zobaczyć zachód słońca. Było już chłodno, ale dzieci chciały się kąpać."
CZECH = "Včera jsme byli na houbách a našli jsme jich plný košík. Děti běhaly po louce a babička vařila knedlíky."
TURKISH = "Dün akşam sahilde yürüyüş yaptık. Büyükannem elmalı börek pişirdi, İstanbul'dan haber bekliyorum, çay içtik."
RUSSIAN = "Вчера вечером мы гуляли по набережной и смотрели, как уходит последний пароход. Было тихо и тепло."
GREEK = "Χθες το βράδυ πήγαμε βόλτα στη θάλασσα και είδαμε το ηλιοβασίλεμα. Η γιαγιά έψησε μια πίτα με σπανάκι."
HEBREW = "אתמול בערב הלכנו לטייל על שפת הים וראינו את השקיעה. סבתא אפתה עוגת תפוחים וישבנו בגינה עד מאוחר."
ARABIC = "ذهبنا مساء أمس في نزهة على شاطئ البحر وشاهدنا غروب الشمس. كان الجو باردا قليلا ولكن الأطفال أرادوا السباحة."
JAPANESE = "昨日の夕方、海辺を散歩して夕日を見ました。少し寒かったけれど、子供たちはそれでも泳ぎたがりました。"
CHINESE = "昨天傍晚我们去海边散步，看了日落。天气有点冷，但是孩子们还是想下水。奶奶烤了苹果馅饼，我们坐到很晚。"
TAIWANESE = "昨天傍晚我們去海邊散步，看了日落。天氣有點冷，但是孩子們還是想下水。奶奶烤了蘋果餡餅，我們坐到很晚。"
KOREAN = "어제 저녁에 우리는 바닷가를 산책하며 해가 지는 것을 보았습니다. 아이들은 물에 들어가고 싶어 했다."
ALL = (FRENCH, GERMAN, POLISH, CZECH, TURKISH, RUSSIAN, GREEK, HEBREW, ARABIC, JAPANESE, CHINESE, TAIWANESE, KOREAN)

WIDE = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
MARKS = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}


@pytest.mark.parametrize("text", ["", "a", "é", "日本語", "😀", "line\r\nend\rof\nall\n", " \n\t\n\xa0\n", *ALL])
@pytest.mark.parametrize("marked", [False, True])
def test_utf8_is_read_as_it_is_without_its_mark(text: str, marked: bool) -> None:
    found = decode((codecs.BOM_UTF8 if marked else b"") + text.encode())
    assert (found.text, found.encoding, found.note) == (text, "utf-8", None)


@pytest.mark.parametrize("text", ["", "a", "abc\n", *ALL])
@pytest.mark.parametrize("encoding", WIDE)
def test_a_mark_names_the_encoding(text: str, encoding: str) -> None:
    found = decode(MARKS[encoding] + text.encode(encoding))
    assert (found.text, found.encoding, found.note) == (text, encoding, None)


@pytest.mark.parametrize("text", [text + "\n" for text in ("a", "abc", *ALL)])
@pytest.mark.parametrize("encoding", WIDE)
def test_wide_text_without_a_mark_is_recognised(text: str, encoding: str) -> None:
    found = decode(text.encode(encoding))
    assert (found.text, found.encoding) == (text, encoding)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        *((text, encoding) for text in (FRENCH, GERMAN) for encoding in ("cp1252", "cp850", "mac-roman")),
        *((text, encoding) for text in (POLISH, CZECH) for encoding in ("cp1250", "iso8859-2")),
        *((TURKISH, encoding) for encoding in ("cp1254", "iso8859-9")),
        *((RUSSIAN, encoding) for encoding in ("cp1251", "koi8-r", "cp866", "iso8859-5", "mac-cyrillic")),
        *((GREEK, encoding) for encoding in ("cp1253", "iso8859-7")),
        (HEBREW, "cp1255"),
        (ARABIC, "cp1256"),
        *((JAPANESE, encoding) for encoding in ("shift_jis", "euc_jp", "iso2022_jp")),
        (CHINESE, "gb18030"),
        (TAIWANESE, "big5"),
        *((KOREAN, encoding) for encoding in ("cp949", "iso2022_kr")),
    ],
)
def test_a_legacy_encoding_is_recognised_and_named(text: str, encoding: str) -> None:
    found = decode(text.replace("œ", "oe").encode(encoding))
    assert found.text == text.replace("œ", "oe")
    assert found.note is not None
    assert found.note.startswith("read as ")


@pytest.mark.parametrize(
    "text",
    [
        "café naïve résumé",
        "déjà vu",
        "über",
        "Zoë said",
        "El Niño",
        "l’été",
        "“quoted”",
        "50 € and more",
        "Größe",
        "São Paulo",
    ],
)
def test_a_few_western_words_keep_their_letters(text: str) -> None:
    assert decode(text.encode("cp1252")).text == text


def test_an_encoding_shows_only_after_much_ascii() -> None:
    text = "plain words " * 50_000 + GERMAN
    found = decode(text.encode("cp1252"))
    assert (found.text, found.encoding, found.note) == (text, "cp1252", "read as Windows-1252")


def test_some_stray_bytes_in_utf8_keep_their_letters_and_the_others() -> None:
    found = decode(GREEK.encode() + " café".encode("cp1252") + "\n–".encode())
    assert (found.text, found.encoding) == (GREEK + " café\n–", "utf-8")
    assert found.note == "1 character not UTF-8, read as Windows-1252"


def test_a_mark_is_believed_before_stray_bytes() -> None:
    found = decode(codecs.BOM_UTF8 + b"caf\xe9")
    assert (found.text, found.encoding) == ("café", "utf-8")


def test_halves_of_a_character_are_joined_and_a_lone_one_is_replaced() -> None:
    assert decode(b"ok \xed\xa0\xbd\xed\xb8\x80").text == "ok 😀"
    lone = decode(b"ok \xed\xa0\xbd!")
    assert (lone.text, lone.note) == ("ok \ufffd!", "read as CESU-8; 1 character replaced")
    wide = decode(codecs.BOM_UTF16_LE + "ok".encode("utf-16-le") + b"\x3d\xd8" + "!".encode("utf-16-le"))
    assert (wide.text, wide.note) == ("ok\ufffd!", "1 character replaced")


def test_every_mark_at_the_start_is_taken_off_and_none_inside() -> None:
    assert decode(codecs.BOM_UTF8 * 2 + "a\ufeffb".encode()).text == "a\ufeffb"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (bytes(range(256)) * 4, "binary data"),
        (b"text with a \0 in it", "binary data"),
        (b"one\0two\0three\0", "binary data"),
        (b"\0" * 100, "binary data"),
        (b"\x01\x02\x03", "binary data"),
        (b"\x01\0\x02\0\x03\0\x04\0", "binary data"),
        (b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\n", "a PDF"),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\nendobj\n", "a PDF"),
        (b"PK\x03\x04\x14\0\0\0\x08\0", "a ZIP archive"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG image"),
        (b"\xff\xd8\xff\xe0JFIF", "a JPEG image"),
        (b"GIF89a\x01\0\x01\0", "a GIF image"),
        (b"SQLite format 3\0\x10\0", "an SQLite database"),
        (b"\x1f\x8b\x08abc", "compressed data"),
        (b"\x7fELF\x02\x01\x01\0", "a program"),
    ],
)
def test_binary_data_is_refused_and_named(data: bytes, said: str) -> None:
    with pytest.raises(Unread, match=said) as refused:
        decode(data)
    assert (refused.value.kind, refused.value.state) == ("binary", "skipped")


@pytest.mark.parametrize(
    "text",
    [
        "%PDF-1.4 is how a PDF begins",
        "GIF89 ist süß",
        "PK",
        "a\x1a",
        "page\x0cbreak\x0b",
        "\x1b[1mbold\x1b[0m",
        "5 \x1b$ note",
    ],
)
def test_text_that_only_looks_odd_is_text(text: str) -> None:
    assert decode(text.encode()).text == text


@given(st.binary(max_size=200))
def test_whatever_the_bytes_the_text_can_be_stored_and_reads_the_same_again(data: bytes) -> None:
    try:
        found = decode(data)
    except Unread as refused:
        assert refused.kind == "binary"
    else:
        assert decode(found.text.encode()).text == found.text


letters = st.characters(codec="utf-8", exclude_categories=["Cc"])


@given(st.text(letters, max_size=100))
def test_any_text_in_utf8_comes_out_as_it_went_in(text: str) -> None:
    assert decode(text.encode()).text == text.lstrip("\ufeff")


@given(st.text(st.characters(codec="latin-1", categories=["L", "Nd", "Zs"]), min_size=1, max_size=60))
def test_no_letter_of_a_legacy_text_is_dropped(text: str) -> None:
    found = decode(b"words " + text.encode("latin-1"))
    high = sum(c > "\x7f" for c in text)
    if found.encoding.startswith(("cp125", "cp8", "iso8859", "koi8", "mac")):  # a byte, a character
        assert len(found.text) == 6 + len(text)
        assert sum(c > "\x7f" for c in found.text) == high
