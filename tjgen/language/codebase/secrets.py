"""Files that would be packed -> those that look like secrets: by their name, or by a private key or token in them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from tjgen.language.codebase.files import CodeFile, FolderError
from tjgen.trees.diagnostics import tokens
from tjgen.trees.typing import NamedTuple

_NAMES = re.compile(
    r"(?:.*/)?(?:"
    r"id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?"
    r"|.*\.(?:key|p12|pfx|jks|keystore|kdbx|ppk|kubeconfig)"
    r"|kubeconfig|_netrc|\.?htpasswd|terraform\.tfstate|vault-token"
    r"|(?:application_default_)?credentials(?:\.(?:json|ya?ml|ini|toml|csv))?"
    r"|client_secrets?(?:[-_.][^/]*)?\.json|service[-_]?account(?:[-_.]?key)?\.json"
    r"|secrets?\.(?:json|ya?ml|ini|toml|env|txt)"
    r")",
    re.I,
)


class Suspect(NamedTuple):
    """A file that looks like a secret."""

    path: str
    reason: str
    """Goes on after the name of the file: "is called like a private key"."""
    fingerprint: str
    """What a project can call harmless; "" where only the name is suspect."""


def suspects(files: Sequence[CodeFile], include: Sequence[str], harmless: Collection[str]) -> Iterator[Suspect]:
    """Every file that looks like a secret.

    A name is not a reason where `include` has exactly this file: its author means it. A content is one, unless its fingerprint is
    `harmless` by the word of the project. Raises FolderError for what cannot be read.
    """
    meant = {pattern.removeprefix("./") for pattern in include}
    for file in files:
        if file.path not in meant and _NAMES.fullmatch(file.path):
            yield Suspect(file.path, "has a name that is typical of files with secrets", "")
            continue
        try:
            content = file.content().decode("latin-1")
        except OSError as error:
            raise FolderError(file.path, str(error.strerror).lower()) from None
        token = next((one for one in tokens.find(content) if one.fingerprint not in harmless), None)
        if token is not None:
            yield Suspect(file.path, f"holds {token.kind}", token.fingerprint)
