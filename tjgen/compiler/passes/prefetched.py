"""Prefetched data -> mounts that show it at its path to every container that mounts its volume."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.volumes.protocol import JOB
from tjgen.compiler.volumes.table import source_of
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.workload.contribution import Contribution
from tjgen.trees.workload.workload import Workload


def contribute(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Contribution | Diagnostic]:
    """Nothing if the experiment has no `prefetch` to a volume that a Job fills."""
    prefetch = experiment.spec.prefetch
    if prefetch is None or prefetch.volume is None or prefetch.volume not in experiment.spec.volumes:
        return
    if source_of(experiment.spec.volumes[prefetch.volume]).filled_by != JOB:
        return
    # Loaded only for experiments with a prefetch.
    from tjgen.compiler.programs.prefetching import mounts

    yield from mounts.of_content(workload, experiment, prefetch)
