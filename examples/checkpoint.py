"""Save checkpoints so that a kill at any point loses none, and find the one to resume from.

The newest checkpoint is the complete one with the highest number. A folder is a complete checkpoint if its name is
TJGEN_CHECKPOINT_NAME and a number of at most 9 digits, it contains the file TJGEN_CHECKPOINT_MARKER, and no file in it is
empty, except for FLAGS and SHARDS. What cannot be read is an error, since it may be the newest checkpoint.
"""

import os
import re
import shutil
import stat
from fnmatch import fnmatchcase
from pathlib import Path

FOLDER = Path(os.environ["TJGEN_CHECKPOINT_PATH"])
NAME, MARKER = os.environ["TJGEN_CHECKPOINT_NAME"], os.environ["TJGEN_CHECKPOINT_MARKER"]
OWNER = os.environ.get("TJGEN_CHECKPOINT_OWNER", "")
HALF, OLD = ".half-", ".old-"
# Generated from layouts.toml: files that contain nothing by design, and empty files with the file that must be next to them.
FLAGS = ("_SUCCESS", ".keep")
SHARDS = (("*.distcp", ".metadata"),)
# End of what is generated.


def save(step, write):
    """Let `write` fill a folder, and make it the checkpoint of a step. Call it in one process, after the others."""
    if not 0 <= step < 10**9:
        raise ValueError(f"step {step} has more than 9 digits")
    FOLDER.mkdir(parents=True, exist_ok=True)
    recover()
    half = FOLDER / f"{HALF}{step}"
    half.mkdir()
    write(half)
    sync_all(half)
    if not (half / MARKER).exists():
        (half / MARKER).write_text("" if MARKER in FLAGS else "complete\n")  # Complete from here on.
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
    folder to resume from, a link counts as the checkpoint that it leads to. A run that resumes another one needs one of them.
    """
    for folder in (FOLDER, Path(os.environ.get("TJGEN_RESUME_FROM", FOLDER))):
        found = {}
        for start in (OLD, HALF, NAME):
            for number, path in numbered(folder, start):
                if is_complete(path if folder == FOLDER else path.resolve()):
                    found[number] = path
        if found:
            return found[max(found)]
    if "TJGEN_RESUME_FROM" in os.environ:
        raise FileNotFoundError(f"{os.environ['TJGEN_RESUME_FROM']} has no complete checkpoint")
    return None


def numbered(folder, start):
    """The numbers and paths of what has a name of `start` and a number in a folder, which need not exist."""
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        names = []
    for name in names:
        if name.startswith(start) and re.fullmatch("[0-9]+", name[len(start) :]):
            if len(name) - len(start) > 9:
                raise ValueError(f"{folder / name}: the number has more than 9 digits")
            yield int(name[len(start) :]), folder / name


def is_complete(folder):
    """Whether a folder holds a whole checkpoint. Raises OSError if that cannot be read."""
    if kind(folder) != stat.S_IFDIR or kind(folder / MARKER) != stat.S_IFREG:
        return False
    files = {}
    try:
        for place, _, names in os.walk(folder, onerror=fail):
            for path in (Path(place, name) for name in names):
                about = path.lstat()
                if stat.S_ISLNK(about.st_mode):
                    continue
                if not stat.S_ISREG(about.st_mode):
                    return False
                if not os.access(path, os.R_OK):
                    raise PermissionError(f"{path} cannot be read")
                if path.name not in FLAGS:
                    files[path] = about
    except FileNotFoundError:  # it goes while it is read
        return False
    is_sound = all(about.st_size or is_shard(path, files) for path, about in files.items())
    return is_sound and any(about.st_size for about in files.values())


def is_shard(path, files):
    """Whether an empty file is that of a process without data. The proof is not older, but for a minute between clocks."""
    for pattern, name in SHARDS:
        if fnmatchcase(path.name, pattern):
            proof = files.get(path.parent / name)
            others = (one for one in files if one.parent == path.parent and files[one].st_size)
            is_proven = proof is not None and proof.st_size and int(files[path].st_mtime) <= int(proof.st_mtime) + 60
            return bool(is_proven) and any(fnmatchcase(one.name, pattern) for one in others)
    return False


def kind(path):
    """The kind of a file, without following a link; 0 if there is none."""
    try:
        return stat.S_IFMT(os.lstat(path).st_mode)
    except FileNotFoundError:
        return 0


def fail(error):
    raise error


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
