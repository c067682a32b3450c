"""Moves the checkpoints that no rule keeps into a trash folder, and deletes what has been there for the grace period.

The cleaner removes only what it is sure about. It works in a folder whose file .tjgen-run names the run or experiment
that the folder belongs to. What it cannot read, order, or evaluate stays where it is, and the program exits with 1.

A checkpoint is complete if its name is NAME and a number of at most 9 digits, and layouts.toml defines the rest:
- it is a folder with a file MARKER, with at least one file that is not empty, and without empty files but flags and shards; or
- with FILES, it is one file for each suffix of FILES, none empty, none changed in the last ten minutes.
The newest checkpoint is the complete one with the highest number. Where times disagree with numbers, nothing moves.

With INDEX, each pass also appends what is new to the file .tjgen-checkpoints.jsonl of the folder: one line for each
complete checkpoint with its name, step, size in bytes, time of completion and the numbers of its file METRICS, and one
line for each checkpoint that is gone. Without LAST, a pass does only this.

A pass can be killed at any point, and passes can run at the same time: deletion.py, with which this program begins, moves
and deletes.
"""

import fnmatch
import json
import math
import os
import re
import signal
import stat
import sys
import time
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

if TYPE_CHECKING:
    from deletion import (
        LOST,
        MARK,
        REMOVED,
        SETTLED,
        TRASH,
        DoubtError,
        RefusedError,
        Remover,
        Source,
        Surroundings,
        digest,
        exists,
        is_folder,
        join,
        listing,
        pinned,
        read_mark,
    )

STATE = ".tjgen-cleaner.json"
INDEX = ".tjgen-checkpoints.jsonl"
SKEW = 60  # Seconds that the clocks of the cleaner and of the storage may differ.
MOST_OF_INDEX = 1 << 24  # Bytes.
MOST_PRINTED = 500  # Lines of each index that the log shows.
METRIC = re.compile(r"[ !#-\[\]-~]{1,100}")  # Names that JSON writes without escapes.
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
DIGITS = 9  # The most that the number of a checkpoint has.
# Generated from layouts.toml: files that contain nothing by design, and empty files with the file that must be next to them.
FLAGS = ("_SUCCESS", ".keep")
SHARDS = (("*.distcp", ".metadata"),)
# End of what is generated.
FEWEST = 1  # Complete checkpoints that each run keeps. A run that was given up could allow 0 here.


class Rules(NamedTuple):
    name: str
    marker: str
    files: Tuple[str, ...]
    last: int
    best: int
    nth: int
    metric: str
    key: str
    mode: str


class Checkpoint(NamedTuple):
    number: int
    name: str
    items: Tuple[str, ...]  # The entries of the folder that it consists of.
    time: float
    size: int  # Bytes.
    content: str  # A digest of names, sizes, times, and the marker of all that it holds.
    metric: Optional[float]
    problem: str  # Why the metric is not known.


class Pass(Remover):
    """One pass over all folders."""

    def __init__(self, told: Dict[str, str], now: float) -> None:
        root, owner, limits = told["ROOT"], told.get("OWNER", ""), told
        base = join(root, told.get("FOLDER", ""))
        self.indexes, self.metrics = told.get("INDEX") == "true", told.get("METRICS", "")
        self.removes = not self.indexes or "LAST" in told
        if not self.removes:
            limits = {"LAST": "0", "GRACE": "0", "MOST": "0"}
        super().__init__(root, base, told.get("AFTER", ""), now, float(limits["GRACE"]))
        self.owner = owner
        self.owners: Dict[str, str] = {}  # Folder -> the name that its mark must have.
        if owner and base != root:
            self.start = os.path.dirname(base)
        self.rules = Rules(
            told["NAME"], told.get("MARKER", ""), tuple(json.loads(told.get("FILES", "[]"))), int(limits["LAST"]),
            int(told.get("BEST", "0")), int(told.get("NTH", "0")), told.get("METRIC", ""), told.get("METRIC_KEY", ""),
            told.get("MODE", "min"),
        )  # fmt: skip
        self.sources = [Source("", join(root, one), "the experiment") for one in json.loads(told.get("SOURCES", "[]"))]
        self.left, self.dry = int(limits["MOST"]), told.get("DRY_RUN") == "true"
        if (
            (self.removes and self.rules.last < 1)
            or (self.rules.best and not self.rules.metric)
            or self.rules.mode not in ("min", "max")
        ):
            raise ValueError("LAST must be 1 or more, BEST needs METRIC, and MODE is min or max")

    def run(self) -> int:
        try:
            folders = list(self.folders())
        except (OSError, RefusedError) as error:
            self.fail(f"{self.base}: nothing moves: {error}")
            return 1
        cleaned = unmarked = 0
        for folder, owner in folders:
            try:
                mark = read_mark(folder)
                if mark and mark[0] == owner:
                    cleaned += 1
                    if self.removes:
                        self.clean(folder, owner)
                    else:
                        self.index(folder, self.scan(folder)[0])
                elif any(self.numbered(folder)):
                    unmarked += 1
                    print(f"{folder}: skipped: {MARK} names {mark[0] if mark else 'no run'}, not {owner}")
            except (OSError, RefusedError) as error:
                self.fail(f"{folder}: nothing moves: {error}")
        if unmarked and not cleaned:
            self.fail(f"{self.base}: no folder is marked by its run: a run writes TJGEN_CHECKPOINT_OWNER to the file {MARK}")
        return 1 if self.problems else 0

    # Where to work ------------------------------------------------------------------------------------------------

    def folders(self) -> Iterator[Tuple[str, str]]:
        """The folders with checkpoints, and the name that the mark of each must have. No link is followed."""
        if not is_folder(self.root):
            raise RefusedError(f"{self.root} is not a folder")
        if not self.inside(self.base):
            return
        runs = [("", self.owner)] if self.owner else [(name, name) for name in sorted(os.listdir(self.base))]
        for run, owner in runs:
            if run in (LOST, TRASH, REMOVED):
                continue
            folder = join(self.base, run, self.after)
            if self.inside(folder):
                yield folder, owner

    # One folder ---------------------------------------------------------------------------------------------------

    def clean(self, folder: str, owner: str) -> None:
        self.owners[folder] = owner
        first = not self.dry and self.is_first(folder)
        if not self.dry and not first:
            self.empty_trash(folder)
        seen = self.snapshot(folder)
        complete, _ = self.scan(folder)
        if self.indexes:
            self.index(folder, complete)
        kept = self.plan(folder, complete, self.survey(folder))
        going = [one for one in complete if one.name not in kept]
        for one in complete:
            print(f"{folder}/{one.name}: {'keep: ' + kept[one.name] if one.name in kept else 'remove'}")
        if first:
            print(f"{folder}: dry run: the first pass with these rules moves nothing")
            self.write(join(folder, STATE), {"rules": self.rules._asdict(), "time": self.now})
        if self.dry or first:
            return
        for one in going[: self.left]:
            why = self.move(folder, one, seen)
            if why:
                print(f"{folder}: {one.name} stays: {why}: the rest waits for the next pass")
                break
            self.left -= 1

    def is_first(self, folder: str) -> bool:
        """Whether no pass has seen this folder with these rules."""
        try:
            with open(join(folder, STATE), encoding="utf-8") as stream:
                return bool(json.load(stream)["rules"] != json.loads(json.dumps(self.rules._asdict())))
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return True

    def numbered(self, folder: str) -> Iterator[Tuple[int, str, str]]:
        """(number, name of the checkpoint, entry) of each entry with an exact name."""
        endings = "|".join(re.escape(one) for one in self.rules.files)
        form = re.compile(f"({re.escape(self.rules.name)}([0-9]+))({endings})")
        for entry in sorted(os.listdir(folder)):
            found = form.fullmatch(entry)
            if found:
                yield int(found[2]), found[1], entry

    def scan(self, folder: str) -> Tuple[List[Checkpoint], List[Tuple[str, str]]]:
        """The complete checkpoints by number, and the links in them."""
        groups: Dict[Tuple[int, str], List[str]] = {}
        for number, name, entry in self.numbered(folder):
            groups.setdefault((number, name), []).append(entry)
        long = [name for number, name in groups if len(name) - len(self.rules.name) > DIGITS]
        if long:
            raise RefusedError(f"the number of {long[0]} has more than {DIGITS} digits: rename it")
        numbers = sorted(number for number, _ in groups)
        twice = [one for one, other in zip(numbers, numbers[1:]) if one == other]
        if twice:
            raise RefusedError(f"two checkpoints have the number {twice[0]}")
        complete: List[Checkpoint] = []
        links: List[Tuple[str, str]] = []
        rest: List[str] = []
        for (number, name), items in sorted(groups.items()):
            try:
                one = self.read(folder, number, name, items, links)
            except FileNotFoundError:
                rest.append(name)  # It changes, or goes, while it is read.
            except DoubtError as error:
                self.fail(f"{folder}/{name}: kept and not counted: {error}")
            else:
                if one:
                    complete.append(one)
                else:
                    rest.append(name)
        if rest:
            print(f"{folder}: kept, since not complete: {', '.join(rest)}")
        if not complete and len(rest) > max(self.rules.last, FEWEST):
            self.fail(f"{folder}: none of {len(rest)} checkpoints is complete: check name, marker and files of the experiment")
        return complete, links

    def read(self, folder: str, number: int, name: str, items: List[str], links: List[Tuple[str, str]]) -> Optional[Checkpoint]:
        """The checkpoint if it is complete, else None."""
        rules, proofs = self.rules, self.proofs(folder, items)
        if rules.files and {name + suffix for suffix in rules.files} != set(items):
            return None
        if not rules.files and not (is_folder(join(folder, name)) and os.path.lexists(proofs[0])):
            return None
        if any(not stat.S_ISREG(os.lstat(proof).st_mode) for proof in proofs):
            raise DoubtError(f"{proofs[0]} is not a file")
        tree = listing(folder, items)
        links += [(join(folder, os.path.dirname(path)), str(about)) for path, kind, about, _ in tree if kind == "link"]
        files = {path: (int(str(size)), when // 10**9) for path, kind, size, when in tree if kind == "file"}
        unreadable = [path for path in files if not os.access(join(folder, path), os.R_OK)]
        if unreadable:
            raise DoubtError(f"{unreadable[0]} cannot be read")
        files = {path: about for path, about in files.items() if os.path.basename(path) not in FLAGS}
        empty = next((path for path, (size, _) in files.items() if not size and not is_shard(path, files)), "")
        if empty or not any(size for size, _ in files.values()):
            raise DoubtError(f"{empty or 'each file'} is empty")
        stats = [os.lstat(proof) for proof in proofs]
        when = max(one.st_mtime for one in stats)
        if rules.files and when > self.now - SETTLED and when <= self.now + SKEW:
            return None
        value, problem = self.evaluate(self.file(folder, name, rules.metric)) if rules.best else (None, "")
        size = sum(int(str(about)) for _, kind, about, _ in tree if kind == "file")
        return Checkpoint(number, name, tuple(items), when, size, digest(tree, proofs), value, problem)

    def proofs(self, place: str, items: Sequence[str]) -> List[str]:
        """The files that show that a checkpoint is complete."""
        return [join(place, item) if self.rules.files else join(place, item, self.rules.marker) for item in items]

    def file(self, place: str, name: str, file: str) -> str:
        """The path of a file of a checkpoint, which with FILES is one of its endings."""
        return join(place, name + file) if self.rules.files else join(place, name, file)

    def snapshot(self, folder: str) -> Dict[str, object]:
        """What changes when a checkpoint comes, goes, or is replaced, or when its marker or metric is written."""
        return {entry: self.state(folder, entry) for _, _, entry in self.numbered(folder)}

    def state(self, place: str, entry: str) -> object:
        if self.rules.files:
            return file_state(join(place, entry))
        names = [name for name in (self.rules.marker, self.rules.metric) if name]
        return (inode(join(place, entry)), *(file_state(join(place, entry, name)) for name in names))

    def evaluate(self, path: str) -> Tuple[Optional[float], str]:
        """The metric; else None and why it is not known, "" where it is yet to be written."""
        try:
            text = self.settled(path)
            if text is None:
                return None, ""
            if self.rules.key:
                value = json.loads(text, parse_constant=lambda word: word)[self.rules.key]
                if isinstance(value, bool) or not isinstance(value, (int, float)):
                    return None, f"has no number {self.rules.key}"
            elif NUMBER.fullmatch(text):
                value = text
            else:
                return None, "is not a number"
            return (float(value), "") if math.isfinite(float(value)) else (None, "is not a finite number")
        except FileNotFoundError:
            return None, ""
        except DoubtError as error:
            return None, str(error)
        except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            return None, f"cannot be read: {error!r}"

    def settled(self, path: str) -> Optional[str]:
        """The text of a file with metrics; None if it was just written, so that it may be half of it."""
        about = os.lstat(path)
        if not stat.S_ISREG(about.st_mode):
            raise DoubtError("is not a file")
        if about.st_mtime > self.now - SKEW:
            return None
        with open(path, "rb") as stream:
            return stream.read(1 << 24).decode("utf-8").strip(" \t\r\n")

    # The index ----------------------------------------------------------------------------------------------------

    def index(self, folder: str, complete: List[Checkpoint]) -> None:
        """Append what is new to the index of a folder, and print the index. Its problems stop nothing else."""
        path = join(folder, INDEX)
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o644)
            with open(descriptor, "r+b", buffering=0) as stream:
                about = os.fstat(descriptor)
                if not stat.S_ISREG(about.st_mode) or about.st_size > MOST_OF_INDEX:
                    raise DoubtError(f"is not a file of at most {MOST_OF_INDEX} bytes: move it away")
                old = stream.read()
                new = [json.dumps(entry) for entry in self.news(folder, complete, last_entries(old))]
                # A pass that was killed may have left half a line, which stays a line of its own.
                start = "\n" if new and old and not old.endswith(b"\n") else ""
                if new:
                    stream.write((start + "".join(f"{line}\n" for line in new)).encode())
                    os.fsync(descriptor)
        except (OSError, DoubtError) as error:
            self.fail(f"{path}: not written: {error}")
            return
        for line in [*old.decode("utf-8", "replace").splitlines(), *new][-MOST_PRINTED:]:
            print(f"{path}: {line}")

    def news(self, folder: str, complete: List[Checkpoint], known: Dict[str, Dict[str, object]]) -> Iterator[Dict[str, object]]:
        """The lines that an index lacks, from the last line of each checkpoint in it."""
        for one in complete:
            metrics = self.numbers(self.file(folder, one.name, self.metrics)) if self.metrics else {}
            entry = {"name": one.name, "step": one.number, "bytes": one.size, "time": utc(one.time), "metrics": metrics}
            if metrics is not None and known.get(one.name) != entry:
                yield entry
        here = {name for _, name, _ in self.numbered(folder)}
        for name, entry in known.items():
            if name not in here and "removed" not in entry:
                yield {"name": name, "removed": utc(self.now)}

    def numbers(self, path: str) -> Optional[Dict[str, float]]:
        """The finite numbers of a JSON object, or the one number of a file under its name; None if it was just written."""
        try:
            text = self.settled(path)
            if text is None:
                return None
            single = {self.metrics.lstrip("."): float(text)} if NUMBER.fullmatch(text) else None
            found = json.loads(text) if single is None else single
            if not isinstance(found, dict):
                raise DoubtError("is neither a number nor a JSON object")
            numbers = {key: value for key, value in found.items() if type(value) in (int, float) and METRIC.fullmatch(key)}
            return {key: float(value) for key, value in numbers.items() if math.isfinite(value)}
        except FileNotFoundError:
            return {}
        except (OSError, DoubtError, ValueError, OverflowError, RecursionError) as error:
            self.fail(f"{path}: not in the index: {error}")
            return {}

    # What stays ---------------------------------------------------------------------------------------------------

    def plan(self, folder: str, complete: List[Checkpoint], around: Surroundings) -> Dict[str, str]:
        """Name of each checkpoint that stays -> why. `complete` is in the order of its numbers."""
        rules, kept = self.rules, {}
        for one in complete:
            if one.time > self.now + SKEW:
                raise RefusedError(f"{one.name} is from the future")
        for older, newer in zip(complete, complete[1:]):
            if newer.time < older.time:
                raise RefusedError(f"{newer.name} was completed before {older.name}: numbers and times disagree")
        for one in complete[-rules.last :]:
            kept[one.name] = "last"
        for one in complete:
            if rules.nth and one.number % rules.nth == 0:
                kept.setdefault(one.name, f"multiple of {rules.nth}")
            reason = pinned(folder, folder, one.name, one.items) or self.need(folder, one.items, around)
            if reason:
                kept.setdefault(one.name, reason)
            if rules.best and one.metric is None:
                if one.problem or one.name not in kept:
                    self.fail(f"{folder}/{one.name}: kept: its {rules.metric} {one.problem or 'is missing or was just written'}")
                kept.setdefault(one.name, "not evaluated")
        sign = 1 if rules.mode == "max" else -1
        evaluated = [one for one in complete if one.metric is not None]
        for one in sorted(evaluated, key=lambda one: (sign * (one.metric or 0), one.number), reverse=True)[: rules.best]:
            kept.setdefault(one.name, f"best: {one.metric}")
        if complete and len(kept) < FEWEST:
            raise RefusedError("no complete checkpoint would stay")
        return kept

    # Moving and deleting ------------------------------------------------------------------------------------------

    def move(self, folder: str, one: Checkpoint, seen: Dict[str, object]) -> str:
        """Move a checkpoint to the trash; else why it stays."""
        record = {"content": one.content, "time": self.now}
        why = self.take(folder, one.name, one.items, record, lambda place: self.doubt(folder, place, one, seen))
        if not why:
            for item in one.items:
                del seen[item]
        return why

    def doubt(self, folder: str, place: str, one: Checkpoint, seen: Dict[str, object]) -> str:
        """What the decision rests on and is no longer as it was; "" if the checkpoint, now in `place`, may go."""
        here = {**self.snapshot(folder), **{item: self.state(place, item) for item in one.items}}
        again = place != folder and any(exists(join(folder, item)) for item in one.items)
        if again or here != seen or self.content(place, one.items) != one.content:
            return "something changed during the pass"
        why = pinned(folder, place, one.name, one.items)
        return why or self.of_another(folder) or self.need(folder, one.items, self.survey(folder))

    def of_another(self, folder: str) -> str:
        """Whose folder it is, if it is no longer that of the run."""
        mark = read_mark(folder)
        return "" if mark and mark[0] == self.owners[folder] else f"{MARK} names {mark[0] if mark else 'no run'}"

    def content(self, place: str, items: Sequence[str]) -> str:
        return digest(listing(place, items), self.proofs(place, items))

    def last_doubt(self, folder: str, place: str, record: Dict[str, Any], proof: object) -> str:
        return self.of_another(folder) or super().last_doubt(folder, place, record, proof)


# Files ------------------------------------------------------------------------------------------------------------


def last_entries(index: bytes) -> Dict[str, Dict[str, object]]:
    """The last whole line of an index about each checkpoint, by its name."""
    found: Dict[str, Dict[str, object]] = {}
    for line in index.decode("utf-8", "replace").splitlines():
        try:
            entry = json.loads(line)
            found[str(entry["name"])] = entry
        except (ValueError, TypeError, KeyError, RecursionError):
            continue
    return found


def utc(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def is_shard(path: str, files: Dict[str, Tuple[int, int]]) -> bool:
    """Whether an empty file is that of a process without data. `files` has the size and the time in seconds of each file."""
    place, name = os.path.split(path)
    for pattern, proof in SHARDS:
        if fnmatch.fnmatchcase(name, pattern):
            size, when = files.get(os.path.join(place, proof), (0, 0))
            beside = (os.path.split(other) for other in files if files[other][0])
            others = any(where == place and fnmatch.fnmatchcase(other, pattern) for where, other in beside)
            return size > 0 and files[path][1] <= when + SKEW and others
    return False


def inode(path: str) -> Optional[int]:
    about = file_state(path)
    return about[0] if about else None


def file_state(path: str) -> Optional[Tuple[int, int, int]]:
    try:
        about = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return about.st_ino, about.st_mtime_ns, about.st_size


def main(told: Dict[str, str], now: float) -> int:
    """The exit code of a pass. Problems also go to the termination message, which the status of the pod shows."""
    try:
        work = Pass(told, now)
    except (KeyError, ValueError) as error:
        print(f"cannot start: {error!r}", file=sys.stderr)
        return 1
    code = work.run()
    message = told.get("TERMINATION_LOG", "/dev/termination-log")
    if work.problems and os.path.exists(message):
        with open(message, "w", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write("\n".join(work.problems)[:2000])
    return code


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="backslashreplace", line_buffering=True)  # type: ignore[union-attr]
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    sys.exit(main(dict(os.environ), time.time()))
