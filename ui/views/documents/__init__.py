"""The page Documents: the queue, the documents, their pieces, questions."""
