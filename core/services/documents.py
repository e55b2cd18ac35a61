"""Documents and their pieces: taken in, replaced by a new version, deleted. Each is one op.

Source: spec/BOOKU §5 (tags, ids, titles of pieces) and DESIGN §5 (knowledge: rows, versions, the same twice).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from dataclasses import replace as changed
from itertools import count
from pathlib import PurePath

from core.algos.titles import file_title, keywords
from core.domain.commands_documents import (
    DeleteDocuments,
    IngestDocument,
    NewDocument,
    RenameDocument,
    ReplaceDocument,
)
from core.domain.document import DocumentPiece
from core.domain.enums import Kind, Layer, TagKind
from core.domain.errors import Invalid, NotFound
from core.domain.folder import Document, Folder, clean_folder_name
from core.domain.ids import DocumentPk, FolderPk, MemoryPk, TypeId, new_document_id, new_memory_id
from core.domain.json_types import Json, JsonObject
from core.domain.memory import Memory, Tag, TagSet
from core.domain.queries import MemoryFilter, Sort, SortKey, TrashScope
from core.ports.store import Reader, UnitOfWork
from core.services.lookup import CHUNK, OP_TITLE_CHARS, chunks
from core.services.outcome import Outcome

PIECE_TYPE = TypeId("knowledge")
KNOWLEDGE_TAG = "booku_knowledge"
OPPOSING = ("无关", "闲聊")
NO_KEYWORD = "知识"
UNREADABLE = "\ufffd"
"""In a path: bytes that are no text, so that it cannot be looked up."""
_KEYWORDS = 8
_CORE_CHARS, _DIFFUSION_CHARS = 120, 300
_NEXT, _NUMBER, _PATH, _PAGE, _EXACT, _OF_VERSION = (
    "next_piece",
    "piece",
    "headings",
    "page",
    "exact",
    "of_version",
)


def ingest(uow: UnitOfWork, command: IngestDocument) -> Outcome:
    """Take a document in, as new, as a new version, or not at all when it is there."""
    new = command.document
    name = clean_folder_name(command.folder)
    if command.group:
        uow.label(group=command.group)
    folder = uow.folder_named(name)
    rows = [] if folder is None else uow.documents_like(folder.pk, new.content_hash, new.path, new.title)
    same = next((row for row in rows if row.content_hash and row.content_hash == new.content_hash), None)
    if same is not None:
        return _again(uow, same, new)
    _check(new)
    older = next((row for row in rows if _is_same_document(row, new)), None)
    if older is not None:
        return _new_version(uow, older, new)
    pk = folder.pk if folder is not None else FolderPk(uow.insert([Folder(name=name, created_at=uow.now)])[0])
    return _insert(uow, pk, new, created_folder=None if folder is not None else pk)


def replace(uow: UnitOfWork, command: ReplaceDocument) -> Outcome:
    """A new version of a document."""
    _check(command.new)
    return _new_version(uow, document_of(uow, command.document), command.new)


def delete(uow: UnitOfWork, command: DeleteDocuments) -> Outcome:
    """Documents are gone, their pieces lie in the trash with their document's title."""
    trashed = 0
    for pk in dict.fromkeys(command.documents):
        document = document_of(uow, pk)
        pieces = _pieces_of(uow, pk)
        for part in chunks([piece.pk for piece in pieces if piece.deleted_at is None]):
            trashed += uow.update(Kind.MEMORY, part, {"deleted_at": uow.now})
        for part in chunks([piece.pk for piece in pieces]):
            uow.update(Kind.MEMORY, part, {"document": None})
            uow.checkpoint(trashed, trashed)
        uow.delete(Kind.DOCUMENT, [pk])
        uow.label(title=document.title[:OP_TITLE_CHARS])
    uow.label(count=len(set(command.documents)), pieces=trashed)
    return Outcome(changed=len(set(command.documents)), counts={"pieces": trashed})


def rename(uow: UnitOfWork, command: RenameDocument) -> Outcome:
    """Another title; pieces named without headings follow with the next version."""
    document = document_of(uow, command.document)
    title = " ".join(command.title.split())
    if not title:
        raise Invalid("error.document.title")
    uow.label(title=title[:OP_TITLE_CHARS])
    return Outcome(changed=uow.update(Kind.DOCUMENT, [document.pk], {"title": title}), document=document.pk)


def document_of(reader: Reader, pk: DocumentPk) -> Document:
    """One document. Errors: NotFound."""
    found = reader.records(Document, [pk])
    if not found:
        raise NotFound("error.document.gone")
    return found[0]


def _check(new: NewDocument) -> None:
    if not new.pieces:
        raise Invalid("error.document.no_pieces", title=new.title)


def _is_same_document(row: Document, new: NewDocument) -> bool:
    """Whether another text under that path, or of a typed text under that title, is a new version of the row."""
    if new.path:
        return row.path == new.path
    return not row.path and bool(row.content_hash) and row.title == new.title


def _again(uow: UnitOfWork, row: Document, new: NewDocument) -> Outcome:
    """The same text: nothing to do, unless its pieces are gone (trashed by hand): then they are made anew.

    A document follows its file to another place or name, so that the next change is a new version of it; one that is
    called like its file is called like it further on.
    """
    pieces = _pieces_of(uow, row.pk)
    moved = _has_moved(row, new)
    if any(piece.deleted_at is None for piece in pieces):
        if moved:
            title = new.title if row.title == file_title(row.path) else row.title
            uow.update(Kind.DOCUMENT, [row.pk], {"path": new.path, "title": title})
            uow.label(title=row.title[:OP_TITLE_CHARS], moved=PurePath(new.path).name[:OP_TITLE_CHARS])
        counts = {"same": 1, "pieces": 0} | ({"moved": 1} if moved else {})
        return Outcome(changed=int(moved), document=row.pk, counts=counts)
    _check(new)
    path = new.path if moved else row.path or new.path
    return _new_version(uow, row, changed(new, title=row.title, path=path))


def _has_moved(row: Document, new: NewDocument) -> bool:
    """Whether the text now lies in another file and the one it came from is gone."""
    if not row.path or not new.path or row.path == new.path or UNREADABLE in row.path:
        return False
    return not os.path.lexists(row.path)


def _insert(uow: UnitOfWork, folder: FolderPk, new: NewDocument, created_folder: FolderPk | None) -> Outcome:
    document = Document(
        id=new_document_id(),
        folder=folder,
        title=new.title,
        path=new.path,
        media_type=new.media_type,
        content_hash=new.content_hash,
        text=new.text,
        created_at=uow.now,
        extra=_details(new, len(new.pieces) + 1),
    )
    pk = DocumentPk(uow.insert([document])[0])
    made = _write(uow, changed(document, pk=pk), new, list(enumerate(new.pieces, start=1)), count(1))
    uow.label(title=new.title[:OP_TITLE_CHARS], count=len(made))
    return Outcome(
        changed=len(made) + 1,
        created=tuple(made),
        created_folder=created_folder,
        document=pk,
        counts={"created": 1, "pieces": len(made)},
    )


def _details(new: NewDocument, next_piece: int) -> JsonObject:
    return {**new.details, "cutting": new.cutting.value, _NEXT: next_piece}


def _new_version(uow: UnitOfWork, old: Document, new: NewDocument) -> Outcome:
    old_pieces = _pieces_of(uow, old.pk)
    stay, fresh = _matched(old_pieces, new.pieces)
    leaving = _leaving(uow, old, [piece for piece in old_pieces if piece.pk not in stay])
    _let_go(uow, old, leaving)
    by_pk = {piece.pk: piece for piece in old_pieces}
    updates = {pk: _place_of(by_pk[pk], new.pieces[number - 1], number) for pk, number in stay.items()}
    for part in chunks(list(updates)):
        uow.update_each(Kind.MEMORY, {pk: updates[pk] for pk in part})
        uow.checkpoint(0, len(new.pieces))
    first = _next_number(old, old_pieces)
    document = changed(
        old,
        title=new.title or old.title,
        path=new.path or old.path,
        media_type=new.media_type or old.media_type,
        content_hash=new.content_hash,
        text=new.text,
        version=old.version + 1,
        extra={**old.extra, **_details(new, first + len(fresh))},
    )
    names = ("title", "path", "media_type", "content_hash", "text", "version", "extra")
    uow.update(Kind.DOCUMENT, [old.pk], {name: getattr(document, name) for name in names})
    made = _write(uow, document, new, fresh, count(first))
    uow.label(title=document.title[:OP_TITLE_CHARS], count=len(new.pieces), version=document.version)
    return Outcome(
        changed=len(made) + 1,
        created=tuple(made),
        document=old.pk,
        counts={
            "replaced": 1,
            "pieces": len(new.pieces),
            "kept": len(stay),
            "removed": len(leaving.removed),
            "trashed": len(leaving.trashed),
            "locked": len(leaving.locked),
        },
    )


def _pieces_of(reader: Reader, document: DocumentPk) -> list[Memory]:
    where = MemoryFilter(document=document, trash=TrashScope.BOTH)
    return reader.records(Memory, reader.memory_ids(where, Sort(SortKey.CREATED, descending=False)))


def _matched(
    old: Sequence[Memory], new: Sequence[DocumentPiece]
) -> tuple[dict[MemoryPk, int], list[tuple[int, DocumentPiece]]]:
    """Pieces that say the same as before (old pk -> new number), and the new ones with their numbers."""
    by_text: dict[str, list[MemoryPk]] = {}
    for piece in sorted(old, key=lambda each: each.span_start or 0):
        if piece.deleted_at is None:
            by_text.setdefault(piece.body, []).append(piece.pk)
    stay: dict[MemoryPk, int] = {}
    fresh: list[tuple[int, DocumentPiece]] = []
    for number, cut in enumerate(new, start=1):
        known = by_text.get(cut.body)
        if known:
            stay[known.pop(0)] = number
        else:
            fresh.append((number, cut))
    return stay, fresh


def _place_of(memory: Memory, piece: DocumentPiece, number: int) -> dict[str, object]:
    return {
        "title": piece.title or memory.title,
        "span_start": piece.start,
        "span_end": piece.end,
        "extra": {**memory.extra, **_extra(piece, number)},
    }


@dataclass(frozen=True, slots=True)
class _Leaving:
    """What becomes of the pieces of an old version."""

    removed: tuple[MemoryPk, ...]
    trashed: tuple[MemoryPk, ...]
    locked: tuple[Memory, ...]


def _leaving(uow: UnitOfWork, old: Document, pieces: Sequence[Memory]) -> _Leaving:
    live = [piece for piece in pieces if piece.deleted_at is None]
    referred = uow.depended_on(piece.pk for piece in live)
    locked = tuple(piece for piece in live if piece.locked)
    trashed = [
        piece.pk for piece in live if not piece.locked and (piece.pk in referred or _edited(old, piece))
    ]
    gone = {*trashed, *(piece.pk for piece in locked)}
    return _Leaving(tuple(piece.pk for piece in live if piece.pk not in gone), tuple(trashed), locked)


def _edited(old: Document, piece: Memory) -> bool:
    """Whether a person changed the piece since it was cut."""
    if piece.extra.get(_EXACT) is False or piece.span_start is None or piece.span_end is None or not old.text:
        return piece.revision > 1
    return old.text[piece.span_start : piece.span_end] != piece.body


def _let_go(uow: UnitOfWork, old: Document, leaving: _Leaving) -> None:
    for part in chunks(leaving.trashed):
        uow.update(Kind.MEMORY, part, {"deleted_at": uow.now})
        uow.checkpoint(0, len(leaving.trashed))
    uow.update_each(
        Kind.MEMORY,
        {piece.pk: {"extra": {**piece.extra, _OF_VERSION: old.version}} for piece in leaving.locked},
    )
    for part in chunks(leaving.removed):
        uow.delete(Kind.TAG, [tag.pk for tags in uow.tags_of(part).values() for tag in tags])
        uow.delete(Kind.ALIAS, [alias.pk for aliases in uow.aliases_of(part).values() for alias in aliases])
        uow.delete(Kind.MEMORY, part)
        uow.checkpoint(0, len(leaving.removed))


def _next_number(old: Document, pieces: Sequence[Memory]) -> int:
    """Numbers of pieces are never given twice, so that an id always means the same text."""
    known = old.extra.get(_NEXT)
    return known if isinstance(known, int) else len(pieces) + 1


def _write(
    uow: UnitOfWork,
    document: Document,
    new: NewDocument,
    pieces: Sequence[tuple[int, DocumentPiece]],
    numbers: Iterator[int],
) -> list[MemoryPk]:
    made: list[MemoryPk] = []
    for start in range(0, len(pieces), CHUNK):
        part = pieces[start : start + CHUNK]
        records = [_memory(uow, document, new, number, piece, next(numbers)) for number, piece in part]
        pks = [MemoryPk(pk) for pk in uow.insert(records)]
        uow.insert(
            [
                row
                for pk, (_, piece) in zip(pks, part, strict=True)
                for row in _tag_rows(pk, piece_tags(new, piece))
            ]
        )
        made += pks
        uow.checkpoint(len(made), len(pieces))
    return made


def _memory(
    uow: UnitOfWork, document: Document, new: NewDocument, number: int, piece: DocumentPiece, own: int
) -> Memory:
    return Memory(
        id=new_memory_id(),
        foreign_id=f"kb-{document.id}-{own:04d}",
        folder=document.folder,
        type=PIECE_TYPE,
        layer=Layer.KNOWLEDGE,
        title=piece.title or _numbered(document.title, number),
        body=piece.body,
        source=new.source,
        document=document.pk,
        span_start=piece.start,
        span_end=piece.end,
        created_at=uow.now,
        updated_at=uow.now,
        extra=_extra(piece, number),
    )


def _numbered(title: str, number: int) -> str:
    return title if number == 1 else f"{title} ({number})"


def _extra(piece: DocumentPiece, number: int) -> dict[str, Json]:
    found: dict[str, Json] = {_NUMBER: number}
    if piece.path:
        found[_PATH] = list(piece.path)
    if piece.page:
        found[_PAGE] = piece.page
    if not piece.exact:
        found[_EXACT] = False
    return found


def piece_tags(new: NewDocument, piece: DocumentPiece) -> TagSet:
    """The tags of a piece: keywords as the triple (spec/BOOKU §5), title and tags of the document as general ones."""
    core = keywords(f"{new.title} {piece.title} {piece.body[:_CORE_CHARS]}", _KEYWORDS)
    diffusion = keywords(piece.body[:_DIFFUSION_CHARS], _KEYWORDS)
    general = (KNOWLEDGE_TAG, new.title, *new.tags)
    return TagSet(
        general=tuple(dict.fromkeys(tag for tag in general if tag)),
        core=_lowered(core) or (NO_KEYWORD,),
        diffusion=_lowered(diffusion) or (NO_KEYWORD,),
        opposing=OPPOSING,
    )


def _lowered(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word.strip().lower() for word in words if word.strip()))


def _tag_rows(pk: MemoryPk, tags: TagSet) -> list[Tag]:
    return [
        Tag(memory=pk, kind=kind, value=value, position=position)
        for kind in TagKind
        for position, value in enumerate(tags.group(kind))
    ]
