"""A manifest -> the private keys and well-known tokens in it (TJ109): in ConfigMaps, variables, arguments, scripts, annotations.

Secrets are left out: they exist to hold them, and `tjgen lint` has a rule for those in Git (TJ662).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from tjgen.trees.diagnostics import tokens
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, render
from tjgen.trees.typing import NamedTuple

_SECRET_KINDS = ("Secret", "SealedSecret")


class Disclosed(NamedTuple):
    """A private key or token, and the field that holds it."""

    path: FieldPath
    token: tokens.Token


def find(tree: Tree) -> Iterator[Disclosed]:
    """The first private key or token of each field of a manifest."""
    if tree.__class__ is not dict or tree.get("kind") in _SECRET_KINDS:
        return
    # A mark has no character that `repr` escapes; a text in base64 is found only once it is decoded.
    if "binaryData" not in tree and not tokens.is_marked(repr(tree)):
        return
    for path, text in _texts(tree, ()):
        token = next(tokens.find(text), None)
        if token is not None:
            yield Disclosed(path, token)


def diagnostics(tree: Tree, harmless: Collection[str] = ()) -> Iterator[Diagnostic]:
    """TJ109 for each field with one, except the fingerprints that the project lists as `harmless`."""
    for path, token in find(tree):
        if token.fingerprint not in harmless:
            message = f"{render(path)} holds {token.kind}, which all readers of the repository or the object can see"
            yield Diagnostic("TJ109", message, path=path, hint=hint(token))


def hint(token: tokens.Token) -> str:
    """What to do about a key or token."""
    return (
        "take it from a Secret (valueFrom.secretKeyRef, or a volume), and revoke it if it was committed; "
        f"if it is not a secret, add its fingerprint {token.fingerprint} to spec.policy.harmless of the project"
    )


def _texts(tree: Tree, path: FieldPath) -> Iterator[tuple[FieldPath, str]]:
    if tree.__class__ is str:
        yield path, tree
    elif tree.__class__ is dict:
        for key, value in tree.items():
            if key == "binaryData" and not path and value.__class__ is dict:
                for name, content in value.items():
                    yield ("binaryData", name), _decoded(content)
            else:
                yield from _texts(value, (*path, key))
    elif tree.__class__ is list:
        for position, item in enumerate(tree):
            yield from _texts(item, (*path, position))


def _decoded(content: Tree) -> str:
    from base64 import b64decode  # few manifests have binary data
    from binascii import Error

    try:
        return b64decode(content).decode("latin-1") if content.__class__ is str else ""
    except (Error, ValueError):
        return ""
