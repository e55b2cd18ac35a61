"""Language models and embedders of other programs, over HTTP as OpenAI's servers speak it."""
