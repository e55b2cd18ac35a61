"""Small documents made by hand: packed ones part by part, PDFs with text."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

from core.adapters.documents.reader import read_document
from core.domain.document import DocumentPiece, ReadDocument

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
MC = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'


def packed(parts: Mapping[str, str | bytes]) -> bytes:
    """A ZIP of these parts."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return buffer.getvalue()


def docx(body: str, **parts: str) -> bytes:
    """A Word file with this body; more parts by the name of their file in `word/`."""
    document = f"<w:document {W} {MC}><w:body>{body}</w:body></w:document>"
    return packed(
        {"word/document.xml": document} | {f"word/{name}.xml": text for name, text in parts.items()}
    )


def paragraph(text: str, style: str = "") -> str:
    """A paragraph of a Word file."""
    settings = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{settings}<w:r><w:t>{text}</w:t></w:r></w:p>"


def pdf(*pages: str) -> bytes:
    """A PDF with a line of ASCII text on each page; "" = a drawing without text."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b""]
    kids = []
    font = len(objects) + 1
    objects.append(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    for text in pages:
        content = f"BT /F1 12 Tf 20 100 Td ({text}) Tj ET" if text else "10 10 m 90 90 l S"
        stream = content.encode("ascii")
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
        kids.append(len(objects) + 1)
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 200] /Contents %d 0 R"
            b" /Resources << /Font << /F1 %d 0 R >> >> >>" % (len(objects), font)
        )
    listed = b" ".join(b"%d 0 R" % kid for kid in kids)
    objects[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(kids), listed)
    out = bytearray(b"%PDF-1.4\n")
    offsets = []
    for number, content_of in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content_of)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for offset in offsets:
        out += b"%010d 00000 n \n" % offset
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(out)


def read(data: bytes | str, name: str = "x.txt", **options: str) -> ReadDocument:
    """Reads a file of that content and name."""
    return read_document(data.encode() if isinstance(data, str) else data, name, **options)


def lines(document: ReadDocument) -> list[str]:
    """Lines of the text that are not blank."""
    return [line.strip() for line in document.text.split("\n") if line.strip()]


def rejoined(pieces: list[DocumentPiece]) -> str:
    """The text that pieces give when what overlaps counts once."""
    text, end = "", 0
    for piece in pieces:
        assert piece.start <= end
        text += piece.body[end - piece.start :]
        end = piece.end
    return text
