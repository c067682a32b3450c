"""An object that the server accepts -> the verdicts on the Jobs and Pods that its controller will create from it.

The server takes a JobSet or a TrainingRuntime with any pod that has the right types; what is wrong with the pod comes up when
a controller makes it, and then only in events. The templates are filled in as the controllers and their webhooks do it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tjgen.cluster.kinds.table import replica_field
from tjgen.cluster.schema import store
from tjgen.cluster.schema.defaults import with_defaults
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.judge import judge
from tjgen.cluster.validate.verdict import STRICT, Verdict
from tjgen.cluster.validate.wording import field
from tjgen.trees.fields.path import FieldPath, Tree, get, list_at, mapping_at
from tjgen.trees.manifests.generated_names import generated
from tjgen.trees.typing import NamedTuple

_RANDOM = "abcde"
POD_SUFFIX = f"-{_RANDOM}"
"""What the name of a pod has after the name of its Job."""
_SCHEDULED = "29000000"
"""Minutes since 1970, with which a CronJob names its Jobs."""


class TemplateVerdict(NamedTuple):
    """The verdict on an object that a controller makes: `kind` of it, `path` of its template."""

    path: FieldPath
    kind: str
    verdict: Verdict
    place: str = ""
    """The path as the server would write it."""
    tree: Tree = None
    """The object."""

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What is wrong, with places in the manifest that holds the template."""
        return tuple([fault._replace(path=self.placed(fault.path)) for fault in self.verdict.findings])

    def placed(self, path: FieldPath) -> FieldPath:
        """A path in the Job or Pod as a path in the manifest that holds the template."""
        return path if path == ("metadata", "name") else self.path + path


def templates(tree: Tree, *, versions: Mapping[str, str] | None = None) -> Iterator[TemplateVerdict]:
    """Yield the verdicts on all objects created from `tree`, which the server accepts."""
    api_version, kind = tree.get("apiVersion", ""), tree.get("kind", "")
    group = api_version.partition("/")[0]
    schema = store.find(api_version, kind, versions=versions)
    if schema is None or group not in _MAKERS:
        return
    if not store.is_built_in(api_version, kind):
        tree = _stored(with_defaults(tree, schema))
    yield from _MAKERS[group](tree, kind, generated(mapping_at(tree, ("metadata",))))


def _batch(tree: Tree, kind: str, name: str) -> Iterator[TemplateVerdict]:
    if kind == "Job":
        yield _job_pod(tree, name, ("spec", "template"))
    else:
        path: FieldPath = ("spec", "jobTemplate")
        yield from _job(mapping_at(tree, path), f"{name}-{_SCHEDULED}", path)


def _apps(tree: Tree, kind: str, name: str) -> Iterator[TemplateVerdict]:
    yield _pod(tree, ("spec", "template"), f"{name}-{_RANDOM}")


def _jobset(tree: Tree, kind: str, name: str) -> Iterator[TemplateVerdict]:
    yield from _replicated(tree, name, ("spec",), is_runtime=False)


def _trainer(tree: Tree, kind: str, name: str) -> Iterator[TemplateVerdict]:
    if kind != "TrainJob":
        yield from _replicated(tree, name, ("spec", "template", "spec"), is_runtime=True)


def _volcano(tree: Tree, kind: str, name: str) -> Iterator[TemplateVerdict]:
    for position, task in _items(tree, ("spec", "tasks")) if kind == "Job" else ():
        yield _pod(tree, ("spec", "tasks", position, "template"), f"{name}-{task.get('name') or f'default{position}'}-0")


def _kubeflow(tree: Tree, kind: str, name: str) -> Iterator[TemplateVerdict]:
    replicas = replica_field(kind)
    for role in sorted(mapping_at(tree, ("spec", replicas))):
        path: FieldPath = ("spec", replicas, role, "template")
        policy = get(tree, ("spec", replicas, role, "restartPolicy"), None)
        verdict = _pod(tree, path, f"{name}-{role.lower()}-0", restart="Never" if policy == "ExitCode" else policy)
        yield verdict._replace(place=f"spec.{replicas}[{role}].template")


def _ray(tree: Tree, kind: str, name: str) -> Iterator[TemplateVerdict]:
    at: FieldPath = ("spec", "rayClusterSpec") if kind == "RayJob" else ("spec",)
    cluster = get(tree, at, None) if kind in ("RayJob", "RayCluster") else None
    if cluster.__class__ is dict:
        yield _pod(tree, (*at, "headGroupSpec", "template"), f"{name}-head-{_RANDOM}")
    for position, group in _items(cluster, ("workerGroupSpecs",)):
        path: FieldPath = (*at, "workerGroupSpecs", position, "template")
        yield _pod(tree, path, f"{name}-{group.get('groupName')}-worker-{_RANDOM}")
    if get(tree, ("spec", "submitterPodTemplate"), None) is not None:
        yield _pod(tree, ("spec", "submitterPodTemplate"), f"{name}-{_RANDOM}")


_MAKERS = {
    "apps": _apps,
    "batch": _batch,
    "batch.volcano.sh": _volcano,
    "jobset.x-k8s.io": _jobset,
    "kubeflow.org": _kubeflow,
    "ray.io": _ray,
    "trainer.kubeflow.org": _trainer,
}


def _replicated(tree: Tree, name: str, path: FieldPath, *, is_runtime: bool) -> Iterator[TemplateVerdict]:
    """The Jobs of a JobSet. In a runtime the counts come later, from the TrainJob."""
    for position, replicated in _items(tree, (*path, "replicatedJobs")):
        template = mapping_at(replicated, ("template",))
        spec: dict[str, Tree] = {"completionMode": "Indexed", **_given(template.get("spec"))}
        if is_runtime and spec["completionMode"] == "Indexed" and "completions" not in spec:
            spec["completions"] = spec.get("parallelism", 1)
        pod = _given(spec.get("template"))
        if pod.get("spec") is not None:
            spec["template"] = {**pod, "spec": {"restartPolicy": "OnFailure"} | _given(pod["spec"])}
        field = (*path, "replicatedJobs", position, "template")
        yield from _job({**template, "spec": spec}, f"{name}-{replicated.get('name')}-0", field)


def _items(tree: Tree, path: FieldPath) -> Iterator[tuple[int, Tree]]:
    """Position and value of the items of a list that are mappings.

    The server accepts a value of another type that an update leaves as it is. No controller can read it.
    """
    return ((position, item) for position, item in enumerate(list_at(tree, path)) if item.__class__ is dict)


def _job(template: Tree, name: str, path: FieldPath) -> Iterator[TemplateVerdict]:
    """Return the Job created from a template and, if it is accepted, its Pod."""
    metadata = _metadata(template, name, "labels", "annotations")
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": _given(template.get("spec"))}
    verdict = _created(job, path)
    yield verdict
    if verdict.verdict.allowed:
        yield _job_pod(job, name, (*path, "spec", "template"))


def _job_pod(job: Tree, name: str, path: FieldPath) -> TemplateVerdict:
    index = "-0" if get(job, ("spec", "completionMode"), None) == "Indexed" else ""
    verdict = _pod(job, ("spec", "template"), f"{name}{index}-{_RANDOM}")
    return verdict._replace(path=path, place=field(path))


def _pod(tree: Tree, path: FieldPath, name: str, *, restart: str | None = None) -> TemplateVerdict:
    template = mapping_at(tree, path)
    spec = dict(mapping_at(template, ("spec",)))
    if restart is not None:
        spec["restartPolicy"] = restart
    metadata = _metadata(template, name, "labels", "annotations", "finalizers")
    return _created({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}, path)


def _metadata(template: Tree, name: str, *kept: str) -> dict[str, Tree]:
    given = mapping_at(template, ("metadata",))
    return {key: given[key] for key in kept if key in given} | {"name": name}


def _created(tree: Tree, path: FieldPath) -> TemplateVerdict:
    verdict = judge(tree)
    # A controller does not use strict validation: its types drop unknown fields.
    kept = tuple([stage for stage in verdict.stages if stage.name != STRICT])
    return TemplateVerdict(path, tree["kind"], Verdict(kept, verdict.checked), field(path), tree)


def _stored(value: Tree) -> Tree:
    """The tree as the store gives it back: 2.0 comes out as 2."""
    if value.__class__ is dict:
        return {key: _stored(item) for key, item in value.items()}
    if value.__class__ is list:
        return [_stored(item) for item in value]
    return int(value) if value.__class__ is float and value.is_integer() else value


def _given(value: Tree) -> dict[str, Tree]:
    """The fields of an object that are not null."""
    return {key: item for key, item in mapping_at(value, ()).items() if item is not None}
