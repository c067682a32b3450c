"""`checkpoints` -> variables for training code, and the objects that manage its checkpoints, as in programs/keeping."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.workload.contribution import Contribution
from tjgen.trees.workload.workload import Workload


def contribute(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Contribution | Diagnostic]:
    """Nothing where the experiment has no `checkpoints`."""
    if experiment.spec.checkpoints is not None:
        # Loaded only if the field is set, as for data.
        from tjgen.compiler.programs.keeping import contract

        yield from contract.contributions(workload, experiment, setting)
