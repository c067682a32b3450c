"""`data` -> for each data set, a variable with its folder, and the slices that slices.py computes from its `slices`."""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.compiler.passes.data_sections import data_sections
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees.files.sandbox import Sandbox
from tjgen.trees.workload.contribution import Contributions
from tjgen.trees.workload.workload import Workload


def contribute(workload: Workload, experiment: Experiment, setting: Setting) -> Contributions:
    """Nothing where the experiment has no `data`."""
    sections = data_sections(experiment)
    if len(sections) > 1:
        from tjgen.compiler.passes import data_conflicts  # most experiments have one data set

        wrong = list(data_conflicts.conflicts(experiment, sections, setting))
        yield from wrong
        if wrong:
            return
    if sections:
        # Loaded only for those who slice data: it is as much as all other passes together.
        from tjgen.compiler.passes import slices

        yield from slices.deliver(workload, experiment, sections, setting)


def local_files(experiment: Experiment, document: str, slicers: Mapping[str, str], sandbox: Sandbox) -> dict[str, str]:
    """Return the digests of files next to the experiment `document` whose content its runs depend on, by name.

    `slicers` are the slicing strategies of the project, with their files.
    """
    digests: dict[str, str] = {}
    for section in data_sections(experiment):
        if section.items is not None:
            from tjgen.compiler.passes import items

            digests |= items.local_files(section, document, slicers, sandbox)
    return digests
