"""The commonest function words of some languages, by which a text shows what it is written in."""

from __future__ import annotations

FUNCTION_WORDS: dict[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "en": "the of and to a in that is was he for it with as his on be at by i this had not are but from or have an"
        " they which you were her she there would their we him been has when who will more if no out so what up its"
        " about into than them can only other some could these may then do my any your how did",
        "de": "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus"
        " er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor"
        " zur bis mehr durch man sein wurde ich mir mich wir ihr ihre seine kein keine schon wenn hatte waren unter",
        "fr": "de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont avec son"
        " aux d'un cette d'une ou été sa mais ses comme je elle nous vous leur on même ces était fait tout ont être"
        " mon ma mes y où sans lui deux très aussi si leurs avait donc j'ai c'est qu'il n'est",
        "es": "de la que el en y a los del se las por un para con no una su al lo como más pero sus le ya o este sí"
        " porque esta entre cuando muy sin sobre también me hasta hay donde quien desde todo nos durante uno ni contra"
        " ese eso había fue ser es son era está han mi yo él ella tiene",
        "it": "di e il la che in a un per è non una sono con del si da i le al più come ma gli della nel dei ha lo"
        " anche alla dal delle ed nella ho mi era questo questa suo sua se io ci quando essere dalla sul stato fu loro"
        " degli cui tra agli lui lei molto tutto dopo o hanno sulla due",
        "pt": "de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao ele das tem à"
        " seu sua ou ser quando muito há nos já está eu também só pelo pela até isso ela entre era depois sem mesmo"
        " aos seus quem nas me esse eles estão você tinha foram essa num nem suas meu às minha são",
        "ca": "de la i el que a en l'un una per amb els no és les del es al va al més són com o ha aquest aquesta"
        " però van seva seu també molt quan fins ho hi hem tot pels dels als perquè sense on què jo ja si meu meva em"
        " et ens nosaltres havia tenir fer sobre entre des d'un d'una altres cada només pel ser",
        "nl": "de en van ik te dat die in een hij het niet zijn is was op aan met als voor had er maar om hem dan zou"
        " of wat mijn men dit zo door over ze zich bij ook tot je mij uit der daar haar naar heb hoe heeft hebben deze"
        " u want nog zal me zij nu ge geen omdat iets worden toch al waren veel meer doen toen moet ben zonder kan hun",
        "sv": "och det att i en jag hon som han på den med var sig för så till är men ett om hade de av icke mig du"
        " henne då sin nu har inte hans honom skulle hennes där min man ej vid kunde något från ut när efter upp vi"
        " dem vara vad över än dig kan sina här ha mot alla under någon eller allt mycket sedan ju också",
        "da": "og i jeg det at en den til er som på de med han af for ikke der var mig sig men et har om vi min havde"
        " ham hun nu over da fra du ud sin dem os op man hans hvor eller hvad skal selv her alle vil blev kunne ind"
        " når være dog noget ville jo deres efter ned skulle denne end dette mit også under have dig anden",
        "no": "og i jeg det at en et den til er som på de med han av ikke der så var meg seg men ett har om vi min mitt"
        " ha hadde hun nå over da ved fra du ut sin dem oss opp man kan hans hvor eller hva skal selv her alle vil"
        " bli ble blitt kunne inn når være noen noe ville dere deres etter ned skulle denne dette bare hvis også",
        "fi": "ja on ei se että hän oli ovat mutta myös kun joka niin tai hänen olla ole mukaan jotka kuin vain sen"
        " ne hän minä sinä me te he siitä sitä tämä tämän jo vielä sekä jos koska ollut olivat siinä nyt mitä mikä"
        " minun minulla minua meidän heidän kanssa jälkeen ennen ilman noin enää oli eivät en voi sitten mukana",
        "tr": "ve bir bu da de için ile olarak çok daha olan gibi ne en o kadar sonra ama var mı mi değil her ise"
        " olduğu ya ki hem veya ben sen biz siz onlar şey diye şu nasıl neden göre ancak sadece tarafından oldu"
        " olduğunu olur idi iki ilk yeni önce arasında üzerinde bunun onun beni bana sana bile hiç kendi kaç hangi",
        "hu": "a az és hogy nem is egy ez de meg azt csak el ha van már mint még ezt volt mert sem én vagy te ki minden"
        " most itt volna kell jól lesz úgy igen amit nagyon vagyok aki ott mi szerint után között több lehet őket"
        " akkor ami mindig nincs pedig majd sok őt miatt alatt voltak lett én ő saját",
        "ro": "și de în a la cu nu o că pe un să mai din se este care ce pentru au fost dar sunt era ca lui fi am prin"
        " după cum sau ai el ei ea mi-a s-a le îi îl nici fără doar când unde acest această aceasta acum foarte până"
        " despre între dintre unei unui ale al lor avea eu noi voi fiind său sa dacă",
        "cs": "v se na je že s z i o ve pro jsem ale jako za po si tak jeho k které jsou který od už jen"
        " bylo byl byla nebo až není také při co jak podle aby když ho jí mu mi ji před ještě než kde jsme či toho"
        " proto ze ani této může",
        "pl": "i w na z się nie że jest o jak po co za od ale przez dla są był tym tak już tego było jego być"
        " jako ze przed czy lub które który która oraz ich tylko też może ma mnie mi jej ja ty my go już była bo kiedy"
        " gdzie ten ta sobie pod nad bardzo",
        "ru": "и в не на я что он с как это но а по к у из то за его так же от все она было о мы бы для мне был есть"
        " ты вы их ее её или еще ещё они ему меня если была когда только этот быть до уже чтобы нет ли даже при во"
        " со были под где этого этом того который которые после без",
    }.items()
}

OWN_LETTERS: dict[str, str] = {
    "ca": "·",
    "cs": "ěřůž",
    "da": "æø",
    "de": "ßä",
    "es": "ñ",
    "fi": "äö",
    "fr": "œêûëî",
    "hu": "őű",
    "it": "òì",
    "no": "æø",
    "pl": "ąęłżś",
    "pt": "ãõ",
    "ro": "ățșţ",
    "ru": "ыэё",
    "sv": "äö",
    "tr": "ğış",
}
"""Letters that few languages write; a word that has one speaks for each that does."""
