"""Init containers and sidecars of the experiment -> containers in each pod that takes part in the training."""

from __future__ import annotations

from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees.workload.contribution import Contributions
from tjgen.trees.workload.workload import Workload


def contribute(workload: Workload, experiment: Experiment, setting: Setting) -> Contributions:
    """Nothing if the experiment has no such containers."""
    spec = experiment.spec
    if any(one.init_containers or one.sidecars for one in (spec, *spec.roles.values())):
        from tjgen.compiler.passes import extra_containers  # few runs have any

        yield from extra_containers.add_containers(workload, experiment, setting)
