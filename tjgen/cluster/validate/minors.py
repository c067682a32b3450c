"""An object, the verdict of the newest rules, and a minor of Kubernetes -> the verdict of that minor's API server.

The rules of tjgen are those of 1.36. This module has what the servers of 1.31 to 1.37 do otherwise: recorded in
`tests/cluster/validate/minors/` from the registry code of each minor, with the feature gates at their defaults.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from tjgen.cluster.schema import store
from tjgen.cluster.schema.minors import minor_in
from tjgen.cluster.validate.dropped import pod_specs, without_dropped
from tjgen.cluster.validate.fault import FORBIDDEN, INVALID, NOT_FOUND, NOT_SUPPORTED, REQUIRED, Fault
from tjgen.cluster.validate.verdict import VALIDATION, Stage, Verdict
from tjgen.trees.fields.path import FieldPath, Tree, get, render
from tjgen.trees.k8s.syntax import dns1035_label

_ENV_NAME = frozenset("-._abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
"""The characters of names that 1.31 accepts; later minors accept all printable ones (RelaxedEnvironmentVariableValidation)."""
KIND = "kind"
"""The stage at which a server refuses a kind that it does not serve."""


def judged(
    verdict: Verdict, tree: Tree, old: Tree, versions: Mapping[str, str], again: Callable[[Tree, Tree], Verdict]
) -> Verdict:
    """The verdict of the minor that `versions` names.

    `verdict` is that of the newest rules with the schema of the minor, `again` what gives it for other objects.
    """
    api_version, kind = (tree.get("apiVersion"), tree.get("kind")) if tree.__class__ is dict else (None, None)
    if not store.is_built_in(str(api_version), str(kind)):
        return verdict
    minor = minor_in(versions)
    if store.find(str(api_version), str(kind), versions=versions) is None:
        detail = f'no matches for kind "{kind}" in version "{api_version}"'
        fault = Fault(NOT_FOUND, "", detail, ("apiVersion",), f"Kubernetes 1.{minor} does not serve {kind} of {api_version}")
        return Verdict((Stage(KIND, (fault,), (fault,)),))
    if verdict.stage not in ("", VALIDATION):
        return verdict
    given, tree, old = (tree, old), without_dropped(tree, minor), without_dropped(old, minor) if old.__class__ is dict else old
    if given != (tree, old):
        verdict = again(tree, old)
    added = tuple(_added(tree, kind, minor) if old is None else _refused_update(tree, old, kind, minor))
    kept = [_without(stage, kind, minor) for stage in verdict.stages]
    stages = tuple(stage for stage in kept if stage.errors)
    if not added:
        return verdict._replace(stages=stages)
    first = stages[0] if stages else Stage(VALIDATION, (), ())
    return verdict._replace(stages=(Stage(VALIDATION, first.errors + added, first.findings + added), *stages[1:]))


def _without(stage: Stage, kind: Tree, minor: int) -> Stage:
    """The stage without the errors that earlier minors do not have, or have in other words."""

    def is_later(fault: Fault) -> bool:
        # With 1.36 came the strict reading of IP addresses, and Services whose names begin with a digit; with 1.33 the
        # validation of values in node affinity.
        in_name = kind == "Service" and fault.field == "metadata.name" and fault.type == INVALID
        in_affinity = minor <= 32 and ".nodeAffinity." in fault.field and ".values[" in fault.field
        return in_affinity or (minor <= 35 and (in_name or fault.detail.endswith(": must not have leading 0s")))

    left = [tuple([fault for fault in faults if not is_later(fault)]) for faults in (stage.errors, stage.findings)]
    return Stage(stage.name, left[0], left[1])


def _added(tree: dict[str, Tree], kind: Tree, minor: int) -> Iterator[Fault]:
    """The errors that only the minor has."""
    if kind == "Service":
        yield from _service(tree, minor)
    for path, spec in pod_specs(tree) if minor >= 37 and kind != "Pod" else ():
        for position, volume in enumerate(spec.get("volumes") or ()):
            if get(volume, ("image",), None) is not None and not get(volume, ("image", "reference"), None):
                below: FieldPath = (*path, "volumes", position, "image", "reference")
                yield Fault(REQUIRED, render(below), "Required value", below)
    for path, spec in pod_specs(tree) if minor <= 34 else ():
        for position, container in enumerate(spec["containers"]):
            if container.__class__ is dict:
                yield from _container(container, (*path, "containers", position), minor)


def _container(container: dict[str, Tree], path: FieldPath, minor: int) -> Iterator[Fault]:
    if minor <= 33 and container.get("restartPolicy"):
        below = (*path, "restartPolicy")
        yield Fault(FORBIDDEN, render(below), "may not be set for non-init containers", below)
    sleep = get(container, ("lifecycle", "preStop", "sleep", "seconds"), None)
    if minor <= 32 and sleep == 0 and sleep.__class__ is int:
        below = (*path, "lifecycle", "preStop", "sleep")
        yield Fault(INVALID, render(below), "Invalid value: 0: must be greater than 0", below, "must be greater than 0")
    for position, variable in enumerate(container.get("env") or ()):
        name = variable.get("name")
        if minor <= 31 and name.__class__ is str and name and (name[0].isdecimal() or not _ENV_NAME.issuperset(name)):
            below = (*path, "env", position, "name")
            detail = f'Invalid value: "{name}": a valid environment variable name must match [-._a-zA-Z][-._a-zA-Z0-9]*'
            yield Fault(INVALID, render(below), detail, below)
        # 1.34 drops the reference, whose gate EnvFiles is off, and refuses what is left.
        if minor == 34 and get(variable, ("valueFrom", "fileKeyRef"), None) is not None:
            below = (*path, "env", position, "valueFrom")
            yield Fault(INVALID, render(below), 'Invalid value: "": must specify one of fieldRef, configMapKeyRef, ...', below)


def _service(tree: dict[str, Tree], minor: int) -> Iterator[Fault]:
    name, traffic = get(tree, ("metadata", "name"), ""), get(tree, ("spec", "trafficDistribution"), None)
    for words in dns1035_label(name) if minor <= 35 and name.__class__ is str else ():
        yield Fault(INVALID, "metadata.name", f'Invalid value: "{name}": {words}', ("metadata", "name"))
    if minor <= 33 and traffic in ("PreferSameZone", "PreferSameNode"):
        path: FieldPath = ("spec", "trafficDistribution")
        detail = f'Unsupported value: "{traffic}": supported values: "PreferClose"'
        yield Fault(NOT_SUPPORTED, render(path), detail, path)


def _refused_update(tree: dict[str, Tree], old: Tree, kind: Tree, minor: int) -> Iterator[Fault]:
    """1.36 lets the resources of a suspended Job change (`MutablePodResourcesForSuspendedJobs`)."""
    if kind == "Job" and minor <= 35 and _requested(tree) != _requested(old):
        path: FieldPath = ("spec", "template")
        yield Fault(INVALID, render(path), "Invalid value: field is immutable", path, "field is immutable")


def _requested(job: Tree) -> list[str]:
    return [str(container.get("resources")) for _, spec in pod_specs(job) for container in spec["containers"]]
