"""An experiment that is monitored -> a PodMonitor, and the port and labels by which it finds the training pods."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.programs.monitoring.measures import AT
from tjgen.compiler.programs.monitoring.rules import name
from tjgen.compiler.programs.objects import metadata
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Monitor
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get, named
from tjgen.trees.k8s.labels import EXPERIMENT_LABEL, RUN_LABEL
from tjgen.trees.workload.contribution import Contribution
from tjgen.trees.workload.roles import members
from tjgen.trees.workload.workload import PodSet, Workload

PORT = "tjgen-metrics"
_LABELS = {"experiment": EXPERIMENT_LABEL, "run": RUN_LABEL}
"""Label of series -> label of pods."""


def shown(workload: Workload, monitor: Monitor, setting: Setting) -> Iterator[Contribution | Diagnostic]:
    """The labels and ports by which Prometheus finds and identifies training pods."""
    for podset in members(workload):
        taken = _taken(workload, podset, monitor.port)
        if taken is not None:
            message = f"container {podset.container} of {podset.name} already has port {monitor.port}, named {taken}"
            hint = "use another port, on which the program serves its metrics"
            yield Diagnostic("TJ932", message, path=(*AT, "port"), hint=hint)
            continue
        port = {"name": PORT, "containerPort": monitor.port}
        yield Contribution((*podset.main, "ports", named(PORT)), port, (*AT, "port"))
        for label, value in ((EXPERIMENT_LABEL, setting.family), (RUN_LABEL, setting.run)):
            yield Contribution((*podset.pod_metadata, "labels", label), value, AT)


def pod_monitor(monitor: Monitor, setting: Setting) -> Tree:
    """The PodMonitor, for all runs of the experiment."""
    platform = setting.cluster.monitoring
    described = metadata(name(setting), setting)
    described["labels"] |= dict(platform.labels) if platform is not None else {}
    relabelings = [
        {"sourceLabels": [_meta(label)], "targetLabel": target, "action": "replace"} for target, label in _LABELS.items()
    ]
    endpoint = {
        "port": PORT,
        "path": monitor.path,
        "interval": platform.interval if platform is not None else "30s",
        "relabelings": relabelings,
    }
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PodMonitor",
        "metadata": described,
        "spec": {"selector": {"matchLabels": {EXPERIMENT_LABEL: setting.family}}, "podMetricsEndpoints": [endpoint]},
    }


def _taken(workload: Workload, podset: PodSet, number: int) -> str | None:
    """What the port of that number is called, where the container has one."""
    ports: list[Tree] = get(workload.tree.value, (*podset.main, "ports"), None) or []
    at: FieldPath = ("containerPort",)
    conflicting = [one for one in ports if get(one, at, None) == number and one.get("name") != PORT]
    return str(conflicting[0].get("name", "nothing")) if conflicting else None


def _meta(label: str) -> str:
    """How Prometheus calls a label of a pod while it finds it (discovery/kubernetes, `strutil.SanitizeLabelName`)."""
    return "__meta_kubernetes_pod_label_" + "".join(letter if letter.isalnum() else "_" for letter in label)
