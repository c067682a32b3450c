"""An output tree -> runs in it that are in no lock, which may be records, or train; and runtimes that no run of a lock uses."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Sequence

from tjgen.gitops.output import problems
from tjgen.gitops.output.disk import OnDisk
from tjgen.gitops.output.layout import stage_folder
from tjgen.language.runs.store import Locks
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.manifests.manifest import RUNS, RUNTIMES


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


def idle_runtimes(on_disk: OnDisk, environment: str | None, used: Container[str], locks: Locks) -> Iterator[Diagnostic]:
    """TJ750 for runtimes that a build removes, as they are not `used`, though no lock had runs that use them."""
    namespaces = on_disk.folders(stage_folder(environment, RUNTIMES))
    idle = [file.path for namespace in namespaces for file in on_disk.files_except(namespace, used)]
    known = {path for _, lock in locks.all() for run in lock.runs.values() for path in run.uses} if idle else set()
    yield from [problems.idle_runtime(on_disk, path) for path in idle if path not in known]
