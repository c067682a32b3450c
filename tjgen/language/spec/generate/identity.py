"""Models -> `tjgen/language/spec/identity.py`: what each field of an experiment means for the identity of a run."""

from __future__ import annotations

from typing import Any, NamedTuple, get_type_hints

from tjgen.language.spec.generate.literal import literal
from tjgen.language.spec.generate.shapes import Field, Kind, Map, Ref, Sequence, Sugar, kind, metadata_of, own_fields, parent
from tjgen.language.spec.models.experiment import Experiment
from tjgen.language.spec.models.identity import Absent, Part
from tjgen.language.spec.models.shape import Quantity, ResourceAmount, Shape

HEADER = '''"""What each field of an experiment means for the identity of a run.

Generated from tjgen/language/spec/models by `python -m tjgen.language.spec.generate`; not edited by hand. A rule is a tuple: what
the field means, its default, and the rules of the fields below it, under `*` those of every entry of a map or list. Fields that
count as they are written, without a default, have no rule.
"""

from __future__ import annotations

from tjgen.trees.fields.path import FieldPath
from tjgen.trees.typing import Any

COUNTS, AMOUNT, PRESENT, EXCLUDED = "counts", "amount", "present", "excluded"

Rule = tuple[str, Any, dict[str, Any]]
"""Meaning, default or None, and the rules of the fields below, by their keys."""

# fmt: off
'''
AMOUNT = "amount"
SCALARS = (str, int, float, bool)


class UnmarkedFieldError(Exception):
    """A field of the experiment's language without a meaning for the identity, or with several."""


class IdentityRule(NamedTuple):
    """What is generated for one place."""

    part: str
    default: Any
    below: dict[str, IdentityRule]

    @property
    def is_plain(self) -> bool:
        """Whether the place counts as it is written."""
        return self.part == Part.COUNTS.value and self.default is None and not self.below


def source() -> str:
    """The text of the module. Raises UnmarkedFieldError."""
    spec = next(field for field in own_fields(Experiment) if field.name == "spec")
    rules = literal(("counts", None, _written(_below(spec.kind))), used=len("SPEC: Rule = "))
    settings = literal(tuple(sorted(_settings(Experiment, ()), key=len)), used=len("SETTINGS: tuple[FieldPath, ...] = "))
    return (
        f'{HEADER}\nSPEC: Rule = {rules}\n"""The rule of `spec`; nothing of `metadata` is part of the identity."""\n'
        f"\nSETTINGS: tuple[FieldPath, ...] = {settings}\n"
        '"""The fields whose changes reach runs that exist. Digests of settings depend on the order."""\n'
    )


def part_of(model: type[Shape], name: str) -> Part:
    """What a field means for the identity. Raises UnmarkedFieldError where its annotation does not name one meaning."""
    parts = [item for item in metadata_of(get_type_hints(model, include_extras=True)[name]) if isinstance(item, Part)]
    if len(parts) != 1:
        raise UnmarkedFieldError(f"{model.__name__}.{name}: write its type as Counts, Present, Excluded or Setting")
    return parts[0]


def _rules(model: type[Shape]) -> dict[str, IdentityRule]:
    return {field.key: _rule(field, part_of(model, field.name), _default(model, field)) for field in _ordered(model)}


def _default(model: type[Shape], field: Field) -> Any:
    """Return the value that is equal to absence; None if there is none."""
    metadata = metadata_of(get_type_hints(model, include_extras=True)[field.name])
    named = [item.value for item in metadata if isinstance(item, Absent)]
    return named[0] if named else field.default if isinstance(field.default, SCALARS) else None


def _ordered(model: type[Shape]) -> tuple[Field, ...]:
    """The fields of a model, its own before those of the model that it extends."""
    return own_fields(model) + (() if parent(model) is Shape else _ordered(parent(model)))


def _rule(field: Field, part: Part, default: Any) -> IdentityRule:
    if part in (Part.EXCLUDED, Part.SETTING):
        return IdentityRule(Part.EXCLUDED.value, None, {})
    return IdentityRule(AMOUNT if _is_amount(field.kind) else part.value, default, _below(field.kind))


def _is_amount(of: Kind) -> bool:
    """Whether a quantity is written there: for itself, or as the request and the limit of a resource."""
    return of in (kind(Quantity), Sugar(Ref(ResourceAmount), kind(Quantity)))  # type: ignore[arg-type]  # a quantity is a leaf


def _below(of: Kind) -> dict[str, IdentityRule]:
    match of:
        case Sugar(Ref(model), _) if model is ResourceAmount:
            return {}
        case Ref(model):
            return {key: rule for key, rule in _rules(model).items() if not rule.is_plain}
        case Map(value, is_present):
            return _each(value, Part.PRESENT if is_present else Part.COUNTS)
        case Sequence(item, _):
            return _each(item, Part.COUNTS)
        case Sugar(long, _):
            return _below(long)
        case _:
            return {}


def _each(value: Kind, part: Part) -> dict[str, IdentityRule]:
    rule = IdentityRule(AMOUNT if _is_amount(value) else part.value, None, _below(value))
    return {} if rule.is_plain else {"*": rule}


def _written(rules: dict[str, IdentityRule]) -> dict[str, Any]:
    return {key: (rule.part, rule.default, _written(rule.below)) for key, rule in rules.items()}


def _settings(model: type[Shape], path: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The topmost settings below a model; tasks have those of their experiment."""
    paths = []
    for field in _ordered(model):
        full_path = (*path, field.key)
        if full_path[:2] == ("spec", "tasks") or (not path and field.key not in ("metadata", "spec")):
            continue
        if path and part_of(model, field.name) is Part.SETTING:
            paths.append(full_path)
        elif isinstance(field.kind, Ref):
            paths += _settings(field.kind.model, full_path)
    return paths
