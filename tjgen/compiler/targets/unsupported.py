"""Workload and release of Trainer -> what that release cannot do at all."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.trainer.release import RELEASES, Release
from tjgen.language.catalog.runtime import CatalogRuntime
from tjgen.trees.diagnostics.model import Diagnostic, ObjectRef
from tjgen.trees.fields.path import FieldPath, get, named
from tjgen.trees.workload.workload import Workload

_POLICIES: tuple[tuple[FieldPath, str, str], ...] = (
    (("runtime", "mlPolicy"), "MLPolicy", "the ML policy"),
    (("runtime", "podGroupPolicy"), "PodGroupPolicy", "gang scheduling by"),
)
_JOBSET: FieldPath = ("runtime", "template", "spec")
_DEADLINE: FieldPath = ("run", "activeDeadlineSeconds")
_RULES: FieldPath = (*_JOBSET, "failurePolicy", "rules")
_PATTERNS = "onJobFailureMessagePatterns"


def unsupported(workload: Workload, base: CatalogRuntime, release: Release) -> Iterator[Diagnostic]:
    """An error for each policy and field that the API of `release` does not have (TJ403)."""
    tree = workload.tree.value
    for path, name, what in _POLICIES:
        known = {field for field, _ in release.types.entries(name)}
        for field in map(str, get(tree, path, None) or ()):
            if field not in known:
                hint = f"use a runtime other than {base.name}" if name == "MLPolicy" else "choose another schedule system"
                yield _missing(workload, release, (*path, field), f"{what} {field}", name, field, hint)
    known = {field for field, _ in release.types.entries("JobSetSpec")}
    for field in map(str, get(tree, _JOBSET, None) or ()):
        if field not in known:
            hint = f"use a runtime other than {base.name}, or remove what needs it"
            yield _missing(workload, release, (*_JOBSET, field), f"a JobSet with {field}", "JobSetSpec", field, hint)
    for job in get(tree, (*_JOBSET, "replicatedJobs"), None) or ():
        if len(job.get("dependsOn") or ()) > 1 and not release.waits_for_several:
            path = (*_JOBSET, "replicatedJobs", named(job["name"]), "dependsOn")
            hint = f"use a runtime other than {base.name}"
            yield _missing(workload, release, path, "jobs that wait for several other jobs", "", "", hint)
    knows_patterns = any(field == _PATTERNS for field, _ in release.types.entries("FailurePolicyRule"))
    if not knows_patterns and any(_PATTERNS in rule for rule in get(tree, _RULES, None) or ()):
        hint = "remove restart.rules, or build for a release that has them"
        yield _missing(workload, release, _RULES, "failure rules that match messages", "FailurePolicyRule", _PATTERNS, hint)
    if get(tree, _DEADLINE, None) is not None and all(
        field != _DEADLINE[-1] for field, _ in release.types.entries("TrainJobSpec")
    ):
        hint = "remove the deadline, or set a time limit in the program"
        yield _missing(workload, release, _DEADLINE, "a deadline", "TrainJobSpec", "activeDeadlineSeconds", hint)


def _missing(workload: Workload, release: Release, path: FieldPath, what: str, name: str, field: str, hint: str) -> Diagnostic:
    since = [one.name for one in RELEASES.values() if name and any(field == known for known, _ in one.types.entries(name))]
    origins = workload.tree.origins(path)
    because = next((one.because for one in origins if one.source == "experiment"), ("spec", "runtime"))
    message = f"Trainer {release.name} does not have {what}" + (f", which release {since[-1]} introduced" if since else "")
    subject = ObjectRef("trainer.kubeflow.org/v1alpha1", "TrainJob", workload.namespace, workload.name)
    return Diagnostic("TJ403", message, subject, because, hint=hint)
