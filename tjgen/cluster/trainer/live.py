"""A JobSet as the controller applies it -> as the API server stores it: CRD and webhook defaults filled in."""

from __future__ import annotations

from tjgen.cluster.schema.defaults import with_defaults
from tjgen.cluster.schema.store import find
from tjgen.cluster.trainer.release import NEWEST, Release
from tjgen.trees.fields.path import Tree
from tjgen.trees.typing import Any


def live(jobset: Tree, release: Release = NEWEST) -> Tree:
    """The JobSet after admission; raises DecodeError for a value that its Go type cannot hold.

    Upstream: the CRD's defaults, then pkg/webhooks `jobSetWebhook.Default` of JobSet v0.12.0. Its answer
    goes through the Go type, but controller-runtime takes only what that adds or changes.
    """
    spec = release.types.typed(jobset.get("spec") or {}, "JobSetSpec")
    filled = _defaulted(spec)
    tree = jobset if filled == spec else {**jobset, "spec": with_dropped(jobset.get("spec") or {}, filled)}
    schema = find("jobset.x-k8s.io/v1alpha2", "JobSet", versions=release.versions)
    return tree if schema is None else with_defaults(tree, schema)


def _defaulted(spec: dict[str, Any]) -> dict[str, Tree]:
    result = {
        "successPolicy": {"operator": "All"},
        "startupPolicy": {"startupPolicyOrder": "AnyOrder"},
        **spec,
        "network": {"enableDNSHostnames": True, "publishNotReadyAddresses": True, **spec.get("network", {})},
    }
    if "replicatedJobs" in spec:
        result["replicatedJobs"] = [_job(job) for job in spec["replicatedJobs"]]
    policy = spec.get("failurePolicy", {})
    if "rules" in policy:
        result["failurePolicy"] = {**policy, "rules": [_rule(*item) for item in enumerate(policy["rules"])]}
    if "volumeClaimPolicies" in spec:
        retention = {"retentionPolicy": {"whenDeleted": "Delete"}}
        result["volumeClaimPolicies"] = [{**retention, **item} for item in spec["volumeClaimPolicies"]]
    return result


def _job(job: dict[str, Any]) -> dict[str, Tree]:
    template = job["template"]
    pod = template["spec"]["template"]
    pod_spec = {"restartPolicy": "OnFailure", **pod["spec"]}
    spec = {"completionMode": "Indexed", **template["spec"], "template": {**pod, "spec": pod_spec}}
    return {**job, "template": {**template, "spec": spec}}


def _rule(position: int, rule: dict[str, Any]) -> dict[str, Tree]:
    return rule if rule["name"] else {**rule, "name": f"failurePolicyRule{position}"}


def with_dropped(before: Tree, after: Tree) -> Tree:
    """`after` with the zeros and empties of `before` that Go does not print; `after` itself if there are none."""
    if before == after:
        return after
    if before.__class__ is dict and after.__class__ is dict:
        changed = {}
        for key, value in before.items():
            if key not in after:
                if value is not None:
                    changed[key] = value
            elif value.__class__ is dict or value.__class__ is list:
                restored = with_dropped(value, after[key])
                if restored is not after[key]:
                    changed[key] = restored
        return {**after, **changed} if changed else after
    if before.__class__ is list and after.__class__ is list and len(before) == len(after):
        items = [with_dropped(*pair) for pair in zip(before, after, strict=True)]
        return items if any(new is not old for new, old in zip(items, after, strict=True)) else after
    return after
