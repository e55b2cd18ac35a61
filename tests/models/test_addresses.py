"""Addresses as people paste them."""

import pytest

from core.adapters.endpoints.address import address


@pytest.mark.parametrize(
    ("pasted", "base"),
    [
        ("localhost:11434", "http://localhost:11434/v1"),
        ("127.0.0.1:8080/v1/chat/completions", "http://127.0.0.1:8080/v1"),
        ("api.openai.com", "https://api.openai.com/v1"),
        ("  'https://api.deepseek.com/' ", "https://api.deepseek.com/v1"),
        ("https://open.bigmodel.cn/api/paas/v4/", "https://open.bigmodel.cn/api/paas/v4"),
        ("https://generativelanguage.googleapis.com/v1beta/openai/", "https://generativelanguage.googleapis.com/v1beta/openai"),
        ("https://dashscope.aliyuncs.com/compatible-mode/v1", "https://dashscope.aliyuncs.com/compatible-mode/v1"),
        ("https://host/proxy/openai/v1/embeddings", "https://host/proxy/openai/v1"),
        ("http://[::1]:8080", "http://[::1]:8080/v1"),
        ("nas:5000", "http://nas:5000/v1"),
        ("https://host/v1/models", "https://host/v1"),
    ],
)  # fmt: skip
def test_any_pasted_form_gives_the_base(pasted: str, base: str) -> None:
    assert address(pasted).base == base


def test_other_parts_of_the_query_are_kept() -> None:
    found = address("https://host/openai/v1?api-version=2024-10-21")
    assert found.of("embeddings") == "https://host/openai/v1/embeddings?api-version=2024-10-21"
    assert not found.loopback
    assert address("127.0.0.1:1").loopback
