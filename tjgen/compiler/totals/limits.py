"""Manifests of a run, and the limits of its namespace -> pods and claims that a LimitRange refuses.

Upstream: kubernetes `plugin/pkg/admission/limitranger`. It looks at the pods that controllers make, so nothing is refused when
the run is applied: its pods never come. Where a maximum is set, a container has to have a limit, which `default` gives.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from tjgen.cluster.trainer.requests import pod_requests
from tjgen.compiler.totals.quotas import requesting_field
from tjgen.language.spec.objects import Bounds, Limits
from tjgen.trees.diagnostics.model import Diagnostic, Note
from tjgen.trees.fields.managed import Managed
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.k8s.quantity import parse
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.source.document import Document

_POD: FieldPath = ("template", "spec", "template", "spec")
Amounts = Mapping[str, "str | int | float"]


def refused(
    manifests: Sequence[Manifest],
    previews: Sequence[Manifest],
    limits: Limits,
    namespace: str,
    tree: Managed,
    platform: Document | None,
) -> Iterator[Diagnostic]:
    """What is above a maximum or below a minimum, once for each resource and kind of thing."""
    seen: set[tuple[str, str, str]] = set()
    for field, who, bounds, requests in _requests([*manifests, *previews], limits):
        for bound, sign, words in (("max", 1, "at most"), ("min", -1, "at least")):
            for resource, allowed in getattr(bounds, bound).items():
                quantity = requests.get(resource)
                if (
                    quantity is None
                    or sign * (parse(quantity).nanos - parse(allowed).nanos) <= 0
                    or (field, bound, resource) in seen
                ):
                    continue
                seen.add((field, bound, resource))
                message = f"{who} requests {quantity} of {resource}, but {words} {allowed} is allowed in namespace {namespace}"
                at: FieldPath = ("spec", "namespaces", namespace, "limits", field, bound, resource)
                related = (Note("set here", platform.locate(at) if platform is not None else None),)
                hint = "change the request, or the limit in the Platform: the pods would be refused"
                yield Diagnostic("TJ923", message, None, requesting_field(resource, tree), None, related, hint)


def _requests(manifests: Iterable[Manifest], limits: Limits) -> Iterator[tuple[str, str, Bounds, Amounts]]:
    """Field of the limits, the subject of the message, the source of the limit, and the requested amount."""
    for manifest in manifests:
        if manifest.kind == "PersistentVolumeClaim" and limits.claim is not None:
            requests = get(manifest.tree, ("spec", "resources", "requests"), None) or {}
            yield "claim", f"claim {manifest.name}", limits.claim, requests
        if manifest.kind == "JobSet":
            for job in get(manifest.tree, ("spec", "replicatedJobs"), None) or []:
                yield from _of_pod(job["name"], get(job, _POD, {}), limits)


def _of_pod(name: str, pod: Tree, limits: Limits) -> Iterator[tuple[str, str, Bounds, Amounts]]:
    containers = (*(pod.get("initContainers") or ()), *(pod.get("containers") or ()))
    for container in containers:
        if limits.container is None:
            break
        resources = container.get("resources") or {}
        requests = {**(resources.get("requests") or {}), **(resources.get("limits") or {})}
        yield "container", f"container {container['name']} of {name}", limits.container, requests
    if limits.pod is not None:
        yield "pod", f"a pod of {name}", limits.pod, {key: str(amount) for key, amount in pod_requests(pod).items()}
