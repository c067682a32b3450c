"""The scenarios of the lifecycle of a run: one for each row of the table of outcomes that the rig shows.

A row states the result of an event. A scenario has no result: it only identifies the row that the rig shows. Scenarios of one
event run together, in one namespace.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from tests.e2e.rig import kubectl
from tjgen.cluster.outcomes import (
    ARGOCD,
    ARGOCD_CLIENT,
    CHILD_DELETED_COMPLETED,
    CHILD_DELETED_FAILED,
    DEADLINE,
    DEADLINE_SUSPENDED,
    EVERY_POD_FAILS,
    EXPLICIT,
    FAIL_RULE,
    FLUX,
    JOBSET,
    KUBERNETES,
    MPI_OPERATOR,
    ON_FAILURE,
    OPERATOR_JOBS,
    PER_INDEX,
    POD_DEADLINES,
    POD_DEADLINES_EXIT_CODE,
    RESUMED_AFTER_KUBECTL,
    RESUMED_BY_GIT,
    SHARED_LIMIT,
    SUSPENDED_BY_KUBECTL,
    TRAINER,
    TRAINING_OPERATOR,
    TTL_COMPLETED,
    TTL_FAILED,
)
from tjgen.cluster.releases import V21, V23

TOOLS = (ARGOCD, ARGOCD_CLIENT, FLUX)
AT_ONCE = 5
"""How many scenarios are played at a time; most of their time is waiting."""


class Scenario(NamedTuple):
    """What identifies a row."""

    kind: str
    controller: str
    event: str
    means: str = ""

    @property
    def play(self) -> tuple[str, str, str]:
        """What is played together: an event, the means, and the tool that syncs if the event is about one."""
        return self.event, self.means, self.controller if self.controller in TOOLS else ""


_TRAINER = TRAINER[V23.name]
_EARLIER = TRAINER[V21.name]
_ENDS = (TTL_COMPLETED, TTL_FAILED, CHILD_DELETED_COMPLETED, CHILD_DELETED_FAILED)
_CONTROLLERS = {"JobSet": JOBSET, "MPIJob": MPI_OPERATOR, "Job": KUBERNETES, **dict.fromkeys(OPERATOR_JOBS, TRAINING_OPERATOR)}
_SYNCED = ("TrainJob", "JobSet", "PyTorchJob", "MPIJob")

SCENARIOS: tuple[Scenario, ...] = (
    *(Scenario("TrainJob", controller, event) for controller in (_TRAINER, _EARLIER) for event in _ENDS),
    *(Scenario(kind, controller, event) for kind, controller in _CONTROLLERS.items() for event in (TTL_COMPLETED, TTL_FAILED)),
    *(Scenario(kind, _CONTROLLERS[kind], event) for kind in ("JobSet", "PyTorchJob", "MPIJob") for event in _ENDS[2:]),
    Scenario("TrainJob", _TRAINER, DEADLINE),
    *(Scenario(kind, controller, DEADLINE) for kind, controller in _CONTROLLERS.items()),
    Scenario("JobSet", JOBSET, DEADLINE, FAIL_RULE),
    *(Scenario(kind, TRAINING_OPERATOR, DEADLINE, POD_DEADLINES) for kind in OPERATOR_JOBS),
    Scenario("PyTorchJob", TRAINING_OPERATOR, DEADLINE, POD_DEADLINES_EXIT_CODE),
    Scenario("TrainJob", _TRAINER, DEADLINE_SUSPENDED),
    *(Scenario(kind, _CONTROLLERS[kind], DEADLINE_SUSPENDED) for kind in ("JobSet", "MPIJob", "Job")),
    *(Scenario("TrainJob", controller, EVERY_POD_FAILS) for controller in (_TRAINER, _EARLIER)),
    *(Scenario("TrainJob", _TRAINER, EVERY_POD_FAILS, means) for means in (SHARED_LIMIT, PER_INDEX, ON_FAILURE)),
    *(Scenario(kind, _CONTROLLERS[kind], EVERY_POD_FAILS) for kind in ("JobSet", "MPIJob")),
    *(Scenario(kind, _CONTROLLERS[kind], EVERY_POD_FAILS, ON_FAILURE) for kind in (*OPERATOR_JOBS, "MPIJob")),
    *(Scenario(kind, tool, SUSPENDED_BY_KUBECTL) for kind in _SYNCED for tool in TOOLS),
    *(
        Scenario(kind, tool, event, means)
        for kind in _SYNCED
        for tool in TOOLS
        for event in (RESUMED_BY_GIT, RESUMED_AFTER_KUBECTL)
        for means in ("", EXPLICIT)
    ),
)


def playable() -> list[Scenario]:
    """The scenarios that the running cluster can show."""
    served = kubectl("get", "customresourcedefinitions", "-o", "name")
    webhooks = kubectl("get", "validatingwebhookconfigurations", "-o", "name")
    operators = {"pytorchjobs.kubeflow.org": TRAINING_OPERATOR, "mpijobs.kubeflow.org": MPI_OPERATOR}
    there = {JOBSET, KUBERNETES, *(name for crd, name in operators.items() if f"/{crd}\n" in served)}
    there.add(_EARLIER if "/trainer-2.1-" in webhooks else _TRAINER)
    return [
        one for one in SCENARIOS if (_CONTROLLERS.get(one.kind, _TRAINER) if one.controller in TOOLS else one.controller) in there
    ]


def plays(scenarios: Iterable[Scenario]) -> dict[tuple[str, str, str], list[Scenario]]:
    """The scenarios by what is played together."""
    found: dict[tuple[str, str, str], list[Scenario]] = {}
    for scenario in scenarios:
        found.setdefault(scenario.play, []).append(scenario)
    return found
