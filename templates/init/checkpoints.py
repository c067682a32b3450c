"""Complete checkpoints of a run: a folder for each step, with a marker that is written last."""

import os
import re
import shutil
import stat
from fnmatch import fnmatchcase
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
        found = numbered(folder, NAME)
        steps = {number: path for number, path in found if is_complete(path if folder == FOLDER else path.resolve())}
        if steps:
            return max(steps), steps[max(steps)]
    if "TJGEN_RESUME_FROM" in os.environ:
        raise FileNotFoundError(f"{os.environ['TJGEN_RESUME_FROM']} has no complete checkpoint")
    return None


def save(step, write):
    """Call `write(folder)` for an empty folder, then mark the checkpoint of `step` as complete. Call it in one process."""
    folder = FOLDER / f"{NAME}{step}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if OWNER:  # `keep` and `index` of checkpoints work only in a folder that its run has marked.
        (FOLDER / ".tjgen-run").write_text(OWNER)
    write(folder)
    if not (folder / MARKER).exists():
        (folder / MARKER).write_text("" if MARKER in FLAGS else "complete\n")


# Generated from layouts.toml: files that contain nothing by design, and empty files with the file that must be next to them.
FLAGS = ("_SUCCESS", ".keep")
SHARDS = (("*.distcp", ".metadata"),)


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


# End of what is generated.
