"""The checks, in the order in which they report."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tjgen.compiler.checks import (
    claims,
    gangs,
    images,
    mounts,
    namespaces,
    pods,
    priorities,
    processes,
    references,
    requests,
    resources,
    roles,
)
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.workload.workload import Workload

Check = Callable[[Workload, Experiment, Setting], Iterator[Diagnostic]]


def _entry(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Diagnostic]:
    if experiment.spec.code is not None:
        from tjgen.compiler.checks import entry  # most programs are in the image

        yield from entry.check(workload, experiment, setting)


CHECKS: tuple[Check, ...] = (
    namespaces.check,
    _entry,
    pods.check,
    references.check,
    mounts.check,
    claims.check,
    images.check,
    processes.check,
    resources.check,
    roles.check,
    requests.check,
    gangs.check,
    priorities.check,
)


def checked(workload: Workload, experiment: Experiment, setting: Setting) -> list[Diagnostic]:
    """What all checks report about a run."""
    return [diagnostic for check in CHECKS for diagnostic in check(workload, experiment, setting)]
