"""A seed -> a random history of programs that delete, trainers, users, clocks, kills and errors on real folders, and its judge.

The programs are the cleaner, with or without a second volume, the Job that removes runs, and the copy of a prefetch, one or two
of them at a time. The judge knows what trainers and users did. It does not look at what the programs think. It checks after each
pass: what left its folder was complete and no rule kept it at that moment; what is deleted was in the trash for the grace period,
and needed by nothing; with a second volume, an equal copy is there; each run that stays keeps a complete checkpoint; the trash
holds nothing else; what is in no run's folder did not change, nor what users made on either volume. In the end it checks that the
programs were not idle.

    python -m tests.compiler.programs.keeping.histories 5000 [first seed]
"""

from __future__ import annotations

import contextlib
import errno
import io
import json
import mmap
import os
import random
import shutil
import struct
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor  # noqa: F401 - an import is a step, and must not be one of the copy
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

from tests.compiler.programs.keeping.interleaving import Fault, Process, Watch
from tjgen.compiler.programs.containers import script

MINUTE, HOUR, DAY = 60, 3600, 24 * 3600
ERRORS = (errno.ENOSPC, errno.ESTALE, errno.EIO)
GOOD = ("0.5", "1", "-2e-1\n", "3.25\r\n", ".5", "7.")
BAD = ("loss=0.3", "0,4", ".", "e5", "nan", '{"loss": 1}')


class WrongError(AssertionError):
    """A program did what it must not do."""


@dataclass
class Checkpoint:
    """What a trainer saved, as the trainer knows it."""

    uid: str
    number: int
    name: str
    time: float
    is_complete: bool = True
    is_empty: bool = False
    metric: str | None = None
    metric_time: float = 0
    is_pinned: bool = False
    moved_at: float = 0
    is_given_up: bool = False
    """Whether the trainer deleted what the cleaner had left of it."""
    where: str = "here"
    """Or "trash", "limbo" where a kill left some of its files in the trash, "cold" on the second volume alone, or "removed"."""
    cold_at: float = 0
    """When it was first on the second volume; 0 if it was not."""


@dataclass
class Run:
    """A folder of checkpoints."""

    folder: Path
    mark: str
    checkpoints: list[Checkpoint] = field(default_factory=list)
    links: dict[str, str] = field(default_factory=dict)
    """Name of a link -> name of the checkpoint that it leads to."""
    passes: int = 0
    number: int = 0
    sources: tuple[str, ...] = ()
    """Names of the runs that it resumes from."""
    is_pruned: bool = False
    is_pinned: bool = False

    def here(self) -> list[Checkpoint]:
        return [one for one in self.checkpoints if one.where == "here"]


class History:
    """One history in an empty folder."""

    def __init__(self, seed: int, place: Path, programs: Programs, watch: Watch) -> None:
        self.random = random.Random(seed)
        self.root, self.cold = place / "volume", place / "cold"
        self.root.mkdir()
        self.cold.mkdir()
        self.programs, self.watch = programs, watch
        self.clock = mmap.mmap(-1, 8)
        self.now = 4_000_000_000.0  # After the times that the kernel gives, which cannot be set.
        self.uids = 0
        self.counts: Counter[str] = Counter()
        chance = self.random
        self.files = [".pt", ".json"] if chance.random() < 0.25 else []
        self.marker = chance.choice(["_SUCCESS", ".metadata"])
        self.last, self.nth = chance.choice([1, 2, 2, 3]), chance.choice([0, 0, 3, 5])
        self.best = chance.choice([0, 0, 1, 2])
        self.mode = chance.choice(["min", "max"])
        self.grace = chance.choice([0, 20 * MINUTE, HOUR])
        self.most = chance.choice([1, 2, 10])
        self.has_cold = chance.random() < 0.4
        self.lifetime = chance.choice([0, 3 * HOUR, 5 * HOUR]) if self.has_cold else 0
        self.told = {
            "ROOT": str(self.root), "FOLDER": "", "AFTER": "", "NAME": "step-", "MARKER": self.marker, "LAST": str(self.last),
            "BEST": str(self.best), "METRIC": ".json" if self.files else "loss", "MODE": self.mode, "NTH": str(self.nth),
            "GRACE": str(self.grace), "MOST": str(self.most), "FILES": json.dumps(self.files), "TERMINATION_LOG": "/nowhere",
        }  # fmt: skip
        if self.has_cold:
            self.told |= {"COLD": str(self.cold), "DELETE_AFTER": str(self.lifetime)}
        self.links: dict[str, tuple[str, str, bool]] = {}
        """Name of a link at the root of the volume -> names of the run and of the checkpoint, and whether it is absolute."""
        self.owned: dict[Path, bytes] = {}
        """Files that users made outside of the folders of runs."""
        self.runs: list[Run] = []
        for name in ("run-a", "run-b")[: chance.choice([1, 1, 2])]:
            self.runs.append(self._run(name, name))
        self.others = [self._run("golden", chance.choice(["", "run-a", "other"]))]
        for number in range(1, 4):
            self.save(self.others[0], number=number * 1000)
        self.kept = self._content(self.others[0].folder)
        self.moves: list[tuple[Checkpoint, bool]] = []
        self.source = place / "source"
        self.source.mkdir()
        for number in range(4):
            (self.source / f"part-{number}").write_text(f"part {number}")
        self.state = self.root / ".tjgen-prefetch/0"
        # What was allowed at one moment at least of the passes that are judged:
        self.removable_once: set[str] = set()
        self.deletable_once: set[str] = set()
        self.movable_runs: set[str] = set()
        self.deletable_runs: set[str] = set()

    @property
    def now(self) -> float:
        """The time, which processes share."""
        return float(struct.unpack("d", self.clock[:])[0])

    @now.setter
    def now(self, value: float) -> None:
        self.clock[:] = struct.pack("d", value)

    def _run(self, name: str, mark: str, *sources: str) -> Run:
        made = Run(self.root / name, mark, sources=sources)
        made.folder.mkdir()
        if mark:
            self._mark(made)
        return made

    def _mark(self, run: Run) -> None:
        (run.folder / ".tjgen-run").write_text("\n".join([run.mark, *(f"resumes {source}" for source in run.sources)]))

    # Trainers and users

    def save(self, run: Run, *, number: int | None = None, **change: Any) -> Checkpoint:
        """A checkpoint with the next number, written under another name and renamed."""
        chance = self.random
        run.number = run.number + chance.choice([1, 1, 2]) if number is None else number
        self.uids += 1
        metric = chance.choice(GOOD) if chance.random() < 0.9 else chance.choice([*BAD, None])
        if self.files and metric is None:
            metric = "0.5"
        made = Checkpoint(f"uid {self.uids}", run.number, f"step-{run.number}", self.now, metric=metric)
        for key, value in change.items():
            setattr(made, key, value)
        made.metric_time = made.time
        self._displace(run, made.name)
        half = self.root.parent / "half"
        half.mkdir()
        for name, text in self._texts(made).items():
            (half / name).write_text(text, newline="")
            os.utime(half / name, (made.time, made.time))
        if self.files:
            for path in half.iterdir():
                path.rename(run.folder / path.name)
            half.rmdir()
        else:
            half.rename(run.folder / made.name)
        run.checkpoints.append(made)
        return made

    def _texts(self, made: Checkpoint) -> dict[str, str]:
        weights = "" if made.is_empty else made.uid
        if self.files:
            texts = {f"{made.name}.pt": weights, f"{made.name}.json": made.metric or ""}
            return texts if made.is_complete else {f"{made.name}.pt": weights}
        texts = {"weights": weights, **({"loss": made.metric} if made.metric is not None else {})}
        return {**texts, self.marker: "" if self.marker == "_SUCCESS" else "m"} if made.is_complete else texts

    def _displace(self, run: Run, name: str) -> None:
        """What has the name already goes, as when a trainer saves a step again."""
        for one in run.here():
            if one.name == name:
                self.delete(run, one)
        for one in run.checkpoints:
            if one.name == name and one.where == "limbo":
                self.delete(run, one)

    def delete(self, run: Run, one: Checkpoint) -> None:
        paths = self._paths(run, one)
        for path in paths:
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        (run.folder / f"{one.name}.keep").unlink(missing_ok=True)
        if one.where == "here" and len(paths) == (len(self._texts(one)) if self.files else 1):
            run.checkpoints.remove(one)
        else:
            one.where, one.is_given_up = "limbo", True  # The cleaner moves it at this moment, or moved a part of it.

    def _paths(self, run: Run, one: Checkpoint) -> list[Path]:
        names = [one.name + suffix for suffix in self.files] if self.files else [one.name]
        return [path for name in names if (path := run.folder / name).exists()]

    def act(self) -> str:
        """One random action of a trainer or a user."""
        self.look_again()
        if self.random.random() < 0.25:
            return self.act_outside()
        run = self.random.choice(self.runs)
        if not run.folder.is_dir():
            return "nothing"
        here = run.here()
        actions = ["save"] * 8 + ["half", "empty", "again", "pin", "link", "delete", "metric", "finish", "odd"]
        if run.is_pruned:
            actions = ["pin", "link", "delete", "odd", "odd"]
        actions += ["skewed", "future", "twice", "mark"] if not run.is_pruned and self.random.random() < 0.3 else []
        what = self.random.choice(actions)
        one = self.random.choice(here) if here else None
        match what:
            case "half":
                self.save(run, is_complete=False)
            case "empty":
                self.save(run, is_empty=True)
            case "skewed":
                self.save(run, time=self.now - self.random.choice([1, 50]) * HOUR)
            case "future":
                self.save(run, time=self.now + self.random.choice([5 * MINUTE, HOUR]))
            case "again" if one is not None:
                self.save(run, number=one.number)
            case "twice" if one is not None and not self.files:
                self.save(run, number=one.number, name=f"step-0{one.number}")
            case "pin" if one is not None:
                one.is_pinned = not one.is_pinned
                pin = run.folder / f"{one.name}.keep" if self.files else run.folder / one.name / ".keep"
                pin.touch() if one.is_pinned else pin.unlink(missing_ok=True)
            case "link":
                name = self.random.choice(["best", "latest"])
                (run.folder / name).unlink(missing_ok=True)
                run.links.pop(name, None)
                if one is not None and self.random.random() < 0.8:
                    target = one.name + (".pt" if self.files else "")
                    (run.folder / name).symlink_to(
                        self.random.choice([target, f"../{run.folder.name}/{target}", f"/ckpt/{target}"])
                    )
                    run.links[name] = one.name
            case "delete" if one is not None:
                self.delete(run, one)
            case "metric" if one is not None and not self.files:
                one.metric, one.metric_time = self.random.choice([*GOOD, *BAD]), self.now
                path = run.folder / one.name / "loss"
                path.write_text(one.metric, newline="")
                os.utime(path, (self.now, self.now))
            case "finish" if one is not None and not one.is_complete and not self.files:
                marker = run.folder / one.name / self.marker
                marker.write_text("" if self.marker == "_SUCCESS" else "m")
                os.utime(marker, (self.now, self.now))
                one.is_complete, one.time = True, self.now
            case "odd":
                (run.folder / self.random.choice(["step-9.pt.tmp", "step-", "step-1 copy", "events"])).touch()
            case "mark":
                run.mark = self.random.choice([run.folder.name, run.folder.name, "other"])
                self._mark(run)
            case "nothing":
                return what
            case _:
                self.save(run)
                what = "save"
        self.counts[what] += 1
        return what

    def act_outside(self) -> str:
        """One random action on a whole run, on the root of the volume, on a trash, or on the second volume."""
        chance = self.random
        run = chance.choice(self.runs)
        here = run.here() if run.folder.is_dir() else []
        one = chance.choice(here) if here else None
        what = chance.choice(
            ["resume", "prune", "prune", "pin run", "link", "unlink", "rename", "copy", "archive", "archive", "rescue", "odd"]
        )
        match what:
            case "resume" if len(self.runs) < 4:
                # A new run resumes from this one, which may be gone: then it does not start.
                if run.folder.is_dir():
                    name = f"run-{'cdef'[len(self.runs)]}"
                    self.runs.append(self._run(name, name, run.folder.name))
            case "prune":
                run.is_pruned = True
            case "pin run" if run.folder.is_dir():
                run.is_pinned = not run.is_pinned
                pin = run.folder / ".keep"
                pin.touch() if run.is_pinned else pin.unlink(missing_ok=True)
            case "link" if one is not None:
                name = chance.choice(["production", "demo"])
                (self.root / name).unlink(missing_ok=True)
                target = f"{run.folder.name}/{one.name}{'.pt' if self.files else ''}"
                target = chance.choice([target, f"/states/{target}", f"/mnt/all/{target}"])
                (self.root / name).symlink_to(target)
                self.links[name] = (run.folder.name, one.name, target.startswith("/"))
            case "unlink" if self.links:
                name = chance.choice(sorted(self.links))
                (self.root / name).unlink()
                del self.links[name]
            case "rename" | "copy" if one is not None and one.is_complete and not one.is_empty:
                place = self.root / f"saved-{self.uids}-{len(self.owned)}"
                place.mkdir()
                for path in self._paths(run, one):
                    shutil.copytree(path, place / path.name) if path.is_dir() else shutil.copy2(path, place / path.name)
                if what == "rename":
                    self.delete(run, one)
                self._own(place)
            case "archive" if self.has_cold and one is not None and one.is_complete and not one.is_empty:
                # A user copies a checkpoint to where the cleaner will, or puts another one there.
                there = self.cold / run.folder.name
                there.mkdir(exist_ok=True)
                is_equal = chance.random() < 0.5
                for path in self._paths(run, one):
                    to = there / path.name
                    if os.path.lexists(to):
                        replaced = [other for other in run.checkpoints if other.name == one.name and other.where == "cold"]
                        if is_equal or not replaced:
                            continue
                        for other in replaced:
                            other.is_given_up = True
                        shutil.rmtree(to) if to.is_dir() else to.unlink()
                        self.owned = {own: text for own, text in self.owned.items() if not own.is_relative_to(to)}
                    shutil.copytree(path, to) if path.is_dir() else shutil.copy2(path, to)
                    if not is_equal:
                        (to / "weights" if to.is_dir() else to).write_text("of a user")
                    self._own(to)
            case "rescue":
                self._rescue(run)
            case "odd":
                places = [self.root, self.root / ".tjgen-removed-x", self.cold / run.folder.name / ".tjgen-moving", self.cold]
                above = chance.choice(places)
                above.mkdir(parents=True, exist_ok=True)
                file = above / f"note-{len(self.owned)}"
                file.write_text(str(file))
                self._own(file)
            case _:
                return "nothing"
        self.counts[what] += 1
        return what

    def _own(self, place: Path) -> None:
        for path in [place, *place.rglob("*")]:
            if path.is_file() and not path.is_symlink():
                self.owned[path] = path.read_bytes()

    def _rescue(self, run: Run) -> None:
        """A user moves a checkpoint out of the trash, and pins it."""
        for entry in sorted(run.folder.glob(".tjgen-trash/*")):
            found = [one for one in run.checkpoints if one.where == "trash" and (entry / one.name).is_dir()]
            if found and not self.files and not (run.folder / found[0].name).exists():
                (entry / found[0].name / ".keep").touch()
                (entry / found[0].name).rename(run.folder / found[0].name)
                found[0].where, found[0].is_pinned = "here", True
                return

    # The rules, as the documentation states them

    def is_whole(self, one: Checkpoint, now: float) -> bool:
        settled = not self.files or one.time <= now - 600 or one.time > now + 60
        return one.is_complete and not one.is_empty and one.where == "here" and settled

    def removable(self, run: Run, now: float) -> list[Checkpoint]:
        """The checkpoints that no rule keeps, by number."""
        name = run.folder.name
        if run.mark != name or run.is_pinned or not run.folder.is_dir() or self.resuming(run):
            return []
        numbers = Counter(one.number for one in run.here())
        whole = sorted((one for one in run.here() if self.is_whole(one, now)), key=lambda one: one.number)
        times = [one.time for one in whole]
        if max(numbers.values(), default=1) > 1 or times != sorted(times) or max(times, default=0) > now + 60:
            return []
        values = {one.uid: self.value(one, now) for one in whole}
        sign = -1 if self.mode == "max" else 1
        known = sorted((sign * value, -one.number, one.uid) for one in whole if (value := values[one.uid]) is not None)
        best = [uid for _, _, uid in known[: self.best]]
        return [
            one
            for one in whole[: -self.last]
            if not (
                (self.nth and one.number % self.nth == 0)
                or (self.best and (values[one.uid] is None or one.uid in best))
                or one.is_pinned
                or one.name in run.links.values()
                or self.linked(run, one)
            )
        ]

    def linked(self, run: Run, one: Checkpoint) -> bool:
        """Whether a link at the root of the volume leads to a checkpoint: the run that an absolute one means is not certain."""
        return any(name == one.name and (is_absolute or of == run.folder.name) for of, name, is_absolute in self.links.values())

    def resuming(self, run: Run) -> list[str]:
        """The runs that resume from a run, and are there."""
        there = [other for other in self.runs if other is not run and other.folder.is_dir()]
        return [other.folder.name for other in there if run.folder.name in other.sources]

    def may_go(self, run: Run) -> bool:
        """Whether the folder of a run may be removed."""
        if not run.is_pruned or run.mark != run.folder.name or run.is_pinned or self.resuming(run):
            return False
        if any(one.is_pinned for one in run.checkpoints) or any(of == run.folder.name for of, _, _ in self.links.values()):
            return False
        times = [path.lstat().st_mtime for folder in self._folders(run) for path in folder.rglob("*")]
        return max(times, default=0) <= self.latest - HOUR

    def may_be_deleted(self, run: Run, one: Checkpoint) -> bool:
        """Whether nothing needs a checkpoint that is in the trash."""
        if run.mark != run.folder.name or run.is_pinned or self.resuming(run):
            return False
        return one.name not in run.links.values() and not self.linked(run, one)

    def note(self, now: float, *, is_new: bool = False) -> None:
        """Note what is allowed at this moment. `is_new`: what runs are deleted from here on is judged by this moment alone."""
        if is_new:
            self.deletable_runs = {run.folder.name for run in self.runs if not self._folders(run)} & self.deletable_runs
        for run in self.runs:
            self.removable_once |= {one.uid for one in self.removable(run, now)}
            self.deletable_once |= {one.uid for one in run.checkpoints if self.may_be_deleted(run, one)}
            if self.may_go(run):
                self.movable_runs.add(run.folder.name)
                self.deletable_runs.add(run.folder.name)

    def value(self, one: Checkpoint, now: float) -> float | None:
        if one.metric not in GOOD or one.metric_time > now - 60:
            return None
        return float(one.metric)

    # Passes

    def go(self) -> None:
        """The whole history."""
        for _ in range(self.random.choice([4, 8, 14])):
            for _ in range(self.random.choice([0, 1, 1, 2, 5])):
                self.act()
                self.now += self.random.choice([1, MINUTE, HOUR])
            self.now += self.random.choice([0, 15 * MINUTE, 2 * HOUR])
            self.clean()
        self.finish()

    def clean(self, *, is_calm: bool = False, program: str = "") -> None:
        """One pass, or two at once, and their judgement."""
        chance = self.random
        skewed = not is_calm and chance.random() < 0.1
        now = self.now + (chance.choice([-30 * DAY, -HOUR, 2 * HOUR, 400 * DAY]) if skewed else 0)
        kind = "calm" if is_calm else chance.choice(["calm", "kill", "writer", "writer", "second", "fault", "pair"])
        if not program:
            program = "remove" if any(run.is_pruned for run in self.runs) and chance.random() < 0.4 else "clean"
        self.counts[kind] += 1
        self.counts[program] += 1
        self.moves, self.cleans = [], int(program == "clean")
        self.removable_once, self.deletable_once, self.movable_runs, self.deletable_runs = set(), set(), set(), set()
        # A Job decides before it waits. Another one may decide after that.
        self.latest = self.now + (DAY if kind in ("second", "pair") else 0)
        self.note(now)
        had = {run.folder.name: any(self.is_whole(one, now) for one in run.here()) for run in self.runs}
        limit = chance.choice([20, 80, 250, 600])
        match kind:
            case "kill":
                self._killed(now, program, limit)
            case "writer":
                self._disturbed(now, program, limit)
            case "second":
                self._interleaved(now, program, limit)
            case "fault":
                self._faulty(
                    now, program, Fault(chance.randrange(1, limit), chance.choice(ERRORS), chance.choice([1, 1, 5, 10**6]))
                )
            case "pair":
                self._paired(now, program)
            case _:
                self._pass(now, program)
        self.note(now)
        self.judge(now, had, is_exact=kind == "writer" and program == "clean", is_alone=kind not in ("writer", "pair"))

    def _pass(self, now: float, program: str, wait: Callable[[], None] | None = None) -> None:
        """One pass of a program in this process. `wait` is called for its grace period."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            if program == "copy":
                self._copy()
                return
            if program == "clean":
                code = self.programs.move(self.told, now) if self.has_cold else self.programs.clean(self.told, now)
            else:
                names = self.programs.remove
                names["clock"] = lambda parent, token: self.now
                names["wait"] = lambda seconds: wait() if wait is not None else self._waited(now)
                runs = [run.folder.name for run in self.runs if run.is_pruned]
                code = names["main"](
                    {"ROOT": str(self.root), "FOLDER": "", "AFTER": "", "RUNS": json.dumps(runs), "QUIET": str(HOUR)}
                )
        if code not in (0, 1):
            raise WrongError(f"exit code {code}")

    def _waited(self, now: float) -> None:
        """What happens while the Job that removes runs waits for its grace period."""
        act, self.watch.act = self.watch.act, None
        self.now += HOUR + 1
        for _ in range(self.random.choice([0, 0, 1, 3])):
            self.act()
        if self.random.random() < 0.3:
            # A user needs what has moved.
            run = self.random.choice([run for run in self.runs if run.is_pruned])
            (self.root / "needed").unlink(missing_ok=True)
            (self.root / "needed").symlink_to(f"/states/{run.folder.name}/step-1{'.pt' if self.files else ''}")
            self.links["needed"] = (run.folder.name, "step-1", True)
        self.note(now, is_new=True)
        self.watch.act = act

    def _passed(self) -> None:
        self.now += HOUR + 1

    def _copy(self) -> None:
        """The program of a prefetch, which copies to a folder of the volume."""
        job = {
            "JOB": f"job-{self.random.random()}",
            "JOB_NAME": "copy",
            "POD": "pod",
            "INDEX": "0",
            "WORKERS": "1",
            "THREADS": "1",
        }
        os.environ |= {"SOURCE": str(self.source), "STATE": str(self.state), "TARGET": str(self.state / "content"), **job}
        with contextlib.suppress(SystemExit):
            exec(self.programs.copy, {"__name__": "__main__"})

    def _killed(self, now: float, program: str, limit: int) -> None:
        """A pass in a process that is killed before one of its steps."""
        process = Process(lambda wait: self._pass(now, program, wait), self.watch)
        if process.go(self.random.randrange(1, limit)):
            self._waited(now)
            process.go(self.random.randrange(1, limit))
        if process.is_alive:
            process.kill()
        self._end(process)

    def _end(self, process: Process) -> None:
        if process.is_broken:
            raise WrongError("a program ended with an exception")

    def _at(self, at: int, act: Callable[[], None], now: float, program: str) -> None:
        """A pass during which something happens before the step `at`."""
        count = 0

        def step(event: str, words: Any) -> None:
            nonlocal count
            count += 1
            if count == at:
                act()

        self.watch.act = step
        try:
            self._pass(now, program)
        finally:
            self.watch.act = None

    def _interleaved(self, now: float, program: str, limit: int) -> None:
        """A pass that waits before one of its steps while another program makes a whole pass."""
        other = self.random.choice(["clean", "clean", "remove"])
        self.cleans += other == "clean"

        def act() -> None:
            self.note(now)  # A run that the first program has just moved resumes from nothing.
            self._pass(now, other)

        self._at(self.random.randrange(1, limit), act, now, program)

    def _faulty(self, now: float, program: str, fault: Fault) -> None:
        """A pass in which some steps fail."""
        count = 0

        def step(event: str, words: Any) -> None:
            nonlocal count
            count += 1
            fault(count)

        self.watch.act = step
        try:
            self._pass(now, program)
        finally:
            self.watch.act = None

    def _paired(self, now: float, program: str) -> None:
        """Two programs at once, a few steps of one and then of the other, while others act, steps fail, and one is killed."""
        chance = self.random
        other = chance.choice(["clean", "clean", "remove", "copy"])
        self.cleans += other == "clean"
        self.counts[f"{min(program, other)} and {max(program, other)}"] += 1
        processes = [self._started(now, one) for one in (program, other)]
        for turn in range(1000):
            alive = [one for one in processes if one.is_alive]
            if not alive:
                break
            one = chance.choice(alive)
            luck = chance.random()
            if luck < 0.03:
                one.kill()
                continue
            order = chance.choice([1, 3, 10, 40, 150, 500]) if turn < 12 else 10**6
            if one.go(-chance.choice(ERRORS) if luck < 0.08 else order):
                self._waited(now)
            elif chance.random() < 0.3:
                self.act()
            self.note(now)
        for one in processes:
            self._end(one)

    def _started(self, now: float, program: str) -> Process:
        return Process(lambda wait: self._pass(now, program, wait), self.watch)

    def _disturbed(self, now: float, program: str, limit: int) -> None:
        """A pass during which others act: before any step, or between the last check of a checkpoint and its move."""
        only_moves = program == "clean" and self.random.random() < 0.6
        at = self.random.choice([1, 1, 2]) if only_moves else self.random.randrange(1, limit)
        count = 0

        def disturb(event: str, words: Any) -> None:
            nonlocal count
            moved = self._moved(words[0]) if event == "os.rename" else None
            count += moved is not None if only_moves else 1
            if count == at:
                count += 1
                for _ in range(self.random.choice([1, 1, 3])):
                    self.act()
                self.note(now)
            if moved is not None:
                run, one = moved
                current = next((other for other in run.here() if other.name == one.name), one)
                self.moves.append((current, current in self.removable(run, now)))

        self.watch.act = disturb
        try:
            self._pass(now, program)
        finally:
            self.watch.act = None

    def look_again(self) -> None:
        """A trainer or a user does not act on what a program has moved already."""
        for run in self.runs:
            for one in run.here():
                if not self._paths(run, one):
                    one.where = "moving"

    def _moved(self, path: object) -> tuple[Run, Checkpoint] | None:
        """The checkpoint at a path; None for a path in the trash, and for other files."""
        for run in self.runs:
            for one in run.here():
                if str(path) in [str(each) for each in self._paths(run, one)]:
                    return run, one
        return None

    # The judge

    def judge(self, now: float, had: dict[str, bool], *, is_exact: bool, is_alone: bool) -> None:
        moved = {id(one): allowed for one, allowed in self.moves}
        for run in self.runs:
            name = run.folder.name
            for one in list(run.checkpoints):
                was, one.where = "here" if one.where == "moving" else one.where, self._where(run, one)
                if not one.cold_at and self._cold(one):
                    one.cold_at = now
                    self.counts["copied"] += 1
                if one.where in ("gone", "cold") and was != one.where:
                    self._judge_deletion(run, one, was, now)
                elif one.where == "removed" and was != "removed":
                    if name not in self.movable_runs:
                        raise WrongError(f"{name} moved to the trash, although something needs it")
                    self.counts["removed"] += was == "here"
                elif was == "here" and one.where not in ("here", "removed"):
                    if not (moved.get(id(one), False) if is_exact else one.uid in self.removable_once):
                        raise WrongError(f"{name}/{one.name} of {one.uid} was kept by a rule and is in the {one.where}")
                    if run.passes + self.cleans < 2:
                        raise WrongError("the first pass moved something")
                    one.moved_at = now
                    self.counts["moved"] += 1
                elif was != "here" and one.where == "here":
                    self.counts["restored"] += 1
                if one.where == "gone":
                    run.checkpoints.remove(one)
            known = {one.uid for one in run.checkpoints}
            unknown = [
                text for text in map(Path.read_text, self._weights(run.folder / ".tjgen-trash")) if text and text not in known
            ]
            if unknown:
                raise WrongError(f"the trash holds {unknown}")
            is_here = run.folder.is_dir()
            if is_alone and is_here and had.get(name) and not any(self.is_whole(one, now) for one in run.here()):
                raise WrongError(f"{name} has no complete checkpoint any more")
            run.passes += self.cleans
        self._judge_others()

    def _judge_deletion(self, run: Run, one: Checkpoint, was: str, now: float) -> None:
        """What is in no folder of the first volume any more, or on no volume."""
        what = f"{run.folder.name}/{one.name} of {one.uid}"
        if one.is_given_up:
            return
        if not run.folder.is_dir() and run.is_pruned:
            if run.folder.name not in self.deletable_runs:
                raise WrongError(f"{what} is deleted with its run, although something needs it")
            self.counts["deleted with a run"] += 1
        elif was == "cold":
            if not self.lifetime or now - one.cold_at <= self.lifetime:
                raise WrongError(f"{what} is deleted on the second volume before its time ends")
            self.counts["expired"] += 1
        elif was != "trash":
            raise WrongError(f"{what} was {was} and is {one.where}")
        elif now - one.moved_at <= self.grace:
            raise WrongError(f"{what} is deleted before the grace period ends")
        elif one.uid not in self.deletable_once:
            raise WrongError(f"{what} is deleted, although something needs it")
        elif self.has_cold and one.where == "gone":
            raise WrongError(f"{what} is on no volume any more")
        else:
            self.counts["deleted"] += 1

    def _judge_others(self) -> None:
        """What users made, and the data of the prefetch."""
        if self._content(self.others[0].folder) != self.kept:
            raise WrongError("a folder that no run marked has changed")
        for path, text in self.owned.items():
            if not path.is_file() or path.read_bytes() != text:
                raise WrongError(f"{path} of a user is gone or has changed")
        if list(self.state.glob("marks/*/1-0")):
            copies = {path.name: path.read_text() for path in self.state.glob("content/*")}
            if copies != {path.name: path.read_text() for path in self.source.iterdir()}:
                raise WrongError("a copy is marked as complete and is not")
            self.counts["prefetched"] = 1

    def _weights(self, place: Path) -> list[Path]:
        """The weights in a trash, but for what a pass has decided to delete and was killed."""
        form = "*/step-*.pt" if self.files else "*/step-*/weights"
        return [path for path in place.glob(form) if ".deleting" not in str(path)]

    def _folders(self, run: Run) -> list[Path]:
        """Where the folder of a run is: in its place, in the trash, or in both."""
        found = [path for path in self.root.glob(f".tjgen-removed/*/{run.folder.name}") if ".deleting" not in str(path)]
        return [*([run.folder] if run.folder.is_dir() else []), *found]

    def _where(self, run: Run, one: Checkpoint) -> str:
        for folder in self._folders(run):
            where = self._where_in(folder, one)
            if where:
                return where if folder == run.folder else "removed"
        return "cold" if self._cold(one) else "gone"

    def _where_in(self, folder: Path, one: Checkpoint) -> str:
        weights = folder / (f"{one.name}.pt" if self.files else f"{one.name}/weights")
        texts = self._texts(one)
        paths = [folder / name if self.files else folder / one.name / name for name in texts]
        found = [path for path in paths if path.exists()]
        is_own = weights.exists() and weights.read_text() == ("" if one.is_empty else one.uid)
        is_in_trash = any(path.read_text() == one.uid for path in self._weights(folder / ".tjgen-trash"))
        if len(found) == len(paths) and is_own:
            return "here"
        if self.files and found and (is_own or is_in_trash) and one.where != "trash":
            return "limbo"
        return "trash" if is_in_trash else ""

    def _cold(self, one: Checkpoint) -> bool:
        """Whether a whole checkpoint is on the second volume, not only as a copy of a user."""
        texts = self._texts(one)
        for place in (self.cold.glob("run-*"), self.cold.glob("run-*/.tjgen-expired/*")):
            for folder in place:
                paths = [folder / name if self.files else folder / one.name / name for name in texts]
                found = [path.read_bytes() if path.exists() else None for path in paths]
                if ".deleting" not in str(folder) and found == [text.encode() for text in texts.values()]:
                    return True
        return False

    def _content(self, folder: Path) -> dict[str, tuple[bytes, int]]:
        return {
            str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns)
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }

    def finish(self) -> None:
        """Without disturbance, what no rule keeps goes, and nothing else."""
        for name in sorted(self.links):
            (self.root / name).unlink()
        self.links = {}
        for _ in range(3):
            self.now += 2 * HOUR
            self.clean(is_calm=True, program="clean")
        for _ in range(60):
            if not any(self.removable(run, self.now) for run in self.runs):
                break
            self.now += 2 * HOUR
            self.clean(is_calm=True, program="clean")
        left = [one.name for run in self.runs for one in self.removable(run, self.now)]
        if left:
            raise WrongError(f"no rule keeps {left}, and the cleaner does not remove them")
        self.now += 2 * HOUR
        self._pass(self.now, "remove", self._passed)
        self.latest = self.now
        left = [run.folder.name for run in self.runs if run.folder.is_dir() and self.may_go(run)]
        if left:
            raise WrongError(f"nothing needs {left}, and the Job does not remove them")


class Programs(NamedTuple):
    """The programs, loaded once."""

    clean: Callable[[dict[str, str], float], int]
    """`main` of the cleaner."""
    move: Callable[[dict[str, str], float], int]
    """`main` of the cleaner with a second volume."""
    remove: dict[str, Any]
    """The names of the Job that removes runs."""
    copy: CodeType


TEXTS = {name: script(name) for name in ("deletion.py", "cleaner.py", "move-checkpoints.py", "remove-runs.py", "copy-volume.py")}


def load(texts: Mapping[str, str] = TEXTS) -> Programs:
    """The programs with these texts, by their names."""
    cleaner = texts["deletion.py"] + texts["cleaner.py"]
    clean, move, remove = ({"__name__": name} for name in ("cleaner", "move", "remove"))
    exec(compile(cleaner, "cleaner.py", "exec"), clean)
    given, sys.argv = sys.argv, ["-c", cleaner]
    try:
        exec(compile(texts["move-checkpoints.py"], "move-checkpoints.py", "exec"), move)
    finally:
        sys.argv = given
    moving: Any = move["cleaner"]
    moving.Pass = move["Pass"]
    exec(compile(texts["deletion.py"] + texts["remove-runs.py"], "remove-runs.py", "exec"), remove)
    names: dict[str, Any] = clean
    return Programs(names["main"], moving.main, remove, compile(texts["copy-volume.py"], "copy-volume.py", "exec"))


def played(seeds: Iterable[int], programs: Programs, watch: Watch) -> Iterator[tuple[int, Counter[str], str]]:
    """(seed, what happened, what went wrong) of each history."""
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    for seed in seeds:
        with tempfile.TemporaryDirectory(dir=place) as folder:
            history, problem = History(seed, Path(folder), programs, watch), ""
            try:
                history.go()
            except WrongError as error:
                problem = str(error)
            yield seed, history.counts, problem


if __name__ == "__main__":
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    began, total, wrong = time.monotonic(), Counter[str](), 0
    for seed, counts, problem in played(range(first, first + int(sys.argv[1])), load(), Watch()):
        total += counts
        if problem:
            wrong += 1
            print(f"seed {seed}: {problem}")  # noqa: T201
    print(f"{sys.argv[1]} histories, {wrong} wrong, {time.monotonic() - began:.0f} s: {dict(total)}")  # noqa: T201
    sys.exit(wrong > 0)
