"""Other words of English for the same thing, by the word as it stands; each fits nearly wherever the first one does."""

from __future__ import annotations

from tasks.evaluation.making.wordlist import pairs, words

VERBS: dict[str, str] = dict(
    entry.split(" = ")
    for entry in [
        "buy = purchase",
        "purchase = buy",
        "begin = start",
        "start = begin",
        "finish = complete",
        "mend = repair",
        "repair = mend",
        "fix = repair",
        "ring = telephone",
        "build = construct",
        "rebuild = reconstruct",
        "choose = select",
        "find = come across",
        "cancel = call off",
        "receive = get",
        "hide = conceal",
        "examine = inspect",
        "inspect = examine",
        "visit = go and see",
        "wash = clean",
        "clean = wash",
        "propose = suggest",
        "post = mail",
        "remove = take away",
        "bury = lay to rest",
        "marry = wed",
        "copy = transcribe",
        "send = dispatch",
        "refuse = turn down",
        "meet = run into",
        "hear = listen to",
        "break = smash",
        "quarrel with = argue with",
        "dine with = have dinner with",
        "sup with = have supper with",
        "speak with = talk to",
        "talk with = speak to",
        "speak to = have a word with",
        "travel to = journey to",
        "discover = find out about",
        "call on = pay a visit to",
        "walk to = go on foot to",
        "go to = travel to",
        "stay at = lodge at",
        "meet with = run into",
        "stay with = be a guest of",
        "ride to = travel to",
        "look at = examine",
        "launch = put in the water",
        "watch = observe",
        "try = test",
        "cook = prepare",
        "hire = rent",
        "drive to = go by car to",
        "sail to = go by boat to",
        "take = bring",
    ]
)
"""Base → base, prepositions included."""
EVERYDAY = pairs(
    "boat vessel|ship vessel|ships vessels|house home|doctor physician|physician doctor|surgeon doctor"
    "|child kid|children kids|wife spouse|husband spouse|father dad|dad father|mother mum|mum mother"
    "|shop store|store shop|illness sickness|sickness illness|fire blaze|coach carriage"
    "|maid servant|servant maid|wood timber|timber wood|street road|road street|storm tempest|gale storm|bill invoice"
    "|invoice bill|price cost|cost price|wages pay|salary pay|engine motor|motor engine|telephone phone"
    "|photograph photo|photographs photos|photo picture|diary journal|boxes crates|coat jacket|gift present"
    "|spectacles glasses|glasses spectacles|oven stove|suitcase luggage|trip journey|journey trip|holiday vacation"
    "|meal dinner|supper evening meal|breakfast morning meal|cup mug|tune melody|quarrel argument|argument quarrel"
    "|meeting gathering|church chapel|chapel church|clothes garments|suit outfit|gown dress|purse wallet|pub tavern"
    "|tavern inn|alehouse pub|inn tavern|funeral burial|burial funeral|plague epidemic|reply answer|answer reply"
    "|parcel package|pain ache|ache pain|noise sound|lawyer solicitor|solicitor lawyer"
    "|chamber room|instructions directions|entire whole|whole entire|angry cross"
    "|broken damaged|wet damp|upturned overturned|odd strange|strange odd|large big|big large|frightened scared"
    "|splendid magnificent|cheap inexpensive|expensive costly|hidden concealed|drunken tipsy|lovely beautiful"
)
"""Nouns and adjectives of any text."""
TECHNICAL = pairs(
    "folder directory|directory folder|directories folders|video film|videos films|picture image|pictures images"
    "|option setting|options settings|settings options|flag switch|flags switches|bug defect|bugs defects|website site"
    "|site website|sites websites|websites sites|app application|apps applications|application app|applications apps"
    "|script program|scripts programs|documentation docs|docs documentation|repository repo|repo repository"
    "|repositories repos|extension add-on|extensions add-ons|plugin add-on|plugins add-ons"
    "|password passphrase|terminal shell|large big|huge enormous|small little|custom bespoke|multiple several"
    "|automatic unattended|duplicate repeated|remote distant|static fixed|entire whole|whole entire|free gratis"
    "|temporary short-lived|permanent lasting|hidden concealed|quick fast|fast quick|slow sluggish|simple plain"
    "|recent latest|local own-machine|price cost|cost price|recipe instructions|bug defect|trick knack|tool program"
)
"""Nouns and adjectives of notes on computers."""
DOING: dict[str, str] = dict(
    entry.split(" = ")
    for entry in [
        "build = construct",
        "change = alter",
        "check = verify",
        "combine = join",
        "compress = shrink",
        "convert = turn",
        "create = make",
        "customize = adapt",
        "debug = troubleshoot",
        "delete = remove",
        "deploy = publish",
        "detect = recognise",
        "disable = switch off",
        "display = show",
        "download = fetch",
        "edit = change",
        "enable = switch on",
        "exclude = leave out",
        "execute = run",
        "explore = look around",
        "extract = pull out",
        "fetch = retrieve",
        "find = locate",
        "fix = repair",
        "generate = produce",
        "hide = conceal",
        "identify = recognise",
        "implement = build",
        "include = put in",
        "install = set up",
        "list = enumerate",
        "make = create",
        "merge = join",
        "modify = change",
        "monitor = keep an eye on",
        "move = relocate",
        "obtain = get",
        "optimize = speed up",
        "publish = release",
        "reduce = lower",
        "remove = delete",
        "replace = swap",
        "retrieve = fetch",
        "reuse = use again",
        "rewrite = redo",
        "run = execute",
        "save = store",
        "schedule = plan",
        "search = look through",
        "select = choose",
        "send = transmit",
        "show = display",
        "skip = leave out",
        "split = divide",
        "start = launch",
        "stop = halt",
        "store = keep",
        "test = try out",
        "track = follow",
        "transform = turn",
        "truncate = cut off",
        "update = refresh",
        "upgrade = update",
        "upload = send",
        "use = work with",
        "validate = check",
        "verify = check",
        "view = look at",
        "visualize = plot",
        "write = produce",
        "configure = set up",
        "share = pass on",
    ]
)
"""What instructions tell to do, base → base."""
PARTICLES = words("up out in on off down over away back through into")
"""After one of these a verb means something else."""
