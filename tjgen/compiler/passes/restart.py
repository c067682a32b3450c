"""`restart`, `elastic`, `success`, `cleanup` -> the policies of Trainer's jobs, or the settings for a direct target.

A direct target reads `policy` of the Workload and maps it to its own fields; see the target for what it does not support.
"""

from __future__ import annotations

from tjgen.cluster.kinds.table import OF_TRAINER, facts_of
from tjgen.compiler.lower import SPEC
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Elastic, Experiment, ExperimentSpec, Restart
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.typing import TypeAlias
from tjgen.trees.workload.contribution import Contribution, Contributions
from tjgen.trees.workload.workload import Workload

POLICY: FieldPath = ("policy",)
Fields: TypeAlias = "list[tuple[str, str, Tree]]"
"""Section, field and value of each setting."""


def contribute(workload: Workload, experiment: Experiment, setting: Setting) -> Contributions:
    """Nothing where the experiment has none of the four."""
    spec = experiment.spec
    if spec.restart is None and spec.elastic is None and spec.success is None and spec.cleanup is None:
        return
    if spec.elastic is not None:
        yield from _bounds(spec.elastic)
    if spec.target in OF_TRAINER:
        from tjgen.compiler.passes import failures  # few runs change their runtime's failure policy

        yield from failures.of_trainer(workload, experiment, setting)
    elif facts_of(spec.target).scheduler:
        yield from _of_volcano(spec)
    else:
        yield from _policy_fields(spec)


def _of_volcano(spec: ExperimentSpec) -> Contributions:
    """A Volcano Job has fields of its own for all of these settings but `elastic`."""
    hints = {
        "restart": "use volcano.policies, volcano.exitCodes and volcano.maxRetry",
        "success": "use volcano.minSuccess, or a policy of a task",
        "cleanup": "use volcano.ttlSecondsAfterFinished",
    }
    for section, hint in hints.items():
        if getattr(spec, section) is not None:
            message = f"target volcanojob does not support {section}: it has fields of Volcano instead"
            yield Diagnostic("TJ425", message, path=(*SPEC, section), hint=hint)
    yield from _written(_elastic_fields(spec))


def _bounds(elastic: Elastic) -> Contributions:
    if elastic.min > elastic.max:
        yield Diagnostic(
            "TJ433",
            f"elastic.min is {elastic.min}, above elastic.max, which is {elastic.max}",
            path=(*SPEC, "elastic", "min"),
            hint="swap the two values",
        )


def _policy_fields(spec: ExperimentSpec) -> Contributions:
    """The settings as written in the experiment."""
    fields: Fields = []
    if spec.restart is not None:
        fields += [("restart", "policy", spec.restart.policy), ("restart", "limit", spec.restart.limit)]
        fields += [("restart", "rules", rules(spec.restart))]
    fields += _elastic_fields(spec)
    if spec.success is not None:
        fields += [("success", "roles", list(spec.success.roles)), ("success", "operator", spec.success.operator)]
    if spec.cleanup is not None:
        fields += [("cleanup", "pods", spec.cleanup.pods), ("cleanup", "ttlSeconds", spec.cleanup.ttl_seconds)]
    yield from _written(fields)


def _elastic_fields(spec: ExperimentSpec) -> Fields:
    if spec.elastic is None:
        return []
    fields: Fields = [("elastic", field, getattr(spec.elastic, field)) for field in ("min", "max", "restarts")]
    return [*fields, ("elastic", "metrics", list(spec.elastic.metrics))]


def _written(fields: Fields) -> Contributions:
    for section, field, value in fields:
        if value not in (None, []):
            yield Contribution(
                (*POLICY, section, field), value, (*SPEC, section, field), mirrors=field not in ("rules", "operator")
            )


def rules(restart: Restart) -> list[Tree]:
    """The rules, each with its name."""
    result: list[Tree] = []
    for name, rule in restart.rules.items():
        which: Tree = {"disruption": True} if rule.disruption else {"exitCodes": list(rule.exit_codes or ())}
        result.append({"name": name, **which, "action": rule.action})
    return result
