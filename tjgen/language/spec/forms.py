"""Short forms -> long forms, and which alternative of several a mapping has chosen.

`gpu: h100:8` and `gpu: {class: h100, count: 8}` are one thing written in two ways; overlays merge the
long form, so that one of them can change the count alone. A short form that makes no sense stays as it
is, for the check of the schema to report.
"""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.trees.fields.path import FieldPath, Step, Tree
from tjgen.trees.k8s import duration, quantity
from tjgen.trees.typing import MappingProxyType, NamedTuple


class Form(NamedTuple):
    """The form of a place in addition to its schema. Generated into `compact`."""

    short: tuple[tuple[str, str], ...] = ()
    """Keys that a scalar sets, and how each is read: "string", "integer", "text", or "amount", which sets all of them to it."""
    alternatives: tuple[tuple[str, ...], ...] = ()
    """Groups of keys of which at most one is used; a key of several groups belongs to the one that is used."""
    choices: Mapping[str, int] = MappingProxyType({})
    """Each key that belongs to one group only, with the number of that group: who uses the key has chosen."""
    needed: bool = False
    """Whether one of the alternatives has to be chosen."""
    fields: Mapping[str, Form] = MappingProxyType({})
    each: Form | None = None
    """The form of every value of a map with keys of the user's choice."""
    item: Form | None = None
    """The form of every element of a list."""
    listed: bool = False
    """Whether a scalar represents a list of one."""
    verbatim: bool = False
    """Whether null is a value like others here, rather than absence."""
    seconds: bool = False
    """Whether a duration represents its number of seconds."""


VERBATIM = Form(verbatim=True)
SECONDS = Form(seconds=True)
PLAIN = Form()


def form_at(form: Form, path: FieldPath) -> Form:
    """The form of the place at `path` below a place with `form`."""
    for step in path:
        form = below(form, step)
    return form


def below(form: Form, step: Step) -> Form:
    """The form of the value under one key or index of a place with `form`."""
    if form.verbatim:
        return form
    if step.__class__ is str:
        return form.each or form.fields.get(step, PLAIN)
    return form.item or PLAIN


def long_form(tree: Tree, form: Form) -> Tree:
    """`tree` with every short form written out; `tree` itself if there is none."""
    if tree.__class__ is dict:
        if form.each is not None:
            changed = {key: new for key, old in tree.items() if (new := long_form(old, form.each)) is not old}
        else:
            fields = form.fields
            changed = {key: new for key, old in tree.items() if key in fields and (new := long_form(old, fields[key])) is not old}
        return {**tree, **changed} if changed else tree
    if tree.__class__ is list:
        if form.item is None:
            return tree
        items = [long_form(item, form.item) for item in tree]
        return items if any(new is not old for new, old in zip(items, tree, strict=True)) else tree
    if tree is None:
        return tree
    if form.listed:
        return [tree]
    if form.seconds:
        return _seconds(tree)
    return _written_out(tree, form.short) if form.short else tree


def _written_out(scalar: Tree, short: tuple[tuple[str, str], ...]) -> Tree:
    reading = short[0][1]
    if reading == "text":
        return {short[0][0]: text(scalar)}
    if reading == "amount":
        return {key: scalar for key, _ in short} if quantity.is_amount(scalar) else scalar
    if scalar.__class__ is int and short[-1][1] == "integer":
        return {short[-1][0]: scalar}
    if scalar.__class__ is not str or not scalar:
        return scalar
    if len(short) == 1:
        return {short[0][0]: scalar}
    (first, _), (second, _) = short
    name, separator, number = scalar.partition(":")
    if not name.translate(_SEPARATORS).isalnum() or ("/" in name and not _is_resource(name)):
        return scalar  # The schema reports the text as it is written.
    if not separator:
        return {first: name}
    return {first: name, second: int(number)} if name and number.isascii() and number.isdigit() and len(number) < 20 else scalar


_SEPARATORS = str.maketrans("", "", "-._/")


def _is_resource(name: str) -> bool:
    """Whether a text with a slash can be a domain and a name."""
    domain, _, own = name.partition("/")
    return domain.islower() and domain[0].isalpha() and own[:1].isalnum() and "/" not in own


def _seconds(scalar: Tree) -> Tree:
    """The number of seconds of a duration such as 2h; any other value as it is."""
    if scalar.__class__ is str and scalar.isascii() and scalar[:-1].isdigit() and scalar[-1:] in duration.SECONDS:
        return duration.seconds(scalar)
    return scalar


def text(scalar: Tree) -> str:
    """The text of a scalar as YAML 1.2 writes it: true, 8, 0.001."""
    if scalar.__class__ is str:
        return scalar
    if scalar.__class__ is bool:
        return "true" if scalar else "false"
    if scalar.__class__ is float:
        return _SPECIAL.get(repr(scalar)) or repr(scalar)
    return str(scalar)


_SPECIAL = {"inf": ".inf", "-inf": "-.inf", "nan": ".nan"}


def chosen(tree: dict[str, Tree], form: Form) -> dict[int, str]:
    """Return the alternatives that a mapping uses: the number of each, with its key in the mapping."""
    choices = form.choices
    return {choices[key]: key for key, value in tree.items() if key in choices and value is not None}


def replaced(base: dict[str, Tree], patch: dict[str, Tree], form: Form) -> list[str]:
    """The keys of `base` that go because `patch` chooses another alternative."""
    new = chosen(patch, form)
    if len(new) != 1:
        return []
    dropped = [number for number in chosen(base, form) if number not in new]
    return [key for number in dropped for key in form.alternatives[number] if key in base and key not in patch]
