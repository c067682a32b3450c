"""`backup`: snapshots of a claim."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from tjgen.language.spec.models.identity import Excluded
from tjgen.language.spec.models.shape import Deadline, Shape, Text


class Backup(Shape):
    """Snapshots of the claim, which a CronJob creates."""

    schedule: Excluded[Text]
    """Schedule of the CronJob, as in cron (UTC)."""
    keep: Excluded[Annotated[int, Field(ge=1, le=1000)]] = 7
    """Number of ready snapshots to keep. Older ones are deleted."""
    snapshot_class_name: Excluded[Text | None] = None
    """VolumeSnapshotClass. The default is the cluster's default."""
    deadline: Excluded[Deadline] = "6h"
    """Time after which a backup fails whose snapshot is not ready."""
