"""Queues of `workloads.py` and what Kueue did with the workloads -> where the model differs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from tjgen.cluster.queueing.kueue import FITS, NEVER, ClusterQueue, PodSetRequest, Quotas, ResourceFlavor
from tjgen.cluster.scheduling.node import amounts
from tjgen.cluster.trainer.requests import pod_requests
from tjgen.trees.k8s.quantity import parse

Tree = dict[str, Any]


def model(case: Tree) -> Quotas:
    """The queues of a case."""
    flavors = {
        one["metadata"]["name"]: ResourceFlavor(
            one["metadata"]["name"],
            one["spec"].get("nodeLabels", {}),
            one["spec"].get("nodeTaints", ()),
            one["spec"].get("tolerations", ()),
        )
        for one in case["flavors"]
    }
    return Quotas(
        [
            ClusterQueue(
                one["metadata"]["name"],
                [
                    (flavors[each["name"]], amounts({cell["name"]: parse(cell["nominalQuota"]) for cell in each["resources"]}))
                    for each in one["spec"]["resourceGroups"][0]["flavors"]
                ],
                one["spec"].get("cohortName", ""),
            )
            for one in case["queues"]
        ]
    )


def differences(case: Tree, verdicts: Sequence[Tree]) -> Iterator[str]:
    """A line for each workload about which the model and Kueue differ."""
    quotas = model(case)
    for workload, real in zip(case["workloads"], verdicts, strict=True):
        name, queue = workload["metadata"]["name"], workload["spec"]["queueName"]
        assignment = quotas.assign(queue, [_pod_set(one) for one in workload["spec"]["podSets"]])
        never = real["alone"] == "NoFit"
        fits = real["mode"] == "Fit"
        # A workload that fits may not fit alone: with other quota left, its first pod set may take another flavor.
        if (assignment.mode == FITS) != fits or (not fits and (assignment.mode == NEVER) != never):
            yield f"{name}: {real['mode']}, alone {real['alone']}, here {assignment.mode}: {assignment.message}"
        elif assignment.mode == FITS:
            chosen = {podset: flavor.name for podset, flavor in assignment.flavors.items()}
            if chosen != real["flavors"]:
                yield f"{name}: {real['flavors']}, here {chosen}"
            quotas.admit(queue, assignment)
        elif not _is_possible(assignment.message, real["messages"]):
            yield f"{name}:\n  {real['messages']}\n  {assignment.message}"


def _pod_set(one: Tree) -> PodSetRequest:
    spec = one["template"]["spec"]
    requests = {name: amount * one["count"] for name, amount in amounts(pod_requests(spec)).items()}
    return PodSetRequest(one["name"], one["count"], spec, requests)


def _is_possible(message: str, messages: Sequence[str]) -> bool:
    """Whether Kueue writes the message. It looks at resources in any order, and stops at the first that cannot fit.

    So the recorded messages of one workload may differ in that, and each reason here must be one of theirs.
    """
    if message in messages:
        return True
    known = {part for one in messages for part in _parts(one)}
    return len(messages) > 1 and all(part in known for part in _parts(message))


def _parts(message: str) -> list[tuple[str, str]]:
    """Pod set and reason, for each reason in a message."""
    found = []
    for sentence in message.removeprefix("couldn't assign flavors to pod set ").split("; couldn't assign flavors to pod set "):
        name, _, reasons = sentence.partition(": ")
        found += [(name, reason) for reason in re.split(r", (?=insufficient |flavor |untolerated |resource )", reasons)]
    return found
