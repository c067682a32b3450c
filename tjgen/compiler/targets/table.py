"""The name of a target -> the module that writes its objects, imported when an experiment uses it.

`kinds.table` lists the targets. Those in OF_TRAINER go through a TrainJob and the twin of its controller; every other one is
direct (see direct.py), and its module is called as the target.
"""

from __future__ import annotations

from tjgen.cluster.kinds.table import OF_TRAINER
from tjgen.trees.typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from tjgen.compiler.targets import jaxjob, mpijob, paddlejob, pytorchjob, rayjob, tfjob, volcanojob, xgboostjob
    from tjgen.compiler.targets.direct import Target

    DIRECT: tuple[Target, ...] = (volcanojob, pytorchjob, tfjob, mpijob, xgboostjob, jaxjob, paddlejob, rayjob)
    """The modules of direct targets, for the type checker: one that lacks a function of the protocol is an error here."""


def direct(name: str) -> Target | None:
    """The module of a direct target; None for those of Trainer."""
    return None if name in OF_TRAINER else cast("Target", __import__(f"tjgen.compiler.targets.{name}", fromlist=[name]))
