"""An output tree -> the folders of runs in it that are in no lock: they may be records, or train."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from tjgen.gitops.output import problems
from tjgen.gitops.output.disk import OnDisk
from tjgen.gitops.output.layout import stage_folder
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.manifests.manifest import RUNS


def strays(
    on_disk: OnDisk, environment: str | None, known: Collection[str], before: Sequence[Diagnostic]
) -> Iterator[Diagnostic]:
    """TJ740 for each folder of a run of an environment that is not `known`, unless it is reported `before`."""
    reported = {one.message for one in before}
    for namespace in on_disk.folders(stage_folder(environment, RUNS)):
        for folder in [one for experiment in on_disk.folders(namespace) for one in on_disk.folders(experiment)]:
            if folder not in known and on_disk.bodies(folder):
                stray = problems.without_lock(on_disk, folder)
                if stray.message not in reported:
                    yield stray
