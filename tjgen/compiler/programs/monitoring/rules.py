"""The measures of an experiment -> a PrometheusRule with alerts for values that are too low or too high, in two severities."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.kinds.table import OF_TRAINER, facts_of
from tjgen.compiler.programs.monitoring.cluster import EVENTS, MEASURES, ClusterMeasure, Scope
from tjgen.compiler.programs.monitoring.measures import Measure, Names, bounds_of, chosen, expression, names
from tjgen.compiler.programs.objects import metadata
from tjgen.compiler.programs.pods import DEADLINES
from tjgen.compiler.volumes.pvc import backup_name, claim_of, new_claim
from tjgen.language.runs.lock import SUSPENDED
from tjgen.language.runs.names import names_pattern
from tjgen.language.setting import Setting
from tjgen.language.spec.forms import text
from tjgen.language.spec.objects import Claim, Experiment, Monitor
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.k8s import duration
from tjgen.trees.k8s.labels import KUEUE_QUEUE
from tjgen.trees.workload.roles import members
from tjgen.trees.workload.workload import Workload


def name(setting: Setting) -> str:
    """What rules and monitors of an experiment are called."""
    return f"{setting.family}-training"


def rule(workload: Workload, experiment: Experiment, monitor: Monitor, setting: Setting) -> Tree:
    """The PrometheusRule."""
    platform = setting.cluster.monitoring
    described = metadata(name(setting), setting)
    described["labels"] |= dict(platform.labels) if platform is not None else {}
    known = names(platform.metrics if platform is not None else None)
    rules = [one for measure in chosen(monitor) for one in _alerts(measure, known, monitor, setting)]
    of_cluster = list(alerts(workload, experiment, monitor, setting))
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": described,
        "spec": {
            "groups": [
                *([{"name": f"{setting.namespace}.{name(setting)}", "rules": rules}] if rules else []),
                *([{"name": f"{setting.namespace}.{name(setting)}-cluster", "rules": of_cluster}] if of_cluster else []),
            ]
        },
    }


def selector(setting: Setting) -> str:
    """The series of an experiment; names hold nothing that PromQL would read otherwise."""
    return f'namespace="{setting.namespace}",experiment="{setting.family}"'


def _alerts(measure: Measure, known: Names, monitor: Monitor, setting: Setting) -> Iterator[Tree]:
    """Both degrees have one name, so that the critical alert can inhibit the warning."""
    bounds = bounds_of(measure, monitor, setting.cluster.monitoring)
    query = expression(measure, known, selector(setting))
    sign, words = ("<", "less than") if measure.below else (">", "more than")
    for severity, bound in bounds._asdict().items():
        yield {
            "alert": measure.alert,
            "expr": f"{query} {sign} {text(bound)}",
            **({"for": measure.duration} if measure.duration else {}),
            "labels": {**dict(monitor.labels), "severity": severity},
            "annotations": {
                "summary": f"{measure.title} of run {{{{ $labels.namespace }}}}/{{{{ $labels.run }}}} is "
                f'{{{{ printf "%.1f" $value }}}} {measure.unit}, {words} {text(bound)}',
            },
        }


# An experiment -> the alerts of its PrometheusRule on what the cluster exposes: monitoring/cluster.py has them.

_RESOURCES = "nvidia.com/"
"""Resources of devices that DCGM watches."""
_QUEUE: FieldPath = ("metadata", "labels", KUEUE_QUEUE)
_DIGEST = "[0-9a-f]{10}"


def alerts(workload: Workload, experiment: Experiment, monitor: Monitor, setting: Setting) -> Iterator[Tree]:
    """The alerts on what the experiment has."""
    scope = _scope(workload, experiment, setting)
    for measure in MEASURES:
        if measure.applies(scope) and _is_chosen(measure.name, monitor):
            yield from _in_degrees(measure, scope, monitor, setting)
    for event in EVENTS:
        if event.applies(scope) and _is_chosen(event.name, monitor):
            yield {
                "alert": event.alert,
                "expr": event.query(scope),
                "for": event.duration(scope),
                "labels": {**dict(monitor.labels), "severity": event.severity},
                "annotations": {"summary": event.summary},
            }


def _is_chosen(name: str, monitor: Monitor) -> bool:
    return not monitor.measures or name in monitor.measures


def _in_degrees(measure: ClusterMeasure, scope: Scope, monitor: Monitor, setting: Setting) -> Iterator[Tree]:
    sign, words = ("<", "less than") if measure.below else (">", "more than")
    for severity, bound in bounds_of(measure, monitor, setting.cluster.monitoring)._asdict().items():
        yield {
            "alert": measure.alert,
            "expr": f"{measure.query(scope)} {sign} {text(bound)}",
            "for": measure.duration,
            "labels": {**dict(monitor.labels), "severity": severity},
            "annotations": {
                "summary": f"{measure.title} of {measure.subject} is "
                f'{{{{ printf "%.1f" $value }}}} {measure.unit}, {words} {text(bound)}',
            },
        }


def _scope(workload: Workload, experiment: Experiment, setting: Setting) -> Scope:
    platform = setting.cluster.monitoring
    spec = experiment.spec
    kept = spec.checkpoints
    owner = setting.family
    if kept is not None:
        volume = spec.volumes.get(kept.volume)
        create = new_claim(volume) if volume is not None else None
        owner = f"{setting.family}-.+" if create is not None and create.scope == "run" else setting.family
    programs = [name for name, section in (("build", spec.code and spec.code.build), ("prefetch", spec.prefetch)) if section]
    cron = [name for name, fields in _FIELDS.items() if any(getattr(kept, field, None) is not None for field in fields)]
    deadlines = [DEADLINES["cleaner"]] if "cleaner" in cron else []
    claims = list(_claims(experiment, setting))
    backups = {backup_name(claim): one.backup for claim, one in claims if one.backup is not None}
    if kept is not None and kept.backup is not None:
        backups[backup_name(owner)] = kept.backup
    deadlines += [duration.seconds(one.deadline) for one in backups.values()]
    cron_jobs = [f"{owner}-({'|'.join(cron)})"] if cron else []
    cron_jobs += [name for name in backups if name != backup_name(owner)]
    return Scope(
        setting.namespace,
        setting.family,
        names(platform.metrics if platform is not None else None),
        jobs=f"{setting.family}-({'|'.join(programs)})-{_DIGEST}" if programs else "",
        cron_jobs="|".join(cron_jobs),
        backup="|".join(backups),
        deadline=max(deadlines, default=0),
        claims="|".join(sorted({claim for claim, _ in claims})),
        runs=names_pattern(setting.family, setting.run),
        owner=facts_of(spec.target).job_owner,
        has_queue=spec.target in OF_TRAINER and spec.state != SUSPENDED and get(workload.tree.value, _QUEUE, None) is not None,
        requests_cpu=all(
            get(workload.tree.value, (*one.main, "resources", "requests", "cpu"), None) for one in members(workload)
        ),
        has_gpus=any(_has_gpus(get(workload.tree.value, podset.main, None) or {}) for podset in workload.podsets),
    )


_FIELDS = {"cleaner": ("keep", "index"), "backup": ("backup",)}
"""Program that manages checkpoints -> the fields of `checkpoints` that enable it."""


def _claims(experiment: Experiment, setting: Setting) -> Iterator[tuple[str, Claim]]:
    """Patterns of the names of the claims, with their fields; all runs of the experiment share the rule."""
    for name, volume in experiment.spec.volumes.items():
        claim = claim_of(name, volume, setting._replace(run=f"{setting.family}-.+"))
        if claim is not None and volume.pvc is not None:
            yield claim, volume.pvc


def _has_gpus(main: Tree) -> bool:
    amounts = main.get("resources") or {}
    return any(key.startswith(_RESOURCES) for kind in ("limits", "requests") for key in amounts.get(kind) or {})
