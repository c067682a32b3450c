"""The releases of upstream projects that tjgen supports. Everything about a release is read from this table.

The schemas of each release are listed in `schemas/index.json`, which `schemas/generate.py` makes from `schemas/sets.yaml`;
what the controller of a Trainer release does otherwise than the next one is in `trainer/release.py`.
"""

from __future__ import annotations

from tjgen.trees.typing import NamedTuple

RUNTIME_PATCHES = "runtimePatches"
POD_TEMPLATE_OVERRIDES = "podTemplateOverrides"
POD_SPEC_OVERRIDES = "podSpecOverrides"


class TrainerRelease(NamedTuple):
    """A release of Kubeflow Trainer."""

    name: str
    """Major and minor number, as users write it."""
    version: str
    """The version whose sources, schemas and images represent the release."""
    jobset: str
    """The version of JobSet that it is built with, as far as there are schemas for it, else the nearest one."""
    overrides: str
    """The field of a TrainJob that changes its runtime."""


V23 = TrainerRelease("2.3", "v2.3.0", "v0.12.0", RUNTIME_PATCHES)
V22 = TrainerRelease("2.2", "v2.2.1", "v0.11.1", RUNTIME_PATCHES)
V21 = TrainerRelease("2.1", "v2.1.0", "v0.10.1", POD_TEMPLATE_OVERRIDES)
V20 = TrainerRelease("2.0", "v2.0.1", "v0.8.2", POD_SPEC_OVERRIDES)

TRAINER_RELEASES = (V23, V22, V21, V20)
"""The supported releases of Trainer, newest first."""
DEFAULT_TRAINER = V23
"""The release that is assumed if a project does not set one."""
KUEUE_WRITES = (((0, 17), RUNTIME_PATCHES), ((0, 15), POD_TEMPLATE_OVERRIDES))
"""From which release of Kueue on it writes which field of a TrainJob, newest first."""

KUEUE_WITHOUT_OPERATORS = (0, 19)
"""The release of Kueue whose default configuration leaves out the kinds of the Training Operator (0.15 has them)."""


def newest_with(overrides: str) -> TrainerRelease:
    """The newest release of Trainer whose TrainJobs have this field for changes of the runtime."""
    return next(release for release in TRAINER_RELEASES if release.overrides == overrides)


def range_of(names: list[str]) -> str:
    """Some releases of Trainer that follow each other, as people write it: "2.2 and later", "2.0 and 2.1"."""
    known = [release.name for release in reversed(TRAINER_RELEASES)]
    ordered = [name for name in known if name in names]
    if ordered[-1] == known[-1]:
        return f"{ordered[0]} and later"
    return " and ".join(ordered) if len(ordered) < 3 else f"{ordered[0]} to {ordered[-1]}"


def version(text: str) -> tuple[int, ...]:
    """The numbers of a release such as "0.19.1"."""
    return tuple([int(part) for part in text.split(".") if part.isdigit()])
