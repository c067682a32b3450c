"""`prefetch` -> what brings data to volumes, once for all runs that share them, and the pods that wait for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from tjgen.compiler.programs import pods
from tjgen.compiler.programs.prefetching import checks, job, nodes, waiting
from tjgen.compiler.programs.prefetching.sections import PrefetchSection, filled_by, prefetch_sections
from tjgen.compiler.volumes.mounts import users_of
from tjgen.compiler.volumes.protocol import DATA_LOAD, JOB, JOB_OF_NODE
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees.diagnostics.model import has_errors
from tjgen.trees.fields.path import named
from tjgen.trees.workload.contribution import Contribution, Contributions
from tjgen.trees.workload.roles import members
from tjgen.trees.workload.workload import PodSet, Workload


def brought(workload: Workload, experiment: Experiment, setting: Setting) -> Contributions:
    """The Jobs and DataLoads, and the init containers in every pod that mounts a volume that a Job fills."""
    sections = prefetch_sections(experiment)
    wrong = list(checks.problems_of(sections, experiment))
    yield from wrong
    if has_errors(wrong):
        return
    yield from _loaded([section for section in sections if filled_by(section, experiment) == DATA_LOAD], experiment, setting)
    by_job = [section for section in sections if filled_by(section, experiment) in (JOB, JOB_OF_NODE)]
    ahead: list[waiting.Filling] = []
    for _, level in groupby(by_job, lambda section: section.fields.priority):
        filling = []
        for section in level:
            yield from checks.warnings_of(section, experiment.spec.volumes[section.volume], setting)
            users = [podset for podset, _ in users_of(workload, section.volume, experiment.spec.volumes[section.volume])]
            user = pods.user_of(workload, users or members(workload), setting)
            start = waiting.in_job(ahead, section, experiment, setting)
            placement = nodes.placement(section, experiment, workload, users)
            name, tree = job.job(section, experiment, user, setting, start, placement)
            for own, one in nodes.on_each(name, tree, section) if section.fields.nodes else [(name, tree)]:
                yield Contribution(("ahead", f"Job/{own}"), one, section.at)
            filling.append(waiting.Filling(section, name, tree["spec"]["activeDeadlineSeconds"]))
            yield from _waits(workload, users, filling[-1], setting)
        ahead = filling


def _loaded(sections: Sequence[PrefetchSection], experiment: Experiment, setting: Setting) -> Iterator[Contribution]:
    """The DataLoads. Fluid runs one after one other, so different priorities make a chain of all of them."""
    if not sections:
        return
    from tjgen.compiler.programs.prefetching import dataload  # few clusters have Fluid

    is_ordered = len({section.fields.priority for section in sections}) > 1
    name = ""
    for section in sections:
        tree = dataload.data_load(section, experiment.spec.volumes[section.volume], setting, name if is_ordered else "")
        name = tree["metadata"]["name"]
        yield Contribution(("ahead", f"DataLoad/{name}"), tree, section.at)


def _waits(workload: Workload, users: Sequence[PodSet], filling: waiting.Filling, setting: Setting) -> Iterator[Contribution]:
    """The init containers of the pods that read the data."""
    section = filling.section
    if not section.fields.wait:
        return
    container = waiting.in_run(filling, setting)
    for podset in users:
        safe = pods.secured_in_run(container, pods.user_of(workload, [podset], setting))
        yield Contribution((*podset.pod, "initContainers", named(container["name"])), safe, section.at)
        yield Contribution((*podset.pod, "volumes", named(pods.TMP_VOLUME)), pods.tmp_volume(), section.at)
