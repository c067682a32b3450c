"""Private keys and tokens: what counts as one, and that none is printed."""

from __future__ import annotations

import random
import string
import time

import pytest

from tjgen.trees.diagnostics.credentials import concealed
from tjgen.trees.diagnostics.tokens import find

# Put together here, so that no scanner of this repository takes them for real ones.
LETTERS = "Ab3" * 16
TOKENS = {
    "a token of Hugging Face": "hf" + f"_{LETTERS[:34]}",
    "a token of GitHub": "ghp" + f"_{LETTERS[:36]}",
    "a token of GitLab": "glpat" + f"-{LETTERS[:20]}",
    "an API key": "sk" + f"-proj-{LETTERS}",
    "an access key of AWS": "AKIA" + "QWERTYUIOPASDFGH",
    "a token of Slack": "xoxb" + f"-{LETTERS[:20]}",
    "a key of Google": "AIza" + LETTERS[:35],
    "a JSON Web Token": "eyJ" + f"{LETTERS[:20]}.eyJ{LETTERS[:20]}.{LETTERS[:20]}",
    "a token of npm": "npm" + f"_{LETTERS[:36]}",
    "a token of PyPI": "pypi" + f"-AgE{LETTERS}",
    "a token of Docker Hub": "dckr" + f"_pat_{LETTERS[:27]}",
    "a key of Azure Storage": "AccountKey=" + f"{LETTERS}{LETTERS[:38]}==",
    "a private key": "-----BEGIN OPENSSH " + f"PRIVATE KEY-----\n{LETTERS}\n-----END OPENSSH PRIVATE KEY-----",
}


@pytest.mark.parametrize("kind", TOKENS)
def test_a_token_is_found_anywhere_and_concealed(kind: str) -> None:
    token = TOKENS[kind]
    for text in (token, f"curl -H 'Authorization: Bearer {token}' https://x.example", f'key = "{token}"\n', f"a={token},b"):
        [found] = find(text)
        assert (found.kind, text[found.start : found.end]) == (kind, token)
        hidden = concealed(text)
        assert LETTERS[:12] not in hidden
        assert "QWERTY" not in hidden
        assert [len(line) for line in hidden.split("\n")] == [len(line) for line in text.split("\n")]


@pytest.mark.parametrize(
    "text",
    [
        "pip install sk-learn-extra-and-much-more-of-it",
        "task-sk-a-very-long-name-of-something",
        "AKIAIOSFODNN7EXAMPLE",
        "-----BEGIN CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----",
        "ssh-rsa AAAAB3NzaC1yc2E user@host",
        "hf_transfer",
        "ghp_short",
        "self.eyJ",
        "$(cat /tjgen/credentials/token)",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    ],
)
def test_what_only_looks_like_one_is_left_alone(text: str) -> None:
    assert list(find(text)) == []
    assert concealed(text) == text


def test_a_long_text_takes_time_in_proportion_to_its_length() -> None:
    """Each text takes about 20 ms. With backtracking it takes minutes, so the limit of 10 s also holds on a busy machine."""
    generator = random.Random(1)
    hostile = ["sk-" * 30_000, "eyJ" * 30_000, "-----BEGIN " + "A " * 40_000, "-----BEGIN PRIVATE KEY-----" * 4_000]
    hostile.append("PRIVATE KEY " + "".join(generator.choices(string.ascii_letters + "-_.", k=100_000)))
    for text in hostile:
        start = time.process_time()
        list(find(text))
        assert time.process_time() - start < 10, text[:20]
