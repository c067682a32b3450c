"""Keyword arguments of a model that belong to another model -> the field and the model that take them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from tjgen.language.spec.models.shape import Shape

Owner = tuple[str, str]
"""A field of the model, by its name in Python, and the name of the class of its values."""


def owners_of_others(model: Shape) -> Iterator[tuple[str, Owner]]:
    """Yield each given field that the model does not have, if exactly one model directly below it has the field."""
    for name in (one for one in model.__dict__ if one not in type(model).model_fields):
        owners = [owner for owner, fields in _inner(type(model)).items() if name in fields]
        if len(owners) == 1:
            yield name, owners[0]


def _inner(model: type[Shape]) -> dict[Owner, set[str]]:
    """The models directly below `model`, with the names that their fields have in Python and in YAML."""
    return {
        (name, one.__name__): {
            text for inner, given in one.model_fields.items() for text in (inner, given.serialization_alias or inner)
        }
        for name, field in model.model_fields.items()
        for one in _models(field.annotation)
    }


def _models(annotation: object) -> Iterator[type[Shape]]:
    """The models among the alternatives of a type. Values of lists and mappings do not count: they have names of their own."""
    if isinstance(annotation, type) and issubclass(annotation, Shape):
        yield annotation
    elif getattr(annotation, "__origin__", None) not in (list, dict, tuple):
        for one in get_args(annotation):
            yield from _models(one)
