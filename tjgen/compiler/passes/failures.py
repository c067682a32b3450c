"""`restart`, `success`, `cleanup` of a run that Trainer starts -> failure policies of the JobSet and of its Jobs.

Where the pods train together, a failed pod fails its Job at once and the JobSet starts all of them again; where they
are independent, each Job starts its own pods again. Which rule of a Job a pod violated is only in the message
of the failed Job, as kubernetes v1.36 `pkg/controller/job/pod_failure_policy.go:matchPodFailurePolicy` writes it; jobset
v0.12 `failure_policy.go` reads it.
"""

from __future__ import annotations

import re

from tjgen.cluster import outcomes
from tjgen.cluster.kinds.table import kind_of_target
from tjgen.cluster.trainer.release import of_versions
from tjgen.compiler.lower import SPEC, unknown_role
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment, ExperimentSpec, FailureRule, Restart
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.workload.contribution import Contribution, Contributions
from tjgen.trees.workload.roles import at_once, members, role
from tjgen.trees.workload.workload import PodSet, Workload

AT: FieldPath = (*SPEC, "restart")
_JOBSET: FieldPath = ("runtime", "template", "spec")
_JOB: FieldPath = ("template", "spec")
_PLUGINS = ("torch", "mpi", "jax", "xgboost", "flux")
_FOR_ALL = {"fail": "FailJobSet", "count": "RestartJobSet", "ignore": "RestartJobSetAndIgnoreMaxRestarts"}
_FOR_ONE = {"fail": "FailJob", "count": "Count", "ignore": "Ignore"}
_BY_RULE = "PodFailurePolicy"
"""The reason of a Job that fails because of a rule of its own."""
_DISRUPTION = "DisruptionTarget"
_NO_NAME = re.compile("[^A-Za-z0-9_]")


def of_trainer(workload: Workload, experiment: Experiment, setting: Setting) -> Contributions:
    """Everything that a JobSet and its Jobs have a field for; a diagnostic for the rest."""
    spec = experiment.spec
    if spec.elastic is not None:
        yield _cannot(spec, ("elastic",), "change its number of nodes while it runs", _instead_of_elastic(workload, spec))
    if spec.restart is not None:
        yield from _restart(workload, spec, spec.restart)
    if spec.success is not None:
        yield from _success(workload, spec)
    if spec.cleanup is not None:
        yield from _cleanup(spec, of_versions(setting.versions).name)


def _cannot(spec: ExperimentSpec, field: FieldPath, what: str, hint: str) -> Diagnostic:
    message = f"a run of target {spec.target} cannot {what}"
    return Diagnostic("TJ425", message, path=(*SPEC, *field), hint=hint)


def _instead_of_elastic(workload: Workload, spec: ExperimentSpec) -> str:
    """JobSet changes the pods of a Job only with the alpha gate ElasticJobSet (v0.12), and Trainer 2.3 reads no bounds."""
    assert spec.elastic is not None
    fixed = (
        "remove elastic" if spec.restart is not None else f"write restart: {{limit: {spec.elastic.restarts or 3}}} instead of it"
    )
    if get(workload.ml_policy, ("torch",), None) is None:
        return f"{fixed}: only torchrun changes its number of nodes"
    return f"use target: pytorchjob or target: volcanojob, or {fixed}: the same number of nodes starts again"


def trains_together(workload: Workload) -> bool:
    """Whether the run is lost with one of its pods, so that all start again."""
    policy = workload.ml_policy or {}
    return any(policy.get(plugin) is not None for plugin in _PLUGINS) or bool(
        get(workload.tree.value, (*_JOBSET, "failurePolicy"), None)
    )


def _restart(workload: Workload, spec: ExperimentSpec, restart: Restart) -> Contributions:
    together = trains_together(workload)
    if restart.policy in ("Always", "ExitCode"):
        hint = "use Never or OnFailure" if restart.policy == "Always" else "use policy: Never, and a rule with exitCodes"
        yield _cannot(spec, ("restart", "policy"), f"restart containers with policy {restart.policy}", hint)
        return
    if restart.policy == "OnFailure" and restart.rules:
        message = "rules distinguish failures only if containers are not restarted in their pods"
        hint = "use policy: Never, or remove the rules"
        yield Diagnostic("TJ430", message, path=(*AT, "policy"), hint=hint)
        return
    rules = _ordered(restart)
    yield from _overlapping(rules)
    for podset in members(workload):
        yield from _pods(workload, podset, restart, rules, together=together)
    if together and restart.policy != "OnFailure":
        yield from _jobset(workload, restart, rules)
    elif together and restart.limit is not None and get(workload.tree.value, (*_JOBSET, "failurePolicy", "maxRestarts"), 0):
        # Each restart of the JobSet would grant all restarts of its Jobs again.
        yield Contribution((*_JOBSET, "failurePolicy", "maxRestarts"), 0, (*AT, "limit"))


Rules = list[tuple[str, FailureRule]]


def _ordered(restart: Restart) -> Rules:
    """Disruptions first: the order of names means nothing, and a pod that is evicted ends with a code of its signal."""
    return sorted(restart.rules.items(), key=lambda item: (not item[1].disruption, item[0]))


def _overlapping(rules: Rules) -> Contributions:
    """Two rules for one failure."""
    seen: dict[str, str] = {}
    for name, rule in rules:
        for failure in [f"exit code {code}" for code in sorted(set(rule.exit_codes or ()))] or ["disruptions"]:
            if failure in seen:
                message = f"rules {seen[failure]} and {name} both match {failure}"
                path: FieldPath = (*AT, "rules", name)
                hint = "keep it in one of them"
                yield Diagnostic("TJ438", message, path=path, hint=hint)
                return
            seen[failure] = name


def _pods(workload: Workload, podset: PodSet, restart: Restart, rules: Rules, *, together: bool) -> Contributions:
    """The policies of one Job. Rules need pods that never start again by themselves."""
    job = get(workload.tree.value, (*podset.path, *_JOB), {})
    own = get(workload.tree.value, (*podset.pod, "restartPolicy"), None) or "OnFailure"
    wanted = restart.policy or ("Never" if restart.rules else None)
    because = "policy" if restart.policy is not None else "rules"
    if restart.limit == 0 and "OnFailure" in (wanted, None if wanted or together else own):
        # A container restarts in its pod before its failure counts.
        wanted, because = "Never", "limit"
    if wanted is not None:
        yield Contribution((*podset.pod, "restartPolicy"), wanted, (*AT, because), mirrors=because == "policy")
    if wanted == "OnFailure":
        if job.get("podFailurePolicy") is not None:
            yield Contribution((*podset.path, *_JOB, "podFailurePolicy"), None, (*AT, "policy"))
        if restart.limit is None and job.get("backoffLimit") == 0:
            yield _never_again(podset)
    if restart.limit is not None:
        policy = wanted or ("Never" if together else own)
        yield from _limit(podset, restart.limit, policy, job, at_once(workload, [podset]), together=together)
    if rules:
        mine = [_job_rule(rule, podset, together=together) for _, rule in rules]
        path: FieldPath = (*podset.path, *_JOB, "podFailurePolicy", "rules")
        yield Contribution(path, [*mine, *_of_runtime(job, rules)], (*AT, "rules"))


def _limit(podset: PodSet, limit: int, policy: str, job: Tree, pods: int, *, together: bool) -> Contributions:
    """How often the pods of one Job start again: batch/v1 Job, kubernetes v1.36."""
    at: FieldPath = (*podset.path, *_JOB)
    because: FieldPath = (*AT, "limit")
    if policy == "OnFailure":
        # The Job fails at this number of container restarts, counted over all its pods.
        yield Contribution((*at, "backoffLimit"), limit * pods + 1, because)
    elif together:
        if job.get("backoffLimit") is None:
            # A Job that starts a lost pod again by itself would leave the others waiting for each other.
            yield Contribution((*at, "backoffLimit"), 0, because)
    elif pods == 1 or job.get("completionMode") == "NonIndexed":
        yield Contribution((*at, "backoffLimit"), limit, because, mirrors=True)
    else:
        # backoffLimit counts the failures of all pods together.
        yield Contribution((*at, "backoffLimit"), None, because)
        yield Contribution((*at, "backoffLimitPerIndex"), limit, because, mirrors=True)
        yield Contribution((*at, "maxFailedIndexes"), 0, because)


def _of_runtime(job: Tree, rules: Rules) -> list[Tree]:
    """The rules of the runtime for a Job, without those for disruptions if the experiment has one."""
    before: list[Tree] = get(job, ("podFailurePolicy", "rules"), None) or []
    if not any(rule.disruption for _, rule in rules):
        return before
    return [one for one in before if {condition["type"] for condition in one.get("onPodConditions") or ()} != {_DISRUPTION}]


def _job_rule(rule: FailureRule, podset: PodSet, *, together: bool) -> Tree:
    action = "FailJob" if together else _FOR_ONE[rule.action]
    if rule.disruption:
        return {"action": action, "onPodConditions": [{"type": _DISRUPTION, "status": "True"}]}
    codes = sorted(set(rule.exit_codes or ()))
    return {"action": action, "onExitCodes": {"containerName": podset.container, "operator": "In", "values": codes}}


def _jobset(workload: Workload, restart: Restart, rules: Rules) -> Contributions:
    """The rules of the JobSet precede the runtime's: the first that matches applies."""
    if restart.limit is not None:
        yield Contribution((*_JOBSET, "failurePolicy", "maxRestarts"), restart.limit, (*AT, "limit"), mirrors=True)
    if not rules:
        return
    most = restart.limit if restart.limit is not None else get(workload.tree.value, (*_JOBSET, "failurePolicy", "maxRestarts"), 0)
    counted = next((name for name, rule in rules if rule.action == "count"), None)
    if counted is not None and not most:
        yield _not_once(counted)
    before = get(workload.tree.value, (*_JOBSET, "failurePolicy", "rules"), None) or []
    if not any(_of_runtime(get(workload.tree.value, (*one.path, *_JOB), {}), rules) for one in members(workload)):
        # All rules of Jobs are those of the experiment, each with a rule below for its position.
        before = [one for one in before if one.get("onJobFailureReasons") != [_BY_RULE] or one.get("onJobFailureMessagePatterns")]
    taken = {rule.get("name") for rule in before}
    jobs = [podset.name for podset in members(workload)]
    mine = []
    for position, (name, rule) in enumerate(rules):
        mine.append(
            {
                "name": _free(name, position, taken),
                "action": _FOR_ALL[rule.action],
                "onJobFailureReasons": [_BY_RULE],
                "onJobFailureMessagePatterns": [f"matching FailJob rule at index {position}$"],
                "targetReplicatedJobs": jobs,
            }
        )
    # The runtime's own rules of the Jobs are now further back.
    yield Contribution((*_JOBSET, "failurePolicy", "rules"), [*mine, *before], (*AT, "rules"))


def _free(name: str, position: int, taken: set[str]) -> str:
    """A name that a JobSet takes for a rule: letters, digits and `_`, beginning with a letter and ending without dash."""
    free = _NO_NAME.sub("_", name)
    free = free if free[:1].isalpha() else f"rule_{free}"
    free = f"{free}_{position}" if free in taken else free
    taken.add(free)
    return free


def _not_once(rule: str) -> Diagnostic:
    message = f"{rule} restarts the run and counts the restart, but the limit allows no restart"
    path: FieldPath = (*AT, "rules", rule, "action")
    return Diagnostic("TJ429", message, path=path, hint="set restart.limit")


def _never_again(podset: PodSet) -> Diagnostic:
    message = f"containers of {podset.name} would restart in their pods, but the Job fails at the first failure (backoffLimit 0)"
    hint = "set restart.limit"
    return Diagnostic("TJ429", message, path=(*AT, "policy"), hint=hint)


def _success(workload: Workload, spec: ExperimentSpec) -> Contributions:
    assert spec.success is not None
    at: FieldPath = (*SPEC, "success")
    for position, name in enumerate(spec.success.roles):
        if role(workload, name) is None:
            yield unknown_role(workload, name, (*at, "roles", position))
            return
    path: FieldPath = (*_JOBSET, "successPolicy")
    yield Contribution((*path, "operator"), spec.success.operator, (*at, "operator"))
    wanted = list(spec.success.roles) or None
    if wanted or get(workload.tree.value, (*path, "targetReplicatedJobs"), None):
        yield Contribution((*path, "targetReplicatedJobs"), wanted, (*at, "roles"), mirrors=bool(wanted))


def _cleanup(spec: ExperimentSpec, trainer: str) -> Contributions:
    assert spec.cleanup is not None
    at: FieldPath = (*SPEC, "cleanup")
    if spec.cleanup.pods is not None:
        hint = "remove it: pods that have ended hold no devices"
        yield _cannot(spec, ("cleanup", "pods"), "remove only some of its pods after it ends", hint)
    if spec.cleanup.ttl_seconds is None:
        return
    kind = kind_of_target(spec.target).name
    repeated = [one for one in outcomes.starts_again(kind, trainer=trainer) if one.result == outcomes.REPEATS]
    if repeated:
        what = f"be removed some time after it ends: {outcomes.describe_repetition(repeated)}"
        hint = "remove it: pods that have ended hold no devices; when the run has ended, use tjgen runs archive"
        yield _cannot(spec, ("cleanup", "ttlSeconds"), what, hint)
        return
    path: FieldPath = (*_JOBSET, "ttlSecondsAfterFinished")
    yield Contribution(path, spec.cleanup.ttl_seconds, (*at, "ttlSeconds"), mirrors=True)
    yield from outcomes.ttl_problems(kind, (*at, "ttlSeconds"), trainer=trainer)
