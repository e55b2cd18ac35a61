"""Vector indexes, embedders, language models, file formats and document readers."""
