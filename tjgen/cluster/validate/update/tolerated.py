"""An error of a new object and the stored object -> whether the server tolerates it because it is old.

Mirrors the options that kubernetes 1.36 gives its validation at an update (`GetValidationOptionsFrom...`,
`AllowInvalid...`): a value that older servers accepted may stay if the stored object has it, or one with the same error.
"""

from __future__ import annotations

from tjgen.cluster.validate.fault import Fault
from tjgen.trees.fields.path import MISSING, FieldPath, Tree, get
from tjgen.trees.typing import Any

_ADDRESSES = ("clusterIPs", "externalIPs", "loadBalancerSourceRanges")
_RANGES = "service.beta.kubernetes.io/load-balancer-source-ranges"
_NO_TIME_ZONE = "cannot use TZ or CRON_TZ"


def tolerated(fault: Fault, kind: str, new: dict[str, Any], before: dict[str, Any]) -> bool:
    """Whether the error is as old as the object."""
    rule = _RULES.get(kind)
    return rule is not None and rule(fault.path, fault.detail, new, before)


def _service(path: FieldPath, detail: str, new: Tree, before: Tree) -> bool:
    if path[:1] == ("spec",) and len(path) == 3 and path[1] in _ADDRESSES:
        # An external address of an earlier form stays, and still has to be an address.
        is_form = "must not" in detail if path[1] == "externalIPs" else "may not be" not in detail
        return is_form and get(new, path, None) in (get(before, path[:2], None) or ())
    at: FieldPath = ("metadata", "annotations", _RANGES)
    return path == at and get(new, at, None) == get(before, at, MISSING)


def _cron_job(path: FieldPath, detail: str, new: Tree, before: Tree) -> bool:
    if path == ("spec", "timeZone"):
        return bool(get(new, path, None) == get(before, path, MISSING))
    return path == ("spec", "schedule") and _NO_TIME_ZONE in detail and "TZ" in str(get(before, path, ""))


def _claim(path: FieldPath, detail: str, new: Tree, before: Tree) -> bool:
    """`allowInvalidAPIGroupInDataSourceOrRef`."""
    spec: dict[str, Any] = before.get("spec") or {}
    groups = [(spec.get(name) or {}).get("apiGroup") for name in ("dataSource", "dataSourceRef")]
    return path[-1:] == ("apiGroup",) and any(group is not None for group in groups)


def _network_policy(path: FieldPath, detail: str, new: Tree, before: Tree) -> bool:
    """`ValidationOptionsForNetworking`: a block may have any form that the stored object has."""
    is_of_block = "ipBlock" in path and "strict subset" not in detail
    return is_of_block and get(new, path, None) in _ranges(before.get("spec") or {})


def _ranges(spec: Tree) -> list[str]:
    rules = [
        (rule or {}).get(side) or [] for name, side in (("ingress", "from"), ("egress", "to")) for rule in spec.get(name) or []
    ]
    blocks = [peer.get("ipBlock") or {} for peers in rules for peer in peers]
    return [text for block in blocks for text in (block.get("cidr", ""), *(block.get("except") or []))]


def _pods(path: FieldPath, detail: str, new: Tree, before: Tree) -> bool:
    """`GetValidationOptionsFromPodSpecAndMeta`: values of labels that are wrong, where there were such ones of the same sort.

    `ValidateLabelSelector` tolerates them only in `matchExpressions`. `validateTopologySpreadConstraints` skips the whole
    selector (`AllowInvalidTopologySpreadConstraintLabelSelector`).
    """
    if detail == "Forbidden: cannot be set on create":
        return True
    sort = _sort(path)
    is_checked = "matchLabels" in path and sort != "topologySpreadConstraints"
    if not sort or is_checked or "a valid label must be" not in detail:
        return False
    from tjgen.cluster.validate.builtin import kinds

    was = kinds.faults(str(before["apiVersion"]), str(before["kind"]), _given(before))
    return any(_sort(fault.path) == sort and "a valid label must be" in fault.detail for fault in was)


def _sort(path: FieldPath) -> str:
    if "requiredDuringSchedulingIgnoredDuringExecution" in path and "nodeAffinity" in path:
        return "node"
    return next((str(step) for step in path if step in ("podAffinity", "podAntiAffinity", "topologySpreadConstraints")), "")


def _given(value: Tree) -> Any:
    """The tree without nulls, as checks expect it."""
    if value.__class__ is dict:
        return {key: _given(item) for key, item in value.items() if item is not None}
    return [_given(item) for item in value] if value.__class__ is list else value


_RULES = {
    **dict.fromkeys(("CronJob", "DaemonSet", "Deployment", "Job", "Pod", "PodTemplate", "ReplicaSet", "StatefulSet"), _pods),
    "CronJob": lambda path, detail, new, before: _cron_job(path, detail, new, before) or _pods(path, detail, new, before),
    "NetworkPolicy": _network_policy,
    "PersistentVolumeClaim": _claim,
    "Service": _service,
}
