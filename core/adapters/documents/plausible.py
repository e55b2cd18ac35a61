"""How much sense a decoded text makes: the share of characters that people really write.

A wrong East Asian decoding gives rare characters; a right one is made of a few hundred common ones, kana, and the
punctuation of the language. So a handful of characters is enough to tell Big5 from GB18030 from Shift-JIS.
"""

from __future__ import annotations

COMMON_CHINESE = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方"
    "多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情"
    "明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给"
    "世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活更别打女变四神总何电数安少报才结反受目太量"
    "再感建务做接必场件计管期市直资命山金指许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王完设式色"
    "路记南品住告类求据程北边死张该交规万取格望觉术领共确传师观清今切院让识候带导争运请注守灯夜风雨花香钱车店城字会议项目日期"
    "這個們來為國說時會對於著過發後裡樣還進實軍無與長機從關業將兩間問戰應頭體見產話給門兒東聲員論處義幾條係氣題別變總電數報結"
    "書場計務馬許統隊決則聽卻達難權設據邊張該規萬覺術領確傳師觀讓識帶導爭運筆請燈點開動經學現當沒麼種錄專案議討記錢車風"
)
COMMON_KOREAN = frozenset(
    "이다는을에의가고하지은를로도한기사리아나자그시어서대정인해일보부수스라주전여제장상과들만구니었있것게오원유면요소없년"
    "으며동성적신무계조위공선경우마문회영거재때단비실관생각입방학외속개명체청던말했됐습까네님중모든세미국오늘내년월"
)
_PUNCTUATION = frozenset("　、。「」『』【】《》〈〉（），：；！？“”‘’—…·～￥－％")
_RARE_CHINESE = 0.15
_RARE_KOREAN = 0.3
_KATAKANA = 0.7
_MOST = 20_000


def sense(text: str) -> float:
    """0 (nobody writes this) .. 1, over the characters above ASCII; 0 when there are none."""
    high = [character for character in text if character >= "\x80"][:_MOST]
    return sum(map(_weight, high)) / len(high) if high else 0.0


def _weight(character: str) -> float:
    if character in COMMON_CHINESE or character in COMMON_KOREAN or character in _PUNCTUATION:
        return 1.0
    if "\u3041" <= character <= "\u3096":
        return 1.0
    if "\u30a1" <= character <= "\u30fc":
        return _KATAKANA
    if "\u4e00" <= character <= "\u9fff":
        return _RARE_CHINESE
    if "\uac00" <= character <= "\ud7a3":
        return _RARE_KOREAN
    return 0.0


def mixes_scripts(text: str) -> float:
    """Share of letters above ASCII that stand directly beside ASCII letters, among those that are not Latin.

    In a right text they stand in words of their own; accents read as Cyrillic stand inside of Latin words.
    """
    foreign = mixed = 0
    for index, character in enumerate(text[:_MOST]):
        if not "\u0370" <= character <= "\u0fff" or not character.isalpha():
            continue
        foreign += 1
        beside = text[max(0, index - 1) : index] + text[index + 1 : index + 2]
        mixed += any(letter.isascii() and letter.isalpha() for letter in beside)
    return mixed / foreign if foreign else 0.0


_WESTERN = frozenset(
    "àâäáãåæçèéêëìíîïñòóôöõøœùúûüýÿßšžÀÂÄÁÃÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÖÕØŒÙÚÛÜÝŸŠŽ’‘“”„‚‹›«»–—…•·°§€£©®™±×÷¿¡ºª½¼¾²³´¨¯¸\xa0"
)


def is_western(text: str) -> bool:
    """Whether all characters above ASCII are those of Western European texts."""
    return all(character in _WESTERN for character in text[: _MOST * 4] if character >= "\x80")
