"""`monitor` -> rules, a monitor of the pods and a dashboard, as programs/monitoring makes them."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment, Monitor
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, named
from tjgen.trees.workload.contribution import Contribution
from tjgen.trees.workload.workload import Workload


def contribute(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Contribution | Diagnostic]:
    """Nothing where the experiment has no `monitor`."""
    monitor = experiment.spec.monitor
    if monitor is None:
        return
    # Loaded only if the field is set, as for data.
    from tjgen.compiler.programs.monitoring import dashboard, measures, rules, scraping

    yield from measures.problems(monitor, setting.cluster.monitoring)
    yield from scraping.shown(workload, monitor, setting)
    objects = [rules.rule(workload, experiment, monitor, setting), scraping.pod_monitor(monitor, setting)]
    if monitor.dashboard:
        objects.append(dashboard.config_map(monitor, setting))
    for tree in objects:
        yield Contribution(("ahead", f"{tree['kind']}/{tree['metadata']['name']}"), tree, measures.AT)
    yield from _of_thresholds(objects[0], monitor)
    if monitor.diagnose:
        from tjgen.compiler.programs.monitoring import diagnosis

        at: FieldPath = (*measures.AT, "diagnose")
        for job in diagnosis.jobs(workload, experiment, setting, waits=True):
            if isinstance(job, Diagnostic):
                yield job
            else:
                yield Contribution(("objects", f"Job/{job['metadata']['name']}"), job, at)


def _of_thresholds(rule: Tree, monitor: Monitor) -> Iterator[Contribution]:
    """The expression of each alert whose threshold is set, with the field that sets it."""
    from tjgen.compiler.programs.monitoring import measures

    at: FieldPath = ("ahead", f"{rule['kind']}/{rule['metadata']['name']}", "spec", "groups")
    fields = {(alert, level): field for alert, level, field in measures.thresholds_set(monitor)}
    for group in rule["spec"]["groups"]:
        for position, one in enumerate(group["rules"]):
            field = fields.get((one["alert"], one["labels"]["severity"]))
            if field is not None:
                yield Contribution((*at, named(group["name"]), "rules", position, "expr"), one["expr"], field)
