"""The lifecycle policies of a Volcano Job or task -> what the webhook has against them.

Upstream: volcano `pkg/webhooks/admission/jobs/validate/util.go:validatePolicies`, which stops at the first wrong policy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.webhooks.answer import refused
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.typing import Any

_ANY = "*"
_EVENTS = (_ANY, "JobUpdated", "PodEvicted", "PodFailed", "PodPending", "TaskCompleted", "TaskFailed", "Unknown")
ACTIONS = (
    "AbortJob",
    "CompleteJob",
    "RestartJob",
    "RestartPartition",
    "RestartPod",
    "RestartTask",
    "ResumeJob",
    "TerminateJob",
)


def policies(given: Sequence[dict[str, Any]], path: FieldPath) -> Iterator[Fault]:
    """Return the first error of one of the policies, and whether `*` is the only event."""
    events: set[str] = set()
    codes: set[int] = set()
    for position, policy in enumerate(given):
        fault = _policy(policy, events, codes, (*path, position))
        if fault is not None:
            yield fault
            break
    if _ANY in events and len(events) > 1:
        yield refused("if there's * here, no other policy should be here", path, "remove the other events, or *")


def _policy(policy: dict[str, Any], events: set[str], codes: set[int], path: FieldPath) -> Fault | None:
    """What is wrong with one policy; its events and codes join those of the earlier ones."""
    code = policy.get("exitCode")
    named = list(dict.fromkeys([*(policy.get("events") or ()), *([policy["event"]] if policy.get("event") else ())]))
    if named and code is not None:
        return refused("must not specify event and exitCode simultaneously", path, "keep one of them")
    if not named and code is None:
        return refused("either event and exitCode should be specified", path, "add an event or an exitCode")
    if code == 0:
        return refused("0 is not a valid error code", (*path, "exitCode"), "name a code of failure")
    if code is not None:
        if code in codes:
            return refused(f"duplicate exitCode {code}", (*path, "exitCode"), "remove one of the two")
        codes.add(code)
    action = policy.get("action") or ""
    for event in named:
        at = (*path, "event" if event == policy.get("event") else "events")
        if event not in _EVENTS:
            return refused(f'Invalid value: "{event}": invalid policy event', at, f"use one of {', '.join(_EVENTS)}")
        if action not in ACTIONS:
            words = f'Invalid value: "{action}": invalid policy action'
            return refused(words, (*path, "action"), f"use one of {', '.join(ACTIONS)}")
        if event in events:
            return refused(f"duplicate event {event}  across different policy", at, "remove one of the two")
        events.add(event)
    return None
