"""`checkpoints` -> what training code is told, and what looks after its checkpoints, as programs/keeping says."""

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
        # Loaded only for those who say it, as for data.
        from tjgen.compiler.programs.keeping import contract

        yield from contract.contributions(workload, experiment, setting)
