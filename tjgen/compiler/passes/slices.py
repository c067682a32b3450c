"""Items and `slices` -> which items each node reads: proven slices, delivered in one of the ways of the sibling modules.

The contract with training code: TJGEN_DATA_PATH (the folder of the items), TJGEN_SLICE_INDEX and
TJGEN_SLICE_COUNT, and then TJGEN_SLICES (a JSON list with a list of paths for each slice),
TJGEN_SLICE_FILE (a file with the paths of this node's slice, one a line) or TJGEN_SLICE_RANGES (a JSON list
with first number, end and step for each slice; TJGEN_DATA_PATTERNS makes paths of numbers).
Under mpirun, TJGEN_SLICE_LISTS is the folder with the files of all slices, of which a process chooses one by its rank.
TJGEN_SLICE_OVER=processes where each process of the node reads only every n-th item of the slice, beginning
with its local rank. TJGEN_SLICE_NODES if there are more slices than nodes: each reads every n-th slice.
The variables of a data set with a name end with it, except TJGEN_SLICE_INDEX: TJGEN_DATA_PATH_TRAIN.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from tjgen.compiler.passes import items, slice_parts
from tjgen.compiler.passes.data_sections import DataSection
from tjgen.compiler.passes.ranks import is_mpi
from tjgen.compiler.passes.slice_readers import Cut, cut_of
from tjgen.compiler.passes.slice_variables import index_variable, variable
from tjgen.compiler.volumes.mounts import folder_of, folder_path, mounts_of, users_of
from tjgen.language.setting import Setting
from tjgen.language.slicing import problems, ranges
from tjgen.language.slicing.division import divide, left, short, uneven
from tjgen.language.slicing.items import DataItems
from tjgen.language.slicing.proof import Plan
from tjgen.language.spec.objects import Experiment, Slices
from tjgen.trees.diagnostics.model import Diagnostic, has_errors
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.typing import Any
from tjgen.trees.workload.contribution import Contribution, Contributions
from tjgen.trees.workload.roles import nodes as nodes_of
from tjgen.trees.workload.roles import workers
from tjgen.trees.workload.workload import PodSet, Workload

MOST_IN_ENV = 128 * 1024 - 256
"""Bytes of one variable that Linux takes (MAX_ARG_STRLEN), less its name."""
_FITTED = ("weighted", "explicit")
"""Strategies whose options are for one number of slices: a task divides its part by another one."""


def deliver(workload: Workload, experiment: Experiment, sections: Sequence[DataSection], setting: Setting) -> Contributions:
    """Return the path of each data set, and its slices if it has them."""
    largest: dict[str, int] = {}
    for section in sections:
        for one in _delivered(workload, experiment, section, setting):
            if isinstance(one, Contribution) and one.path[0] == "slices":
                largest[section.name] = one.value.get("largest", 0)
            yield one
    copied = [one for one in sections if one.slices is not None and one.slices.deliver == "init"]
    if len(copied) > 1:
        from tjgen.compiler.passes import slice_copies

        yield from slice_copies.too_small_together(experiment, copied, largest)


def _isolated(workload: Workload, data: DataSection, folder: str, users: Sequence[PodSet]) -> Contributions:
    """The folder of the mount, which resolve/isolated.py wrote, as a value of `isolate`, too. TJ128 for one of the runtime."""
    because: FieldPath = (*data.at, "isolate")
    for podset in users:
        for mount in mounts_of(workload, podset):
            if mount["name"] != data.volume:
                continue
            if folder_path(mount["mountPath"]) != folder:
                message = f'{data.field}.isolate mounts only a folder of volume "{data.volume}", but the runtime also mounts it'
                hint = "give the volume a name that the runtime does not have, or remove isolate"
                yield Diagnostic("TJ128", f"{message} at {mount['mountPath']} of {podset.name}", path=because, hint=hint)
                return
            at: FieldPath = (*podset.main, "volumeMounts", (("mountPath", mount["mountPath"]),), "subPath")
            yield Contribution(at, mount["subPath"], because)


def _delivered(workload: Workload, experiment: Experiment, data: DataSection, setting: Setting) -> Contributions:
    volume = experiment.spec.volumes[data.volume]
    users = [podset for podset, _ in users_of(workload, data.volume, volume)]
    readers = [podset for podset in workers(workload) if podset in users]
    folder = folder_of(data.path, volume)
    if data.isolate and folder is not None:
        yield from _isolated(workload, data, folder, users)
    if folder is not None and (data.slices is None or data.slices.deliver not in ("init", "subPath")):
        for podset in readers:
            yield variable(podset, data.variable("TJGEN_DATA_PATH"), folder, data.at)
    if data.slices is None:
        return
    cut, problems = cut_of(workload, experiment, data, setting)
    yield from problems
    if cut is None:
        return
    if data.slices.deliver == "subPath":
        from tjgen.compiler.passes import slice_places

        yield from slice_places.deliver(workload, experiment, cut, readers)
    elif data.slices.deliver == "volume":
        from tjgen.compiler.passes import slice_volumes

        yield from slice_volumes.deliver(workload, experiment, cut, readers, setting)
    elif data.slices.deliver == "range":
        yield from _ranges(workload, cut, readers, setting)
    else:
        yield from _paths(workload, experiment, cut, readers, setting)


def part_of_task(known: DataItems, cut: Cut, setting: Setting) -> tuple[DataItems | None, list[Diagnostic]]:
    """The items of this task, where tasks share them; all of them if they do not."""
    if not cut.tasks:
        return known, []
    slices = cut.section
    options = options_of(slices)
    # The next task divides the same items in the same way.
    key = (known, cut.tasks, slices.by, options, slices.balance, setting.slicers, {*setting.refused_slicers})

    def divided() -> tuple[Plan | None, list[Diagnostic]]:
        return divide(
            known,
            len(cut.tasks),
            slices.by,
            because=cut.at,
            options=options,
            balance=slices.balance,
            files=setting.slicers,
            refused=setting.refused_slicers,
            session=setting.session,
        )

    plan, diagnostics = setting.session.latest(cut.data.named("items of tasks"), key, divided)
    return (None if plan is None else known.taken(plan[cut.position])), list(diagnostics)


def options_of(slices: Slices) -> dict[str, Any]:
    """The input of the strategy."""
    builtin_options = {"weights": slices.weights, "lists": slices.lists}
    covering = {} if slices.covering else {"covering": False}
    return {**(slices.options or {}), **{key: list(value) for key, value in builtin_options.items() if value}, **covering}


def _paths(workload: Workload, experiment: Experiment, cut: Cut, readers: list[PodSet], setting: Setting) -> Contributions:
    known, problems = items.listed(cut.data, setting.directory, setting.sandbox, setting.session)
    yield from problems
    if has_errors(problems):
        return
    part, problems = part_of_task(known, cut, setting)
    yield from problems
    if part is None:
        return
    slices = cut.section
    again = bool(cut.tasks) and slices.by in _FITTED
    plan, problems = divide(
        part,
        cut.slices,
        "contiguous" if again else slices.by,
        because=cut.at,
        options={} if again else options_of(slices),
        remainder=slices.remainder,
        readers=cut.readers,
        balance=slices.balance,
        files=setting.slicers,
        refused=setting.refused_slicers,
        session=setting.session,
    )
    yield from problems
    if plan is None:
        return
    yield from slice_parts.uneven(cut, plan, part, setting)
    yield Contribution(("slices", cut.data.name), slice_parts.described(cut, plan, part, setting), cut.at)
    yield from _common(workload, cut, nodes_of(workload), readers)
    if slices.deliver == "env":
        yield from _variables([[part.paths[item] for item in one] for one in plan], cut.data, readers)
        return
    from tjgen.compiler.passes import slice_lists

    yield from slice_lists.mounted(plan, part, readers, cut.data, setting)
    if is_mpi(workload, experiment):
        yield from slice_lists.folders(readers, cut.data)
    if slices.deliver == "init":
        from tjgen.compiler.passes import slice_copies

        yield from slice_copies.copied(workload, experiment, plan, part, readers, cut.data, setting)


def _ranges(workload: Workload, cut: Cut, readers: list[PodSet], setting: Setting) -> Contributions:
    known, ranges_of_nodes = items.numbered(cut.data)
    yield from ranges_of_nodes
    slices, at = cut.section, cut.at
    if slices.by not in ranges.STRATEGIES:
        message = f"the slices of {slices.by} are not ranges of numbers"
        hint = f"divide by {', '.join(ranges.STRATEGIES[:-1])} or {ranges.STRATEGIES[-1]}, or use deliver: configMap"
        yield Diagnostic(problems.NO_RANGE, message, path=(*at, "by"), hint=hint)
        return
    if slices.remainder == "pad":
        message = "a range of numbers cannot contain repeated items"
        yield Diagnostic(problems.NO_RANGE, message, path=(*at, "remainder"), hint="use remainder: drop")
        return
    if has_errors(ranges_of_nodes):
        return
    whole = range(known.total)
    by, options = slices.by, options_of(slices)
    try:
        if cut.tasks:
            parts = ranges.divided(by, known.total, len(cut.tasks), options)
            whole = parts[cut.position]
            by, options = ("contiguous", {}) if by in _FITTED else (by, options)
        plan = ranges.divided(by, len(whole), cut.slices, options)
    except ValueError as problem:
        hint = "change the other fields of `by` to fit the items and the nodes"
        yield Diagnostic(problems.REFUSED, f"{slices.by} {problem}", path=at, hint=hint)
        return
    wrong = list(ranges.faults(plan, len(whole), cut.slices))
    assert not wrong, wrong  # arithmetic of ours alone: a fault is a defect
    evened = ranges.cut(plan, cut.readers) if slices.remainder == "drop" else plan
    ranges_of_nodes = [
        *left(evened, plan, cut.readers, at),
        *short(evened, len(whole), cut.readers, at),
        *uneven(evened, None, slices.balance, at, setting.session),
    ]
    yield from ranges_of_nodes
    if has_errors(ranges_of_nodes):
        return
    merged = [whole[one.start : one.stop : one.step] for one in evened]
    yield from slice_parts.uneven(cut, evened, None, setting)
    yield Contribution(("slices", cut.data.name), slice_parts.described(cut, evened, None, setting, len(whole)), at)
    yield from _common(workload, cut, nodes_of(workload), readers)
    text = json.dumps([[one.start, one.stop, one.step] for one in merged], separators=(",", ":"))
    yield from _in_env("TJGEN_SLICE_RANGES", text, cut.data, readers)
    if known.patterns:
        yield from _in_env("TJGEN_DATA_PATTERNS", json.dumps(known.patterns, ensure_ascii=False), cut.data, readers)


def _common(workload: Workload, cut: Cut, nodes: int, readers: list[PodSet]) -> Contributions:
    """The variables of every delivery."""
    named = cut.data.variable
    for podset in readers:
        yield index_variable(workload, podset, cut.at)
        yield variable(podset, named("TJGEN_SLICE_COUNT"), str(cut.slices), cut.at)
        if cut.over == "processes":
            yield variable(podset, named("TJGEN_SLICE_OVER"), "processes", (*cut.at, "over"))
        if cut.section.virtual is not None:
            yield variable(podset, named("TJGEN_SLICE_NODES"), str(nodes), (*cut.at, "virtual"))
        if cut.section.workers > 1:
            yield variable(podset, named("TJGEN_SLICE_WORKERS"), str(cut.section.workers), (*cut.at, "workers"))


def _variables(slices: list[list[str]], data: DataSection, readers: list[PodSet]) -> Contributions:
    yield from _in_env("TJGEN_SLICES", json.dumps(slices, ensure_ascii=False, separators=(",", ":")), data, readers)


def _in_env(name: str, text: str, data: DataSection, readers: list[PodSet]) -> Contributions:
    if len(text.encode()) > MOST_IN_ENV:
        message = f"the slices have {len(text.encode())} bytes, but a variable can hold only {MOST_IN_ENV}"
        hint = "deliver them by configMap" if name == "TJGEN_SLICES" else "use fewer slices"
        yield Diagnostic(problems.LARGE, message, path=data.slices_at, hint=hint)
        return
    # Kubernetes would take "$(" in a value for a reference.
    for podset in readers:
        yield variable(podset, data.variable(name), text.replace("$(", "$$("), data.slices_at)
