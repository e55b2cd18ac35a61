"""Readers of documents, behind `core.ports.document_reader`."""
