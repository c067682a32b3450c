"""What a conversion to another target cannot keep -> the diagnostics that refuse or report it."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.kinds.protocol import MPI
from tjgen.cluster.kinds.ray import TARGET as RAY
from tjgen.tools.importing.comparison import differences
from tjgen.tools.importing.dangling import dangling
from tjgen.tools.importing.losses import framework_of
from tjgen.tools.importing.variables import missing
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.manifests.manifest import Manifest


def not_convertible(name: str, target: str, why: str, hint: str) -> Diagnostic:
    """TJ951: nothing can be written for the target."""
    return Diagnostic("TJ951", f"{name} cannot be converted to target {target}: {why}", hint=hint)


def of_ray(target: str) -> tuple[str, str]:
    """Why a RayJob has no equivalent, and what to do."""
    return f"a RayJob starts a Ray cluster, and target {target} does not", f"keep target {RAY}"


def of_mpi(why: str) -> tuple[str, str]:
    """Why an MPIJob with a launcher and workers of their own has no equivalent, and what to do."""
    hint = (
        "keep target mpijob. Otherwise, save the output of tjgen runtimes show tjgen-mpi in the catalog under another name. "
        "Set runLauncherAsNode: false there, and the containers of its jobs launcher and node. "
        "Then write an experiment without roles for it"
    )
    return why, hint


def of_pods(name: str, former: str, target: str, before: list[Manifest], after: list[Manifest]) -> Iterator[Diagnostic]:
    """TJ951 for pods, containers, devices and variables that differ between the objects and previews of a run."""
    different = differences(before, after)
    if different and framework_of(former) == MPI:
        yield not_convertible(name, target, *of_mpi(different[0].why))
        return
    for one in different:
        yield not_convertible(name, target, one.why, f"{one.hint}, or keep target {former}")
    for one in dangling(former, target, before, after):
        yield Diagnostic("TJ952", f"{name}: {one.why}", hint=one.hint)
    lost = missing(former, target, before, after)
    if lost is not None and lost.is_refused:
        yield not_convertible(name, target, lost.why, lost.hint)
    elif lost is not None:
        yield Diagnostic("TJ952", f"{name}: {lost.why}", hint=lost.hint)
