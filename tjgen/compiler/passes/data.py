"""`data` -> a variable with the folder of the items, and the slices that slices.py computes from `slices`."""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees.files.sandbox import Sandbox
from tjgen.trees.workload.contribution import Contributions
from tjgen.trees.workload.workload import Workload


def contribute(workload: Workload, experiment: Experiment, setting: Setting) -> Contributions:
    """Nothing where the experiment has no `data`."""
    if experiment.spec.data is not None:
        # Loaded only for those who slice data: it is as much as all other passes together.
        from tjgen.compiler.passes import slices

        yield from slices.deliver(workload, experiment, setting)


def local_files(experiment: Experiment, document: str, slicers: Mapping[str, str], sandbox: Sandbox) -> dict[str, str]:
    """Return the digests of files next to the experiment `document` whose content its runs depend on, by name.

    `slicers` are the slicing strategies of the project, with their files.
    """
    if experiment.spec.data is None or experiment.spec.data.items is None:
        return {}
    from tjgen.compiler.passes import items

    return items.local_files(experiment.spec.data, document, slicers, sandbox)
