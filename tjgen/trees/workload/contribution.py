"""Contributions: the values that a pass adds to the Workload, and the line of each in the source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.managed import Origin
from tjgen.trees.fields.path import FieldPath, Tree, get, render
from tjgen.trees.fields.writer import Conflict, Writer
from tjgen.trees.typing import NamedTuple
from tjgen.trees.workload.keys import LIST_KEYS
from tjgen.trees.workload.workload import Workload

EXPERIMENT = "experiment"
_GUARDED = frozenset((EXPERIMENT,))


class Contribution(NamedTuple):
    """Put `value` at `path` of the Workload's tree, because of `because` in the experiment.

    `value` None removes. Passes read the Workload; only `contribute` writes it. `manager` is set
    where the value is the user's own word, though a pass brings it.
    """

    path: FieldPath
    value: Tree
    because: FieldPath
    manager: str | None = None
    source: str = EXPERIMENT
    mirrors: bool = False


Contributions = Iterator[Contribution | Diagnostic]
"""What a pass yields."""


def is_from_experiment(workload: Workload, path: FieldPath) -> bool:
    """Return whether the user has set the value at `path`: a pass that only fills gaps skips it."""
    is_set = get(workload.tree.value, path, None) is not None
    return is_set and any(origin.manager == EXPERIMENT for origin in workload.tree.origins(path))


def extended(workload: Workload, path: FieldPath, added: list[Tree], because: FieldPath) -> Iterator[Contribution]:
    """Yield the atomic list at `path` with `added` at its end.

    The fields of the experiment that set its other elements stay owners of the list.
    """
    before = get(workload.tree.value, path, None) or []
    value = [*before, *added]
    owners = [origin for origin in workload.tree.origins(path) if origin.manager == EXPERIMENT] if before else []
    yield Contribution(path, value, because, manager=EXPERIMENT if owners else None)
    for origin in owners:
        yield Contribution(path, value, origin.because, manager=EXPERIMENT, source=origin.source)


def contribute(
    workload: Workload, manager: str, results: Iterable[Contribution | Diagnostic]
) -> tuple[Workload, list[Diagnostic]]:
    """`workload` with the contributions of one pass, and the diagnostics among `results`.

    Passes fill and extend, they do not overrule: a contribution that would change what the user
    set is left out and reported with both places (TJ250).
    """
    writer = None
    diagnostics: list[Diagnostic] = []
    for one in results:
        if isinstance(one, Diagnostic):
            diagnostics.append(one)
            continue
        if writer is None:
            writer = Writer(workload.tree, keys=LIST_KEYS, guarded=_GUARDED)
        writer.put(one.path, one.value, Origin(one.manager or manager, one.source, one.because, one.mirrors))
    if writer is None:
        return workload, diagnostics
    diagnostics.extend(_conflict(conflict) for conflict in writer.conflicts)
    return workload._replace(tree=writer.done()), diagnostics


def _conflict(conflict: Conflict) -> Diagnostic:
    return Diagnostic(
        "TJ250",
        f"{render(conflict.after.because)} needs another value for {render(conflict.path[-3:])} "
        f"than {render(conflict.before.because)} sets",
        path=conflict.before.because,
        hint=f"remove {render(conflict.before.because)}, or the {render(conflict.after.because)} that contradicts it",
    )
