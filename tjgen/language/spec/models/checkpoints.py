"""`checkpoints`: where the run saves checkpoints, which of them to keep, and what a run resumes from."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import StringConstraints

from tjgen.language.spec.models.backup import Backup
from tjgen.language.spec.models.identity import Counts, Excluded, Setting
from tjgen.language.spec.models.shape import Alternatives, Count, Deadline, Quantity, Shape, Text, Whole, expects

PLAIN = r"^[A-Za-z0-9._=+-]+$"
METRIC = r"^[ !#-\[\]-~]{1,100}$"
"""The metrics that an index contains, by their names: they need no escapes in JSON."""


class MoveTo(Shape):
    """Another volume, such as one of a cheaper storage class, for checkpoints that no rule keeps."""

    short: ClassVar[tuple[str, ...]] = ("pvc",)

    pvc: Setting[Text]
    """Name of an existing PersistentVolumeClaim. The runs do not mount it."""
    path: Setting[Text | None] = None
    """Folder of the volume. Each checkpoint keeps its folder below it."""
    delete_after: Setting[Deadline | None] = None
    """Time after which a moved checkpoint is deleted, such as `90d`. The default is never."""


class Keep(Shape):
    """Complete checkpoints to keep. A CronJob removes the others."""

    last: Setting[Count] = 2
    """Number of newest checkpoints to keep."""
    reason: Setting[Text | None] = None
    """Why one newest checkpoint is enough; required if `last` is 1."""
    best: Setting[Whole] = 0
    """Number of best checkpoints that stay, by their `metric`. A checkpoint without a readable metric stays too."""
    every_nth: Setting[Count | None] = None
    """Checkpoints whose number is a multiple of this stay, such as 10000. Nothing removes them, so they need space."""
    metric: Setting[Annotated[str, StringConstraints(pattern=PLAIN), expects("use letters, digits and . _ = + -")] | None] = None
    """File in a checkpoint that holds one number; required if `best` is set. With `files`, one of them."""
    metric_key: Setting[Text | None] = None
    """Key of the number, if the file `metric` is a JSON object."""
    mode: Setting[Literal["min", "max"]] = "min"
    """Whether the best number is the smallest or the largest."""
    schedule: Setting[Text] = "*/15 * * * *"
    """When the CronJob runs, as in cron (UTC)."""
    grace_seconds: Setting[Whole] = 3600
    """Seconds that a removed checkpoint stays in the folder `.tjgen-trash` before it is deleted."""
    max_per_pass: Setting[Count] = 10
    """Most checkpoints that one run of the CronJob removes."""
    older_than: Setting[Deadline | None] = None
    """Age that a checkpoint must have before the CronJob removes it, such as `30d`."""
    move_to: Setting[MoveTo | Text | None] = None
    """Volume to which removed checkpoints move when `graceSeconds` have passed. The default is to delete them."""
    dry_run: Setting[bool] = False
    """Whether the CronJob only reports what it would remove."""


class CheckpointIndex(Shape):
    """The index of the checkpoints of each run, which a CronJob writes: their names, sizes, times and metrics."""

    short: ClassVar[tuple[str, ...]] = ("metrics",)

    metrics: Setting[Annotated[str, StringConstraints(pattern=PLAIN), expects("use letters, digits and . _ = + -")] | None] = None
    """File in a checkpoint that holds its metrics: one number, or a JSON object with numbers. With `files`, one of them. The
    default is `keep.metric`."""
    schedule: Setting[Text] = "*/15 * * * *"
    """When the CronJob runs, as in cron (UTC). With `keep`, its schedule applies."""


class Resume(Shape):
    """The checkpoints from which a run resumes."""

    short: ClassVar[tuple[str, ...]] = ("run",)
    alternatives: ClassVar[Alternatives] = (("run",), ("path",))
    needed: ClassVar[bool] = True

    run: Counts[Text | None] = None
    """Another run of the experiment, by its name."""
    path: Counts[Text | None] = None
    """Folder of the volume, from its root; or, beginning with `/`, of the container."""
    best: Counts[
        Annotated[
            str,
            StringConstraints(pattern=METRIC),
            expects("use at most 100 printable ASCII characters without quotes and backslashes"),
        ]
        | None
    ] = None
    """Metric of the index: the run resumes from the checkpoint with its best value, instead of the newest one."""
    mode: Counts[Literal["min", "max"]] = "min"
    """Whether the best value of `best` is the smallest or the largest."""


class Checkpoints(Shape):
    """Folder and settings of the checkpoints of a run."""

    volume: Counts[Text]
    """Volume for the checkpoints, by its name in `volumes`."""
    path: Counts[Text | None] = None
    """Folder of the volume."""
    scope: Counts[Literal["run", "family"]] = "run"
    """Whether each run has its own folder, or all runs of the experiment share one."""
    every: Counts[Annotated[Count, expects("write the number of steps, such as 1000")] | None] = None
    """Steps between two checkpoints, which the program gets as a variable."""
    name: Counts[Annotated[str, StringConstraints(pattern=PLAIN), expects("use letters, digits and . _ = + -")]] = "step-"
    """Prefix of the name of a checkpoint. Its number follows."""
    marker: Counts[Annotated[str, StringConstraints(pattern=PLAIN), expects("use letters, digits and . _ = + -")]] = "_SUCCESS"
    """File that a folder holds once the checkpoint in it is complete. Only `_SUCCESS` may be an empty file."""
    files: Setting[list[Annotated[str, StringConstraints(pattern=PLAIN), expects("use letters, digits and . _ = + -")]]] = []
    """Endings of the files that form a checkpoint, such as `.pt`, if checkpoints are files and not folders."""
    mark: Counts[Literal["program", "init"]] = "program"
    """What writes the file `.tjgen-run`, without which `keep` removes nothing: the training program, or an init container
    with the image of the run."""
    keep: Setting[Keep | None] = None
    """Checkpoints to keep. The default is all."""
    keep_runs: Setting[Whole | None] = None
    """Number of newest former runs whose checkpoint folders stay when `tjgen runs clean` removes those of pruned runs. Points
    of a sweep and tasks count as runs. Without it, the command removes only the folders of runs that you name."""
    index: Setting[CheckpointIndex | Text | None] = None
    """Index of the checkpoints of each run: the file `.tjgen-checkpoints.jsonl` in its folder."""
    resume_from: Counts[Resume | Text | None] = None
    """Checkpoints from which the run resumes while it has none of its own."""
    expected_size: Setting[Quantity | None] = None
    """Size of one checkpoint, to check that claim, bandwidth and grace period are sufficient."""
    backup: Excluded[Backup | None] = None
    """Snapshots of the claim."""
