"""The protocol against a real server: only by `make test-llm`."""
