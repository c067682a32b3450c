"""An object -> its equivalence key: objects with equal keys get equal verdicts, so one of them is judged for all.

Runs of one experiment differ in texts that can be anything, such as images, arguments and values of variables, in numbers of
seconds, and in names. The key leaves out these texts, the positive numbers of seconds, and the choice of names. It keeps the
length of names, and which of them are equal. A key holds for one set of releases and one context of webhooks.
`tests/cluster/validate/test_validate_equivalence.py` mutates the corpus to find objects with equal keys and different verdicts.
`once_for_equals` is the only user of keys: build, check and lint call it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

from tjgen.cluster.trainer.job import TORCHTUNE
from tjgen.trees import regex
from tjgen.trees.canonical import sha256_hex
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.k8s.syntax import label_value
from tjgen.trees.session import Session

_FREE = ("claimName", "image", "server", "workingDir")
"""Fields of pods that hold any text; an empty one is another thing, and so is one with a blank."""
_FREE_OF = {"env": "value", "ownerReferences": "uid"}
"""List -> the field of its items that holds any text."""
_LISTS = ("args", "command")
_MAPS = ("annotations", "labels")
_KEPT = ("apiVersion", "kind", "runtimeRef")
"""What decides which rules hold."""
_PLAIN = " \t\n\r"
_BREAKS = dict.fromkeys(map(ord, "\t\n\r"))
_LONG = 200
"""Longer texts are taken as they are: there are limits beyond."""
_CHOSEN = regex.compile("[a-z][a-z0-9]*+(?=[a-z-]*[0-9])(-[a-z0-9]+)+")
"""A name of several words with a digit in one of the later ones: no word that a rule could be about."""
_DIGEST = regex.compile("(?=[0-9]*[a-f][0-9]*[a-f])[0-9a-f]{32,64}")
"""A digest in a label or an annotation, such as the job key of JobSet. With two letters it is not a number."""
_SIZE = regex.compile("[1-9][0-9]{0,8}[KMGT]i?")
_SECONDS = ("activeDeadlineSeconds", "terminationGracePeriodSeconds", "ttlSecondsAfterFinished")
"""Fields that hold any positive number of 32 bits."""
_LARGEST = 2**31 - 1

_SELECTOR = "selector"
"""A field that is compared with labels of the same object."""
_SLEEP = "sleep"
"""A field that is compared with the grace period of the same object."""
_COMPARED = {_SELECTOR: _MAPS, _SLEEP: _SECONDS}
"""Field -> the fields that it is compared with."""


def once_for_equals(
    session: Session, scope: Hashable, tree: Tree, find: Callable[[], list[Diagnostic]], *, key: str | None = None
) -> list[Diagnostic]:
    """Return what `find` reports about the object: nothing, without a call, if it reported nothing about an equal object.

    `scope` holds everything else that `find` reads. `key` replaces the equivalence key. An object that is not accepted shares
    nothing, so each diagnostic has its own names and places.
    """
    entry = (scope, sha256_hex(equivalence_key(tree) if key is None else key))
    if session.has("accepted", entry):
        return []
    diagnostics = find()
    if not diagnostics:
        session.add("accepted", entry)
    return diagnostics


def equivalence_key(tree: Tree) -> str:
    """The key."""
    masked, names = _masks(tree)
    text = repr(masked)
    name = get(tree, ("metadata", "name"), None)
    # The name of the object is in other names, and in paths.
    return text.replace(name, f"<{len(name)}>") if name.__class__ is str and name in names else text


def _masks(tree: Tree) -> tuple[Tree, dict[str, str]]:
    """The masked tree, and the names in it with what is compared with other fields."""
    names: dict[str, str] = {}
    masked = _masked(tree, "", names)
    compared = [one for one in _COMPARED if one in names]
    if compared:
        # An object that selects pods by their labels is judged by every label.
        names = dict.fromkeys([field for one in compared for field in (one, *_COMPARED[one])], "")
        masked = _masked(tree, "", names)
    return masked, names


def _masked(value: Tree, key: str, names: dict[str, str]) -> Tree:
    """The value without what no verdict depends on.

    `names` maps each name to its mask. It has the key of a field of `_COMPARED` once that was found, and those of the fields
    that are kept.
    """
    if value.__class__ is str:
        return _free(value) if key in _FREE else _name(value, names)
    if value.__class__ is dict:
        if value.get("command") == TORCHTUNE:
            return value  # the webhook of Trainer reads its arguments
        if key in _MAPS and key not in names:
            return {one: _text(one, text, key, names) for one, text in value.items()}
        free = _FREE_OF.get(key)
        if free is not None:
            return {one: _free(item) if one == free else _masked(item, one, names) for one, item in value.items()}
        if key == "resources" and list(value) == ["requests"] and value["requests"].__class__ is dict:
            return [(one, _size(item) if one == "storage" else item) for one, item in value["requests"].items()]
        masked = {}
        for one, item in value.items():
            kind = item.__class__
            if one in _COMPARED:
                names.setdefault(one, "")
            # Most values are numbers and words, which need no call.
            if one in _KEPT or (kind is str and "-" not in item and one not in _FREE) or (kind is int and one not in _SECONDS):
                masked[one] = item
            else:
                masked[one] = _masked(item, one, names)
        return masked
    if value.__class__ is list:
        if key in _LISTS:
            return [_free(item) for item in value]
        return [_masked(item, key if key in _FREE_OF else "", names) for item in value]
    if value.__class__ is int and key in _SECONDS and key not in names and 0 < value <= _LARGEST:
        return _SECONDS
    return value


def _name(text: str, names: dict[str, str]) -> str:
    """A chosen name as its turn in the object and its length; any other text as it is."""
    if "-" not in text or _CHOSEN.fullmatch(text) is None:
        return text
    return _numbered(text, names)


def _numbered(text: str, names: dict[str, str]) -> str:
    """The turn of a text in the object, and its length."""
    return names.setdefault(text, f"<{len(names)}:{len(text)}>")


def _text(key: str, text: Tree, where: str, names: dict[str, str]) -> Tree:
    """Return whether a label or annotation is equivalent: values that its owner invented may differ, others may not."""
    if text.__class__ is not str:
        return text
    if _is_marking(key):
        return _numbered(text, names) if _DIGEST.fullmatch(text) is not None else _name(text, names)
    return text if where == "labels" and label_value(text) else _free(text)


def _is_marking(key: str) -> bool:
    """Whether a program may read the value of a label or an annotation."""
    return "/" in key and not key.startswith("tjgen.dev/")


def _size(value: Tree) -> Tree:
    """The size of a claim, which is compared with nothing where the claim has no limit."""
    return "*" if value.__class__ is str and _SIZE.fullmatch(value) is not None else value


def _free(value: Tree) -> Tree:
    """Whether a text is empty, and whether it has a blank at an end; another value, and a text with odd characters, as it is."""
    if value.__class__ is not str or len(value) > _LONG or not value.isascii():
        return value
    if not value.isprintable() and not value.translate(_BREAKS).isprintable():
        return value
    return (bool(value), value.strip(_PLAIN) == value)
