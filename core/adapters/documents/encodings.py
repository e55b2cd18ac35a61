"""Which encoding a text file has: byte order mark, UTF-16 without one, UTF-8, then a detector; in doubt a question.

Big5 bytes decode as GB18030 without an error, and the other way round (spec/FORMATS §6), so that no chain of
attempts can be trusted.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from core.adapters.documents.plausible import is_western, mixes_scripts, sense
from core.domain.errors import BadFile, EncodingQuestion

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_NAMES = {
    "gb2312": "gb18030", "gbk": "gb18030", "cp936": "gb18030", "x-gbk": "gb18030", "hz-gb-2312": "hz",
    "big5": "cp950", "big5-hkscs": "big5hkscs", "x-x-big5": "cp950",
    "shift_jis": "cp932", "shift-jis": "cp932", "sjis": "cp932", "x-sjis": "cp932",
    "windows-31j": "cp932", "euc-kr": "cp949", "ks_c_5601-1987": "cp949",
    "iso-8859-1": "cp1252", "latin1": "cp1252", "latin-1": "cp1252", "ascii": "cp1252", "us-ascii": "cp1252",
    "iso8859-1": "cp1252", "tis-620": "cp874", "iso-8859-9": "cp1254",
}  # fmt: skip
"""Names that mean more in practice than they say (the supersets that browsers use too)."""
_SHOWN = {
    "cp950": "big5",
    "cp932": "shift_jis",
    "cp949": "euc-kr",
    "cp1252": "windows-1252",
    "cp1251": "windows-1251",
}
_OFFERED = ("gb18030", "cp950", "cp932", "cp949", "cp1252", "cp1251")
_EAST_ASIAN = frozenset(
    {"gb18030", "cp950", "big5hkscs", "cp932", "euc_jp", "cp949", "johab", "iso2022_jp", "hz"}
)
_HIGH = re.compile(rb"[\x80-\xff]")
SAMPLE_BYTES = 64 << 10
PREVIEW_CHARS = 120
_FEW_BROKEN = 10
"""So many characters above ASCII must be right for each broken one (cut in the middle, mixed by an editor)."""
_SURE = 0.3
_SINGLE_SURE = 0.1
_SOME_SENSE = 0.25
_MAKES_SENSE = 0.4
_CLEARLY = 1.6
"""By how much the best reading must make more sense than the next one."""
_FEW_CHARACTERS = 4
_WESTERN_SHARE = 0.4
_MIXED = 0.3
_ASIAN_CANDIDATES = ("gb18030", "cp950", "cp932", "cp949", "euc_jp")
_MIXED_CANDIDATES = ("utf-8", "gb18030")
_HALF_BROKEN = 0.7
_STRAY_NULS = 4
"""In UTF-16 a text that is UTF-8 without its NULs (English, that is) has more than one in so many bytes."""
_ENOUGH_BYTES = 12
"""Fewer bytes above ASCII say too little for a detector."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text and how it was read. `broken`: bytes that fit nothing, shown as U+FFFD."""

    text: str
    encoding: str
    broken: int = 0


def codec_name(name: str) -> str:
    """Python's name of an encoding, widened as browsers do; "" when there is none of that name."""
    name = name.strip().strip("'\"").lower()
    name = _NAMES.get(name, _NAMES.get(name.replace("_", "-"), name))
    try:
        found = codecs.lookup(name).name
        "".encode(found)  # refuses codecs that are no text encodings
    except (LookupError, ValueError, TypeError):
        return ""
    return _NAMES.get(found, found)


def shown(codec: str) -> str:
    """The name of an encoding as people know it; `codec_name` takes it back."""
    return _SHOWN.get(codec, codec)


def decode(data: bytes, name: str, *, chosen: str = "", hint: str = "") -> Decoded:
    """The text of a file. `chosen` by the person decides; `hint` is what the file says itself.

    Errors: BadFile for an encoding that does not exist or for bytes that are no text; EncodingQuestion.
    """
    found = _decode(data, name, chosen, hint)
    return replace(found, encoding=shown(found.encoding))


def _decode(data: bytes, name: str, chosen: str, hint: str) -> Decoded:
    if chosen:
        codec = codec_name(chosen)
        if not codec:
            raise BadFile("error.document.encoding_unknown", name=name, encoding=chosen)
        return _lossy(data, codec)
    for mark, codec in _MARKS:
        if data.startswith(mark):
            return _lossy(data, codec)
    wide = _wide(data)
    if wide:
        return _lossy(data, wide)
    if looks_binary(data):
        raise BadFile("error.document.not_text", name=name)
    return _by_bytes(data, name, codec_name(hint) if hint else "")


def _by_bytes(data: bytes, name: str, hint: str) -> Decoded:
    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        few = _lossy(data, "utf-8")
    if hint and hint != "utf-8" and (found := _strict(data, hint)) is not None:
        return found
    if few.broken * _FEW_BROKEN <= _meant(few.text):
        return few
    return _detected(data, name)


def _detected(data: bytes, name: str) -> Decoded:
    """A text that is no UTF-8: by what it says, then by two detectors that must agree, else a question."""
    sample = sample_of(data)
    told = _by_sense(sample)
    if told and (decoded := _strict(data, told) or _nearly(data, told)) is not None:
        return decoded
    first, confidence, second = _detectors(sample)
    candidates = [first, *(["cp1252"] if first not in _EAST_ASIAN else [])]
    for codec in candidates:
        decoded = _strict(data, codec) if codec else None
        if decoded is not None and _convincing(
            decoded, confidence, agreed=_same_family(codec, second), data=data
        ):
            return decoded
    names = (told, first, second, *_OFFERED)
    choices = _choices(data, names)
    if not choices or (confidence == 0 and looks_binary(data, strictly=True)):
        raise BadFile("error.document.not_text", name=name)
    raise EncodingQuestion("error.document.encoding", choices, name=name)


def _by_sense(sample: bytes) -> str:
    """The East Asian encoding in which the bytes make sense, and in no other; "" when that is not clear."""
    texts = {
        codec: found.text
        for codec in _ASIAN_CANDIDATES
        if (found := _strict(sample, codec) or _nearly(sample, codec)) is not None
    }
    scores = sorted(((sense(text), codec) for codec, text in texts.items()), reverse=True)
    if not scores or scores[0][0] < _MAKES_SENSE:
        return ""
    best = texts[scores[0][1]]
    if sum(character >= "\x80" for character in best) < _FEW_CHARACTERS:
        return ""
    others = [score for score, codec in scores[1:] if texts[codec] != best]
    return scores[0][1] if not others or scores[0][0] >= others[0] * _CLEARLY else ""


def _detectors(sample: bytes) -> tuple[str, float, str]:
    """What two independent detectors say, and how sure the first one is."""
    import chardet
    from charset_normalizer import from_bytes

    found = chardet.detect(sample)
    match = from_bytes(sample).best()
    first = codec_name(str(found["encoding"] or ""))
    return first, found["confidence"], codec_name(match.encoding) if match is not None else ""


def _same_family(first: str, second: str) -> bool:
    chinese = {"cp950", "big5hkscs"}
    return first == second or {first, second} <= chinese


def _convincing(decoded: Decoded, confidence: float, *, agreed: bool, data: bytes) -> bool:
    text = decoded.text[:SAMPLE_BYTES]
    high = [character for character in text if character >= "\x80"]
    if any(_impossible(character) for character in high):
        return False
    if decoded.encoding in _EAST_ASIAN:
        few = sum(byte >= 0x80 for byte in data[:SAMPLE_BYTES]) < _ENOUGH_BYTES
        return (agreed or (confidence >= _SURE and not few)) and sense(text) >= _SOME_SENSE
    if decoded.encoding == "cp1252":
        return is_western(text) and len(high) <= len(text) * _WESTERN_SHARE
    letters = sum(character.isalpha() for character in high)
    return (
        letters >= len(high) * 0.5 and mixes_scripts(text) < _MIXED and (agreed or confidence >= _SINGLE_SURE)
    )


def _impossible(character: str) -> bool:
    """Private-use characters and C1 controls stand in no text that people write."""
    return "\ue000" <= character <= "\uf8ff" or "\x80" <= character <= "\x9f" or character == "\ufffd"


def _choices(data: bytes, names: Iterable[str]) -> list[tuple[str, str]]:
    """Encodings with the beginning of the text in each; for a mixed text those too in which a good part can be read."""
    found: dict[str, str] = {}
    for codec in (*names, *_MIXED_CANDIDATES):
        if not codec or shown(codec) in found:
            continue
        decoded = _strict(data, codec) or _nearly(data, codec)
        if decoded is None and codec in _MIXED_CANDIDATES:
            decoded = _lossy(data, codec)
            decoded = decoded if decoded.broken <= len(decoded.text) * _HALF_BROKEN else None
        if decoded is not None:
            found[shown(codec)] = " ".join(decoded.text[: PREVIEW_CHARS * 3].split())[:PREVIEW_CHARS]
    return list(found.items())


def sample_of(data: bytes) -> bytes:
    """Head, middle and tail of long data, cut at line ends so that no character is torn; where these are plain
    ASCII, the surroundings of the first byte above it."""
    if len(data) <= 3 * SAMPLE_BYTES:
        return data
    middle = len(data) // 2
    head = data[:SAMPLE_BYTES]
    parts = [
        head.rpartition(b"\n")[0] or head,
        data[middle : middle + SAMPLE_BYTES].partition(b"\n")[2].rpartition(b"\n")[0],
        data[-SAMPLE_BYTES:].partition(b"\n")[2],
    ]
    sample = b"\n".join(part for part in parts if part)
    if not sample.isascii() or data.isascii():
        return sample
    first = _HIGH.search(data)
    assert first is not None
    start = data.rfind(b"\n", 0, first.start()) + 1
    return data[max(start, first.start() - SAMPLE_BYTES) :][: 2 * SAMPLE_BYTES]


def _strict(data: bytes, codec: str) -> Decoded | None:
    try:
        return Decoded(data.decode(codec), codec)
    except (UnicodeDecodeError, LookupError):
        return None


def _nearly(data: bytes, codec: str) -> Decoded | None:
    found = _lossy(data, codec)
    return found if found.broken * _FEW_BROKEN * 2 <= _meant(found.text) else None


def _meant(text: str) -> int:
    """Characters above ASCII that say something."""
    return sum(character >= "\x80" and character != "\ufffd" for character in text)


def _lossy(data: bytes, codec: str) -> Decoded:
    for mark, marked in _MARKS:
        if marked == codec and data.startswith(mark):
            data = data[len(mark) :]
            break
    own = data.count("\ufffd".encode()) if codec == "utf-8" else 0
    text = data.decode(codec, errors="replace")
    return Decoded(text, codec, max(0, text.count("\ufffd") - own))


def _wide(data: bytes) -> str:
    """`utf-16-le` or `utf-16-be`: NUL bytes betray them; pure Chinese has none, but makes sense in no other way.

    A few of them in a text that is UTF-8 otherwise are stray ones.
    """
    head = data[:SAMPLE_BYTES]
    head = head[: len(head) // 2 * 2]
    if len(head) < 4:
        return ""
    if b"\x00" not in head:
        return "" if _strict(data, "utf-8") is not None else _wide_by_sense(head)
    narrow = head.replace(b"\x00", b"")
    stray = (len(head) - len(narrow)) * _STRAY_NULS <= len(head)
    if stray and _strict(narrow, "utf-8") is not None and not looks_binary(narrow, strictly=True):
        return ""
    scores = {
        codec: (_usual(head.decode(codec, errors="replace")), head[start::2].count(b"\x00"))
        for codec, start in (("utf-16-le", 1), ("utf-16-be", 0))
    }
    best = max(scores, key=lambda codec: scores[codec])
    return best if scores[best][0] >= 0.9 and scores[best] > min(scores.values()) else ""


def _wide_by_sense(head: bytes) -> str:
    """Korean does not count: its words stand between blanks, which hold a NUL."""
    texts = {codec: head.decode(codec, errors="replace") for codec in ("utf-16-le", "utf-16-be")}
    scores = {
        codec: 0.0 if any("\uac00" <= character <= "\ud7a3" for character in text) else sense(text)
        for codec, text in texts.items()
    }
    best = max(scores, key=lambda codec: scores[codec])
    return best if scores[best] >= _MAKES_SENSE and scores[best] >= min(scores.values()) * _CLEARLY else ""


def _usual(text: str) -> float:
    """Share of characters that are usual in UTF-16 texts: ASCII, Latin, Chinese, kana, Hangul, their punctuation."""
    usual = sum(
        character in "\n\r\t" or " " <= character <= "~" or "\u00a0" <= character <= "\u052f"
        or "\u1ea0" <= character <= "\u1eff" or "\u2010" <= character <= "\u2027"
        or "\u3000" <= character <= "\u30ff" or "\u4e00" <= character <= "\u9fff"
        or "\uac00" <= character <= "\ud7a3" or "\uff01" <= character <= "\uff5e"
        for character in text
    )  # fmt: skip
    return usual / max(1, len(text))


_TEXT_CONTROLS = frozenset(b"\t\n\x0b\x0c\r\x1b\x08\x1a")


def looks_binary(data: bytes, *, strictly: bool = False) -> bool:
    """Whether the beginning holds what no text in bytes holds: many controls, or runs of NUL.

    `strictly`: any control at all.
    """
    head = data[:8192]
    if not head:
        return False
    controls = sum(byte < 0x20 and byte not in _TEXT_CONTROLS for byte in head)
    if strictly:
        return controls > 0
    return controls > max(2, len(head) * 0.01) if b"\x00" not in head else controls > len(head) * 0.005 + 1
