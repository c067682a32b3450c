"""Settings that never reach the JobSet, or that prevent its creation."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.outcomes import ttl_problems
from tjgen.cluster.trainer.runtimes import SPEC
from tjgen.cluster.trainer.warnings.subject import ExpandedTrainJob, reference
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import get
from tjgen.trees.typing import Any

_SNAPSHOT_LIMIT = 1 << 20
_READ_LATER = {
    "alpha.jobset.sigs.k8s.io/exclusive-topology": "the JobSet",
    "alpha.jobset.sigs.k8s.io/node-selector": "the JobSet",
    "sidecar.istio.io/inject": "the pods",
    "cluster-autoscaler.kubernetes.io/safe-to-evict": "the pods",
    "karpenter.sh/do-not-disrupt": "the pods",
    "k8s.v1.cni.cncf.io/networks": "the pods",
    "gke-gcsfuse/volumes": "the pods",
}
"""Labels and annotations that other programs read, and the objects from which they read them."""


def unread_metadata(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """Labels and annotations of a TrainJob stay there; a JobSet has those of the runtime's template and of patches."""
    for tree, of in ((subject.job.tree, subject.of_trainjob), (subject.runtime.tree, subject.of_runtime)):
        metadata: Any = tree.get("metadata") or {}
        for field in ("labels", "annotations"):
            for key in metadata.get(field) or ():
                if key in _READ_LATER:
                    not_passed_on = f"is not passed on from the metadata of the {tree['kind']}"
                    hint = f"write it in spec.template.metadata.{field} of the runtime (in an experiment, by a patch)"
                    if _READ_LATER[key] == "the pods":
                        hint = f"write it in pod.{field} of the experiment, or in the pod template of the runtime"
                    yield of(
                        "TJ886",
                        f"{key} is read only from {_READ_LATER[key]}, and {not_passed_on}",
                        hint,
                        ("metadata", field, key),
                    )


def overwritten_suspend(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """jobset `Build`: spec.suspend of the JobSet is that of the TrainJob, false by default."""
    if get(subject.runtime.tree, (*SPEC, "suspend"), None) is True and not subject.job.suspend:
        yield subject.of_runtime(
            "TJ885",
            "suspend of the template is overwritten: the JobSet starts at once, as the TrainJob is not suspended",
            "set spec.suspend of the TrainJob",
            (*SPEC, "suspend"),
        )


def repeated_by_ttl(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """A TTL of the JobSet: the TrainJob creates it again."""
    at = (*SPEC, "ttlSecondsAfterFinished")
    if get(subject.runtime.tree, at, None) is not None:
        yield from ttl_problems("TrainJob", at, reference(subject.runtime.tree), trainer=subject.job.release.name)


def large_runtime(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """The snapshot holds the runtime's YAML in a ConfigMap, of which the API server takes 1 MiB."""
    size = subject.runtime.size
    if subject.job.release.keeps_snapshot and size > _SNAPSHOT_LIMIT:
        yield subject.of_runtime(
            "TJ887",
            f"the runtime has {size} bytes, and the controller's copy of it fits no ConfigMap ({_SNAPSHOT_LIMIT}): no run starts",
            "move scripts into an image or a ConfigMap",
            (),
        )
