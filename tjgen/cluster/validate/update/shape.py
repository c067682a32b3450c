"""The name of a Go type -> its fields, and a tree as that type prints it.

The table is `gotypes.TYPES`; a line is read when its type is first used. The printed form of a tree shows whether two
objects are the same to the server: encoding/json leaves out zeros, nulls and empties of `omitempty` fields,
keeps what a pointer points to, and k8s.io/apimachinery writes quantities in one way.
"""

from __future__ import annotations

from tjgen.cluster.validate.update.gotypes import TYPES
from tjgen.trees.fields.path import Tree
from tjgen.trees.k8s import quantity
from tjgen.trees.typing import Any, NamedTuple

LIST = "list"
MAP = "map"
STRUCT = "struct"
_ZEROS: dict[str, Tree] = {"string": "", "bool": False, "Quantity": "0", "IntOrString": 0, "Time": None, "any": None}


class ShapeField(NamedTuple):
    """How a field is printed and merged."""

    form: str
    """LIST, MAP or STRUCT; "" for a scalar."""
    type: str
    """The type of the value, or of each element."""
    is_pointer: bool
    is_always_printed: bool
    merge_key: str | None
    """The key of a merged list, "" for a merged list of scalars, None for everything else."""
    retains_keys: bool
    is_replaced: bool


_fields: dict[str, dict[str, ShapeField]] = {}


def fields(name: str) -> dict[str, ShapeField]:
    """The fields of a struct; a scalar has none."""
    known = _fields.get(name)
    if known is None:
        known = _fields[name] = dict(map(_field, TYPES.get(name, "").split()))
    return known


def _field(entry: str) -> tuple[str, ShapeField]:
    key, _, notation = entry.partition(":")
    is_always = notation.endswith("!")
    notation = notation.rstrip("!")
    is_replaced, retains = notation.endswith("%"), notation.endswith("^")
    go_type, merged, merge_key = notation.rstrip("%^").partition("@")
    bare = go_type.lstrip("*")
    form = LIST if bare.startswith("[]") and bare != "[]uint8" else MAP if bare.startswith("map[") else ""
    element = bare[2:] if form == LIST else bare.partition("]")[2] if form == MAP else bare
    element = element.lstrip("*")
    if not form and element in TYPES:
        form = STRUCT
    return key, ShapeField(form, element, go_type[0] == "*", is_always, merge_key if merged else None, retains, is_replaced)


def printed(tree: Tree, name: str) -> dict[str, Tree]:
    """The tree as the Go type `name` prints it."""
    given: dict[str, Tree] = tree if tree.__class__ is dict else {}
    result: dict[str, Tree] = {}
    for key, field in fields(name).items():
        value = given.get(key)
        if value is None:
            if field.is_always_printed:
                result[key] = _zero(field)
            continue
        text = printed_field(value, field)
        if text or (text == 0 and field.type == "Quantity") or field.is_pointer or field.is_always_printed:
            result[key] = text
    return result


def printed_field(value: Tree, field: ShapeField) -> Tree:
    """The value of a field as it is printed; an empty list is as good as none."""
    if field.form == STRUCT:
        return printed(value, field.type)
    if field.form == LIST:
        return [_element(item, field.type) for item in value] or None
    if field.form == MAP:
        return {key: _element(item, field.type) for key, item in value.items()} or (None if field.is_always_printed else {})
    return _scalar(value, field.type)


def _element(value: Tree, name: str) -> Tree:
    return printed(value, name) if name in TYPES else _scalar(value, name)


def _scalar(value: Tree, name: str) -> Tree:
    if name == "Quantity" and value is not None:
        return quantity.canonical(value)
    if name == "bool":
        return bool(value)
    return value


def _zero(field: ShapeField) -> Tree:
    if field.is_pointer or field.form in (LIST, MAP):
        return None
    return printed({}, field.type) if field.form == STRUCT else _ZEROS.get(field.type, 0)


def same(left: Tree, right: Tree, name: str) -> bool:
    """`equality.Semantic.DeepEqual` of two structs of a type; None represents an absent one."""
    return bool(comparable(left, name) == comparable(right, name))


def comparable(tree: Tree, name: str) -> Any:
    """The struct in a form in which equal ones are equal to Python, quantities as numbers; None for none."""
    return None if tree is None else _comparable(printed(tree, name), name)


def _comparable(tree: dict[str, Tree], name: str) -> Any:
    known = fields(name)
    return {key: compared for key, value in tree.items() if (compared := _compared(value, known[key])) is not None}


def _compared(value: Tree, field: ShapeField) -> Any:
    if value is None or (value in ([], {}) and field.form != STRUCT):
        return None
    if field.form == STRUCT:
        return _comparable(value, field.type)
    if field.form == LIST:
        return [_compared_element(item, field.type) for item in value]
    if field.form == MAP:
        return {key: _compared_element(item, field.type) for key, item in value.items()}
    return _compared_element(value, field.type)


def _compared_element(value: Tree, name: str) -> Any:
    if name in TYPES:
        return _comparable(value, name)
    return quantity.parse(value).nanos if name == "Quantity" else (value.__class__.__name__, value)
