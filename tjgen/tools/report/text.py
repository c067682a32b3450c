"""Fields of an object -> lines of YAML, each leaf with its field; also where only some of the fields are shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tjgen.tools.report.content import ReportField
from tjgen.trees.fields.path import FieldPath, Step, Tree
from tjgen.trees.source.writer import dump
from tjgen.trees.typing import NamedTuple

_MOST = 600
"""Signs of a value that are shown: what is longer is packed code or a list of items, which the report does not show."""


class Line(NamedTuple):
    """One line, or several of a text; `field` is None for what only leads to a field."""

    text: str
    field: ReportField | None


def lines(fields: Sequence[ReportField]) -> Iterator[Line]:
    """Return the lines, in the order of the fields, which is that of the object. Maps of one entry are on one line: `a.b: 1`."""
    before: FieldPath = ()
    fields = _folded(fields)
    paths = {field.path for field in fields}
    for field in fields:
        path = field.path
        start = _alike(before, path)
        dashes = 0
        for position in range(start, len(path)):
            step = path[position]
            is_last = position == len(path) - 1
            indent = " " * (_indent(path, position) - 2 * dashes)
            if step.__class__ is str:
                text = dump({step: _cut(field.value)}) if is_last else f"{step}:\n"
                yield _line(indent, "- " * dashes, text, field if is_last else None)
                dashes = 0
            elif is_last:
                yield _line(indent, "- " * dashes, dump([_cut(field.value)]), field)
            else:
                dashes += 1
                if step.__class__ is tuple and (*path[: position + 1], step[0][0]) not in paths:
                    # The key of the element is not among the fields.
                    known = _indent(path, position + 1) - 2 * dashes
                    yield _line(" " * known, "- " * dashes, dump(dict(step)), None)
                    dashes = 0
        before = path


def _folded(fields: Sequence[ReportField]) -> list[ReportField]:
    inside: dict[FieldPath, set[Step]] = {}
    for field in fields:
        for position, step in enumerate(field.path):
            inside.setdefault(field.path[:position], set()).add(step)
    return [field._replace(path=_joined(field.path, inside)) for field in fields]


def _joined(path: FieldPath, inside: Mapping[FieldPath, set[Step]]) -> FieldPath:
    steps: list[Step] = []
    for position, step in enumerate(path):
        before = steps[-1] if steps else 0
        alone = len(inside[path[:position]]) == 1
        if alone and isinstance(step, str) and isinstance(before, str) and "." not in step:
            steps[-1] = f"{before}.{step}"
        else:
            steps.append(step)
    return tuple(steps)


def _indent(path: FieldPath, position: int) -> int:
    """Signs before the step at `position`: sequences are not indented under their key."""
    return 2 * sum(1 for number in range(position) if _is_element(path[number]) or not _is_element(path[number + 1]))


def _is_element(step: Step) -> bool:
    return step.__class__ is not str


def _alike(one: FieldPath, two: FieldPath) -> int:
    length = 0
    for mine, other in zip(one, two, strict=False):
        if mine != other:
            break
        length += 1
    return length


def _line(indent: str, dashes: str, text: str, field: ReportField | None) -> Line:
    first, *rest = text.rstrip("\n").split("\n")
    hanging = indent + " " * len(dashes)
    return Line("\n".join([f"{indent}{dashes}{first}", *[hanging + line for line in rest]]), field)


def _cut(value: Tree) -> Tree:
    if value.__class__ is not str or len(value) <= _MOST:
        return value
    return f"{value[:_MOST]}… ({len(value) - _MOST} more characters)"
