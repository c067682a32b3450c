"""`prefetch` -> what brings data before the runs begin, and caches of the nodes, as passes/prefetching delivers them."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.diagnostics.model import Diagnostic
from tjgen.setting import Setting
from tjgen.spec.objects import Experiment
from tjgen.workload.contribution import Contribution
from tjgen.workload.workload import Workload


def contribute(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Contribution | Diagnostic]:
    """Nothing where the experiment has no `prefetch`."""
    asked = experiment.spec.prefetch
    if asked is None:
        return
    # Loaded only for those who say it, as for data.
    if asked.cache is not None:
        from tjgen.passes.prefetching import cache

        yield from cache.mounted(workload, asked.cache)
    from tjgen.passes.prefetching import target

    yield from target.brought(workload, experiment, setting)
