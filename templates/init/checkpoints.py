"""Complete checkpoints of a run: a folder for each step, with a marker that is written last."""

import os
import shutil
from pathlib import Path

FOLDER = Path(os.environ.get("TJGEN_CHECKPOINT_PATH", "checkpoints"))
NAME = os.environ.get("TJGEN_CHECKPOINT_NAME", "step-")
MARKER = os.environ.get("TJGEN_CHECKPOINT_MARKER", "_SUCCESS")


def latest():
    """The number of the newest complete checkpoint and its folder, or None."""
    steps = [int(marker.parent.name.removeprefix(NAME)) for marker in FOLDER.glob(f"{NAME}[0-9]*/{MARKER}")]
    return (max(steps), FOLDER / f"{NAME}{max(steps)}") if steps else None


def save(step, write):
    """Call `write(folder)` for an empty folder, then mark the checkpoint of `step` as complete."""
    folder = FOLDER / f"{NAME}{step}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    write(folder)
    (folder / MARKER).touch()
