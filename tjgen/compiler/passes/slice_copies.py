"""Slices with lists -> an init container in every reader that copies the items of its slice to a volume of the pod."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tjgen.compiler.lower import SPEC
from tjgen.compiler.passes import slice_lists
from tjgen.compiler.passes.data_sections import DataSection
from tjgen.compiler.passes.slice_variables import variable
from tjgen.compiler.programs.containers import script
from tjgen.compiler.volumes.mounts import folder_of, places
from tjgen.compiler.volumes.table import source_of
from tjgen.language.platform.tools import helper_image
from tjgen.language.setting import Setting
from tjgen.language.slicing import problems
from tjgen.language.slicing.items import DataItems
from tjgen.language.slicing.proof import Plan, heaviest
from tjgen.language.spec.objects import Experiment, Volume
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get, named
from tjgen.trees.k8s import quantity
from tjgen.trees.session import Session
from tjgen.trees.workload.contribution import Contribution
from tjgen.trees.workload.workload import PodSet, Workload

CONTAINER = "tjgen-slice"
_COMPUTED = ("cpu", "memory", "ephemeral-storage")


def copied(
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
    name_of_container = data.named(CONTAINER)
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
                {"name": "TJGEN_SLICE_FILE", "value": slice_lists.file(data)},
                {"name": "TJGEN_DATA_PATH", "value": source},
                {"name": "TJGEN_SLICE_COPY", "value": target},
            ],
            "volumeMounts": [*mounts, slice_lists.mount(data)],
        }
        container |= {key: value for key, value in (("resources", _resources(main)), _security(main)) if value}
        yield Contribution((*podset.pod, "initContainers", named(name_of_container)), container, (*data.slices_at, "deliver"))
        yield variable(podset, data.variable("TJGEN_DATA_PATH"), target, (*data.slices_at, "scratch"))


def too_small_together(
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
