"""A merged experiment with a sweep -> its points, each a few fields to set, a label, and the lines of the sweep.

matrix    every combination, the first key of the alphabet slowest; zip adds one more axis, whose values go together
exclude   takes points away that have all of its values
include   adds its values to the points that agree with those it has in common with them, or is a point of its own
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.language.resolve.fieldpaths import field_path
from tjgen.language.resolve.labels import labels
from tjgen.language.resolve.layers import Layer, merged, part
from tjgen.language.resolve.points import Agreeing, Keys, Value, Values
from tjgen.language.spec.check import shown
from tjgen.language.spec.compact import EXPERIMENT_FORM
from tjgen.language.spec.forms import form_at, long_form
from tjgen.trees.budgets import DEFAULT, CommandBudgets, exceeded
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.managed import Managed
from tjgen.trees.fields.path import FieldPath, Tree, get, render
from tjgen.trees.typing import NamedTuple

SWEEP: FieldPath = ("spec", "sweep")
MANAGER = "sweep"


class Point(NamedTuple):
    """One run of a sweep."""

    label: str
    """Lower-case letters, digits and '-', different for each point of the sweep; its place in the sweep plays no part."""
    values: tuple[Value, ...]

    @property
    def settings(self) -> dict[str, Tree]:
        """Field path -> value: the difference of this point from the others."""
        return {render(value.path): value.value for value in self.values}


def points(tree: Managed, budgets: CommandBudgets = DEFAULT) -> tuple[list[Point], list[Diagnostic]]:
    """The points of the sweep, none if there is no sweep; TJ212 and TJ230 to TJ238 where it makes no sense."""
    sweep = get(tree.value, SWEEP, None)
    if not sweep:
        return [], []
    diagnostics = [*_bad_keys(sweep), *_bad_axes(sweep)]
    if diagnostics:
        return [], diagnostics
    most = sweep.get("max", 64)
    size = _size(sweep)
    if size > budgets.points:
        return [], [_too_many(size, most) if size > most else _over_budget(size, budgets)]
    product = list(_product(sweep))
    kept, diagnostics = _excluded(product, sweep.get("exclude", []))
    chosen = _included(kept, sweep.get("include", []))
    diagnostics += _bad_points(chosen, most, budgets)
    names = labels([[(value.path, value.value) for value in values.values()] for values in chosen])
    return [Point(name, tuple(values.values())) for name, values in zip(names, chosen, strict=True)], diagnostics


def at(tree: Managed, point: Point) -> Managed:
    """The experiment of one point: its values over the merged experiment."""
    layers = []
    for value in point.values:
        origin = tree.origins(value.because)[-1]
        layers.append(Layer(MANAGER, origin.source, (part(value.path, value.value, origin.because),)))
    return merged(tree, layers)[0]


def _bad_keys(sweep: Tree) -> Iterator[Diagnostic]:
    """Keys that name no field, and two keys of one point that reach into the same field."""
    for place, keys in _key_places(sweep):
        known = Keys()
        for key in keys:
            path = field_path(key)
            if isinstance(path, Diagnostic):
                yield path._replace(path=(*place, key))
                continue
            for other in known.overlapping(path):
                yield _overlapping((*place, key), key, other)
            known.add(path, key)


def _key_places(sweep: Tree) -> Iterator[tuple[FieldPath, list[str]]]:
    yield (*SWEEP, "matrix"), [*sweep.get("matrix", {})]
    yield (*SWEEP, "zip"), [*sweep.get("zip", {})]
    for kind in ("include", "exclude"):
        for position, entry in enumerate(sweep.get(kind, [])):
            yield (*SWEEP, kind, position), [*entry]


def _bad_axes(sweep: Tree) -> Iterator[Diagnostic]:
    """The same between matrix and zip, which set their fields together; and lists of zip that differ in length."""
    zipped = sweep.get("zip", {})
    crossed = Keys()
    for key in sweep.get("matrix", {}) if zipped else ():
        path = field_path(key)
        if not isinstance(path, Diagnostic):
            crossed.add(path, key)
    for key in zipped:
        path = field_path(key)
        for other in () if isinstance(path, Diagnostic) else crossed.overlapping(path):
            yield _overlapping((*SWEEP, "zip", key), key, other)
    lengths = {key: len(values) for key, values in zipped.items()}
    if len(set(lengths.values())) > 1:
        counts = ", ".join(f"{key} has {length}" for key, length in lengths.items())
        message, hint = (
            f"the lists of zip must have the same length, but {counts}",
            "give each key of zip as many values as the others",
        )
        yield Diagnostic("TJ231", message, path=(*SWEEP, "zip"), hint=hint)


def _overlapping(path: FieldPath, key: str, other: str) -> Diagnostic:
    hint = "remove one of them"
    return Diagnostic("TJ230", f'"{key}" and "{other}" set the same field', path=path, hint=hint)


def _size(sweep: Tree) -> int:
    size = 1
    for values in sweep.get("matrix", {}).values():
        size *= len(values)
    return size * max([len(values) for values in sweep.get("zip", {}).values()], default=1)


def _product(sweep: Tree) -> Iterator[Values]:
    axes = [
        [{key: _value(key, value, ("matrix", key, index))} for index, value in enumerate(values)]
        for key, values in sweep.get("matrix", {}).items()
    ]
    zipped = sweep.get("zip", {})
    if zipped:
        length = len(next(iter(zipped.values())))
        axes.append(
            [{key: _value(key, values[index], ("zip", key, index)) for key, values in zipped.items()} for index in range(length)]
        )
    if not axes:
        return
    indexes = [0] * len(axes)
    while True:
        yield {key: value for axis, index in zip(axes, indexes, strict=True) for key, value in axis[index].items()}
        turning = len(axes) - 1
        while indexes[turning] == len(axes[turning]) - 1:
            indexes[turning] = 0
            turning -= 1
            if turning < 0:
                return
        indexes[turning] += 1


def _value(key: str, value: Tree, place: FieldPath) -> Value:
    path = field_path(key)
    assert not isinstance(path, Diagnostic), "keys have been looked at"
    return Value(path, value, (*SWEEP, *place))


def _excluded(product: list[Values], entries: list[Tree]) -> tuple[list[Values], list[Diagnostic]]:
    agreeing = Agreeing(product)
    excluded: set[int] = set()
    diagnostics = []
    for position, entry in enumerate(entries):
        taken = [index for index in agreeing.with_values(entry) if index not in excluded]
        if not taken:
            path = (*SWEEP, "exclude", position)
            message = "this entry of exclude matches no point"
            diagnostics.append(Diagnostic("TJ232", message, path=path, hint="remove it, or correct its values"))
        excluded.update(taken)
    return [values for index, values in enumerate(product) if index not in excluded], diagnostics


def _included(kept: list[Values], entries: list[Tree]) -> list[Values]:
    chosen = list(kept)
    swept = {key for values in kept for key in values} if entries else set()
    agreeing = Agreeing(kept)
    for position, entry in enumerate(entries):
        shared = {key: value for key, value in entry.items() if key in swept}
        added = {key: _value(key, value, ("include", position, key)) for key, value in entry.items()}
        indexes = agreeing.with_values(shared) if shared else []
        for index in indexes:
            chosen[index] = {**chosen[index], **{key: value for key, value in added.items() if key not in shared}}
        if not indexes:
            chosen.append(added)
    return chosen


def _bad_points(chosen: list[Values], most: int, budgets: CommandBudgets) -> Iterator[Diagnostic]:
    if not chosen:
        hint = "give it a matrix, a zip or an include, or remove it"
        yield Diagnostic("TJ233", "the sweep has no points", path=SWEEP, hint=hint)
    if len(chosen) > most:
        yield _too_many(len(chosen), most)
        return
    if len(chosen) > budgets.points:
        yield _over_budget(len(chosen), budgets)
        return
    seen: dict[str, Values] = {}
    for values in chosen:
        mark = repr(
            sorted(
                (render(value.path), repr(long_form(value.value, form_at(EXPERIMENT_FORM, value.path))))
                for value in values.values()
            )
        )
        if mark in seen:
            point = ", ".join(f"{key}={shown(value.value)}" for key, value in values.items())
            last = [value.because for value in values.values()][-1:] or [SWEEP]
            yield Diagnostic("TJ234", f"the sweep contains point {point} twice", path=last[0], hint="list each value once")
        seen[mark] = values


def _over_budget(size: int, budgets: CommandBudgets) -> Diagnostic:
    return exceeded("points", size, budgets.points, "the sweep", path=SWEEP)


def _too_many(size: int, most: int) -> Diagnostic:
    return Diagnostic(
        "TJ235",
        f"the sweep has {size} points, more than {most}",
        path=(*SWEEP, "max"),
        hint=f"leave out values, or set sweep.max to {size}",
    )
