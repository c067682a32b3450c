"""Models -> what their fields are, in plain terms that the writers of generated files share."""

from __future__ import annotations

from functools import cache, reduce
from operator import or_
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, TypeAlias, Union, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter, WithJsonSchema
from pydantic_core import PydanticUndefined

from tjgen.language.spec.models.identity import Part
from tjgen.language.spec.models.shape import Shape

Schema: TypeAlias = dict[str, Any]


class Leaf(NamedTuple):
    """A scalar, or a tree that the language does not look into."""

    schema: Schema


class Ref(NamedTuple):
    """A mapping with known keys."""

    model: type[Shape]


class Map(NamedTuple):
    """A mapping from names of the user's choice."""

    value: Kind
    is_present: bool = False
    """Whether an entry with an empty value differs from none."""


class Sequence(NamedTuple):
    """A list."""

    item: Kind
    min_items: int


class Sugar(NamedTuple):
    """A long form that a scalar may replace."""

    long: Kind
    short: Leaf


Kind: TypeAlias = Leaf | Ref | Map | Sequence | Sugar


class Field(NamedTuple):
    """One field of a model."""

    name: str
    """Name in Python."""
    key: str
    """Name in YAML."""
    kind: Kind
    required: bool
    default: Any


@cache
def fields(model: type[Shape]) -> tuple[Field, ...]:
    """The fields of a model, in the order in which they are declared."""
    hints = get_type_hints(model, include_extras=True)
    return tuple(
        Field(
            name,
            info.serialization_alias or name,
            kind(hints[name]),
            info.is_required(),
            None if info.default is PydanticUndefined else info.default,
        )
        for name, info in model.model_fields.items()
    )


def own_fields(model: type[Shape]) -> tuple[Field, ...]:
    """The fields that a model adds to those of the model that it extends."""
    inherited = parent(model).model_fields
    return tuple(field for field in fields(model) if field.name not in inherited)


def parent(model: type[Shape]) -> type[Shape]:
    """The model that `model` extends, `Shape` where it is none of the language."""
    (base,) = model.__bases__
    assert issubclass(base, Shape)
    return base


def models(roots: list[type[Shape]]) -> list[type[Shape]]:
    """The models that `roots` need, each after those that it needs itself."""
    ordered_models: list[type[Shape]] = []

    def visit(model: type[Shape]) -> None:
        if model in ordered_models or model is Shape:
            return
        visit(parent(model))
        for field in fields(model):
            for needed in _refs(field.kind):
                visit(needed)
        ordered_models.append(model)

    for root in roots:
        visit(root)
    return ordered_models


def kind(annotation: Any) -> Kind:
    """Return the content of an annotation; None is left out, since null means absent throughout the language."""
    bare, metadata = _peel(annotation)
    if any(isinstance(item, WithJsonSchema) for item in metadata):
        return _leaf(annotation)
    if get_origin(bare) in (Union, UnionType):
        return _union(bare, annotation)
    if get_origin(bare) is dict:
        value = get_args(bare)[1]
        return Map(kind(value), Part.PRESENT in metadata_of(value))
    if get_origin(bare) is list:
        return Sequence(kind(get_args(bare)[0]), _leaf(annotation).schema.get("minItems", 0))
    if isinstance(bare, type) and issubclass(bare, Shape):
        return Ref(bare)
    return _leaf(annotation)


def metadata_of(annotation: Any) -> tuple[Any, ...]:
    """Return the content of an annotation in addition to the type."""
    return _peel(annotation)[1]


def _union(bare: Any, annotation: Any) -> Kind:
    members = [member for member in get_args(bare) if member is not NoneType]
    if len(members) == 1:
        return kind(members[0])
    scalars = [member for member in members if isinstance(kind(member), Leaf)]
    long = [member for member in members if member not in scalars]
    if not long:
        return _leaf(annotation)
    assert len(long) == 1, f"more than one long form: {annotation}"
    return Sugar(kind(long[0]), _leaf(reduce(or_, scalars)))


def _peel(annotation: Any) -> tuple[Any, tuple[Any, ...]]:
    if get_origin(annotation) is Annotated:
        bare, *metadata = get_args(annotation)
        return bare, tuple(metadata)
    return annotation, ()


def _leaf(annotation: Any) -> Leaf:
    """The constraints as pydantic reads them, so that they are read in one place only."""
    schema = _plain(TypeAdapter(annotation).json_schema())
    if "integer" in schema.get("type", ()):
        schema["x-tjgen-exact"] = True
    return Leaf(schema or {"x-kubernetes-preserve-unknown-fields": True})


def _plain(schema: Schema) -> Schema:
    flat: Schema = {
        key: value for key, value in schema.items() if key not in ("anyOf", "title", "description", "default", "$defs")
    }
    if "const" in flat:
        flat["enum"] = [flat.pop("const")]
    types: list[str] = []
    for alternative in schema.get("anyOf", []):
        plain = _plain(alternative)
        own = plain.pop("type", [])
        types += own if isinstance(own, list) else [own]
        flat.update(plain)
    types = [name for name in dict.fromkeys(types) if name != "null" and not (name == "integer" and "number" in types)]
    if types:
        flat["type"] = types[0] if len(types) == 1 else types
    return flat


def _refs(of: Kind) -> list[type[Shape]]:
    match of:
        case Ref(model):
            return [model]
        case Map(value):
            return _refs(value)
        case Sequence(item, _):
            return _refs(item)
        case Sugar(long, _):
            return _refs(long)
        case _:
            return []
