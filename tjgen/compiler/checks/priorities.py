"""The PriorityClasses that the pods of a run name -> those that the Platform does not have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.compiler.lower import SPEC
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees.diagnostics.model import ERROR, WARNING, Diagnostic
from tjgen.trees.fields.path import FieldPath, get
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.workload.workload import Workload

_FIELD = "priorityClassName"
_BUILT_IN = ("system-cluster-critical", "system-node-critical")
"""Classes that every API server creates (kubernetes 1.36, pkg/apis/scheduling/helpers.go `systemPriorityClasses`)."""


def check(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Diagnostic]:
    """TJ267 for each class that is not in `priorityClasses` of a Platform that has some.

    It is an error if the name is near to that of a class. Another class can be in the cluster without the Platform.
    """
    known = setting.cluster.priority_classes
    if not known:
        return
    chosen = experiment.spec.schedule.priority_class_name
    named: dict[str, FieldPath] = {chosen: (*SPEC, "schedule", _FIELD)} if chosen is not None else {}
    for podset in workload.podsets:
        name = get(workload.tree.value, (*podset.pod, _FIELD), None)
        if name and name.__class__ is str:
            named.setdefault(str(name), (*SPEC, "runtime"))
    for name, path in named.items():
        if name not in known and name not in _BUILT_IN:
            yield _unknown(name, path, known)


def _unknown(name: str, path: FieldPath, known: Sequence[str]) -> Diagnostic:
    near = nearest(name, (*known, *_BUILT_IN))
    message = f"the Platform has no PriorityClass {name}: a cluster without it refuses each pod, and the run never starts"
    other = f"did you mean {near}?" if near else f"use one of {', '.join(known)}."
    hint = f"{other} If the cluster has it, add {name} to priorityClasses of the Platform, with its value and exists: true"
    return Diagnostic("TJ267", message, path=path, hint=hint, severity=ERROR if near else WARNING)
