"""Prefetched data -> mounts that show it at its path to every container that mounts its volume."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.volumes.protocol import JOB, JOB_OF_NODE
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.workload.contribution import Contribution
from tjgen.trees.workload.workload import Workload


def contribute(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Contribution | Diagnostic]:
    """Nothing if the experiment has no `prefetch` to a volume that a Job fills."""
    if experiment.spec.prefetch is None:
        return
    # Loaded only for experiments with a prefetch.
    from tjgen.compiler.programs.prefetching import mounts, sections

    # By name: another priority does not change the pods.
    for section in sorted(sections.prefetch_sections(experiment), key=lambda one: one.name):
        if sections.filled_by(section, experiment) in (JOB, JOB_OF_NODE):
            yield from mounts.of_content(workload, experiment, section)
