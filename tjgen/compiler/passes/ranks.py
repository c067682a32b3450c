"""Variables of an MPI run -> the options of mpirun by which processes on other nodes get them, as rank_variables adds them."""

from __future__ import annotations

from tjgen.cluster.kinds.protocol import MPI
from tjgen.cluster.kinds.table import facts_of
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees.fields.path import get
from tjgen.trees.workload.contribution import Contributions
from tjgen.trees.workload.workload import Workload


def contribute(workload: Workload, experiment: Experiment, setting: Setting) -> Contributions:
    """Nothing where no mpirun starts the processes."""
    if is_mpi(workload, experiment):
        # Loaded only if needed, as for data.
        from tjgen.compiler.passes import rank_variables

        yield from rank_variables.forward(workload, experiment)


def is_mpi(workload: Workload, experiment: Experiment) -> bool:
    """Whether a launcher starts the processes of other nodes by SSH."""
    return facts_of(experiment.spec.target).framework == MPI or get(workload.ml_policy, ("mpi",), None) is not None
