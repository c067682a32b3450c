"""`data.reader` -> the module `tjgen_data` in the pods, as programs/reading.py delivers it."""

from __future__ import annotations

from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees.workload.contribution import Contributions
from tjgen.trees.workload.workload import Workload


def contribute(workload: Workload, experiment: Experiment, setting: Setting) -> Contributions:
    """Nothing where the experiment has no `data.reader`."""
    if experiment.spec.data is not None and experiment.spec.data.reader is not None:
        # Loaded only if the field is set, as for data.
        from tjgen.compiler.programs import reading

        yield from reading.deliver(workload, setting)
