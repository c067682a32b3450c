"""The spec of an experiment, and a target -> the spec for that target, and the settings that are lost."""

from __future__ import annotations

from tjgen.cluster.kinds.protocol import MPI, PYTORCH
from tjgen.cluster.kinds.table import OF_TRAINER
from tjgen.cluster.kinds.trainjob import TARGET as TRAINJOB
from tjgen.cluster.kinds.volcano_job import TARGET as VOLCANO
from tjgen.tools.importing.losses import DEFAULT, LOST_TTL, MOST_RESTARTS, PERMANENT, FormerRun, Loss, framework_of, lost_pods
from tjgen.tools.importing.volcano_translation import from_volcano, to_volcano
from tjgen.trees.fields.path import Tree
from tjgen.trees.typing import NamedTuple


class Translation(NamedTuple):
    """A spec, and what it lost."""

    spec: Tree
    losses: list[Loss]


def translated(spec: Tree, target: str, facts: FormerRun) -> Translation:
    """The spec with `target`, and the fields for restarts, elasticity, success and cleanup that have the same effect there."""
    former = spec.get("target", DEFAULT)
    if former == target:
        return Translation(spec, [])
    losses: list[Loss] = []
    result = {**spec, "target": target}
    result = _elastic(result, target, facts, losses)
    if "elastic" in result:
        result = _of_single_pods(result, target, losses)
        facts = facts._replace(pods=max(facts.pods, result["elastic"]["max"]))
    if former == VOLCANO:
        result = from_volcano(result, facts, losses, of_trainer=target in OF_TRAINER)
    if target == VOLCANO:
        result = to_volcano(result, facts, losses, of_trainer=former in OF_TRAINER)
    elif former != VOLCANO:
        result = _restart(result, former, target, facts, losses)
    if target != VOLCANO:
        result = _cleanup(result, target, losses)
    return Translation({key: value for key, value in result.items() if value != {} or spec.get(key) == {}}, losses)


def nodes_for(spec: Tree) -> Tree:
    """The spec with a number of nodes instead of roles that only have numbers."""
    roles = spec.get("roles") or {}
    if not roles or any(role.keys() != {"replicas"} for role in roles.values()):
        return spec
    rest = {key: value for key, value in spec.items() if key != "roles"}
    return {**rest, "nodes": sum(role["replicas"] for role in roles.values())}


def _restart(spec: Tree, former: str, target: str, facts: FormerRun, losses: list[Loss]) -> Tree:
    """`restart` of a run of Trainer or of an operator."""
    before = spec.get("restart") or {}
    if not before or (former in OF_TRAINER and target in OF_TRAINER):
        return spec
    restart = (
        _for_trainer(before, former, losses) if target in OF_TRAINER else _for_operator(before, former, target, facts, losses)
    )
    return {**spec, "restart": restart}


def _for_trainer(restart: Tree, former: str, losses: list[Loss]) -> Tree:
    policy, limit = restart.get("policy"), restart.get("limit")
    if policy == "Never" and framework_of(former) == MPI:
        return {} if limit is None else {"limit": limit}
    if policy == "Never":
        return {"policy": "Never", "limit": 0}
    if policy == "ExitCode":
        why = "its restarts have no limit, and those of Trainer do: the limit of the runtime applies"
        losses.append(Loss(("restart", "policy"), why, "set restart.limit to the number of restarts that the run may need"))
        return {"policy": "Never", "rules": {"permanent": {"exitCodes": list(PERMANENT), "action": "fail"}}}
    if policy == "Always":
        why = "no target of Trainer restarts a container that succeeds: OnFailure replaces it"
        losses.append(Loss(("restart", "policy"), why, "let the program run until its work is done"))
    if policy in ("Always", "OnFailure") and limit is None:
        losses.append(_without_limit())
        limit = MOST_RESTARTS
    return {**({"policy": "OnFailure"} if policy else {}), **({} if limit is None else {"limit": limit})}


def _without_limit() -> Loss:
    why = f"the restarts of the operator have no limit: {MOST_RESTARTS} for each pod replace them"
    return Loss(("restart",), why, "set restart.limit to the number of restarts that the run may need")


def _for_operator(restart: Tree, former: str, target: str, facts: FormerRun, losses: list[Loss]) -> Tree:
    policy, limit, rules = restart.get("policy"), restart.get("limit"), restart.get("rules") or {}
    losses += [_rule(name, rule, target) for name, rule in rules.items()]
    if policy in ("ExitCode", "Always") and framework_of(target) == MPI:
        why = f"the MPI Operator has no policy {policy}: OnFailure replaces it"
        losses.append(Loss(("restart", "policy"), why, "set restart.limit, so that a run that cannot succeed ends"))
        return {"policy": "OnFailure", **({} if limit is None else {"limit": limit})}
    if former not in OF_TRAINER:
        is_limit_of_job = framework_of(former) == MPI and policy == "Never" and limit
        return {"limit": limit} if is_limit_of_job else {key: value for key, value in restart.items() if key != "rules"}
    if limit == 0:
        return {"policy": "Never"}
    if facts.together and policy != "OnFailure" and facts.pods > 1 and (limit or facts.restarts):
        why = f"a run of target {target} restarts only the failed pod, and that of target {former} restarts all pods together"
        losses.append(Loss(("restart",), why, "save checkpoints from which one pod can join the others again"))
    return {**({"policy": policy} if policy == "OnFailure" else {}), **({} if limit is None else {"limit": limit})}


def _rule(name: str, rule: Tree, target: str) -> Loss:
    hint = "remove it"
    if rule.get("action") == "fail" and framework_of(target) != MPI:
        hint = "use restart.policy: ExitCode without a limit: codes below 128 end the run, and others restart the pod"
    return Loss(("restart", "rules", name), f"target {target} does not distinguish failures", hint)


def _elastic(spec: Tree, target: str, facts: FormerRun, losses: list[Loss]) -> Tree:
    """Volcano has it for torchrun, and starts other runs with the minimum if single pods are useful; elsewhere it is lost."""
    elastic = spec.get("elastic")
    if not elastic or framework_of(target) == PYTORCH:
        return spec
    if target == VOLCANO and facts.is_torch:
        if elastic.get("metrics"):
            losses.append(Loss(("elastic", "metrics"), "Volcano has no autoscaler", "change nodes, with naming: fixed"))
        return {**spec, "elastic": {key: value for key, value in elastic.items() if key != "metrics"}}
    result = {key: value for key, value in spec.items() if key != "elastic"}
    hint = f"set nodes to the number that the run needs, or use target: pytorchjob{' or volcanojob' if facts.is_torch else ''}"
    bounds = f"min {elastic.get('min')} and max {elastic.get('max')}"
    if target == VOLCANO and not facts.together:
        result["schedule"] = {"minAvailable": elastic["min"], **(spec.get("schedule") or {})}
        why = f"a Volcano Job starts with {elastic['min']} pods, and then has up to {facts.pods}: nothing adds more"
        losses.append(Loss(("elastic", "max"), why, "set nodes to the maximum"))
    else:
        why = f"the number of nodes does not change while a run of target {target} exists ({bounds}): it stays {facts.pods}"
        losses.append(Loss(("elastic",), why, hint))
    if elastic.get("metrics"):
        losses.append(Loss(("elastic", "metrics"), f"target {target} has no autoscaler", hint))
    if elastic.get("restarts") is not None:
        env = spec.get("env") or {}
        if facts.is_torch and "PET_MAX_RESTARTS" not in env:
            result["env"] = {**env, "PET_MAX_RESTARTS": str(elastic["restarts"])}
        elif not facts.is_torch:
            why = "only torchrun forms its group of processes again"
            losses.append(Loss(("elastic", "restarts"), why, "set restart.limit"))
    return result


def _of_single_pods(spec: Tree, target: str, losses: list[Loss]) -> Tree:
    """An elastic Volcano Job continues without a lost pod, which restarts."""
    if target != VOLCANO or (spec.get("restart") or {}).get("policy") != "Never":
        return spec
    why = "an elastic Volcano Job restarts a lost pod, and does not end"
    losses.append(Loss(("restart", "policy"), why, "remove elastic if the run should end when a pod fails"))
    return {key: value for key, value in spec.items() if key != "restart"}


def _cleanup(spec: Tree, target: str, losses: list[Loss]) -> Tree:
    cleanup = dict(spec.get("cleanup") or {})
    if target == TRAINJOB and cleanup.pop("ttlSeconds", None) is not None:
        losses.append(LOST_TTL)
        spec = {key: value for key, value in {**spec, "cleanup": cleanup}.items() if key != "cleanup" or cleanup}
    if "pods" not in cleanup or target not in OF_TRAINER:
        return spec
    if cleanup["pods"] != "Running":
        losses.append(lost_pods(cleanup["pods"], target))
    return {**spec, "cleanup": {key: value for key, value in cleanup.items() if key != "pods"}}
