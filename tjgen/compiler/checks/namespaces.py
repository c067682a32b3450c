"""The namespace of a run -> whether it is one for programs of the cluster."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.workload.workload import Workload

SYSTEM = ("kube-system", "kube-public", "kube-node-lease")
"""Namespaces that every API server creates for itself (kubernetes 1.36, pkg/controlplane/controller/systemnamespaces)."""


def check(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Diagnostic]:
    """TJ249 for a run in one of these namespaces."""
    del workload, experiment
    if setting.namespace in SYSTEM:
        message = f"namespace {setting.namespace} is for programs of the cluster: many policies do not apply to pods there"
        yield Diagnostic("TJ249", message, path=("metadata", "namespace"), hint="use the namespace of your team")
