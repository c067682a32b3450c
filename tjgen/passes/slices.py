"""Items and `slices` -> which items each node reads: proven slices, told by variables or by a mounted list.

The contract with training code: TJGEN_DATA_PATH (the folder of the items), TJGEN_SLICE_INDEX and
TJGEN_SLICE_COUNT, and then TJGEN_SLICES (a JSON list with a list of paths for each slice) or
TJGEN_SLICE_FILE (a file with the paths of this node's slice, one a line). TJGEN_SLICE_OVER=processes where
each process of the node reads only every n-th item of the slice, beginning with its local rank.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from hashlib import sha256

from tjgen.diagnostics.model import ERROR, WARNING, Diagnostic, has_errors
from tjgen.fields.path import FieldPath, Tree, get, named
from tjgen.k8s.labels import EXPERIMENT_LABEL, MANAGED_BY
from tjgen.lower import SPEC
from tjgen.passes.volumes import places, users_of
from tjgen.setting import Setting
from tjgen.slicing import delivery, directory, items, manifest, problems
from tjgen.slicing.division import divide
from tjgen.slicing.proof import balance
from tjgen.slicing.strategies import STRATEGIES
from tjgen.spec.objects import Data, Experiment, Items, Slices, Volume
from tjgen.typing import Any
from tjgen.workload.contribution import Contribution
from tjgen.workload.roles import nodes as nodes_of
from tjgen.workload.roles import workers
from tjgen.workload.workload import PodSet, Workload

Found = Iterator[Contribution | Diagnostic]
AT: FieldPath = (*SPEC, "data")
SLICES: FieldPath = (*AT, "slices")
INDEX_FIELD = "metadata.annotations['batch.kubernetes.io/job-completion-index']"
LISTS = "/etc/tjgen/slices"
MOST_IN_ENV = 128 * 1024 - 256
"""Bytes of one variable that Linux takes (MAX_ARG_STRLEN), less its name."""


def deliver(workload: Workload, experiment: Experiment, setting: Setting) -> Found:
    """The path of the data, and its slices where the experiment asks for them."""
    data = experiment.spec.data
    assert data is not None, "asked only where there is data"
    volume = experiment.spec.volumes[data.volume]
    users = [podset for podset, _ in users_of(workload, data.volume, volume)]
    readers = [podset for podset in workers(workload) if podset in users]
    folder = _folder(data, volume)
    for podset in readers:
        if folder is not None:
            yield _variable(podset, "TJGEN_DATA_PATH", folder, AT)
    if data.slices is None:
        return
    known, found = _items(data, setting)
    yield from found
    if has_errors(found):
        return
    nodes = nodes_of(workload)
    count = data.slices.count or nodes
    if count != nodes:
        yield _other_count(count, nodes)
    if data.slices.options and data.slices.by in STRATEGIES:
        message = f"{data.slices.by} takes no options: they are for strategies of plugins"
        yield problems.error(problems.REFUSED, message, path=(*SLICES, "options"), hint="remove options")
        return
    processes, found = _processes(workload, data.slices)
    yield from found
    if has_errors(found):
        return
    plan, found = divide(
        known,
        count,
        data.slices.by,
        because=SLICES,
        options=_options(data.slices),
        remainder=data.slices.remainder,
        readers=processes,
    )
    yield from found
    if plan is None:
        return
    if get(workload.ml_policy, ("mpi",), None) is not None:
        yield _under_mpi()
    yield Contribution(("slices",), _described(data.slices, plan, known), SLICES)
    for podset in readers:
        index = {"name": "TJGEN_SLICE_INDEX", "valueFrom": {"fieldRef": {"fieldPath": INDEX_FIELD}}}
        yield Contribution((*podset.main, "env", named("TJGEN_SLICE_INDEX")), index, SLICES)
        yield _variable(podset, "TJGEN_SLICE_COUNT", str(count), SLICES)
        if data.slices.over == "processes":
            yield _variable(podset, "TJGEN_SLICE_OVER", "processes", (*SLICES, "over"))
    if data.slices.deliver == "configMap":
        yield from _lists(delivery.manifests(plan, known), readers, data, setting)
    else:
        yield from _variables([[known.paths[item] for item in part] for part in plan], readers)


def local_files(asked: Items, document: str) -> dict[str, str]:
    """Files that items come from, beside the experiment in the file `document` -> digests of their content."""
    folder = os.path.dirname(document)
    if asked.manifest is None and asked.glob is None:
        return {}
    if asked.manifest is not None:
        try:
            with open(os.path.join(folder, asked.manifest), "rb") as stream:
                return {asked.manifest: sha256(stream.read()).hexdigest()}
        except OSError:
            # The pass that reads the file reports it, with the line that names it.
            return {}
    patterns = [asked.glob] if isinstance(asked.glob, str) else list(asked.glob or ())
    found, _ = directory.matched(os.path.join(folder, asked.directory or "."), patterns, asked.directory or ".", AT)
    text = "".join(f"{path}\0{size}\n" for path, size in zip(found.paths, found.sizes, strict=True))
    return {asked.directory or ".": sha256(text.encode()).hexdigest()}


def _items(data: Data, setting: Setting) -> tuple[items.Items, list[Diagnostic]]:
    asked = data.items
    assert asked is not None
    at: FieldPath = (*AT, "items")
    if asked.manifest is not None:
        return _manifest(os.path.join(setting.directory, asked.manifest), (*at, "manifest"))
    if asked.glob is not None:
        folder = os.path.join(setting.directory, asked.directory or ".")
        patterns = [asked.glob] if asked.glob.__class__ is str else asked.glob
        return directory.matched(folder, patterns, asked.directory or ".", at)
    return items.listed([(item.path, item.size) for item in asked.listed], (*at, "list"))


def _manifest(file: str, because: FieldPath) -> tuple[items.Items, list[Diagnostic]]:
    try:
        with open(file, "rb") as stream:
            return manifest.read(stream.read(), file)
    except OSError as error:
        message = f"the manifest {file} cannot be read: {error.strerror}"
        hint = "name a file relative to the folder of the experiment"
        return items.Items(), [problems.error(problems.UNREADABLE, message, path=because, hint=hint)]


def _options(slices: Slices) -> dict[str, Any]:
    """What the strategy is told."""
    said = {"weights": slices.weights, "lists": slices.lists}
    return {**(slices.options or {}), **{key: list(value) for key, value in said.items() if value}}


def _processes(workload: Workload, slices: Slices) -> tuple[int, list[Diagnostic]]:
    """How many processes share the slice of a node: 1 where that is not known, or where a slice is for the node."""
    if slices.over == "nodes":
        return 1, []
    policy = workload.ml_policy
    said = [get(workload.tree.value, ("trainer", "numProcPerNode"), None)]
    said += [get(policy, (kind, "numProcPerNode"), None) for kind in ("torch", "mpi")]
    known = next((one for one in said if one.__class__ is int), None)
    if known is None and slices.remainder != "keep":
        message = f"remainder: {slices.remainder} over processes needs to know how many a node has"
        hint = "set procsPerNode, or gpu, whose class says it"
        return 1, [problems.error(problems.REFUSED, message, path=(*SLICES, "remainder"), hint=hint)]
    return known or 1, []


def _described(slices: Slices, plan: list[list[int]], known: items.Items) -> Tree:
    """How even the slices are, for the summary of the build."""
    found = balance(plan, known)
    tree: Tree = {"by": slices.by, "count": len(plan), "items": len(known), "fewest": found.fewest, "most": found.most}
    if found.smallest is not None:
        tree |= {"smallest": found.smallest, "largest": found.largest}
    read = sum(map(len, plan)) - len(known)
    return {**tree, "ratio": round(found.ratio, 3), **({"repeated": read} if read > 0 else {"dropped": -read} if read else {})}


def _variables(slices: list[list[str]], readers: list[PodSet]) -> Found:
    text = json.dumps(slices, ensure_ascii=False, separators=(",", ":"))
    if len(text.encode()) > MOST_IN_ENV:
        message = f"the slices have {len(text.encode())} bytes, and a variable holds {MOST_IN_ENV}"
        yield problems.error(problems.LARGE, message, path=SLICES, hint="deliver them by configMap")
        return
    # Kubernetes would take "$(" in a value for a reference.
    for podset in readers:
        yield _variable(podset, "TJGEN_SLICES", text.replace("$(", "$$("), SLICES)


def _lists(files: dict[str, str], readers: list[PodSet], data: Data, setting: Setting) -> Found:
    assert data.slices is not None
    too_large = delivery.too_large(files, SLICES)
    if too_large is not None:
        yield too_large
        return
    digest = sha256(json.dumps(files, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:10]
    name = f"{setting.family}-slices-{digest}"
    tree: Tree = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": name,
            "namespace": setting.namespace,
            "labels": {MANAGED_BY: "tjgen", EXPERIMENT_LABEL: setting.family, **setting.labels},
        },
        "immutable": True,
        "data": files,
    }
    yield Contribution(("objects", f"ConfigMap/{name}"), tree, SLICES)
    at = data.slices.mount_path or LISTS
    for podset in readers:
        volume: dict[str, Any] = {"name": "tjgen-slices", "configMap": {"name": name}}
        yield Contribution((*podset.pod, "volumes", named("tjgen-slices")), volume, SLICES)
        mount = {"name": "tjgen-slices", "mountPath": at, "readOnly": True}
        yield Contribution((*podset.main, "volumeMounts", (("mountPath", at),)), mount, SLICES)
        yield _variable(podset, "TJGEN_SLICE_FILE", f"{at}/slice-$(TJGEN_SLICE_INDEX).txt", SLICES)


def _variable(podset: PodSet, name: str, value: str, because: FieldPath) -> Contribution:
    return Contribution((*podset.main, "env", named(name)), {"name": name, "value": value}, because)


def _folder(data: Data, volume: Volume) -> str | None:
    place = next(places(volume, AT), None)
    if place is None:
        return None
    return "/".join(part.strip("/") if i else part.rstrip("/") for i, part in enumerate((place.path, data.path)) if part)


def _under_mpi() -> Diagnostic:
    # sshd hands none of a container's variables to what it starts, and mpirun starts programs by it.
    return Diagnostic(
        "TJ325",
        WARNING,
        "programs that mpirun starts on other nodes do not see the variables of their pods, such as TJGEN_SLICE_INDEX",
        path=SLICES,
        hint="deliver by configMap, and choose the list by OMPI_COMM_WORLD_RANK // OMPI_COMM_WORLD_LOCAL_SIZE",
        name="slices-under-mpi",
    )


def _other_count(count: int, nodes: int) -> Diagnostic:
    left = f"slices {nodes} to {count - 1} are read by nobody" if count > nodes else f"nodes {count} to {nodes - 1} have no slice"
    return Diagnostic(
        "TJ306",
        WARNING if count > nodes else ERROR,
        f"there are {count} slices for {nodes} nodes: {left}",
        path=(*SLICES, "count"),
        hint="leave count out",
        name="slices-unlike-nodes",
    )
