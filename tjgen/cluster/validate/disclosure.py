"""A manifest -> the private keys and well-known tokens in it (TJ109): in ConfigMaps, variables, arguments, scripts, annotations.

A variable whose name suggests that its value is a secret is a warning, and so is one with a password in a URL.

Secrets are left out: they exist to hold them, and `tjgen lint` has a rule for those in Git (TJ662).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from tjgen.trees.diagnostics import tokens
from tjgen.trees.diagnostics.model import WARNING, Diagnostic
from tjgen.trees.diagnostics.suspected import from_secret, has_password, is_suspected
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


def suspected(tree: Tree) -> Iterator[tuple[FieldPath, str, str]]:
    """The place, the name and the value of each variable of a manifest that may be a secret: its name or a URL suggests it."""
    if tree.__class__ is not dict or tree.get("kind") in _SECRET_KINDS:
        return
    for path, env in _environments(tree, ()):
        for position, variable in enumerate(env):
            if variable.__class__ is dict and variable.get("value").__class__ is str:
                name, value = str(variable.get("name")), variable["value"]
                if is_suspected(name, value) or has_password(value):
                    yield (*path, position, "value"), name, value


def diagnostics(tree: Tree, harmless: Collection[str] = ()) -> Iterator[Diagnostic]:
    """TJ109 for each field with one, except the fingerprints that the project lists as `harmless`."""
    known = set()
    for path, token in find(tree):
        known.add(path)
        if token.fingerprint not in harmless:
            message = f"{render(path)} holds {token.kind}, which all readers of the repository or the object can see"
            yield Diagnostic("TJ109", message, path=path, hint=hint(token))
    for path, name, value in suspected(tree):
        fingerprint = tokens.fingerprint(value)
        if path not in known and fingerprint not in harmless:
            suggests = f"the URL in {name} has a password" if has_password(value) else f"the name {name} suggests a secret"
            message = f"{suggests}, and all readers of the repository or the object can see the value"
            yield Diagnostic("TJ109", message, path=path, hint=_from_secret(name, fingerprint), severity=WARNING)


def hint(token: tokens.Token) -> str:
    """What to do about a key or token."""
    return (
        "take it from a Secret ({secret: NAME, key: KEY} in an experiment, valueFrom.secretKeyRef in a pod), "
        "and revoke it if it was committed; "
        f"if it is not a secret, add its fingerprint {token.fingerprint} to spec.policy.harmless of the project"
    )


def _from_secret(name: str, fingerprint: str) -> str:
    return (
        f"take it from a Secret: {from_secret(name)} in an experiment, and revoke it if it was committed; "
        f"if it is not a secret, add its fingerprint {fingerprint} to spec.policy.harmless of the project"
    )


def _environments(tree: Tree, path: FieldPath) -> Iterator[tuple[FieldPath, list[Tree]]]:
    """The lists of variables, with their places."""
    for key, value in tree.items() if tree.__class__ is dict else enumerate(tree):
        if key == "env" and value.__class__ is list:
            yield (*path, key), value
        elif value.__class__ in (dict, list):
            yield from _environments(value, (*path, key))


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
