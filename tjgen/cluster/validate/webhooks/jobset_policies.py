"""Failure policy and volume claim policies of a JobSet -> the errors of its webhook.

Upstream: pkg/webhooks/jobset_webhook.go `validateFailurePolicy` and `validateVolumeClaimPolicies`, v0.12.0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.cluster.trainer.goread import DecodeError
from tjgen.cluster.trainer.typed import NEWEST
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.webhooks.answer import internal, invalid
from tjgen.cluster.validate.webhooks.gojson import go_json
from tjgen.cluster.validate.wording import quote
from tjgen.trees import regex
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.k8s.names import LABEL_LENGTH
from tjgen.trees.k8s.syntax import dns1123_subdomain
from tjgen.trees.manifests.objects import indexed
from tjgen.trees.typing import Any

_POLICY: FieldPath = ("spec", "failurePolicy")
_JOBS: FieldPath = ("spec", "replicatedJobs")
_RULE_NAME = regex.compile(r"[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?\Z").match
_LONGEST_RULE_NAME = 128
_LENGTHS = f"at least 1 characters long and at most {_LONGEST_RULE_NAME} characters long"
_CHARACTERS = (
    "must start with an alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', "
    "and must end with an alphanumeric character or '_'"
)
_GATED = ("RestartJob", "RestartJobAndIgnoreMaxRestarts")
_REASONS = ("BackoffLimitExceeded", "DeadlineExceeded", "FailedIndexes", "MaxFailedIndexesExceeded", "PodFailurePolicy")


def validate_failure_policy(policy: dict[str, Any], jobs: set[str]) -> Iterator[Fault]:
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


def validate_claims(tree: Tree, spec: dict[str, Any], context: Sequence[Tree]) -> Iterator[Fault]:
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
        spec = NEWEST.typed(claim.get("spec") or {}, "ClaimSpec")
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
