"""English verbs whose past and -ing forms the rules recognise."""

from __future__ import annotations

from tasks.evaluation.making.wordlist import pairs, words

_IRREGULAR = pairs(
    "bought buy|sold sell|found find|lost lose|met meet|paid pay|gave give|took take|made make|wrote write|read read"
    "|built build|rebuilt rebuild|broke break|cut cut|ate eat|drank drink|sent send|brought bring|kept keep"
    "|began begin|sang sing|saw see|heard hear|taught teach|caught catch|chose choose|drew draw|drove drive|hung hang"
    "|hid hide|laid lay|lent lend|lit light|rang ring|stole steal|threw throw|wore wear|won win|dug dig|sewed sew"
    "|sank sink|tore tear|shot shoot|swept sweep|ground grind|grew grow|flew fly|left leave|fed feed|cancelled cancel"
)
_TRANSITIVE = words(
    """
    paint plant cook bake open close finish start order sign borrow return repair mend fix visit invite clean wash
    measure count join receive post install remove replace sand saw clear burn collect deliver design discover drop
    examine inspect launch lift load lock marry pack propose record rent save serve sow stop test unpack watch weigh
    hire fetch pull scrape varnish oil empty fill paste nail rivet plane peel boil fry roast bury frame polish copy
    translate pawn purchase accept refuse appoint baptise christen kiss shave kill rescue carry try
    """
)
_WITH_PREPOSITION = (  # past, base, preposition
    "went go to|walked walk to|sailed sail to|drove drive to|moved move to|dined dine with|dined dine at"
    "|supped sup with|stayed stay with|stayed stay at|talked talk with|spoke speak with|spoke speak to|met meet with"
    "|travelled travel to|rode ride to|cycled cycle to|listened listen to|looked look at|called call on|went go into"
    "|applied apply to|voted vote for|drank drink with|lay lie at|slept sleep at|sat sit with|quarrelled quarrel with"
)
_DOING = words(
    """
    add adjust allow analyze annotate apply archive attach automate avoid back block build bundle cache calculate call
    capture change check clean clone close combine compare compile compress compute concatenate configure connect
    control convert copy count crawl create customize debug decode decrypt delete deploy detect diff disable discover
    display download dump edit embed emulate enable encode encrypt enforce escape exclude execute explain explore export
    expose extract fetch filter find fix follow force format generate group handle hide host identify ignore implement
    import include increase index inline insert inspect install intercept interact join keep lint list load lock log
    loop make manage map mark match measure merge migrate mock modify monitor mount move obtain open optimize output
    override package parse paste patch pause pin pipe populate post preview print process prevent profile protect
    provide publish pull push query quit re-run read rebuild record redirect reduce register remove rename render repeat
    replace rerun reset resize resolve restart restore restrict retrieve return reuse revert rewrite rotate run save
    scale schedule scrape search select send serve set share show shrink skip sort specify split start stop store stream
    submit subscribe summarize switch sync test track transcribe transform translate trigger trim truncate turn undo
    uninstall unpack update upgrade upload use validate verify view visualize wait watch wrap write
    """
)


def _doubled(base: str) -> str:
    """A verb before -ed and -ing: stop → stopp; those of two syllables that double are left to the tables."""
    short = len(base) <= 4 and base[-1] not in "aeiouwxy" and base[-2] in "aeiou" and base[-3:-2] not in "aeiou"
    return base + base[-1] if short else base


def _past(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    return base[:-1] + "ied" if base[-1] == "y" and base[-2] not in "aeiou" else _doubled(base) + "ed"


def _gerund(base: str) -> str:
    return base[:-1] + "ing" if base.endswith("e") and base[-2] not in "ey" else _doubled(base) + "ing"


_REGULAR = {_past(base): base for base in sorted(_TRANSITIVE)}
BASES: dict[str, str] = _IRREGULAR | _REGULAR
"""Past → base of verbs that take an object."""
PASTS = {base: past for past, base in BASES.items()}
PREPOSITIONAL: dict[tuple[str, str], str] = {
    (past, preposition): base for past, base, preposition in (entry.split() for entry in _WITH_PREPOSITION.split("|"))
}
"""(past, preposition) → base of verbs that take an object after a preposition."""
_OWN_PARTICIPLES = pairs(
    "given give|taken take|written write|broken break|eaten eat|begun begin|sung sing|seen see|chosen choose"
    "|drawn draw|driven drive|hidden hide|rung ring|stolen steal|thrown throw|worn wear|sunk sink|torn tear|grown grow"
    "|flown fly"
)
PARTICIPLES: dict[str, str] = {
    past: base for past, base in BASES.items() if base not in {*_OWN_PARTICIPLES.values(), "read", "drink"}
} | _OWN_PARTICIPLES
"""Past participle → base."""
INTRANSITIVE = pairs(
    "opened open|closed close|arrived arrive|died die|fell fall|sank sink|burst burst|began begin|started start"
    "|stopped stop|failed fail|returned return|collapsed collapse|broke break|left leave|retired retire|leaked leak"
    "|flooded flood|froze freeze|burned burn|burnt burn|ended end|sailed sail|moved move|married marry|rang ring"
    "|visited visit|called call|preached preach|disappeared disappear|cracked crack|split split|bloomed bloom"
    "|flowered flower|sprouted sprout|hatched hatch|escaped escape|resigned resign|recovered recover"
)
"""Past → base of verbs that need no object."""
DOING = _DOING
"""What instructions tell to do."""
GERUNDS = {_gerund(base): base for base in sorted(_DOING)} | pairs("resetting reset|submitting submit|quitting quit")
"""-ing form → base."""
CONCRETE = ("buy", "sell", "lose", "find", "break", "repair", "borrow", "clean", "throw away")
"""What may be done with most things."""
