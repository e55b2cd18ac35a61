"""Readers and writers of files, loaded when the first file is read."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.adapters.documents.reader import DocumentFiles
    from core.adapters.formats.files import FormatFiles


class LazyFormats:
    """All file formats, loaded when the first file is read or written."""

    @cached_property
    def _formats(self) -> FormatFiles:
        from core.adapters.chroma_files import is_collection_name, write_collections
        from core.adapters.formats.files import FormatFiles

        return FormatFiles(write_collections, is_collection_name)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._formats, name)


class LazyDocuments:
    """All readers of documents, loaded when the first file is read."""

    @cached_property
    def _files(self) -> DocumentFiles:
        from core.adapters.documents.reader import DocumentFiles

        return DocumentFiles()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._files, name)
