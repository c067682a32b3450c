"""`monitor` -> rules, a monitor of the pods and a dashboard, as programs/monitoring makes them."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.workload.contribution import Contribution
from tjgen.trees.workload.workload import Workload


def contribute(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Contribution | Diagnostic]:
    """Nothing where the experiment has no `monitor`."""
    asked = experiment.spec.monitor
    if asked is None:
        return
    # Loaded only for those who say it, as for data.
    from tjgen.compiler.programs.monitoring import bounds, dashboard, rules, scraping

    yield from bounds.problems(asked, setting.cluster.monitoring)
    yield from scraping.shown(workload, asked, setting)
    made = [rules.rule(workload, experiment, asked, setting), scraping.pod_monitor(asked, setting)]
    if asked.dashboard:
        made.append(dashboard.config_map(asked, setting))
    for tree in made:
        yield Contribution(("ahead", f"{tree['kind']}/{tree['metadata']['name']}"), tree, bounds.AT)
    if asked.diagnose:
        from tjgen.compiler.programs.monitoring import diagnosis

        at: FieldPath = (*bounds.AT, "diagnose")
        for job in diagnosis.jobs(workload, experiment, setting, waits=True):
            if isinstance(job, Diagnostic):
                yield job
            else:
                yield Contribution(("objects", f"Job/{job['metadata']['name']}"), job, at)
