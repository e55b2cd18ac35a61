"""Files of every kind: what is read, in which order, and what is said about what cannot be."""

from __future__ import annotations

import io
import zipfile

import pytest
from pypdf import PdfReader, PdfWriter

from core.adapters.documents.front_matter import read_front_matter
from core.adapters.documents.packed import MAX_DEPTH
from core.domain.document import BlockKind, DocumentKind
from core.domain.errors import BadFile, PasswordQuestion
from tests.documents.making import docx, lines, packed, paragraph, pdf, read


class TestMarkdown:
    def test_front_matter_gives_title_and_tags_and_is_no_text(self) -> None:
        found = read("---\ntitle: 手册\ntags: [灯塔, 规程]\ndate: 2026-01-05\n---\n\n# 一\n\n正文。", "x.md")
        assert (found.title, found.tags) == ("手册", ("灯塔", "规程"))
        assert found.text == "# 一\n\n正文。"
        assert found.properties["date"] == "2026-01-05"

    @pytest.mark.parametrize(
        ("text", "tags"),
        [
            ("---\ntags: 一, 二\n---\n", ("一", "二")),
            ("---\ntags: 一 二\n---\n", ("一", "二")),
            ("---\ntags:\n  - '#一'\n  - 二\n---\n", ("一", "二")),
            ("---\ntitle: a: b\ntags: 一，二\n---\n", ("一", "二")),
            ('+++\ntags = ["一", "二"]\n+++\n', ("一", "二")),
            ("---\n标签: [一, 二]\n---\n", ("一", "二")),
        ],
    )
    def test_tags_are_read_in_the_forms_that_notes_have(self, text: str, tags: tuple[str, ...]) -> None:
        assert read_front_matter(text).tags == tags

    @pytest.mark.parametrize(
        "text",
        [
            "---\n\n文字。\n\n---\n更多。",
            "---\ntitle: x\n没有结尾",
            "文字\n---\ntitle: x\n---\n",
            "---\n* 列表\n---\n",
        ],
    )
    def test_rules_and_lists_at_the_top_are_no_front_matter(self, text: str) -> None:
        assert read(text, "x.md").text == text

    def test_front_matter_cannot_grow_without_end(self) -> None:
        bomb = "---\na: &a [x,x,x]\nb: &b [*a,*a,*a]\nc: [*b,*b,*b]\n---\n正文"
        assert "正文" in read(bomb, "x.md").text

    def test_line_ends_and_marks_do_not_matter(self) -> None:
        text = "---\ntitle: T\n---\n# 一\n\n正文。\n"
        plain = read(text, "x.md")
        assert read("\ufeff" + text.replace("\n", "\r\n"), "x.md").text == plain.text
        assert read(text.replace("\n", "\r"), "x.md").text == plain.text

    def test_a_heading_in_a_fence_is_none(self) -> None:
        found = read("# 一\n\n~~~\n# 不是\n~~~\n\n二\n===\n", "x.md")
        assert [block.path for block in found.blocks if block.kind is BlockKind.HEADING] == [("一",), ("二",)]

    def test_headings_read_as_they_look(self) -> None:
        found = read("## **粗** [链接](http://x) `码` <!-- 注 --> {#id}\n\nx", "x.md")
        assert found.blocks[0].path == ("粗 链接 码",)

    def test_a_text_without_a_telling_name_is_known_by_its_marks(self) -> None:
        assert read("# 一\n\n- 甲\n- 乙\n", "README").kind is DocumentKind.MARKDOWN
        assert read("# comment\nkey = 1\n- x", "x.conf").kind is DocumentKind.CODE


class TestHtml:
    def test_only_what_a_reader_sees_is_text(self) -> None:
        page = (
            "<!DOCTYPE html><title>镇志</title><script>var a='否';</script><style>.x{}</style><nav>首页</nav>"
            "<h1>镇志 &amp; 附录</h1><p>灯&nbsp;亮了。<br>第二行</p><!-- 注释 --><noscript>否</noscript>"
            "<ul><li>甲<li>乙</ul><table><tr><th>名<th>数<tr><td>灯芯<td>12</table><pre>a\n  b</pre>"
        )
        found = read(page, "x.html")
        assert found.title == "镇志"
        assert lines(found) == [
            "镇志 & 附录", "灯 亮了。", "第二行", "- 甲", "- 乙", "名 | 数", "灯芯 | 12", "a", "b",
        ]  # fmt: skip

    @pytest.mark.parametrize("quote", ["'", '"', ""])
    def test_the_declared_encoding_counts_but_not_in_a_comment(self, quote: str) -> None:
        page = f"<html><!-- <meta charset=utf-8> --><meta charset={quote}gb2312{quote}><body><p>镇</p></body></html>"
        found = read(page.encode("gb18030"), "x.htm")
        assert (found.text, found.encoding) == ("镇", "gb18030")

    @pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le"])
    def test_a_page_is_a_page_in_every_encoding(self, encoding: str) -> None:
        found = read(
            "<!DOCTYPE html><html><title>镇志</title><p>灯亮了。</p></html>".encode(encoding), "x.txt"
        )
        assert (found.kind, found.title, found.text) == (DocumentKind.HTML, "镇志", "灯亮了。")

    def test_unclosed_tags_lose_nothing(self) -> None:
        assert lines(read("<html><body><div><p>一<div>二<table><tr><td>三", "x.html")) == ["一", "二", "三"]


class TestPdf:
    def test_pages_without_text_are_named(self) -> None:
        found = read(pdf("one.", "", "three."), "x.pdf")
        assert (found.pages, found.text_pages) == (3, (1, 3))
        assert [problem.refs for problem in found.problems] == [("2",)]

    def test_a_scan_is_refused_in_words(self) -> None:
        with pytest.raises(BadFile, match="pdf_no_text"):
            read(pdf("", ""), "x.pdf")

    @pytest.mark.parametrize("algorithm", ["RC4-128", "AES-128", "AES-256"])
    def test_an_owner_password_alone_does_not_keep_readers_out(self, algorithm: str) -> None:
        assert read(_encrypted("", algorithm), "x.pdf").text_pages == (1,)

    def test_a_user_password_is_asked_for(self) -> None:
        data = _encrypted("密码", "AES-256")
        with pytest.raises(PasswordQuestion, match=r"password\("):
            read(data, "x.pdf")
        with pytest.raises(PasswordQuestion, match="password_wrong"):
            read(data, "x.pdf", password="falsch")
        assert read(data, "x.pdf", password="密码").text_pages == (1,)

    def test_a_broken_off_file_is_damaged(self) -> None:
        with pytest.raises(BadFile, match="damaged"):
            read(pdf("one.")[:300], "x.pdf")


def _encrypted(user: str, algorithm: str) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf("secret."))))
    writer.encrypt(user, "owner", algorithm=algorithm)
    buffer = io.BytesIO()
    writer.write(buffer)
    return buffer.getvalue()


class TestDocx:
    def test_headings_come_from_styles_and_their_parents(self) -> None:
        styles = (
            '<w:styles xmlns:w="w"><w:style w:styleId="1"><w:name w:val="heading 1"/></w:style>'
            '<w:style w:styleId="own"><w:name w:val="Mine"/><w:basedOn w:val="1"/></w:style></w:styles>'
        )
        found = read(
            docx(paragraph("一", "1") + paragraph("甲") + paragraph("二", "own"), styles=styles), "x.docx"
        )
        assert [block.path for block in found.blocks if block.kind is BlockKind.HEADING] == [("一",), ("二",)]

    def test_changes_count_as_accepted(self) -> None:
        body = (
            "<w:p><w:del><w:r><w:delText>旧</w:delText></w:r></w:del><w:ins><w:r><w:t>新</w:t></w:r></w:ins></w:p>"
            "<w:p><w:moveFrom><w:r><w:t>走了</w:t></w:r></w:moveFrom></w:p>"
            "<w:p><w:moveTo><w:r><w:t>来了</w:t></w:r></w:moveTo></w:p>"
            "<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:r><w:t>前半</w:t></w:r></w:p>" + paragraph("后半")
        )
        assert lines(read(docx(body), "x.docx")) == ["新", "来了", "前半后半"]

    def test_text_boxes_stand_once_in_either_form(self) -> None:
        box = "<w:txbxContent>" + paragraph("警告") + "</w:txbxContent>"
        both = f"<mc:AlternateContent><mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback></mc:AlternateContent>"
        old = f"<mc:AlternateContent><mc:Choice/><mc:Fallback>{box}</mc:Fallback></mc:AlternateContent>"
        for form in (both, old, box):
            found = read(docx(f"<w:p><w:r><w:t>甲</w:t>{form}</w:r></w:p>{paragraph('乙')}"), "x.docx")
            assert lines(found) == ["甲", "警告", "乙"]

    def test_tables_lists_breaks_and_notes_are_read(self) -> None:
        cell = "<w:tc>" + paragraph("{}") + "</w:tc>"
        row = "<w:tr>" + cell + cell + "</w:tr>"
        table = f"<w:tbl>{row.format('名', '数')}{row.format('灯芯', '12')}</w:tbl>"
        item = '<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>项</w:t></w:r></w:p>'
        broken = "<w:p><w:r><w:t>上</w:t><w:br/><w:t>下</w:t></w:r></w:p>"
        notes = f'<w:footnotes xmlns:w="w"><w:footnote w:type="separator">{paragraph("---")}</w:footnote>'
        notes += f"<w:footnote>{paragraph('脚注')}</w:footnote></w:footnotes>"
        body = f"{table}{item}<w:sdt><w:sdtContent>{broken}</w:sdtContent></w:sdt>"
        assert lines(read(docx(body, footnotes=notes), "x.docx")) == [
            "名 | 数",
            "灯芯 | 12",
            "- 项",
            "上",
            "下",
            "脚注",
        ]

    def test_old_damaged_and_protected_files_are_told_apart(self) -> None:
        old = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
        with pytest.raises(BadFile, match="old_office"):
            read(old, "x.docx")
        with pytest.raises(BadFile, match="protected"):
            read(old + "EncryptedPackage".encode("utf-16-le"), "x.docx")
        with pytest.raises(BadFile, match="damaged"):
            read(docx(paragraph("一"))[:-40], "x.docx")


class TestPackedFiles:
    def test_a_bomb_is_refused_before_it_fills_the_memory(self) -> None:
        with pytest.raises(BadFile, match="bomb"):
            read(docx(paragraph(" " * (40 << 20))), "x.docx")

    def test_entities_and_depth_are_refused(self) -> None:
        entity = (
            '<!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><w:document xmlns:w="w">&b;</w:document>'
        )
        deep = "<w:document xmlns:w='w'><w:body>" + "<w:p>" * MAX_DEPTH * 5 + "</w:p>" * MAX_DEPTH * 5
        for text in (entity, deep + "</w:body></w:document>"):
            with pytest.raises(BadFile, match="damaged"):
                read(packed({"word/document.xml": text}), "x.docx")

    def test_other_archives_and_cards_are_named(self) -> None:
        with pytest.raises(BadFile, match="archive"):
            read(packed({"a.txt": "x"}), "x.docx")
        with pytest.raises(BadFile, match="for_import"):
            read(packed({"card.json": "{}"}), "x.zip")


CONTAINER = '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'


def epub(spine: str, **chapters: str) -> dict[str, str]:
    items = "".join(
        f'<item id="{name}" href="{name}.xhtml" media-type="application/xhtml+xml"'
        f"{' properties=' + chr(34) + 'nav' + chr(34) if name == 'nav' else ''}/>"
        for name in chapters
    )
    references = "".join(f'<itemref idref="{name}"/>' for name in spine.split())
    package = (
        '<package xmlns:dc="dc"><metadata><dc:title>河镇</dc:title></metadata>'
        f"<manifest>{items}</manifest><spine>{references}</spine></package>"
    )
    pages = {f"OEBPS/{name}.xhtml": f"<html><body>{text}</body></html>" for name, text in chapters.items()}
    return {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": CONTAINER,
        "OEBPS/book.opf": package,
    } | pages


class TestEpub:
    def test_order_is_that_of_the_spine_and_the_contents_page_is_no_text(self) -> None:
        parts = epub(
            "nav b a",
            a="<h1>二</h1><p>尾。</p>",
            b="<p>头。</p>",
            nav='<a href="b.xhtml">一</a><a href="a.xhtml">二</a>',
        )
        found = read(packed(parts), "x.epub")
        assert found.title == "河镇"
        assert lines(found) == ["一", "头。", "二", "尾。"]

    def test_a_damaged_chapter_does_not_lose_the_others(self) -> None:
        data = bytearray(packed(epub("a b", a="<p>第一章</p>", b="<p>第二章</p>")))
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            at = file.getinfo("OEBPS/a.xhtml").header_offset
        data[at + 30 + len("OEBPS/a.xhtml") + 4] ^= 0xFF
        found = read(bytes(data), "x.epub")
        assert lines(found) == ["第二章"]
        assert found.problems[0].refs == ("OEBPS/a.xhtml",)


class TestTables:
    def test_each_row_names_its_columns(self) -> None:
        found = read("名称,数量\n灯芯,12\n油,3\n", "x.csv")
        assert lines(found) == ["名称 | 数量", "名称: 灯芯 | 数量: 12", "名称: 油 | 数量: 3"]

    @pytest.mark.parametrize("mark", ["\t", ";", ","])
    def test_the_delimiter_is_found(self, mark: str) -> None:
        text = "\n".join(mark.join(row) for row in (("a", "b"), ("x", "y"), ("z", "w")))
        assert "a: x | b: y" in read(text, "x.csv").text

    def test_a_table_without_header_keeps_its_rows(self) -> None:
        assert lines(read("1,2\n3,4\n", "x.csv")) == ["1 | 2", "3 | 4"]

    def test_an_unclosed_quotation_mark_does_not_swallow_the_file(self) -> None:
        text = 'a,b\n"x,1\n' + "".join(f"y{number},2\n" for number in range(200))
        assert "y199" in read(text, "x.csv").text
        assert read(text, "x.csv").text.count("\n") > 100

    def test_sheets_of_excel_are_read_in_order(self) -> None:
        workbook = (
            '<workbook xmlns:r="r"><sheets><sheet name="库存" sheetId="1" r:id="r1"/></sheets></workbook>'
        )
        relations = '<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/></Relationships>'
        sheet = (
            '<worksheet><sheetData><row><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>数量</t></is></c></row>'
            '<row><c r="A2" t="s"><v>1</v></c><c r="C2"><v>12</v></c></row></sheetData></worksheet>'
        )
        shared = "<sst><si><t>名称</t></si><si><r><t>灯</t></r><r><t>芯</t></r></si></sst>"
        found = read(
            packed(
                {
                    "xl/workbook.xml": workbook,
                    "xl/_rels/workbook.xml.rels": relations,
                    "xl/worksheets/sheet1.xml": sheet,
                    "xl/sharedStrings.xml": shared,
                }
            ),
            "x.xlsx",
        )
        assert lines(found) == ["库存", "名称 |  | 数量", "名称: 灯芯 | 数量: 12"]


class TestOthers:
    def test_rtf_is_read_in_its_code_pages(self) -> None:
        text = (
            rb"{\rtf1\ansi\ansicpg936{\fonttbl{\f0\fcharset134 SimSun;}}{\info{\title \'ca\'d8}}"
            rb"\f0 \'ca\'d8\'b5\'c6\'c8\'cb\par \u28783?\par}"
        )
        found = read(text, "x.doc")
        assert (lines(found), found.title) == (["守灯人", "灯"], "守")

    def test_rtf_emoji_in_two_halves_are_whole_and_a_lone_half_is_a_mark(self) -> None:
        assert read(rb"{\rtf1 \u-10179?\u-8704? a \u-10179? b}", "x.rtf").text == "\U0001f600 a \ufffd b"

    def test_odt_without_tracked_deletions(self) -> None:
        content = (
            '<d xmlns:text="t" xmlns:table="b"><body><text><text:tracked-changes><text:p>删了</text:p></text:tracked-changes>'
            '<text:h text:outline-level="1">一</text:h><text:p>甲<text:s text:c="2"/>乙<text:line-break/>丙</text:p>'
            "<text:list><text:list-item><text:p>项</text:p></text:list-item></text:list>"
            "<table:table><table:table-row><table:table-cell><text:p>名</text:p></table:table-cell>"
            "<table:table-cell><text:p>数</text:p></table:table-cell></table:table-row></table:table></text></body></d>"
        )
        found = read(
            packed({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content}), "x.odt"
        )
        assert lines(found) == ["一", "甲 乙", "丙", "- 项", "名 | 数"]

    def test_slides_come_in_the_order_in_which_they_are_shown(self) -> None:
        def slide(title: str, text: str) -> str:
            shape = "<p:sp><p:nvSpPr><p:nvPr>{}</p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>{}</a:t></a:r></a:p></p:txBody></p:sp>"
            head = shape.format('<p:ph type="title"/>', title)
            return (
                f'<p:sld xmlns:p="p" xmlns:a="a"><p:spTree>{shape.format("", text)}{head}</p:spTree></p:sld>'
            )

        listed = '<p:sldId r:id="r2"/><p:sldId r:id="r1"/>'
        parts = {
            "ppt/presentation.xml": f'<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>',
            "ppt/_rels/presentation.xml.rels": '<R><R Id="r1" Target="slides/slide1.xml"/><R Id="r2" Target="slides/slide2.xml"/></R>',
            "ppt/slides/slide1.xml": slide("后", "乙"),
            "ppt/slides/slide2.xml": slide("先", "甲"),
        }
        found = read(packed(parts), "x.pptx")
        assert lines(found) == ["先", "甲", "后", "乙"]
        assert found.text_pages == (1, 2)

    def test_packed_json_is_laid_out_and_loses_nothing(self) -> None:
        found = read('{"name":"\\u4f60\\u597d","n":1.50,"n":2,"l":[{"k":null}]}', "x.json")
        assert lines(found)[:4] == ["{", '"name": "你好",', '"n": 1.50,', '"n": 2,']
        assert [block.path for block in found.blocks] == [("name",), ("n",), ("n",), ("l",)]

    def test_readable_json_and_lines_of_json_stay_as_they_are(self) -> None:
        for text in ('{\n  "a": 1\n}\n', '{"a":1}\n{"b":2}\n'):
            assert (read(text, "x.txt").text, read(text, "x.txt").kind) == (text, DocumentKind.JSON)

    @pytest.mark.parametrize(
        "text",
        [
            '{"user_name":"a","character_name":"b","create_date":"x"}\n{"name":"a","mes":"hi","is_user":true}\n',
            '{"version":3,"nodes":[],"edges":[]}',
            '{"entries":{"0":{"key":["a"],"content":"b"}}}',
            '{"spec":"chara_card_v2","data":{}}',
            '[{"id":"1","memory":"likes tea","user_id":"u"}]',
            '{"name":"Erin","messages":[{"msg":"Come in.","characterId":"c1"}]}',
            '{"data_visible":[["","Welcome."],["Who?","The keeper."]]}',
            '[{"role":"user","content":"hi"},{"role":"assistant","content":"yes"}]',
            '{"user_name":"a","character_name":"b","create_date":"x"}\n{"name":"a","mes":"hi","is_u\n',
            '{"name":"a","mes":"h\n{"name":"a","mes":"hi","is_user":true}\n',
            f'{{"chat_metadata":{{"graph":"{"x" * 2_100_000}"}}}}\n{{"name":"a","mes":"hi","is_user":true}}\n',
        ],
    )
    def test_files_with_memories_of_their_own_are_not_cut(self, text: str) -> None:
        with pytest.raises(BadFile, match="for_import"):
            read(text, "x.json")

    def test_memory_that_was_written_as_markdown_is_no_document(self) -> None:
        memory = f'---\nid: "mem-{"a" * 32}"\ntype: rule\n---\nwords\n'
        with pytest.raises(BadFile, match="for_import"):
            read(memory, "x.md")
        assert read("---\nid: mem-7\ntype: rule\n---\nwords\n", "x.md").text

    @pytest.mark.parametrize(
        ("data", "key"),
        [
            (b"", "empty"),
            (b" \n\t", "no_text"),
            (b"\x89PNG\r\n\x1a\n", "picture"),
            (b"SQLite format 3\x00", "for_import"),
            (b"\x7fELF" + bytes(60), "program"),
            (b"RIFF0000WAVE", "media"),
        ],
    )
    def test_what_is_no_document_is_said(self, data: bytes, key: str) -> None:
        with pytest.raises(BadFile, match=key):
            read(data, "x.txt")

    def test_chapters_of_a_novel_are_headings(self) -> None:
        found = read("第一章 雾\n\n河上起雾。\n\n第二章 灯\n灯亮了。\n", "x.txt")
        assert [block.path for block in found.blocks if block.kind is BlockKind.HEADING] == [
            ("第一章 雾",),
            ("第二章 灯",),
        ]

    def test_logs_and_code_keep_their_lines(self) -> None:
        log = "\n".join(f"2026-01-0{day} 10:00:00 started" for day in range(1, 8))
        assert read(log, "out").kind is DocumentKind.LOG
        code = "import os\n\n\ndef f():\n    # 守灯人\n    return 1\n"
        assert (read(code, "f.py").kind, read(code, "f.py").text) == (DocumentKind.CODE, code)
