"""A JobSet as the API server holds it -> the errors of JobSet's validating webhook.

Upstream: pkg/webhooks/jobset_webhook.go `ValidateCreate` and `ValidateUpdate`, v0.12.0, with the feature gates as
they ship: in-place restart, job restart and elastic JobSets are off.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.cluster.trainer.goread import DecodeError
from tjgen.cluster.trainer.release import NEWEST, Release
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import at
from tjgen.cluster.validate.webhooks.answer import WebhookAnswer, internal, invalid, refused
from tjgen.cluster.validate.webhooks.gojson import go_json
from tjgen.cluster.validate.webhooks.jobset_policies import validate_claims, validate_failure_policy
from tjgen.cluster.validate.webhooks.prefixed import domain_prefixed_path
from tjgen.cluster.validate.wording import quote
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.k8s.names import LABEL_LENGTH, job_name, pod_name
from tjgen.trees.k8s.syntax import dns1035_label, dns1123_subdomain, label_value
from tjgen.trees.typing import Any

_JOBS: FieldPath = ("spec", "replicatedJobs")
_MANAGED_BY: FieldPath = ("spec", "managedBy")
_TOO_LONG = "must be no more than 63 characters"
_LARGEST = 2**31 - 1


def validate(tree: Tree, *, old: Tree = None, context: Sequence[Tree] | None = (), release: Release = NEWEST) -> WebhookAnswer:
    """The webhook's answer on creating `tree`, defaults filled in, or on replacing `old` by it."""
    try:
        spec = release.types.typed(tree.get("spec") or {}, "JobSetSpec")
        before = release.types.typed(old.get("spec") or {}, "JobSetSpec") if old is not None else None
    except DecodeError as error:
        return WebhookAnswer((refused(error.under("spec").text, error.path, "give the field a value of its type"),))
    if before is not None:
        return WebhookAnswer(tuple(_update(tree, spec, before)))
    return WebhookAnswer(tuple(_create(tree, spec, context or (), release)))


def _create(tree: Tree, spec: dict[str, Any], context: Sequence[Tree], release: Release) -> Iterator[Fault]:
    name: str = get(tree, ("metadata", "name"), "")
    jobs: list[Any] = spec.get("replicatedJobs", [])
    policy = spec.get("failurePolicy", {})
    if policy.get("restartStrategy") == "InPlaceRestart":
        words = "InPlaceRestart restart strategy cannot be set when InPlaceRestart feature gate is disabled"
        yield internal(words, ("spec", "failurePolicy", "restartStrategy"), "use Recreate or BlockingRecreate")
    if isinstance(get(tree, (*_JOBS, 0, "dependsOn")), list):
        hint = "move the job after those that it depends on"
        yield internal("DependsOn can't be set for the first ReplicatedJob", (*_JOBS, 0, "dependsOn"), hint)
    yield from _network(spec.get("network", {}).get("subdomain", ""))
    if "managedBy" in spec:
        yield from domain_prefixed_path(_MANAGED_BY, spec["managedBy"])
        if len(spec["managedBy"].encode()) > LABEL_LENGTH:
            yield at(_MANAGED_BY).too_long(LABEL_LENGTH)
    names: set[str] = set()
    for position, job in enumerate(jobs):
        names.add(job["name"])
        yield from _job(name, job, (*_JOBS, position), release)
        for item in job.get("dependsOn", ()):
            if item["name"] not in names:
                words = f"replicatedJob: {job['name']} cannot depend on replicatedJob: {item['name']}"
                yield internal(words, (*_JOBS, position, "dependsOn"), "name a job that precedes it in the list")
    for target in spec.get("successPolicy", {}).get("targetReplicatedJobs", ()):
        if target not in names:
            words = f"invalid replicatedJob name '{target}' does not appear in .spec.ReplicatedJobs"
            yield internal(words, ("spec", "successPolicy", "targetReplicatedJobs"), "name one of the jobs")
    yield from validate_failure_policy(policy, names)
    if "coordinator" in spec:
        yield from _coordinator(name, spec, jobs, release)
    yield from validate_claims(tree, spec, context)


def _network(subdomain: str) -> Iterator[Fault]:
    if not subdomain:
        return
    path: FieldPath = ("spec", "network", "subdomain")
    for words in dns1123_subdomain(subdomain):
        yield invalid(path, quote(subdomain), words, "use a DNS label")
    for words in dns1035_label(subdomain):
        detail = ".spec.network.subdomain is too long, must be less than 63 characters" if _TOO_LONG in words else words
        yield invalid(path, quote(subdomain), detail, "use a DNS label")


def _job(jobset: str, job: dict[str, Any], path: FieldPath, release: Release) -> Iterator[Fault]:
    spec = job["template"]["spec"]
    replicas, group = job.get("replicas", 0), job.get("groupName", "")
    if spec.get("parallelism", 1) * replicas > _LARGEST:
        words = f"the product of replicas and parallelism must not exceed {_LARGEST} for replicatedJob '{job['name']}'"
        yield internal(words, path, "use fewer pods")
    for words in dns1035_label(group) if release.labels_coordinators else ():
        detail = ".spec.replicatedJob[].groupName is too long, must be less than 63 characters" if _TOO_LONG in words else words
        yield invalid((*path, "groupName"), quote(group), detail, "use a DNS label")
    longest = job_name(jobset, job["name"], replicas - 1)
    yield from _generated(longest, longest, "job", path)
    if spec.get("completionMode") == "Indexed" and "completions" in spec:
        pod = pod_name(jobset, job["name"], replicas - 1, spec["completions"] - 1)
        yield from _generated(pod, longest, "pod", path)


def _generated(name: str, shown: str, kind: str, path: FieldPath) -> Iterator[Fault]:
    too_long = f"JobSet name is too long, {kind} names generated for this JobSet will exceed 63 characters"
    for words in dns1035_label(name):
        detail = too_long if _TOO_LONG in words else words
        yield invalid((*path, "name"), quote(shown), detail, "shorten the names of the JobSet and the job")


def _coordinator(jobset: str, spec: dict[str, Any], jobs: list[Any], release: Release) -> Iterator[Fault]:
    path: FieldPath = ("spec", "coordinator")
    coordinator = spec["coordinator"]
    name, job_index, pod_index = coordinator["replicatedJob"], coordinator.get("jobIndex", 0), coordinator.get("podIndex", 0)
    job = next((job for job in jobs if job["name"] == name), None)
    if job is None:
        yield internal(f"coordinator replicatedJob {name} does not exist", path, "name one of the jobs")
    elif not 0 <= job_index < job.get("replicas", 0):
        yield internal(f"coordinator job index {job_index} is invalid for replicatedJob {name}", path, "use a smaller index")
    else:
        completions = job["template"]["spec"].get("completions")
        if completions is None or job["template"]["spec"].get("completionMode") != "Indexed":
            words = "job for coordinator pod must be indexed completion mode, and completions number must be set"
            yield internal(words, path, "set completions")
        elif not 0 <= pod_index < completions:
            words = f"coordinator pod index {pod_index} is invalid for replicatedJob {name} job index {job_index}"
            yield internal(words, path, "use a smaller index")
    if not release.labels_coordinators:
        return
    subdomain = spec.get("network", {}).get("subdomain") or jobset
    label = f"{jobset}-{name}-{job_index}-{pod_index}.{subdomain}"
    wrong = label_value(label)
    if wrong:
        words = f'spec will lead to invalid label value {quote(label)} for coordinator label "jobset.sigs.k8s.io/coordinator"'
        yield internal(f"{words} (long JobSet / ReplicatedJob / SubDomain name?): {', '.join(wrong)}", path, "shorten the names")


def _update(tree: Tree, spec: dict[str, Any], old: dict[str, Any]) -> Iterator[Fault]:
    jobs: list[Any] = spec.get("replicatedJobs", [])
    before: list[Any] = old.get("replicatedJobs", [])
    by_name = {job["name"]: job for job in before}
    masked = jobs
    if spec.get("suspend") or old.get("suspend"):
        masked = [_masked(job, by_name[job["name"]]) if job["name"] in by_name else job for job in jobs]
    if masked != before:
        hint = "give the run a new name"
        yield invalid(_JOBS, go_json(masked, "ReplicatedJob", get(tree, _JOBS)), "field is immutable", hint)
    if spec.get("managedBy") != old.get("managedBy"):
        shown = "null" if "managedBy" not in spec else quote(spec["managedBy"])
        yield invalid(_MANAGED_BY, shown, "field is immutable", "keep it as it is")


def _masked(job: dict[str, Any], old: dict[str, Any]) -> dict[str, Any]:
    """The job with everything taken from the old one that may change while the JobSet is suspended."""
    template = job["template"]
    pod, old_pod = template["spec"]["template"], old["template"]["spec"]["template"]
    metadata = _taken(pod["metadata"], old_pod["metadata"], ("labels", "annotations"))
    pod_spec = _taken(pod["spec"], old_pod["spec"], ("nodeSelector", "tolerations", "schedulingGates"))
    spec = {**template["spec"], "template": {**pod, "metadata": metadata, "spec": pod_spec}}
    return {**job, "template": {**template, "spec": spec}}


def _taken(tree: dict[str, Any], old: dict[str, Any], fields: tuple[str, ...]) -> dict[str, Any]:
    kept = {key: value for key, value in tree.items() if key not in fields}
    return kept | {key: old[key] for key in fields if key in old}
