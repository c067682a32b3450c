# Runs the cleaner, whose text is the first argument, so that checkpoints stay for a time and then move to a second volume.
"""Keep checkpoints by their age, and move what the cleaner removes to another volume. It needs Python 3.9 and no package.

A checkpoint that was completed less than OLDER_THAN seconds ago stays. With COLD, the mount of another volume, what has been
in the trash for the grace period is deleted only if this pass has read an equal checkpoint in the same folder below COLD_PATH
there. What is missing there is copied. Before a copy gets its name, a record of its files with their sizes and digests is
written to .tjgen-moved. With DELETE_AFTER, what a record names is deleted there after that many seconds, in the steps of the
cleaner: it moves to .tjgen-expired first. What differs from its record, or has no record, was not moved there, and stays.
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
from typing import Any, Dict, Iterator, List, Sequence

cleaner: Any = types.ModuleType("cleaner")
exec(compile(sys.argv[1], "cleaner", "exec"), cleaner.__dict__)
join, is_folder, exists, DoubtError = cleaner.join, cleaner.is_folder, cleaner.exists, cleaner.DoubtError

RECORDS, COPIES = ".tjgen-moved", ".tjgen-moving"
ABANDONED = 3600  # Seconds after which the pass that began a copy has ended: the deadline of its Job.
BLOCK = 1 << 22


class Pass(cleaner.Pass):  # type: ignore[misc]
    """One pass over all folders of the first volume, and over what was moved from there."""

    def __init__(self, told: Dict[str, str], now: float) -> None:
        super().__init__(told, now)
        self.age = float(told.get("OLDER_THAN", "0"))
        self.cold = join(told["COLD"], told.get("COLD_PATH", "")) if "COLD" in told else ""
        self.archive = Archive(told["COLD"], self.cold, self, float(told.get("DELETE_AFTER", "0"))) if self.cold else None

    def plan(self, folder: str, complete: List[Any], around: Any) -> Dict[str, str]:
        kept: Dict[str, str] = super().plan(folder, complete, around)
        for one in complete:
            if self.now - one.time < self.age:
                kept.setdefault(one.name, f"completed less than {self.age / 86400:g} days ago")
        return kept

    def target(self, folder: str) -> str:
        """The folder of the second volume for a folder of the first one."""
        return str(join(self.cold, os.path.relpath(folder, self.root)))

    def empty_trash(self, folder: str, deletes: bool = True) -> bool:
        found = bool(super().empty_trash(folder, deletes))
        if self.archive is not None and is_folder(self.target(folder)):
            self.archive.sweep(self.target(folder))
            self.archive.expire(self.target(folder))
        return found

    def prove(self, folder: str, entry: str, items: Sequence[str]) -> object:
        """Have an equal copy of an entry of the trash on the second volume, and read it; what it consists of."""
        if self.archive is None:
            return None
        target = self.target(folder)
        self.archive.make(target)
        content = {item: contents(join(entry, item)) for item in items}
        if not all(exists(join(target, item)) for item in items):
            self.archive.receive(entry, target, content)
        for item in items:
            if contents(join(target, item)) != content[item]:
                raise DoubtError(f"it cannot move to {target}: another checkpoint has the name {item} there")
        mark = join(target, cleaner.MARK)
        if not exists(mark):
            shutil.copy2(join(folder, cleaner.MARK), mark)
        sync(target)
        print(f"{entry}: {', '.join(items)} in {target} is equal")
        return cleaner.listing(target, items)

    def is_proven(self, folder: str, items: Sequence[str], proof: object) -> bool:
        return self.archive is None or cleaner.listing(self.target(folder), items) == proof


class Archive(cleaner.Remover):  # type: ignore[misc]
    """The second volume."""

    trash = cleaner.EXPIRED

    def __init__(self, root: str, base: str, owner: Pass, lifetime: float) -> None:
        super().__init__(root, base, owner.after, owner.now, owner.grace)
        self.problems, self.lifetime = owner.problems, lifetime

    def make(self, folder: str) -> None:
        """Make a folder and those above it. A link on the way is an error."""
        if not is_folder(self.root):
            raise DoubtError(f"{self.root} is not a folder")
        os.makedirs(folder, exist_ok=True)
        if not self.inside(folder):
            raise DoubtError(f"{folder} is not a folder of the volume")

    # Copies

    def receive(self, entry: str, target: str, content: Dict[str, Any]) -> None:
        """Copy what is missing of an entry of a trash to a folder of this volume, in a folder of this pass first."""
        size = sum(int(about) for files in content.values() for _, about, kind in files if kind not in ("link", "folder"))
        free = shutil.disk_usage(target).free
        if size > free:
            raise DoubtError(f"it cannot move to {target}: it has {size} bytes, and {free} are free")
        items = [item for item in content if not exists(join(target, item))]
        copies, records = join(target, COPIES), join(target, RECORDS)
        own = join(copies, f"{os.path.basename(entry)}.{self.token}")
        for path in (copies, records, own):
            self.make(path)
        self.write(join(own, cleaner.RECORD), {"items": items, "time": self.now})
        try:
            for item in items:
                copy(join(entry, item), join(own, item))
            for item in items:
                if contents(join(own, item)) != content[item]:
                    raise DoubtError(f"it cannot move to {target}: the copy of {item} differs")
            # From here on, the copy is known as one of a pass, whatever its name is.
            inodes = {item: os.lstat(join(own, item)).st_ino for item in items}
            record = {"items": items, "inodes": inodes, "files": content, "time": self.now}
            self.write(join(records, f"{os.path.basename(entry)}.{self.token}.json"), record)
            for item in items:
                try:
                    cleaner.move_to_new(join(own, item), join(target, item))
                except OSError as error:
                    if not exists(join(target, item)):
                        raise
                    print(f"{join(target, item)}: not replaced: {error}")
            print(f"moved {entry} to {target}: {size} bytes")
        finally:
            cleaner.destroy(own, items)
            remove_if_empty(copies)

    def sweep(self, target: str) -> None:
        """Delete the copies of passes that were killed."""
        copies = join(target, COPIES)
        if not exists(copies) or not self.inside(copies):
            return
        for name in sorted(cleaner.listed(copies)):
            try:
                record = cleaner.read_record(join(copies, name))
                if record is None:
                    self.judge_leftover(join(copies, name))
                elif self.now - record["time"] > ABANDONED:
                    cleaner.destroy(join(copies, name), record["items"])
            except (DoubtError, *cleaner.ERRORS) as error:
                self.fail(f"{join(copies, name)}: kept: {error}")
        remove_if_empty(copies)

    # What was moved long ago

    def expire(self, target: str) -> None:
        """Move what was copied to a folder more than `lifetime` seconds ago to its trash, and delete what is there for long."""
        records = join(target, RECORDS)
        if not self.lifetime or not is_folder(records) or not self.inside(records):
            return
        for name in sorted(name for name in os.listdir(records) if name.endswith(".json")):
            try:
                self.expire_one(target, join(records, name))
            except (cleaner.RefusedError, DoubtError, *cleaner.ERRORS) as error:
                self.fail(f"{join(records, name)}: kept: {error}")
        self.empty_trash(target)

    def expire_one(self, target: str, path: str) -> None:
        """Move what a record names to the trash, if it is old enough and still what the pass has copied."""
        with open(path, encoding="utf-8") as stream:
            record = json.load(stream)
        if self.now - record["time"] <= self.lifetime:
            return
        if "inodes" not in record:
            print(f"{path}: kept: it is of an earlier release, which did not record what it copied: delete its items yourself")
            return
        items = [item for item in record["items"] if is_same(join(target, item), record["inodes"][item])]
        if items:
            check = {item: record["files"][item] for item in items}
            name = re.sub(r"\.[0-9]{15,}\.[0-9a-f]{16}\.json$", "", os.path.basename(path))
            pin = cleaner.pinned(target, target, name, items)
            if pin:
                print(f"{join(target, name)}: kept: {pin}")
                return
            facts = {"content": self.content(target, items), "time": self.now}
            why = self.take(target, name, items, facts, lambda place: self.doubt(target, place, name, check))
            if why:
                print(f"{join(target, name)}: kept: {why}")
                return
        else:
            print(f"{path}: not needed any more: none of {', '.join(record['items'])} is what was copied")
        os.remove(path)

    def doubt(self, target: str, place: str, name: str, files: Dict[str, Any]) -> str:
        """Why a copy, which is in `place` now, must stay."""
        for item, content in files.items():
            if contents(join(place, item)) != content:
                return f"{item} is not what was copied"
        items = list(files)
        return str(cleaner.pinned(target, place, name, items) or self.need(target, items, self.survey(target)))


def is_same(path: str, inode: int) -> bool:
    """Whether a file or folder is the one that was copied, and not another one of its name."""
    return exists(path) and os.lstat(path).st_ino == inode


def remove_if_empty(folder: str) -> None:
    """Remove a folder, unless another pass uses it or has removed it."""
    if not cleaner.listed(folder) and exists(folder):
        try:
            os.rmdir(folder)
        except OSError as error:
            print(f"{folder}: stays: {error}")


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


def contents(path: str) -> List[List[str]]:
    """[path, size or target, digest of the content or kind] of a file, link or folder, and of all below it."""
    found = []
    for one in paths_of(path):
        about, rest = os.lstat(one), os.path.relpath(one, path)
        if stat.S_ISLNK(about.st_mode):
            found.append([rest, os.readlink(one), "link"])
        elif stat.S_ISDIR(about.st_mode):
            found.append([rest, "", "folder"])
        else:
            digest = hashlib.sha256()
            with open(one, "rb") as stream:
                for block in iter(lambda: stream.read(BLOCK), b""):
                    digest.update(block)
            found.append([rest, str(about.st_size), digest.hexdigest()])
    return found


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
