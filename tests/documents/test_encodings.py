"""Texts in the encodings that people really have: read right, or asked about, never silently wrong."""

from __future__ import annotations

import pytest

from core.adapters.documents.encodings import codec_name, decode, sample_of
from core.domain.errors import BadFile, EncodingQuestion

TEXTS = {
    "zh": (
        "守灯人每天晚上点亮灯塔，记录风向和潮水。灯芯断了就换，备件放在二楼的柜子里。",
        "姓名,年龄,城市\n张三,25,北京\n李四,30,上海\n",
        "今天开会讨论了项目进度，大家都同意下周发布测试版。",
    ),
    "zh_tw": (
        "守燈人每天晚上點亮燈塔，記錄風向和潮水。燈芯斷了就換，備件放在二樓的櫃子裡。",
        "她推開門，看見院子裡落滿了桂花。「你怎麼來了？」他問。",
    ),
    "ja": ("灯台守は毎晩灯台に火をともし、風向きと潮を記録する。", "吾輩は猫である。名前はまだ無い。"),
    "ko": ("등대지기는 매일 밤 등대에 불을 밝히고 바람과 조수를 기록한다.",),
    "ru": ("Смотритель маяка каждую ночь зажигает огонь и записывает ветер.",),
    "fr": (
        "Le gardien allume le phare chaque soir : où, déjà, été, façade.",
        "C’est l’été à Orléans — “voilà”.",
    ),
    "en": ("It’s a “smart” quote – with dashes… and café.",),
}
ENCODINGS = {
    "zh": ("gb18030", "gbk", "utf-16-le", "utf-16-be", "utf-16", "utf-8-sig", "utf-32"),
    "zh_tw": ("big5", "gb18030", "utf-16-le"),
    "ja": ("shift_jis", "euc_jp", "utf-16-le"),
    "ko": ("euc_kr", "utf-16-le"),
    "ru": ("cp1251", "koi8-r", "utf-16-be"),
    "fr": ("cp1252",),
    "en": ("cp1252",),
}
CASES = [
    (text, encoding, times)
    for language, texts in TEXTS.items()
    for text in texts
    for encoding in ENCODINGS[language]
    for times in (1, 40)
]


@pytest.mark.parametrize(("text", "encoding", "times"), CASES)
def test_text_is_read_right_or_asked_about(text: str, encoding: str, times: int) -> None:
    choices: tuple[tuple[str, str], ...] = ()
    try:
        found = decode((text * times).encode(encoding), "x.txt")
    except EncodingQuestion as question:
        choices = question.choices
        found = None
    if found is None:
        assert len(text) * times < 20, "a text as long as this says enough"
        assert any(preview[:5] == text[:5] for _, preview in choices)
    else:
        assert (found.text, found.broken) == (text * times, 0)


def test_a_few_characters_are_asked_about_with_previews() -> None:
    with pytest.raises(EncodingQuestion) as asked:
        decode("你好".encode("gbk"), "x.txt")
    assert dict(asked.value.choices)["gb18030"] == "你好"
    assert len(asked.value.choices) > 1


def test_utf8_with_few_errors_stays_utf8() -> None:
    data = ("守灯人每天晚上点亮灯塔。" * 100).encode()
    found = decode(data[:1001] + b"\xff" + data[1001:], "x.txt")
    assert found.encoding == "utf-8"
    assert 0 < found.broken < 6
    assert decode(data[:-1], "x.txt").encoding == "utf-8"


def test_ascii_with_a_gbk_line_at_the_end_is_found() -> None:
    data = b"hello world\n" * 20_000 + "守灯人每天晚上点亮灯塔。".encode("gbk")
    assert decode(data, "x.txt").encoding == "gb18030"


def test_a_replacement_mark_in_the_file_is_no_error() -> None:
    assert decode("原文里就有 \ufffd。".encode(), "x.txt").broken == 0


def test_a_chosen_encoding_decides() -> None:
    assert decode("é".encode("cp1252"), "x.txt", chosen="latin-1").text == "é"
    assert decode("守灯人".encode("gbk"), "x.txt", chosen="GBK").encoding == "gb18030"
    with pytest.raises(BadFile, match="encoding_unknown"):
        decode(b"x", "x.txt", chosen="klingon")
    with pytest.raises(BadFile, match="encoding_unknown"):
        decode(b"x", "x.txt", chosen="base64")


@pytest.mark.parametrize("name", ["gb2312", "GBK", "x-gbk", "big5", "shift_jis", "euc-kr", "windows-1252"])
def test_names_of_encodings_are_widened_and_taken_back(name: str) -> None:
    assert codec_name(codec_name(name)) == codec_name(name)


@pytest.mark.parametrize(
    "data", [bytes(range(256)) * 20, b"\x00\x01\x02" * 500, b"MZ\x90\x00\x03" + bytes(300)]
)
def test_what_is_no_text_is_refused(data: bytes) -> None:
    with pytest.raises(BadFile, match="not_text"):
        decode(data, "x.bin")


def test_the_sample_of_long_data_has_head_middle_and_tail() -> None:
    data = b"a\n" * 200_000 + b"m\n" * 200_000 + b"z\n" * 200_000
    sample = sample_of(data)
    assert len(sample) < 220_000
    assert {b"a", b"m", b"z"} <= set(sample.split(b"\n"))


def test_a_text_in_two_encodings_is_asked_about() -> None:
    text = "守灯人每天晚上点亮灯塔，记录风向和潮水。\n" * 20
    with pytest.raises(EncodingQuestion) as asked:
        decode(text.encode() + text.encode("gbk"), "x.log")
    assert {"utf-8", "gb18030"} <= dict(asked.value.choices).keys()


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"a\x00b\nc", "a\x00b\nc"),
        (b"a,b\n\x00,1", "a,b\n\x00,1"),
        ("hello".encode("utf-16-le"), "hello"),
        ("hello".encode("utf-16-be"), "hello"),
        ("Привет мир\n".encode("utf-16-be"), "Привет мир\n"),
    ],
)
def test_few_stray_nul_bytes_make_no_wide_text_and_many_do(data: bytes, text: str) -> None:
    assert decode(data, "x.txt").text == text
