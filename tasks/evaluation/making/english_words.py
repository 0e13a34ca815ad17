"""Words of English that hold sentences together, or say little."""

from __future__ import annotations

from tasks.evaluation.making.wordlist import words
from tasks.function_words import FUNCTION_WORDS

DETERMINERS = words("the a an my our some his her their")
PREPOSITIONS = words(
    """
    in on at for with to from by into of onto over under through across against behind
    """
)
_MORE = words(
    """
    and or but nor so because when which who whom whose that than then as after before while where until though
    although if is are was were be been being am do does did has have had having can could will would shall should
    may might must not no never it its he him she they them we us you me i this these those there here what how why
    yesterday today tomorrow tonight again too also just only very quite rather more most much many few any all both
    each every either neither other another such same own out up down off away back about since till upon between
    among without within during one two three several little less least now ago once yet still even ever always
    often perhaps almost already together himself herself itself myself themselves each everybody nobody somebody
    anything nothing something everything everyone his her their my our your mine ours hers theirs some like near
    round past along around well soon later early late
    """
)
FUNCTION = DETERMINERS | PREPOSITIONS | FUNCTION_WORDS["en"] | frozenset(_MORE)
ADVERBIAL = words(
    """
    today yesterday tomorrow tonight morning afternoon evening night week month year day
    """
)
VAGUE = words(
    """
    thing things time times day days way ways lot bit sort kind end side one ones part place places moment rest hour
    hours week weeks month months year years morning evening afternoon night minute minutes half while matter
    matters reason people man men woman women person others something piece number point fact case idea example
    other self company business great good long same whole first last next very certain several new old little big
    small nice right left top bottom middle whole true different usual general sake regard manner course account
    purpose copy talk turn look list fan glimpse chance need
    """
)
ORDINARY = words(
    """
    english french german dutch spanish italian british american turkish chinese japanese latin greek scottish irish
    welsh european mexican canadian russian swedish danish norwegian polish portuguese indian african asian roman
    christian catholic protestant jewish muslim western eastern northern southern christmas easter god lord sunday
    president guide user users council parliament chancellor committee governor court house hall city tower park
    bridge exchange office admiral general minister secretary treasurer company society museum university school
    college library government federal national royal internet web server client app email password settings menu
    button chapter section figure table note notes update example step part version release issue error warning todo
    readme north south east west blockhouse customers treasury navy army crown castle covenant testament bible
    gospel persian virgin infirmaries executors
    """
)
"""Words that are written with a capital and name no one thing."""
GENERIC = words(
    """
    wrong decent second third short present chief greater bright cold warm hot wet dry great good bad better worse
    best worst fine pretty ugly nice pleasant jolly sorry dull sad glad happy poor rich strange odd queer mighty
    huge large small little tiny big long short high low tall deep wide narrow thick thin fat full empty hard soft
    easy difficult quick slow fast early late young old new modern ancient recent clear dark light heavy strong weak
    noble handsome excellent perfect proper important serious simple plain special particular common ordinary usual
    neat intriguing interesting useful possible likely similar various several separate single double extra
    additional final latest previous following current missing initial full-time quiet loud clean dirty brave fair
    free ready real open close constant continual daily main major minor general public private able kind gentle
    silly clever foolish wise sweet bitter pure absolute complete entire total exact correct alternative underlying
    resulting relevant brief tricky lower upper sober inner outer
    """
)
"""Adjectives that say little of what a thing is."""
MEASURES = words(
    """
    number numbers bunch combination copy copies part parts lot kind sort bit piece side set couple pair series list
    amount rest act width decade resolution manner heat mark size face foot hold discourse end top bottom way ways
    sense end case form type version bulk majority lack expectation character cast payment last quarter half glass
    nature
    """
)
"""Nouns before "of" that say little of what follows it."""
NUMBERS = words("two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty both")
