"""Models -> `tjgen/language/spec/opaque.py`: which texts of an experiment are opaque."""

from __future__ import annotations

from typing import Any, get_type_hints

from tjgen.language.spec.generate.literal import literal
from tjgen.language.spec.generate.shapes import Kind, Map, Ref, Sequence, Sugar, fields, metadata_of
from tjgen.language.spec.models.experiment import Experiment
from tjgen.language.spec.models.opaque import Opaque
from tjgen.language.spec.models.shape import Shape

HEADER = '''"""Which texts of an experiment are opaque, so that runs that differ only in them are compiled once.

Generated from tjgen/language/spec/models by `python -m tjgen.language.spec.generate`; not edited by hand. A field that is not
listed is not opaque; `*` is every entry of a map or list.
"""

from __future__ import annotations

from tjgen.trees.typing import Any

# fmt: off

'''
_WITHOUT = ("tasks", "sweep")
"""Fields that make several runs: each run has the values of its point or task in the other fields."""


def source() -> str:
    """The text of the module."""
    names = "".join(f'{one.name} = "{one.value}"\n' for one in Opaque)
    table = literal(_below(Experiment), used=len("OPAQUE: dict[str, Any] = "))
    return f"{HEADER}{names}\nOPAQUE: dict[str, Any] = {table}\n"


def _below(model: type[Shape]) -> dict[str, Any]:
    hints = get_type_hints(model, include_extras=True)
    rules: dict[str, Any] = {}
    for field in fields(model):
        if field.name in _WITHOUT:
            continue
        named = [item.value for item in metadata_of(hints[field.name]) if isinstance(item, Opaque)]
        rule = _placed(field.kind, named[0]) if named else _of_kind(field.kind)
        if rule:
            rules[field.key] = rule
    return rules


def _placed(of: Kind, name: str) -> Any:
    """The rule of an annotated field: of a map or list, that of its entries; of a long form, that of its fields."""
    return {"*": name} if isinstance(of, Map | Sequence) else name


def _of_kind(of: Kind) -> Any:
    match of:
        case Ref(model):
            return _below(model)
        case Map(value, _) | Sequence(value, _):
            rule = _of_kind(value)
            return {"*": rule} if rule else None
        case Sugar(long, _):
            return _of_kind(long)
        case _:
            return None
