"""The measures of an experiment -> a PrometheusRule with alerts for values that are too low or too high, in two severities."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.programs.monitoring import cluster_rules
from tjgen.compiler.programs.monitoring.bounds import bounds_of, chosen
from tjgen.compiler.programs.monitoring.measures import Measure, Names, expression, names
from tjgen.compiler.programs.objects import metadata
from tjgen.language.setting import Setting
from tjgen.language.spec.forms import text
from tjgen.language.spec.objects import Experiment, Monitor
from tjgen.trees.fields.path import Tree
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
    of_cluster = list(cluster_rules.alerts(workload, experiment, monitor, setting))
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
