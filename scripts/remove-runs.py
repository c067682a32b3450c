# Removes the checkpoint folders of the runs RUNS, which are no longer in the tree, and prints what it does with each of them.
"""Remove the checkpoint folders of runs. The Python standard library, from version 3.9 on, is all that it needs.

RUNS is a JSON list of names. The folder of a run is ROOT/FOLDER/NAME/AFTER. A folder is removed only if its file .tjgen-run
names that run, if it and its checkpoints have no pin, if no other folder resumes from it, if no link leads into it, and if
nothing in it has changed for QUIET seconds. A folder that stays for any reason needs the folder that it resumes from.

A folder moves to .tjgen-removed next to it, is checked again there, and is deleted after QUIET seconds if nothing needs it by
then. The Job waits for that. All times are those of the volume. The exit code is 1 if a folder stays for another reason than
a pin.
"""

import hashlib
import json
import math
import os
import signal
import stat
import sys
import time
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Sequence, Tuple

if TYPE_CHECKING:
    from deletion import (
        ERRORS,
        MARK,
        PIN,
        REMOVED,
        DoubtError,
        RefusedError,
        Remover,
        Surroundings,
        exists,
        is_below,
        is_folder,
        join,
        make_folder,
        read_mark,
    )


class NeededError(Exception):
    """A folder stays as long as another one does."""


class Facts(NamedTuple):
    newest: float  # The time of the last change below a folder.
    entries: int
    size: int  # Bytes.
    content: str  # A digest of names, sizes and times.
    pin: str  # A pin of the folder or of a checkpoint in it; "" if there is none.


class Pass(Remover):
    """The folders of some runs."""

    trash = REMOVED

    def __init__(self, told: Dict[str, str]) -> None:
        root, after = told["ROOT"], told["AFTER"]
        quiet = int(told["QUIET"])
        super().__init__(root, join(root, told["FOLDER"]), after, 0, quiet)
        # A run resumes from an earlier one, so the newest goes first.
        self.folders = {run: join(self.base, run, after) for run in reversed(json.loads(told["RUNS"]))}
        self.names: List[str] = []  # What is in the folder that is decided about.
        self.moved = -math.inf  # When the last folder moved.

    def run(self) -> int:
        try:
            if not is_folder(self.root):
                raise RefusedError(f"{self.root} is not a folder")
            if self.move_all():
                print(f"what moved is deleted in {self.grace:g} seconds, unless something needs it by then")
            parents = sorted({os.path.dirname(folder) for folder in self.folders.values()})
            for parent in [parent for parent in parents if self.is_there(parent) and exists(join(parent, REMOVED))]:
                self.finish(parent)
        except (OSError, RefusedError) as error:
            self.fail(f"nothing is removed from here on: {error}")
        return 1 if self.problems else 0

    def move_all(self) -> int:
        """Move each folder that nothing needs to the trash; how many moved.

        What a folder needs that moves is needed no more, so the others are tried again.
        """
        waiting, moved, before = dict(self.folders), 0, -1
        while moved != before:
            before, reasons = moved, {}
            for run, folder in list(waiting.items()):
                try:
                    moved += self.remove(run, folder)
                except NeededError as error:
                    reasons[folder] = error
                    continue
                except (DoubtError, RefusedError, *ERRORS) as error:
                    self.fail(f"{folder}: kept: {error}")
                del waiting[run]
        for folder, reason in reasons.items():
            self.fail(f"{folder}: kept: {reason}")
        return moved

    def finish(self, parent: str) -> None:
        """Wait for the grace period of what moved, and delete what nothing needs by then."""
        trash = join(parent, REMOVED)
        self.now = clock(parent, self.token)
        while self.now - self.moved <= self.grace:
            wait(max(self.grace - self.now + self.moved, 0.1))
            self.now = clock(parent, self.token)
        # A folder that comes back may need another one.
        while self.empty_trash(parent, deletes=False):
            continue
        self.empty_trash(parent)
        if not os.listdir(trash):
            os.rmdir(trash)

    def is_there(self, folder: str) -> bool:
        """Whether a folder exists. A link on the way is an error."""
        try:
            return self.inside(folder)
        except FileNotFoundError:
            return False

    def remove(self, run: str, folder: str) -> bool:
        """Move one folder to the trash; whether it moved. Raises an error if it has to stay."""
        parent, name = os.path.split(folder)
        earlier = join(parent, f"{REMOVED}-{name}")
        if exists(earlier):
            print(f"{earlier}: kept: an earlier release has left it without a record: delete it if nothing needs it")
        if not exists(folder):
            print(f"{folder}: does not exist")
            return False
        if not self.inside(folder):
            raise DoubtError("it is not a folder of the volume")
        mark = read_mark(folder) or ["no run"]
        if mark[0] != run:
            raise DoubtError(f"{MARK} names {mark[0]}")
        facts = survey_content(folder)
        pin = self.pin(parent, name, run, facts)
        if pin:
            print(f"{folder}: kept: pinned by {pin}")
            return False
        self.names = os.listdir(folder)
        why = self.need(parent, [name], self.survey())
        if why:
            raise NeededError(why)
        now = clock(parent, self.token)
        if facts.newest > now - self.grace:
            raise DoubtError(f"it has changed in the last {self.grace:g} seconds, so something may still write to it")
        record = {"run": run, "content": facts.content, "time": now}
        why = self.take(parent, name, [name], record, lambda place: self.doubt(parent, place, record, name))
        if why:
            raise DoubtError(why)
        self.moved = now
        print(f"{folder}: removed, {facts.entries} entries with {facts.size} bytes")
        return True

    def doubt(self, parent: str, place: str, record: Dict[str, Any], name: str) -> str:
        """Why a folder, which is in `place` now, must stay after all; "" if it need not."""
        if self.content(place, [name]) != record["content"]:
            return "it changed while it was checked"
        return self.stays(parent, place, {**record, "items": [name]}, self.survey())

    # The decision

    def content(self, place: str, items: Sequence[str]) -> str:
        return survey_content(join(place, items[0])).content

    def stays(self, folder: str, entry: str, record: Dict[str, Any], around: "Surroundings") -> str:
        [name] = record["items"]
        mark = read_mark(join(entry, name)) or ["no run"]
        pin = self.pin(folder, name, record["run"], survey_content(join(entry, name)))
        if pin:
            return f"pinned by {pin}"
        if mark[0] != record["run"]:
            return f"{MARK} names {mark[0]}"
        self.names = os.listdir(join(entry, name))
        return self.need(folder, [name], around)

    def pin(self, parent: str, name: str, run: str, facts: Facts) -> str:
        """The pin of a folder, or of a checkpoint in it; "" if there is none."""
        return facts.pin or next((pin for pin in (join(parent, name + PIN), join(self.base, run, PIN)) if exists(pin)), "")

    def is_near(self, where: str, folder: str, around: "Surroundings") -> bool:
        return not any(is_below(where, other) for other in around.marked)

    def endings(self, path: str, near: bool) -> List[List[str]]:
        """A pod may mount the folder of its run alone, and a link that no run marked may be of any run."""
        whole = os.path.relpath(path, self.base).split(os.sep)
        return [whole, *([name] for name in self.names if near)]

    def last_doubt(self, folder: str, place: str, record: Dict[str, Any], proof: object) -> str:
        if exists(join(folder, record["items"][0])):
            return f"{record['run']} has a folder again"
        return super().last_doubt(folder, place, record, proof)

    def keep(self, entry: str, why: str) -> None:
        self.fail(f"{entry}: kept: {why}")


def survey_content(folder: str) -> Facts:
    """What a folder holds. Raises DoubtError for a mount in it."""
    about = os.lstat(folder)
    device, newest, entries, size, pin = about.st_dev, about.st_mtime, 0, 0, ""
    made, todo = hashlib.sha256(), [folder]
    while todo:
        place = todo.pop()
        for name in sorted(os.listdir(place)):
            path = join(place, name)
            about = os.lstat(path)
            if about.st_dev != device:
                raise DoubtError(f"{path} is on another file system")
            newest, entries = max(newest, about.st_mtime, about.st_ctime), entries + 1
            if name == PIN or name.endswith(PIN):
                pin = pin or path
            is_dir = stat.S_ISDIR(about.st_mode)
            if is_dir:
                todo.append(path)
            else:
                size += about.st_size
            facts: Tuple[object, ...] = (os.path.relpath(path, folder), about.st_mode)
            if not is_dir:
                facts += (about.st_size, about.st_mtime_ns)
            made.update(repr(facts).encode("utf-8", "surrogateescape"))
    return Facts(newest, entries, size, made.hexdigest(), pin)


def clock(parent: str, token: str) -> float:
    """The time of the volume: that of an empty folder which is made in the trash. The clock of the node may differ from it."""
    trash = join(parent, REMOVED)
    probe = join(trash, f"clock.{token}")
    make_folder(trash)
    os.mkdir(probe)
    now = os.lstat(probe).st_mtime
    os.rmdir(probe)
    return now


def wait(seconds: float) -> None:
    time.sleep(seconds)


def main(told: Dict[str, str]) -> int:
    return Pass(told).run()


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="backslashreplace", line_buffering=True)  # type: ignore[union-attr]
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    sys.exit(main(dict(os.environ)))
