"""Items and `slices` -> which items each node reads: proven slices, delivered as variables, ranges, lists, or copies.

Slices that are folders or volumes are in `slice_volumes`; which slices a run has and who reads them, in `slice_readers`.

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
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import islice

from tjgen.compiler.lower import SPEC
from tjgen.compiler.passes import items
from tjgen.compiler.passes.data_sections import DataSection
from tjgen.compiler.passes.ranks import is_mpi
from tjgen.compiler.passes.slice_readers import Cut, cut_of, index_variable, variable
from tjgen.compiler.programs.containers import script
from tjgen.compiler.volumes.mounts import folder_of, folder_path, mounts_of, places, users_of
from tjgen.compiler.volumes.table import source_of
from tjgen.language.platform.tools import helper_image
from tjgen.language.setting import Setting
from tjgen.language.slicing import delivery, problems, ranges
from tjgen.language.slicing.division import divide, left, short, uneven
from tjgen.language.slicing.items import DataItems
from tjgen.language.slicing.proof import Balance, Plan, balance, heaviest
from tjgen.language.spec.objects import Experiment, Slices, Volume
from tjgen.trees.diagnostics.model import Diagnostic, has_errors
from tjgen.trees.fields.path import FieldPath, Tree, get, named
from tjgen.trees.k8s import quantity
from tjgen.trees.k8s.labels import EXPERIMENT_LABEL, MANAGED_BY
from tjgen.trees.session import Session
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
        yield from _too_small_together(experiment, copied, largest)


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
        from tjgen.compiler.passes import slice_volumes

        yield from slice_volumes.deliver_folders(workload, experiment, cut, readers)
    elif data.slices.deliver == "volume":
        from tjgen.compiler.passes import slice_volumes

        yield from slice_volumes.deliver_volumes(workload, experiment, cut, readers, setting)
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
    yield from _uneven_readers(cut, plan, part, setting)
    yield Contribution(("slices", cut.data.name), _described(cut, plan, part, setting), cut.at)
    yield from _common(workload, cut, nodes_of(workload), readers)
    if slices.deliver == "env":
        yield from _variables([[part.paths[item] for item in one] for one in plan], cut.data, readers)
        return
    yield from _lists_in_pods(plan, part, readers, cut.data, setting)
    if is_mpi(workload, experiment):
        yield from _folders_of_lists(readers, cut.data)
    if slices.deliver == "init":
        yield from _copies_in_pods(workload, experiment, plan, part, readers, cut.data, setting)


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
    yield from _uneven_readers(cut, evened, None, setting)
    yield Contribution(("slices", cut.data.name), _described(cut, evened, None, setting, len(whole)), at)
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


# Slices -> immutable ConfigMaps with a list for each, shared by runs, mounted as one folder: nodes find their own by number.

_MOUNT = "/etc/tjgen/slices"
_VOLUME = "tjgen-slices"


def _lists_in_pods(
    plan: Plan, items: DataItems, readers: list[PodSet], data: DataSection, setting: Setting
) -> Iterator[Contribution | Diagnostic]:
    """Add the ConfigMaps, mount them in every reader, and set the variable with the file of its slice."""
    maps = delivery.packed(delivery.manifests(plan, items))
    too_large = delivery.too_large(maps, data.slices_at)
    if too_large is not None:
        yield too_large
        return
    names = []
    for files in maps:
        name = f"{setting.family}-{data.named('slices')}-{_digest(files)}"
        yield Contribution(("ahead", f"ConfigMap/{name}"), _config_map(name, files, setting), data.slices_at)
        names.append(name)
    for podset in readers:
        volume = data.named(_VOLUME)
        yield Contribution((*podset.pod, "volumes", named(volume)), {"name": volume, **_source(names)}, data.slices_at)
        tree = mount(data)
        yield Contribution((*podset.main, "volumeMounts", (("mountPath", tree["mountPath"]),)), tree, data.slices_at)
        yield variable(podset, data.variable("TJGEN_SLICE_FILE"), _file(data), data.slices_at)


def _folders_of_lists(readers: list[PodSet], data: DataSection) -> Iterator[Contribution]:
    """The folder of the lists, for processes that do not get the number of their node."""
    for podset in readers:
        yield variable(podset, data.variable("TJGEN_SLICE_LISTS"), _folder(data), data.slices_at)


def mount(data: DataSection) -> Tree:
    """The mount of the folder of the lists."""
    return {"name": data.named(_VOLUME), "mountPath": _folder(data), "readOnly": True}


def _file(data: DataSection) -> str:
    """The list of a node's slice, behind the variable that has its number."""
    return f"{_folder(data)}/slice-$(TJGEN_SLICE_INDEX).txt"


def _folder(data: DataSection) -> str:
    assert data.slices is not None
    return data.slices.mount_path or data.folder(_MOUNT)


def _digest(files: Mapping[str, str]) -> str:
    return sha256(json.dumps(files, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:10]


def _config_map(name: str, files: Mapping[str, str], setting: Setting) -> Tree:
    labels = {MANAGED_BY: "tjgen", EXPERIMENT_LABEL: setting.family, **setting.labels}
    metadata = {"name": name, "namespace": setting.namespace, "labels": labels}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "immutable": True, "data": files}


def _source(names: list[str]) -> Tree:
    if len(names) == 1:
        return {"configMap": {"name": names[0]}}
    return {"projected": {"sources": [{"configMap": {"name": name}} for name in names]}}


# Slices with lists -> an init container in every reader that copies the items of its slice to a volume of the pod.

_CONTAINER = "tjgen-slice"
_COMPUTED = ("cpu", "memory", "ephemeral-storage")


def _copies_in_pods(
    workload: Workload,
    experiment: Experiment,
    plan: Plan,
    items: DataItems,
    readers: list[PodSet],
    data: DataSection,
    setting: Setting,
) -> Iterator[Contribution | Diagnostic]:
    """Add the init containers, and the variable with the folder of the copies."""
    assert data.slices is not None
    assert data.slices.scratch is not None, "a rule asks for it"
    name = data.slices.scratch
    scratch = experiment.spec.volumes[name]
    wrong = [*_unfit(name, scratch, data.slices_at), *_too_small(name, scratch, plan, items, setting.session)]
    yield from wrong
    target = folder_of(None, scratch)
    source = folder_of(data.path, experiment.spec.volumes[data.volume])
    if wrong or target is None or source is None:
        return
    target = data.folder(target)
    name_of_container = data.named(_CONTAINER)
    for podset in readers:
        main = get(workload.tree.value, podset.main, {})
        mounts = [
            {**mount, "readOnly": True} if mount["name"] == data.volume else mount
            for mount in main.get("volumeMounts") or []
            if mount["name"] in (data.volume, name)
        ]
        container: Tree = {
            "name": name_of_container,
            "image": data.slices.image or helper_image("shell", setting.helpers),
            "command": ["/bin/sh", "-c"],
            "args": [script("copy-slice.sh")],
            "env": [
                {"name": "TJGEN_SLICE_INDEX", **(workload.number(podset) or {})},
                {"name": "TJGEN_SLICE_FILE", "value": _file(data)},
                {"name": "TJGEN_DATA_PATH", "value": source},
                {"name": "TJGEN_SLICE_COPY", "value": target},
            ],
            "volumeMounts": [*mounts, mount(data)],
        }
        container |= {key: value for key, value in (("resources", _resources(main)), _security(main)) if value}
        yield Contribution((*podset.pod, "initContainers", named(name_of_container)), container, (*data.slices_at, "deliver"))
        yield variable(podset, data.variable("TJGEN_DATA_PATH"), target, (*data.slices_at, "scratch"))


def _too_small_together(
    experiment: Experiment, sections: Sequence[DataSection], largest: Mapping[str, int]
) -> Iterator[Diagnostic]:
    """Volumes that can store the largest slice of each of several data sets, but not all of these slices.

    `largest` maps data sets to the bytes of their largest slice.
    """
    by_volume: dict[str, list[DataSection]] = {}
    for one in sections:
        assert one.slices is not None
        by_volume.setdefault(one.slices.scratch or "", []).append(one)
    for name, sharing in by_volume.items():
        limit = source_of(experiment.spec.volumes[name]).size_limit(experiment.spec.volumes[name])
        sizes = [largest.get(one.name, 0) for one in sharing]
        if limit is None or max(sizes) > quantity.parse(limit[1]).value or sum(sizes) <= quantity.parse(limit[1]).value:
            continue
        names = " and ".join(f'"{one.name}"' for one in sharing)
        message = (
            f'the largest slices of data sets {names} have {sum(sizes)} bytes, but volume "{name}" has a capacity of {limit[1]}'
        )
        at: FieldPath = (*SPEC, "volumes", name)
        yield Diagnostic(problems.SCRATCH, message, path=at, hint=f"raise {limit[0]}, or add a volume for each data set")


def _unfit(name: str, scratch: Volume, slices_at: FieldPath) -> Iterator[Diagnostic]:
    if source_of(scratch).survives_pod:
        message = f'volume "{name}" is shared by several pods, so the copies of all nodes would overwrite each other'
        hint = "make it an emptyDir or ephemeral"
        yield Diagnostic(problems.SCRATCH, message, path=(*slices_at, "scratch"), hint=hint)
    elif next(places(scratch, SPEC)).read_only:
        message = f'volume "{name}" is read-only, but the items are copied to it'
        hint = f"remove volumes.{name}.readOnly"
        yield Diagnostic(problems.SCRATCH, message, path=(*slices_at, "scratch"), hint=hint)


def _too_small(name: str, scratch: Volume, plan: Plan, items: DataItems, session: Session) -> Iterator[Diagnostic]:
    limit = source_of(scratch).size_limit(scratch)
    if limit is None or items.unsized is not None:
        return
    field, capacity = limit
    number, most = heaviest(plan, items, session)
    if most > quantity.parse(capacity).value:
        message = f'slice {number} has {most} bytes, but volume "{name}" has a capacity of {capacity}'
        at: FieldPath = (*SPEC, "volumes", name)
        yield Diagnostic(problems.SCRATCH, message, path=at, hint=f"raise {field}, or use more nodes")


def _resources(main: Tree) -> Tree:
    """The same as the trainer's except devices: it raises no total, and a quota requires them."""
    own = main.get("resources") or {}
    kept = {
        bound: {key: value for key, value in (own.get(bound) or {}).items() if key in _COMPUTED}
        for bound in ("limits", "requests")
    }
    return {bound: values for bound, values in kept.items() if values}


def _security(main: Tree) -> tuple[str, Tree]:
    return "securityContext", main.get("securityContext")


# The slices of a run and who reads them -> how even the parts of the readers are, in the summary and in a warning.

_LARGE = 1.25
"""The largest part over the mean from which on it is reported."""
_CHOSEN = ("explicit", "weighted")
"""Strategies by which the experiment chooses unequal parts."""


def _described(cut: Cut, plan: Plan, known: DataItems | None, setting: Setting, total: int = 0) -> Tree:
    """How even the parts of the readers are, for the summary of the build."""
    items = total if known is None else len(known)
    even = _balance(cut, plan, known, setting.session)
    tree: Tree = {"by": cut.section.by, "count": len(plan), "items": items, "fewest": even.fewest, "most": even.most}
    if even.smallest is not None:
        tree |= {"smallest": even.smallest, "largest": even.largest}
    read = sum(map(len, plan)) - items
    return {
        **tree,
        "ratio": round(even.ratio, 3),
        **({"repeated": read} if read > 0 else {"dropped": -read} if read else {}),
    }


def _uneven_readers(cut: Cut, plan: Plan, known: DataItems | None, setting: Setting) -> Iterator[Diagnostic]:
    """TJ237: a warning if one reader has much more than the others, and the experiment does not choose that."""
    slices = cut.section
    if slices.remainder != "keep" or slices.balance is not None or slices.virtual is not None or slices.by in _CHOSEN:
        return
    even = _balance(cut, plan, known, setting.session)
    # A reader without items has a diagnostic of its own.
    if even.ratio <= _LARGE or not even.fewest:
        return
    reader = "node" if cut.readers == 1 else "process" if slices.workers == 1 else "worker"
    unit, fewest, most = "items", even.fewest, even.most
    if even.smallest is not None and even.largest is not None:
        unit, fewest, most = "bytes", even.smallest, even.largest
    message = (
        f"the parts are uneven: one {reader} reads {most} {unit}, another {fewest}; synchronous training then waits or hangs"
    )
    pad = "remainder: drop" if slices.deliver == "range" else "remainder: pad or drop"
    equal = f"set {pad} for parts of equal number"
    if even.smallest is not None:
        equal = "use more and smaller items" if slices.by == "lpt" else "set by: lpt, use more and smaller items"
    hint = f"{equal}, or a balance, such as {_above(even.ratio)}, to accept it"
    yield Diagnostic(problems.UNEVEN_PARTS, message, path=cut.at, hint=hint)


def _balance(cut: Cut, plan: Plan, known: DataItems | None, session: Session) -> Balance:
    """How even the parts are. Every n-th item of a slice goes to the same one of n readers."""
    if cut.readers == 1:
        return balance(plan, known, session)
    if known is None or known.unsized is not None:
        fewest, most = min(map(len, plan)) // cut.readers, -(-max(map(len, plan)) // cut.readers)
        total = sum(map(len, plan))
        return Balance(fewest, most, None, None, most * len(plan) * cut.readers / total if total else 1.0)

    def parts() -> Balance:
        return balance([[*islice(part, first, None, cut.readers)] for part in plan for first in range(cut.readers)], known)

    return session.latest("balance of readers", (plan, known, cut.readers), parts)


def _above(ratio: float) -> str:
    """A bound that the ratio keeps, with one digit."""
    return f"{ratio + 0.1:.1f}"
