"""Names and terms of a conversation without a model: who and what is spoken of, with counts.

Chinese: jieba's proper nouns (the library rjieba), surnames with what follows, titles of respect, endings of places;
strings in 《》 and short ones in “”「」『』. Latin scripts: capitalised runs. Source: MODELS.md ("Without a language
model"); noisy by nature, so a person looks at the list.
"""

from __future__ import annotations

import functools
import importlib.resources
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from core.algos.function_words import function_words

MOST = 400
"""Candidates that are counted."""
LONGEST_NAME = 12
_HAN = "\u4e00-\u9fff"
_HAN_RUN = re.compile(f"[{_HAN}]+")
_RESPECT = "先生|小姐|女士|夫人|老师|师傅|大人|殿下|陛下|公主|王子|将军|队长|博士|教授|医生|警官|警长|船长|老板|姑娘|大叔|阿姨|爷爷|奶奶"
_RESPECTED = re.compile(f"([{_HAN}]{{1,2}})({_RESPECT})")
_PLACE_END = (
    *(
        "城",
        "镇",
        "村",
        "庄",
        "街",
        "巷",
        "路",
        "桥",
        "楼",
        "塔",
        "馆",
        "店",
        "院",
        "寺",
        "庙",
        "宫",
        "殿",
        "堡",
    ),
    *(
        "山",
        "河",
        "湖",
        "海",
        "岛",
        "港",
        "谷",
        "森林",
        "广场",
        "车站",
        "码头",
        "王国",
        "学院",
        "教堂",
        "入口",
        "酒馆",
    ),
)
_NO_PLACE = frozenset(
    {"上海话", "回家路", "一路", "马路", "大楼", "上楼", "下楼", "大街", "过桥", "上山", "下山", "大海"}
)
_SURNAMES = frozenset(
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕张孔曹严华金魏陶姜戚谢邹喻苏潘葛范彭郎鲁韦昌马苗方俞任袁柳"
    "史唐费岑薛雷贺倪汤罗毕郝安常于傅康伍余顾孟黄穆萧尹姚邵汪祁毛狄米贝明戴宋庞熊纪舒屈项祝董梁杜阮蓝席"
    "季贾江童颜郭梅盛林钟徐邱骆高夏蔡田樊胡凌霍虞万柯卢莫房解应宗丁宣邓洪左石崔龚程裴陆翁段焦谷车侯全班仲"
    "宫宁仇甘武符刘景詹叶温"
)
_BEFORE_TAGS = frozenset({"n", "nr", "ns", "nz", "nrt", "nrfg", "ng", "a", "b", "s", "j"})
_AFTER_TAGS = frozenset({"n", "nr", "ns", "nz", "nt", "ng", "s", "f", "j"})
LONGEST_COMPOUND, LEAST_COMPOUND, ALWAYS_SHARE = 6, 3, 0.8
_PERSON_TAGS = frozenset({"nr", "nrfg", "nrt"})
_PLACE_TAGS = frozenset({"ns"})
_OTHER_TAGS = frozenset({"nt", "nz"})
_GIVEN_TAGS = frozenset({"n", "ng", "nr", "nz", "a", "ag", "t", "vn", "tg", "b", "j"})
_TITLED = re.compile(r"《([^《》\n]{1,30})》")
_QUOTED = re.compile(r"[“「『]([^“”「」『』\n]{2,8})[”」』]")
_SENTENCE_MARK = re.compile(r"[，。！？、；：,.!?;:…~—\s]")
_LATIN = re.compile(
    r"[A-ZÀ-ÖØ-Þ][\w’'-]*(?:[ \u00a0](?:of|the|de|la|von|van|du|del|der)(?=[ \u00a0][A-ZÀ-ÖØ-Þ])|[ \u00a0][A-ZÀ-ÖØ-Þ][\w’'-]*)*"
)
_LATIN_PLACE = frozenset(
    [
        "city",
        "town",
        "village",
        "street",
        "road",
        "tower",
        "castle",
        "bridge",
        "river",
        "lake",
        "sea",
        "mountain",
        "mount",
        "island",
        "harbour",
        "harbor",
        "port",
        "square",
        "hall",
        "house",
        "inn",
        "tavern",
        "church",
        "forest",
        "station",
        "library",
        "academy",
        "kingdom",
        "valley",
        "park",
        "school",
        "temple",
        "palace",
        "gate",
        "market",
        "museum",
        "lighthouse",
    ]
)
_POSSESSIVE = re.compile(r"[’']s?$")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;…\n\"“”'*(\[—-])\s*$")


@functools.cache
def no_names() -> frozenset[str]:
    """Words that look like a name and are none: 小心, 老师, and what English sentences begin with."""
    source = importlib.resources.files("resources").joinpath("text", "no_names.txt")
    lines = source.read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


class NameKind(StrEnum):
    """What a name most likely stands for."""

    PERSON = "person"
    PLACE = "place"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Name:
    """A name with the places of the texts that hold it, in order."""

    text: str
    kind: NameKind
    places: tuple[int, ...]

    @property
    def count(self) -> int:
        """In how many texts it stands."""
        return len(self.places)


def cut_line(texts: int) -> int:
    """Names in fewer texts than this are below the line. Grows slowly: 2 for a short chat, 5 for 3,000 messages."""
    return 1 if texts < 10 else max(2, int(texts**0.5 / 10))


def find_names(texts: Sequence[str], known: Iterable[str] = (), speakers: Iterable[str] = ()) -> list[Name]:
    """Names in the texts, the most frequent first. `known` names are found as they stand; `speakers` are persons.

    Cost: O(characters) for cutting, O(candidates x texts) for counting.
    """
    kinds: Counter[tuple[str, NameKind]] = Counter()
    given = [name for name in known if 2 <= len(name) <= LONGEST_NAME]
    people = {name for name in speakers if len(name) >= 2}
    for text in texts:
        kinds.update(set(_quoted(text)))
    kinds.update(_chinese(texts, [*given, *people]))
    kinds.update(_latin(texts))
    best: dict[str, NameKind] = {}
    for (name, kind), _ in kinds.most_common():
        best.setdefault(name, kind)
    best |= dict.fromkeys(people, NameKind.PERSON)
    frequent = [name for name, _ in Counter({name: _weight(kinds, name) for name in best}).most_common(MOST)]
    found = [Name(name, best[name], _places(texts, name)) for name in dict.fromkeys([*people, *frequent])]
    return _whole([name for name in found if name.places])


def _weight(kinds: Counter[tuple[str, NameKind]], name: str) -> int:
    return sum(kinds[name, kind] for kind in NameKind)


def _places(texts: Sequence[str], name: str) -> tuple[int, ...]:
    if name[0].isascii() and name.isascii():
        pattern = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
        return tuple(at for at, text in enumerate(texts) if name in text and pattern.search(text))
    return tuple(at for at, text in enumerate(texts) if name in text)


def _whole(names: list[Name]) -> list[Name]:
    """Without names that nearly always stand inside a longer one; the most frequent first."""
    ordered = sorted(names, key=lambda name: (-name.count, len(name.text), name.text))
    kept: list[Name] = []
    for name in ordered:
        longer = [other for other in ordered if len(other.text) > len(name.text) and name.text in other.text]
        inside = set().union(*(other.places for other in longer)) if longer else set()
        alone = [place for place in name.places if place not in inside]
        if not longer or len(alone) >= max(1, 0.2 * name.count):
            kept.append(name)
    return kept


def _quoted(text: str) -> Iterator[tuple[str, NameKind]]:
    for found in _TITLED.finditer(text):
        yield found[1].strip(), NameKind.OTHER
    for found in _QUOTED.finditer(text):
        said = found[1]
        if (
            not _SENTENCE_MARK.search(said)
            and _HAN_RUN.fullmatch(said)
            and said[-1] not in "吗呢吧啊呀了的嘛哦"
        ):
            yield said, place_or(said, NameKind.OTHER)


def place_or(name: str, otherwise: NameKind) -> NameKind:
    """Place for a name that ends like one, else the other kind."""
    if name.isascii():
        return NameKind.PLACE if name.rsplit(maxsplit=1)[-1].lower() in _LATIN_PLACE else otherwise
    return NameKind.PLACE if name.endswith(_PLACE_END) and name not in _NO_PLACE else otherwise


# --- Chinese -----------------------------------------------------------------------------------------------


def _chinese(texts: Sequence[str], known: Sequence[str]) -> Counter[tuple[str, NameKind]]:
    import rjieba

    jieba = rjieba.Jieba()
    for name in known:
        if _HAN_RUN.fullmatch(name):
            jieba.add_word(name, 100_000, "nr")
    found: Counter[tuple[str, NameKind]] = Counter()
    words: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    for text in texts:
        if _HAN_RUN.search(text):
            tokens = jieba.tag(text)
            found.update({*_tagged(tokens), *_respected(text), *_familiar(tokens)})
            words.update(word for word, _ in tokens)
            pairs.update(
                (word, after)
                for (word, tag), (after, after_tag) in pairwise(tokens)
                if tag in _BEFORE_TAGS and after_tag in _AFTER_TAGS and _joins(word, after)
            )
    found.update(dict(_compounds(pairs, words)))
    return found


def _joins(word: str, after: str) -> bool:
    both = word + after
    return 3 <= len(both) <= LONGEST_COMPOUND and _HAN_RUN.fullmatch(both) is not None


def _compounds(
    pairs: Counter[tuple[str, str]], words: Counter[str]
) -> Iterator[tuple[tuple[str, NameKind], int]]:
    """Neighbours of which one hardly ever stands without the other: 王国 学院, 地下 入口, 格雷 警长."""
    for (word, after), count in pairs.items():
        if count >= LEAST_COMPOUND and count >= ALWAYS_SHARE * min(words[word], words[after]):
            person = re.fullmatch(_RESPECT, after) is not None
            kind = NameKind.PERSON if person else place_or(word + after, NameKind.OTHER)
            if kind is not NameKind.OTHER:
                yield (word + after, kind), count


def _familiar(tokens: Sequence[tuple[str, str]]) -> Iterator[tuple[str, NameKind]]:
    """Familiar names: 老周, 小满, 阿青."""
    for word, _ in tokens:
        if len(word) == 2 and word[0] in "老小阿" and word not in no_names():
            yield word, NameKind.PERSON
    for (word, _), (after, _) in pairwise(tokens):
        if word in {"老", "小", "阿"} and after in _SURNAMES:
            yield word + after, NameKind.PERSON


def _respected(text: str) -> Iterator[tuple[str, NameKind]]:
    for found in _RESPECTED.finditer(text):
        before = found[1]
        if before[-1] in _SURNAMES:
            yield before[-1] + found[2], NameKind.PERSON


def _tagged(tokens: Sequence[tuple[str, str]]) -> Iterator[tuple[str, NameKind]]:
    for at, (word, tag) in enumerate(tokens):
        if not _HAN_RUN.fullmatch(word):
            continue
        after, after_tag = tokens[at + 1] if at + 1 < len(tokens) else ("", "")
        if (
            word in _SURNAMES
            and after_tag in _GIVEN_TAGS
            and 1 <= len(after) <= 2
            and _HAN_RUN.fullmatch(after)
            and not re.fullmatch(_RESPECT, after)
        ):
            yield word + after, NameKind.PERSON
        if len(word) < 2 or len(word) > LONGEST_NAME:
            if len(word) == 1 and at and word in _PLACE_END and tokens[at - 1][1] in {"n", "nr", "ns", "nz"}:
                yield tokens[at - 1][0] + word, NameKind.PLACE
            continue
        if tag in _PERSON_TAGS:
            yield word, place_or(word, NameKind.PERSON)
        elif tag in _PLACE_TAGS:
            yield word, NameKind.PLACE
        elif tag in _OTHER_TAGS:
            yield word, place_or(word, NameKind.OTHER)
        elif tag == "n" and place_or(word, NameKind.OTHER) is NameKind.PLACE:
            yield word, NameKind.PLACE


# --- Latin scripts -----------------------------------------------------------------------------------------


def _latin(texts: Sequence[str]) -> Counter[tuple[str, NameKind]]:
    """Capitalised runs; a word that only ever begins sentences counts when it is never written small."""
    inside: Counter[str] = Counter()
    initial: Counter[str] = Counter()
    small: set[str] = set()
    for text in texts:
        small.update(re.findall(r"(?<![\w’'])[a-zà-öø-ÿ][\w’'-]+", text))
        for found in _LATIN.finditer(text):
            at_start = _SENTENCE_START.search(text[max(0, found.start() - 3) : found.start()]) is not None
            name, cut = _trimmed(found[0])
            if len(name) >= 3 or (len(name) == 2 and not name.isupper()):
                (initial if at_start and not cut else inside)[name] += 1
    names: Counter[tuple[str, NameKind]] = Counter()
    for name in {*inside, *initial}:
        words = name.split()
        if len(words) == 1 and (words[0].lower() in small and inside[name] < 3):
            continue
        if inside[name] or len(words) > 1 or initial[name] > 1:
            names[name, place_or(name, NameKind.PERSON)] = inside[name] + initial[name]
    return names


def _trimmed(run: str) -> tuple[str, bool]:
    """A run without function words before and after it, and whether some were before."""
    words = [_POSSESSIVE.sub("", word) for word in run.replace("\u00a0", " ").split(" ")]
    before = len(words)
    while words and (words[0].lower() in function_words() or words[0].lower() in no_names()):
        words.pop(0)
    cut = len(words) < before
    while words and words[-1].lower() in function_words():
        words.pop()
    return " ".join(words), cut
