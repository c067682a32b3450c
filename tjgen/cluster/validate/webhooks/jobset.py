"""A JobSet as the API server holds it -> the errors of JobSet's validating webhook.

Upstream: pkg/webhooks/jobset_webhook.go `ValidateCreate` and `ValidateUpdate`, v0.12.0, with the feature gates as
they ship: in-place restart, job restart and elastic JobSets are off.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.cluster.trainer.goread import DecodeError
from tjgen.cluster.trainer.release import NEWEST, Release
from tjgen.cluster.trainer.typed import NEWEST as NEWEST_TYPES
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import at
from tjgen.cluster.validate.webhooks.answer import WebhookAnswer, internal, invalid, refused
from tjgen.cluster.validate.webhooks.gojson import go_json
from tjgen.cluster.validate.webhooks.prefixed import domain_prefixed_path
from tjgen.cluster.validate.wording import quote
from tjgen.trees import regex
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.k8s.names import LABEL_LENGTH, job_name, pod_name
from tjgen.trees.k8s.syntax import dns1035_label, dns1123_subdomain, label_value
from tjgen.trees.manifests.objects import indexed
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
    yield from _validate_failure_policy(policy, names)
    if "coordinator" in spec:
        yield from _coordinator(name, spec, jobs, release)
    yield from _validate_claims(tree, spec, context)


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


# Failure policy and volume claim policies of a JobSet -> the errors of its webhook.
#
# Upstream: pkg/webhooks/jobset_webhook.go `validateFailurePolicy` and `validateVolumeClaimPolicies`, v0.12.0.

_POLICY: FieldPath = ("spec", "failurePolicy")

_RULE_NAME = regex.compile(r"[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?\Z").match
_LONGEST_RULE_NAME = 128
_LENGTHS = f"at least 1 characters long and at most {_LONGEST_RULE_NAME} characters long"
_CHARACTERS = (
    "must start with an alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', "
    "and must end with an alphanumeric character or '_'"
)
_GATED = ("RestartJob", "RestartJobAndIgnoreMaxRestarts")
_REASONS = ("BackoffLimitExceeded", "DeadlineExceeded", "FailedIndexes", "MaxFailedIndexesExceeded", "PodFailurePolicy")


def _validate_failure_policy(policy: dict[str, Any], jobs: set[str]) -> Iterator[Fault]:
    """Rules with good, unique names, jobs that exist and known reasons."""
    rules: list[Any] = policy.get("rules", [])
    if any(rule["action"] in _GATED for rule in rules):
        words = "failure policy actions are not allowed when RestartJob feature gate is disabled"
        yield internal(f"{' and '.join(_GATED)} {words}", (*_POLICY, "rules"), "use another action")
        return
    positions: dict[str, list[int]] = {}
    for position, rule in enumerate(rules):
        name, path = rule["name"], (*_POLICY, "rules", position)
        positions.setdefault(name, []).append(position)
        length = len(name.encode())
        if not 1 <= length <= _LONGEST_RULE_NAME:
            words = f"invalid failure policy rule name of length {length}, the rule name must be {_LENGTHS}"
            yield internal(words, (*path, "name"), "shorten the name")
        if not _RULE_NAME(name):
            words = f"invalid failure policy rule name '{name}', a failure policy rule name {_CHARACTERS}"
            yield internal(words, (*path, "name"), "use letters, digits and underscores")
        for job in rule.get("targetReplicatedJobs", ()):
            if job not in jobs:
                words = f"invalid replicatedJob name '{job}' in failure policy does not appear in .spec.ReplicatedJobs"
                yield internal(words, (*path, "targetReplicatedJobs"), "name one of the jobs")
        for reason in rule.get("onJobFailureReasons", ()):
            if reason not in _REASONS:
                words = f"invalid job failure reason '{reason}' in failure policy is not a recognized job failure reason"
                yield internal(words, (*path, "onJobFailureReasons"), f"use one of {', '.join(_REASONS)}")
    for name, places in positions.items():
        if len(places) > 1:
            shown = " ".join(map(str, places))
            words = f"rule names are not unique, rules with indices [{shown}] all have the same name '{name}'"
            yield internal(words, (*_POLICY, "rules", places[1], "name"), "rename one of the rules")


def _validate_claims(tree: Tree, spec: dict[str, Any], context: Sequence[Tree]) -> Iterator[Fault]:
    """Claim templates with good, unique names that a container mounts and no volume has."""
    jobset, seen = get(tree, ("metadata", "name"), ""), set()
    for index, policy in enumerate(spec.get("volumeClaimPolicies", ())):
        base: FieldPath = ("spec", "volumeClaimPolicies", index)
        for position, template in enumerate(policy.get("templates", ())):
            name = template["metadata"].get("name", "")
            # Upstream writes template for templates.
            path: FieldPath = (*base, "templates", position)
            place = f"spec.volumeClaimPolicies[{index}].template[{position}]"
            if name in seen:
                words = "names must be unique for VolumeClaimPolicies template"
                yield invalid((*path, "metadata", "name"), quote(name), words, "rename it", f"{place}.name")
            for words in dns1123_subdomain(name):
                yield invalid((*path, "metadata", "name"), quote(name), words, "use a DNS name", f"{place}.name")
            if len(f"{name}-{jobset}".encode()) > LABEL_LENGTH:
                words = "VolumeClaimPolicies template name is too long"
                yield invalid((*path, "metadata", "name"), quote(name), words, "shorten it", f"{place}.name")
            yield from _mounts(spec.get("replicatedJobs"), name, get(tree, _JOBS))
            existing = _claim(f"{name}-{jobset}", get(tree, ("metadata", "namespace"), ""), context)
            if existing is not None:
                yield from _existing(existing, template, policy, tree, path, base, place)
            seen.add(name)


def _mounts(jobs: list[Any] | None, name: str, written: Tree) -> Iterator[Fault]:
    is_mounted = False
    for position, job in enumerate(jobs or ()):
        pod_spec = job["template"]["spec"]["template"]["spec"]
        path: FieldPath = (*_JOBS, position, "template", "spec", "template", "spec", "volumes")
        for number, volume in enumerate(pod_spec.get("volumes", ())):
            if volume["name"] == name:
                words = f"volume name conflicts with VolumeClaimPolicy template name: {name}"
                yield invalid((*path, number, "name"), quote(name), words, "rename one of the two")
        containers = (*pod_spec.get("initContainers", ()), *pod_spec.get("containers", ()))
        is_mounted |= any(mount["name"] == name for item in containers for mount in item.get("volumeMounts", ()))
    if not is_mounted:
        words = f"replicatedJob containers don't have a matching volumeMount: {name} from VolumeClaimPolicies"
        yield invalid(_JOBS, go_json(jobs, "ReplicatedJob", written), words, "mount the claim in a container")


def _claim(name: str, namespace: str, context: Sequence[Tree]) -> Tree:
    for tree in indexed(context).named("PersistentVolumeClaim", name):
        if get(tree, ("metadata", "namespace"), "") == namespace:
            return tree
    return None


def _existing(
    claim: Tree, template: Any, policy: Any, tree: Tree, path: FieldPath, base: FieldPath, place: str
) -> Iterator[Fault]:
    try:
        spec = NEWEST_TYPES.typed(claim.get("spec") or {}, "ClaimSpec")
    except DecodeError:
        return
    if spec != template["spec"]:
        namespace = get(tree, ("metadata", "namespace"), "")
        words = f"spec does not match existing PVC {get(claim, ('metadata', 'name'))} in namespace {namespace}"
        yield invalid((*path, "spec"), go_json(template["spec"], "ClaimSpec"), words, "rename the template", f"{place}.spec")
    when = policy.get("retentionPolicy", {}).get("whenDeleted", "Delete")
    if when != "Retain":
        words = "retentionPolicy must be retain when PVC exists"
        yield invalid((*base, "retentionPolicy", "whenDeleted"), quote(when), words, "use Retain")
