"""Containers of a run in a namespace with a quota -> resources that the quota requires and that they leave out."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.lower import SPEC
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.workload.workload import Workload

_FIELDS = {
    "cpu": ("requests", "cpu"),
    "memory": ("requests", "memory"),
    "requests.cpu": ("requests", "cpu"),
    "requests.memory": ("requests", "memory"),
    "limits.cpu": ("limits", "cpu"),
    "limits.memory": ("limits", "memory"),
}
"""Keys of a quota that every container must name (kubernetes 1.36, pkg/quota/v1/evaluator/core/pods.go `Constraints`)."""


def check(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Diagnostic]:
    """TJ389 once for each resource that a container leaves out: the API server refuses its pod."""
    quota = setting.cluster.quotas.get(setting.namespace, {})
    limits = setting.cluster.limits.get(setting.namespace)
    default = limits.container if limits is not None else None
    given = {
        "limits": set(default.default) if default is not None else set(),
        "requests": {*default.default, *default.default_request} if default is not None else set(),
    }
    for key in quota:
        bound, resource = _FIELDS.get(key, ("", ""))
        if not resource or resource in given[bound]:
            continue
        for podset in workload.podsets:
            pod = get(workload.tree.value, podset.pod, None) or {}
            containers = [one for kind in ("containers", "initContainers") for one in pod.get(kind) or []]
            missing = [one for one in containers if _lacks(one, bound, resource)]
            if missing:
                name = missing[0]["name"]
                is_only = name == podset.container and len(workload.podsets) == 1
                where = "the experiment" if is_only else f'container "{name}" of role "{podset.name}"'
                request = get(missing[0], ("resources", "requests", resource), None)
                lacks = resource if request is None else f"a limit of {resource}"
                message = f"namespace {setting.namespace} has a quota of {key}, but {where} does not set {lacks}"
                fix = f"add {resource}" if request is None else f"write {resource}: {request}, which is also the limit"
                yield Diagnostic("TJ389", message, path=SPEC, hint=f"{fix}: the API server refuses pods without it")
                break


def _lacks(container: Tree, bound: str, resource: str) -> bool:
    resources = container.get("resources") or {}
    named = {*(resources.get("limits") or {}), *((resources.get("requests") or {}) if bound == "requests" else ())}
    return resource not in named
