"""Models -> `tjgen/language/spec/compact.py`: structural schemas for the walker; short forms and alternatives."""

from __future__ import annotations

import re
from typing import Any

from tjgen.language.spec.generate.literal import Name, literal
from tjgen.language.spec.generate.shapes import Field, Kind, Leaf, Map, Ref, Sequence, Sugar, fields, kind, models
from tjgen.language.spec.models.shape import AccessMode, Label, Quantity, Shape, Subtree

WRAP = 80

HEADER = '''"""Structural schemas of the experiment language, and its short forms and alternatives.

Generated from tjgen/language/spec/models by `python -m tjgen.language.spec.generate`; not edited by hand.
"""

from __future__ import annotations

from tjgen.language.spec.forms import SECONDS, VERBATIM, Form
from tjgen.trees.typing import Any

Schema = dict[str, Any]

# fmt: off
'''

SHARED: list[tuple[str, Any]] = [
    ("QUANTITY", Quantity),
    ("LABEL", Label),
    ("ACCESS_MODE", AccessMode),
    ("TREE", Subtree),
    ("TEXTS", dict[str, str]),
]
"""Types that many fields have, by the name of the constant that they share."""


def source(roots: list[type[Shape]]) -> str:
    """The text of the module."""
    parts = [HEADER]
    for name, annotation in SHARED:
        opening = f"{name}: Schema = "
        parts.append(f"\n{opening}{literal(_spelled(kind(annotation)), used=len(opening))}\n")
    known: set[str] = set()
    for model in models(roots):
        name = constant(model)
        opening = f"{name}: Schema = "
        parts.append(f"\n{opening}{literal(_object(model), used=len(opening))}\n")
        form = _form(model, known)
        if form:
            known.add(model.__name__)
            parts.append(f"{name}_FORM = {form}\n")
    return "".join(parts)


def constant(model: type[Shape]) -> str:
    """The name of the constant that holds a model's schema: EnvVar -> ENV_VAR."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", model.__name__).upper()


def _object(model: type[Shape]) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object"}
    if model.partial:
        schema["x-tjgen-partial"] = True
    required = [field.key for field in fields(model) if field.required]
    if required:
        schema["required"] = required
    schema["properties"] = {field.key: _schema(field.kind) for field in fields(model)}
    return schema


def _schema(of: Kind) -> Any:
    for name, annotation in SHARED:
        # Kinds are tuples: a map and a list of the same are equal, except for their class.
        if kind(annotation).__class__ is of.__class__ and kind(annotation) == of:
            return Name(name)
    return _spelled(of)


def _spelled(of: Kind) -> Any:
    match of:
        case Leaf(schema):
            return {key: schema[key] for key in sorted(schema, key=_rank)}
        case Ref(model):
            return Name(constant(model))
        case Map(value):
            return {"type": "object", "additionalProperties": _schema(value)}
        case Sequence(item, min_items):
            bound = {"minItems": min_items} if min_items else {}
            return {"type": "array", **bound, "items": _schema(item)}
        case Sugar(Ref(model), short):
            return {Name("**"): Name(constant(model)), "x-tjgen-short": _schema(short)}
        case Sugar(long, short):
            return {**_spelled(long), "x-tjgen-short": _schema(short)}


def _rank(keyword: str) -> tuple[bool, str]:
    return keyword != "type", keyword


def _form(model: type[Shape], known: set[str]) -> str:
    """Return the source of the model's form, empty if it has none."""
    below = {field.key: form for field in fields(model) if (form := _form_of(field.kind, known))}
    below.update(dict.fromkeys(model.verbatim, "VERBATIM"))
    short = tuple((key, _reading(field)) for key in model.short for field in fields(model) if field.key == key)
    return _call(short=short, alternatives=model.alternatives, choices=_choices(model), needed=model.needed, fields=below)


def _choices(model: type[Shape]) -> dict[str, int]:
    """Each key that belongs to one alternative only, with the number of that alternative."""
    keys = [key for group in model.alternatives for key in group]
    return {key: number for number, group in enumerate(model.alternatives) for key in group if keys.count(key) == 1}


def _form_of(kind: Kind, known: set[str]) -> str:
    match kind:
        case Ref(model) | Sugar(Ref(model), _):
            return f"{constant(model)}_FORM" if model.__name__ in known else ""
        case Map(value):
            form = _form_of(value, known)
            return f"Form(each={form})" if form else ""
        case Sequence(item, _):
            form = _form_of(item, known)
            return f"Form(item={form})" if form else ""
        case Sugar(Sequence(_, _), _):
            return "Form(listed=True)"
        case Leaf(schema) if "x-tjgen-seconds" in schema:
            return "SECONDS"
        case _:
            return ""


def _reading(field: Field) -> str:
    """How a part of a short form becomes the value of a field: as a number, as any scalar's text, as an amount, or as it is."""
    assert isinstance(field.kind, Leaf)
    if field.kind == kind(Quantity):
        return "amount"
    types = field.kind.schema["type"]
    if types == "integer":
        return "integer"
    return "text" if "boolean" in types else "string"


def _call(**arguments: Any) -> str:
    given = [f"{name}={_argument(value, len(name) + 5)}" for name, value in arguments.items() if value]
    if not given:
        return ""
    flat = ", ".join(given)
    return f"Form({flat})" if len(flat) <= WRAP and "\n" not in flat else "Form(\n    " + ",\n    ".join(given) + ",\n)"


def _argument(value: Any, used: int) -> str:
    if isinstance(value, dict):
        value = {key: Name(item) if isinstance(item, str) else item for key, item in value.items()}
    return literal(value, 4, used)
