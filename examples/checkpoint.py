"""Save checkpoints so that a kill at any point loses none, and find the one to resume from.

The newest checkpoint is the complete one with the highest number. A folder is a complete checkpoint if its name is
TJGEN_CHECKPOINT_NAME and a number, it contains the file TJGEN_CHECKPOINT_MARKER, and no file in it is empty, except for
the marker _SUCCESS.
"""

import os
import re
import shutil
from pathlib import Path

FOLDER = Path(os.environ["TJGEN_CHECKPOINT_PATH"])
NAME, MARKER = os.environ["TJGEN_CHECKPOINT_NAME"], os.environ["TJGEN_CHECKPOINT_MARKER"]
OWNER = os.environ.get("TJGEN_CHECKPOINT_OWNER", "")
HALF, OLD = ".half-", ".old-"


def save(step, write):
    """Let `write` fill a folder, and make it the checkpoint of a step. Call it in one process, after the others."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    recover()
    half = FOLDER / f"{HALF}{step}"
    half.mkdir()
    write(half)
    sync_all(half)
    (half / MARKER).touch()  # Complete from here on.
    sync_all(half)
    publish(step)


def publish(step):
    """Give a complete checkpoint its name. What has the name already makes way, and goes when it is replaced."""
    half, done, old = FOLDER / f"{HALF}{step}", FOLDER / f"{NAME}{step}", FOLDER / f"{OLD}{step}"
    if done.exists():
        discard(old)
        done.rename(old)
    half.rename(done)
    sync(FOLDER)
    discard(old)


def discard(folder):
    """Delete a folder, its marker first, so that a part of it is never taken for a checkpoint."""
    if folder.exists():
        (folder / MARKER).unlink(missing_ok=True)
        shutil.rmtree(folder)


def recover():
    """Finish or undo what a killed process left behind, and mark the folder as that of this run."""
    mark, new = FOLDER / ".tjgen-run", FOLDER / ".tjgen-run.new"
    if OWNER and not (mark.is_file() and mark.read_text() == OWNER):
        new.write_text(OWNER)
        sync(new)
        new.replace(mark)
    for half in FOLDER.glob(f"{HALF}*"):
        if is_complete(half):
            publish(half.name[len(HALF) :])
        else:
            discard(half)
    for old in FOLDER.glob(f"{OLD}*"):
        discard(old)


def newest():
    """The checkpoint to resume from, or None: the newest one of this run, or else of the run that it resumes.

    It changes nothing, so each process can call it. A checkpoint that a kill left under another name counts too. In the
    folder to resume from, a link counts as the checkpoint that it leads to.
    """
    for folder in (FOLDER, Path(os.environ.get("TJGEN_RESUME_FROM", FOLDER))):
        found = {}
        for start in (OLD, HALF, NAME):
            for path in folder.glob(f"{start}*"):
                number = re.fullmatch("[0-9]{1,18}", path.name[len(start) :])
                if number and is_complete(path if folder == FOLDER else path.resolve()):
                    found[int(number[0])] = path
        if found:
            return found[max(found)]
    return None


def is_complete(folder):
    """Whether a folder holds a whole checkpoint."""
    marker, sizes = folder / MARKER, []
    if folder.is_symlink() or not folder.is_dir() or marker.is_symlink() or not marker.is_file():
        return False
    for place, _, names in os.walk(folder):
        for path in (Path(place, name) for name in names):
            may_be_empty = path == folder / ".keep" or (path == marker and MARKER == "_SUCCESS")
            if not path.is_symlink() and not (may_be_empty and path.stat().st_size == 0):
                sizes.append(path.stat().st_size)
    return bool(sizes) and min(sizes) > 0


def sync_all(folder):
    """Wait until all that is in a folder is on disk."""
    for place, _, names in os.walk(folder, topdown=False):
        for name in names:
            if not os.path.islink(os.path.join(place, name)):
                sync(os.path.join(place, name))
        sync(place)


def sync(path):
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
