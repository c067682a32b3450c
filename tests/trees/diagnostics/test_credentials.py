"""Passwords and tokens in URLs: what counts as one, and that none is printed."""

from __future__ import annotations

import pytest

from tjgen.trees.diagnostics.credentials import concealed, find, find_in_address


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("--extra-index-url https://ada:s3cret@pypi.example/simple", ["https://***@pypi.example"]),
        ("x @ git+https://s3cret@git.example:8443/x.git", ["git+https://***@git.example:8443"]),
        ("x @ git+ssh://git@git.example/x.git", []),
        ("x @ git+ssh://git:s3cret@git.example/x.git", ["git+ssh://***@git.example"]),
        ("https://${USER}:${TOKEN}@git.example/x", []),
        ("https://${USER}:s3cret@git.example/x", ["https://***@git.example"]),
        ("https://pypi.example/simple torch==2.9 # mail ada@example.com", []),
        ("FROM registry.example/base:1@sha256:abc", []),
        ("git@git.example:team/x", []),
    ],
)
def test_urls_with_secrets_are_found(text: str, found: list[str]) -> None:
    assert find(text) == found
    if found:
        assert "s3cret" not in concealed(text) and len(concealed(text)) == len(text)
    else:
        assert concealed(text) == text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ada:s3cret@registry.example/base", ["***@registry.example"]),
        ("registry.example:5000/base:1@sha256:abc", []),
        ("registry.example/base:1", []),
        ("git@git.example:x", []),
    ],
)
def test_an_address_without_a_scheme_can_hold_them_too(text: str, found: list[str]) -> None:
    assert find_in_address(text) == found
    assert "s3cret" not in concealed(text)
