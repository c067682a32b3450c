"""Restarts, success and cleanup of a run <-> the policies of a Volcano Job."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.kinds.volcano_job import TARGET as VOLCANO
from tjgen.tools.importing.losses import MOST_RESTARTS, FormerRun, Loss, lost_pods
from tjgen.trees.fields.path import FieldPath, Tree

_LOST = ("PodEvicted", "PodFailed")
_ENDS = ("TerminateJob", "AbortJob", "CompleteJob")
_STARTS = 3
"""`maxRetry` of a Job that sets none: volcano v1.13 `pkg/webhooks/admission/jobs/mutate`."""
_SIGNALS = (130, 134, 137, 139, 143)
"""Exit codes of a program that SIGINT, SIGABRT, SIGKILL, SIGSEGV or SIGTERM ends."""


def to_volcano(spec: Tree, facts: FormerRun, losses: list[Loss], *, of_trainer: bool) -> Tree:
    """The spec with `volcano` instead of `restart`, `success` and `cleanup`. `of_trainer` is about the former target."""
    restart, success, cleanup = (spec.get(field) or {} for field in ("restart", "success", "cleanup"))
    result = {key: value for key, value in spec.items() if key not in ("restart", "success", "cleanup")}
    volcano: dict[str, Tree] = {**(spec.get("volcano") or {})}
    tasks: dict[str, Tree] = {name: {**task} for name, task in (volcano.get("tasks") or {}).items()}
    policies, starts, of_pods = _restarts(restart, facts, losses, of_trainer=of_trainer)
    if of_pods is not None:
        result["pod"] = {**(spec.get("pod") or {}), "restartPolicy": of_pods}
    codes = {str(code): "RestartPod" for code in _SIGNALS} if restart.get("policy") == "ExitCode" else {}
    codes |= _exit_codes(restart.get("rules") or {}, facts, losses)
    for task in facts.tasks if codes else ():
        tasks[task] = {**tasks.get(task, {}), "exitCodes": codes}
    if policies:
        volcano["policies"] = policies
    if starts is not None:
        volcano["maxRetry"] = starts
    if success:
        _succeed(success, tasks, losses)
    if "ttlSeconds" in cleanup:
        volcano["ttlSecondsAfterFinished"] = cleanup["ttlSeconds"]
    if cleanup.get("pods", "Running") != "Running":
        losses.append(lost_pods(cleanup["pods"], VOLCANO))
    if tasks:
        volcano["tasks"] = tasks
    return {**result, "volcano": volcano} if volcano else result


def _restarts(
    restart: Tree, facts: FormerRun, losses: list[Loss], *, of_trainer: bool
) -> tuple[dict[str, Tree], int | None, str | None]:
    """The policies of the Job, the number of its starts, and the restart policy of its pods."""
    policy, limit = restart.get("policy"), restart.get("limit")
    disruption = next((rule for rule in (restart.get("rules") or {}).values() if rule.get("disruption")), None)
    if policy == "ExitCode":
        why = "a Volcano Job has one policy for each exit code: other codes from 128 on end the run"
        losses.append(Loss(("restart", "policy"), why, "add the exit codes of the program to volcano.tasks.TASK.exitCodes"))
        return {"PodEvicted": "RestartPod", "PodFailed": "TerminateJob"}, MOST_RESTARTS * facts.pods + 1, "Never"
    if policy in ("OnFailure", "Always") and limit is None:
        return {}, None, policy
    if policy == "Always":
        why = "with a limit, a Volcano Job restarts only pods that fail"
        losses.append(Loss(("restart", "policy"), why, "let the program run until its work is done"))
    if limit is None and of_trainer and disruption is None:
        return {}, None, None  # the runtime applies
    if limit == 0 or (limit is None and not of_trainer):
        return (dict.fromkeys(_LOST, "TerminateJob"), None, "Never") if policy or limit == 0 else ({}, None, None)
    number = facts.restarts if limit is None else int(limit)
    together = of_trainer and facts.together and policy != "OnFailure"
    action = "RestartJob" if together else "RestartPod"
    pods = 1 if together else facts.jobs if of_trainer and policy != "OnFailure" else facts.pods
    evicted = "TerminateJob" if disruption is not None and disruption.get("action") == "fail" else action
    # Volcano counts the first start, too.
    return {"PodEvicted": evicted, "PodFailed": action}, number * pods + 1, "Never"


def _exit_codes(rules: Tree, facts: FormerRun, losses: list[Loss]) -> dict[str, Tree]:
    """The actions for exit codes. They belong to tasks: a policy of the Job for PodFailed would precede them."""
    action = "RestartJob" if facts.together else "RestartPod"
    codes: dict[str, Tree] = {}
    for name, rule in rules.items():
        if rule.get("action") == "ignore":
            why = "a Volcano Job counts each restart"
            losses.append(Loss(("restart", "rules", name, "action"), why, "increase volcano.maxRetry"))
        does = "TerminateJob" if rule.get("action") == "fail" else action
        codes |= {str(code): does for code in rule.get("exitCodes") or ()}
    return codes


def _succeed(success: Tree, tasks: dict[str, Tree], losses: list[Loss]) -> None:
    roles = success.get("roles") or []
    if len(roles) != 1 and success.get("operator") != "Any":
        if roles:
            why = "a Volcano Job completes with one task, or with all pods"
            losses.append(Loss(("success",), why, "set volcano.tasks.TASK.policies: {TaskCompleted: CompleteJob} for one task"))
        return
    for role in roles:
        before = tasks.get(role, {})
        tasks[role] = {**before, "policies": {**(before.get("policies") or {}), "TaskCompleted": "CompleteJob"}}


def from_volcano(spec: Tree, facts: FormerRun, losses: list[Loss], *, of_trainer: bool) -> Tree:
    """The spec with `restart`, `success` and `cleanup` instead of `volcano`. `of_trainer` is about the new target."""
    volcano, schedule = spec.get("volcano") or {}, spec.get("schedule") or {}
    if of_trainer and schedule and "system" not in schedule:
        spec = {**spec, "schedule": {"system": "volcano", **schedule}}
    if not volcano:
        return spec
    result = {key: value for key, value in spec.items() if key != "volcano"}
    restart = _restart_of(volcano, facts, losses, of_trainer=of_trainer)
    rules = dict(_rules(volcano, losses, of_trainer=of_trainer))
    if rules and restart.get("policy") != "OnFailure":
        restart["rules"] = rules
    elif rules:
        losses.append(Loss(("volcano", "exitCodes"), "containers that restart in their pods have no rules", "use restart.rules"))
    roles = [
        name
        for name, task in (volcano.get("tasks") or {}).items()
        if _action((task.get("policies") or {}).get("TaskCompleted")) == "CompleteJob"
    ]
    losses += _others(volcano, of_trainer=of_trainer)
    if restart:
        result["restart"] = restart
    if roles:
        result["success"] = {"roles": roles, **({"operator": "Any"} if len(roles) > 1 else {})}
    if "ttlSecondsAfterFinished" in volcano:
        result["cleanup"] = {"ttlSeconds": volcano["ttlSecondsAfterFinished"]}
    return result


def _action(policy: Tree) -> str:
    return str(policy.get("action")) if policy.__class__ is dict else str(policy or "")


def _restart_of(volcano: Tree, facts: FormerRun, losses: list[Loss], *, of_trainer: bool) -> dict[str, Tree]:
    policies = {event: _action(policy) for event, policy in (volcano.get("policies") or {}).items()}
    failed = policies.get("PodFailed") or policies.get("*") or ""
    if failed in _ENDS:
        return {"policy": "Never", "limit": 0} if of_trainer else {"policy": "Never"}
    if not failed.startswith("Restart") and "maxRetry" not in volcano:
        return {}
    restarts = int(volcano.get("maxRetry", _STARTS)) - 1
    if not of_trainer and restarts == 0:
        return {"policy": "Never"}
    if failed == "RestartJob" or (not failed and facts.together):
        if (not of_trainer or not facts.together) and facts.pods > 1:
            why = "only the failed pod restarts, and RestartJob restarts all pods together"
            hint = "save checkpoints from which one pod can join the others again"
            losses.append(Loss(("volcano", "policies") if failed else ("volcano", "maxRetry"), why, hint))
        return {"limit": restarts}
    sharing = facts.jobs if of_trainer and not facts.together else facts.pods
    limit = -(-restarts // sharing)
    if limit * sharing != restarts:
        why = f"it allows {restarts} restarts of all pods, and limit {limit} for each allows {limit * sharing}"
        losses.append(Loss(("volcano", "maxRetry"), why, "change restart.limit if the run should have fewer"))
    return {"policy": "OnFailure", "limit": limit} if of_trainer and facts.together else {"limit": limit}


def _rules(volcano: Tree, losses: list[Loss], *, of_trainer: bool) -> Iterator[tuple[str, Tree]]:
    """Rules of Trainer for exit codes, and for evictions if they differ from failures."""
    by_action: dict[str, set[int]] = {}
    for at, fields in _levels(volcano):
        codes: dict[str, Tree] = fields.get("exitCodes") or {}
        if codes and not of_trainer:
            why = "jobs of operators do not distinguish exit codes in this way"
            hint = "use restart.policy: ExitCode without a limit: codes below 128 end the run, and others restart the pod"
            losses.append(Loss((*at, "exitCodes"), why, hint))
            continue
        for code, policy in codes.items():
            by_action.setdefault("fail" if _action(policy) in _ENDS else "count", set()).add(int(code))
    for action, numbers in by_action.items():
        names = {"fail": "permanent", "count": "transient"}
        yield names[action], {"exitCodes": sorted(numbers), "action": action}
    policies = {event: _action(policy) for event, policy in (volcano.get("policies") or {}).items()}
    failed, evicted = policies.get("PodFailed") or policies.get("*"), policies.get("PodEvicted")
    if evicted and evicted != failed:
        if of_trainer:
            yield "evicted", {"disruption": True, "action": "fail" if evicted in _ENDS else "count"}
        else:
            why = "jobs of operators do not distinguish evictions from failures"
            losses.append(Loss(("volcano", "policies", "PodEvicted"), why, "use target: trainjob or jobset, and restart.rules"))


def _levels(volcano: Tree) -> Iterator[tuple[FieldPath, Tree]]:
    """The fields of the Job, then those of each task, with their places."""
    yield ("volcano",), volcano
    yield from ((("volcano", "tasks", name), task) for name, task in (volcano.get("tasks") or {}).items())


def _others(volcano: Tree, *, of_trainer: bool) -> Iterator[Loss]:
    """What only a Volcano Job has."""
    hint = "remove what depends on it"
    if volcano.get("plugins"):
        names = ", ".join(volcano["plugins"])
        why = f"only a Volcano Job has plugins ({names}); the target sets up names of pods and its framework itself"
        yield Loss(("volcano", "plugins"), why, "check whether the program needs variables VC_* or SSH")
    for field in ("minSuccess", "runningEstimate"):
        if field in volcano:
            yield Loss(("volcano", field), "only a Volcano Job has it", hint)
    for at, fields in _levels(volcano):
        of_task = len(at) > 1
        for event, policy in (fields.get("policies") or {}).items():
            known = ("TaskCompleted",) if of_task else (*_LOST, "*")
            if event not in known or (of_task and _action(policy) != "CompleteJob"):
                yield Loss((*at, "policies", event), f"only a Volcano Job reacts to {event}", hint)
            elif policy.__class__ is dict and policy.get("timeout"):
                yield Loss((*at, "policies", event, "timeout"), "the action is immediate", hint)
        for field in ("minAvailable", "maxRetry", "topologyPolicy") if of_task else ():
            if field in fields:
                yield Loss((*at, field), "only a task of a Volcano Job has it", hint)
