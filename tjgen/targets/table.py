"""The name of a target -> the module that makes its objects, imported when an experiment asks for it.

Two targets are of Trainer: what they make goes through its TrainJob, and through the twin of its controller. Every other one is
direct (see direct.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from tjgen.typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from tjgen.targets.direct import Target

TARGETS: Mapping[str, str] = {
    "trainjob": "tjgen.targets.trainjob",
    "jobset": "tjgen.targets.jobset",
    "volcanojob": "tjgen.targets.volcanojob",
    "pytorchjob": "tjgen.targets.pytorchjob",
    "tfjob": "tjgen.targets.tfjob",
    "mpijob": "tjgen.targets.mpijob",
    "xgboostjob": "tjgen.targets.xgboostjob",
    "jaxjob": "tjgen.targets.jaxjob",
}
OF_TRAINER = ("trainjob", "jobset")


def direct(name: str) -> Target | None:
    """The module of a direct target; None for those of Trainer."""
    return None if name in OF_TRAINER else cast("Target", import_module(TARGETS[name]))
