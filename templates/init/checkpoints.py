"""Complete checkpoints of a run: a folder for each step, with a marker that is written last."""

import os
import shutil
from pathlib import Path

FOLDER = Path(os.environ.get("TJGEN_CHECKPOINT_PATH", "checkpoints"))
NAME = os.environ.get("TJGEN_CHECKPOINT_NAME", "step-")
MARKER = os.environ.get("TJGEN_CHECKPOINT_MARKER", "_SUCCESS")
OWNER = os.environ.get("TJGEN_CHECKPOINT_OWNER", "")


def every(default):
    """The steps between two checkpoints: `every` of the experiment, or `default` without it."""
    return int(os.environ.get("TJGEN_CHECKPOINT_EVERY", default))


def latest():
    """The number of the newest complete checkpoint and its folder, or None. `resumeFrom` counts if the run has none."""
    for folder in (FOLDER, Path(os.environ.get("TJGEN_RESUME_FROM", FOLDER))):
        steps = [int(marker.parent.name.removeprefix(NAME)) for marker in folder.glob(f"{NAME}[0-9]*/{MARKER}")]
        if steps:
            return max(steps), folder / f"{NAME}{max(steps)}"
    return None


def save(step, write):
    """Call `write(folder)` for an empty folder, then mark the checkpoint of `step` as complete. Call it in one process."""
    folder = FOLDER / f"{NAME}{step}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if OWNER:  # `keep` and `index` of checkpoints work only in a folder that its run has marked.
        (FOLDER / ".tjgen-run").write_text(OWNER)
    write(folder)
    (folder / MARKER).touch()
