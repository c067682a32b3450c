# Runs the cleaner, whose text is the first argument, so that checkpoints stay for a time and then move to a second volume.
"""Keep checkpoints by their age, and move what the cleaner removes to another volume. It needs Python 3.9 and no package.

A checkpoint that was completed less than OLDER_THAN seconds ago stays. With COLD, the mount of another volume, what has been
in the trash for the grace period is copied to the same folder below COLD_PATH there, compared byte by byte, and only then
deleted. A record in .tjgen-moved follows last. With DELETE_AFTER, a moved checkpoint is deleted there after that many seconds,
unless it, its folder or a file next to it has the name of a pin.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import stat
import sys
import time
import types
from typing import Any, Dict, Iterator, List, Sequence, Tuple

cleaner: Any = types.ModuleType("cleaner")
exec(compile(sys.argv[1], "cleaner", "exec"), cleaner.__dict__)
join, is_folder, DoubtError = cleaner.join, cleaner.is_folder, cleaner.DoubtError

RECORDS, COPIES = ".tjgen-moved", ".tjgen-moving"
BLOCK = 1 << 22


class Pass(cleaner.Pass):  # type: ignore[misc]
    """One pass over all folders of the first volume, and over what it moved from there."""

    def __init__(self, told: Dict[str, str], now: float) -> None:
        super().__init__(told, now)
        self.age = float(told.get("OLDER_THAN", "0"))
        self.cold, self.below = told.get("COLD", ""), told.get("COLD_PATH", "")
        self.lifetime = float(told.get("DELETE_AFTER", "0"))

    def plan(self, folder: str, complete: List[Any], around: Any) -> Dict[str, str]:
        kept: Dict[str, str] = super().plan(folder, complete, around)
        for one in complete:
            if self.now - one.time < self.age:
                kept.setdefault(one.name, f"completed less than {self.age / 86400:g} days ago")
        return kept

    def empty_trash(self, folder: str) -> None:
        """Nothing is deleted in a folder as long as one of its checkpoints could not be moved."""
        if self.cold:
            target = join(self.cold, self.below, os.path.relpath(folder, self.root))
            if not self.move_all(folder, target):
                return
            self.expire(target)
        super().empty_trash(folder)

    def move_all(self, folder: str, target: str) -> bool:
        """Copy what the grace period has passed for; whether all of it is on the other volume."""
        trash, done = join(folder, cleaner.TRASH), True
        if not os.path.lexists(trash) or not self.inside(trash):
            return True
        for name in sorted(os.listdir(trash)):
            entry = join(trash, name)
            try:
                with open(join(entry, cleaner.RECORD), encoding="utf-8") as stream:
                    record = json.load(stream)
                items = tuple(record["items"])
                if self.now - record["time"] <= self.grace or not all(os.path.lexists(join(entry, item)) for item in items):
                    continue
                if cleaner.digest(cleaner.listing(entry, items), self.proofs(entry, items)) != record["content"]:
                    continue  # The cleaner reports it, and keeps it.
                self.move_out(folder, entry, items, target)
            except FileNotFoundError:
                continue  # It has no record of a decision: the cleaner judges it.
            except (OSError, DoubtError, ValueError, KeyError, TypeError) as error:
                self.fail(f"{entry}: kept: it cannot move to {target}: {error}")
                done = False
        return done

    def move_out(self, folder: str, entry: str, items: Sequence[str], target: str) -> None:
        """Copy the items of an entry of the trash to the folder `target`, and record it there."""
        record = join(target, RECORDS, f"{os.path.basename(entry)}.json")
        make_folders(self.cold, target)
        copies = join(target, COPIES)
        if os.path.lexists(copies):
            shutil.rmtree(copies)  # An earlier pass was killed.
        if os.path.lexists(record):
            return
        for path in (copies, join(target, RECORDS)):
            os.makedirs(path, exist_ok=True)
        size = sum(os.lstat(path).st_size for item in items for path in paths_of(join(entry, item)))
        free = shutil.disk_usage(target).free
        if size > free:
            raise DoubtError(f"it has {size} bytes, and {free} are free")
        for item in items:
            copy(join(entry, item), join(copies, item))
        for item in items:
            if contents(join(entry, item)) != contents(join(copies, item)):
                raise DoubtError(f"the copy of {item} differs")
        for item in items:
            if not os.path.lexists(join(target, item)):
                os.rename(join(copies, item), join(target, item))
            elif contents(join(target, item)) != contents(join(copies, item)):
                raise DoubtError(f"another checkpoint has the name {item} there")
        mark = join(target, cleaner.MARK)
        if not os.path.lexists(mark):
            shutil.copy2(join(folder, cleaner.MARK), mark)
        sync(target)
        cleaner.write(record, {"items": list(items), "time": self.now})
        shutil.rmtree(copies)
        print(f"moved {entry} to {target}: {size} bytes")

    def expire(self, target: str) -> None:
        """Delete what was moved more than `lifetime` seconds ago."""
        records = join(target, RECORDS)
        if not self.lifetime or not is_folder(records) or not is_real(self.cold, records):
            return
        for name in sorted(name for name in os.listdir(records) if name.endswith(".json")):
            try:
                with open(join(records, name), encoding="utf-8") as stream:
                    record = json.load(stream)
                items = [str(item) for item in record["items"]]
                pins = [join(target, cleaner.PIN), join(target, re.sub(r"\.[0-9]+\.json$", "", name) + cleaner.PIN)]
                pins += [join(target, item, cleaner.PIN) for item in items]
                if self.now - record["time"] <= self.lifetime or any(os.path.lexists(pin) for pin in pins):
                    continue
                for item in items:
                    if os.sep in item or item in ("", ".", ".."):
                        raise DoubtError(f"{item!r} is not a name")
                    delete(join(target, item), join(records, item + cleaner.DELETING))
                os.remove(join(records, name))
                print(f"deleted {', '.join(items)} in {target}")
            except (OSError, DoubtError, ValueError, KeyError, TypeError) as error:
                self.fail(f"{join(records, name)}: kept: {error}")


def is_real(root: str, folder: str) -> bool:
    """Whether a folder and all above it, up to the root, are folders of one volume and not links."""
    path, device = root, os.lstat(root).st_dev
    for part in os.path.relpath(folder, root).split(os.sep):
        path = join(path, part)
        if not is_folder(path) or os.lstat(path).st_dev != device:
            return False
    return True


def make_folders(root: str, folder: str) -> None:
    """Make a folder and those above it. A link on the way is an error."""
    if not is_folder(root):
        raise DoubtError(f"{root} is not a folder")
    os.makedirs(folder, exist_ok=True)
    if not is_real(root, folder):
        raise DoubtError(f"{folder} is not a folder of the volume")


def paths_of(path: str) -> Iterator[str]:
    """A path, and all below it if it is a folder."""
    yield path
    if is_folder(path):
        for name in sorted(os.listdir(path)):
            yield from paths_of(join(path, name))


def copy(source: str, target: str) -> None:
    """Copy a file, link or folder with its times, and wait until it is on disk."""
    about = os.lstat(source)
    if stat.S_ISLNK(about.st_mode):
        os.symlink(os.readlink(source), target)
    elif stat.S_ISDIR(about.st_mode):
        os.mkdir(target)
        for name in os.listdir(source):
            copy(join(source, name), join(target, name))
        sync(target)
        os.utime(target, ns=(about.st_atime_ns, about.st_mtime_ns))
    else:
        shutil.copyfile(source, target)
        os.utime(target, ns=(about.st_atime_ns, about.st_mtime_ns))
        sync(target)


def contents(path: str) -> List[Tuple[str, str]]:
    """(path, digest of the content) of a file, link or folder, and of all below it."""
    found = []
    for one in paths_of(path):
        about, rest = os.lstat(one), os.path.relpath(one, path)
        if stat.S_ISLNK(about.st_mode):
            found.append((rest, f"link {os.readlink(one)}"))
        elif stat.S_ISDIR(about.st_mode):
            found.append((rest, "folder"))
        else:
            digest = hashlib.sha256()
            with open(one, "rb") as stream:
                for block in iter(lambda: stream.read(BLOCK), b""):
                    digest.update(block)
            found.append((rest, digest.hexdigest()))
    return found


def delete(path: str, renamed: str) -> None:
    """Delete a file or folder, under another name first, so that a part of it never has its name."""
    if os.path.lexists(path):
        os.rename(path, renamed)
    if is_folder(renamed):
        shutil.rmtree(renamed)
    elif os.path.lexists(renamed):
        os.remove(renamed)


def sync(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="backslashreplace", line_buffering=True)  # type: ignore[union-attr]
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    cleaner.Pass = Pass
    sys.exit(cleaner.main(dict(os.environ), time.time()))
