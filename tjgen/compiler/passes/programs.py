"""Programs next to a run -> what is wrong with their pods, and their NetworkPolicies where the Platform requires them."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.workload.contribution import Contribution
from tjgen.trees.workload.workload import Workload


def contribute(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Contribution | Diagnostic]:
    """Nothing where no program runs next to the run."""
    kinds = ("Job/", "CronJob/")
    if not any(key.startswith(kinds) for part in ("objects", "ahead") for key in workload.tree.value.get(part) or ()):
        return
    # Loaded only for runs with programs, as the programs are.
    from tjgen.compiler.passes import program_network, program_security

    yield from program_security.problems(workload, setting)
    yield from program_network.policies(workload, experiment, setting)
