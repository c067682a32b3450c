"""Models -> `tjgen/language/spec/objects.py`: the same classes without pydantic, filled from trees that are known to fit."""

from __future__ import annotations

from typing import Any

from tjgen.language.spec.generate.literal import literal
from tjgen.language.spec.generate.shapes import Field, Kind, Leaf, Map, Ref, Sequence, Sugar, models, own_fields, parent
from tjgen.language.spec.models.shape import Shape

HEADER = '''"""The experiment language as objects: trees in long form that fit the schema -> attributes with defaults filled in.

Generated from tjgen/language/spec/models by `python -m tjgen.language.spec.generate`; not edited by hand. Objects are
values: do not change them. Equal parts are shared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tjgen.language.spec.forms import text
from tjgen.trees.fields.path import Tree
from tjgen.trees.typing import Any

_NONE: dict[str, Any] = {}

# fmt: off
'''


def source(roots: list[type[Shape]]) -> str:
    """The text of the module."""
    wanted = [model for model in models(roots) if not model.partial]
    defaulted = {_class(field.kind) for model in wanted for field in own_fields(model) if isinstance(field.default, Shape)}
    parts = [HEADER]
    for model in wanted:
        parts.append(_source(model))
        if model.__name__ in defaulted:
            parts.append(f"\n\n_{model.__name__.upper()} = {model.__name__}(_NONE)\n")
    return "".join(parts)


def _source(model: type[Shape]) -> str:
    extends = parent(model)
    own = own_fields(model)
    bases = "" if extends is Shape else f"({extends.__name__})"
    lines = [f"\n\nclass {model.__name__}{bases}:", f'    """{model.__doc__}"""', ""]
    slots = literal(tuple(sorted(field.name for field in own)), 4, len("__slots__ = "))
    lines += [f"    __slots__ = {slots}"]
    lines += ["", *[f"    {field.name}: {_type(field)}" for field in own], ""]
    lines += ["    def __init__(self, tree: Tree) -> None:"]
    if bases:
        lines += ["        super().__init__(tree)"]
    if any(not field.required for field in own):
        lines += ["        get = tree.get"]
    lines += [f"        self.{field.name} = {_value(field)}" for field in own]
    return "\n".join(lines) + "\n"


def _type(field: Field) -> str:
    name = _name(field.kind)
    return f"{name} | None" if field.default is None and not field.required and name != "Any" else name


def _name(kind: Kind) -> str:
    match kind:
        case Leaf(schema):
            return _leaf_name(schema)
        case Ref(model):
            return "Mapping[str, Any]" if model.partial else model.__name__
        case Map(value):
            return f"Mapping[str, {_name(value)}]"
        case Sequence(item, _):
            return f"Sequence[{_name(item)}]"
        case Sugar(long, _):
            return _name(long)


def _leaf_name(schema: dict[str, Any]) -> str:
    types = schema.get("type")
    if types is None:
        return "Any"
    if "x-tjgen-seconds" in schema:
        return "int"
    if isinstance(types, list):
        return "str" if "boolean" in types else "str | int | float"
    return _LEAVES[types]


_LEAVES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "object": "Mapping[str, Any]"}


def _value(field: Field) -> str:
    """The expression that reads a field."""
    if field.required:
        return _read(field.kind, f'tree["{field.key}"]')
    match field.kind:
        case Leaf() if _is_text(field.kind):
            return f'None if (value := get("{field.key}")) is None else text(value)'
        case Leaf():
            default = "" if field.default is None else f", {literal(field.default)}"
            return f'get("{field.key}"{default})'
        case Map():
            return _read(field.kind, f'get("{field.key}", _NONE)')
        case Sequence():
            return _read(field.kind, f'get("{field.key}", ())')
        case Ref(model) if model.partial:
            return f'get("{field.key}", _NONE)'
        case _:
            default = f"_{_class(field.kind).upper()}" if isinstance(field.default, Shape) else "None"
            return f'{default} if (value := get("{field.key}")) is None else {_read(field.kind, "value")}'


def _read(kind: Kind, value: str) -> str:
    """The expression that turns the tree `value` into what the attribute holds."""
    match kind:
        case Ref(model) if not model.partial:
            return f"{model.__name__}({value})"
        case Sugar(long, _):
            return _read(long, value)
        case Map(inner):
            item = _read(inner, "item")
            return value if item == "item" else f"{{key: {item} for key, item in {value}.items()}}"
        case Sequence(inner, _):
            item = _read(inner, "item")
            return value if item == "item" else f"[{item} for item in {value}]"
        case _:
            return value


def _is_text(leaf: Leaf) -> bool:
    """Whether any scalar is meant, to be read as its text."""
    return "boolean" in leaf.schema.get("type", "") and isinstance(leaf.schema["type"], list)


def _class(kind: Kind) -> str:
    match kind:
        case Ref(model) | Sugar(Ref(model), _):
            return model.__name__
        case _:
            return ""
