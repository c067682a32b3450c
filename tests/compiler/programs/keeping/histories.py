"""A seed -> a random history of trainers, users, clocks, kills and passes of the cleaner on real folders, and its judge.

The judge knows what trainers and users did. It does not look at what the cleaner thinks. It checks after each pass:
what left its folder was complete and no rule kept it at that moment; each run keeps a complete checkpoint; the trash
holds nothing else; what is in no run's folder did not change. In the end it checks that the cleaner was not idle.

    python -m tests.compiler.programs.keeping.histories 10000 [first seed]
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.compiler.programs.keeping.cleaning import cleaner

STEPS = ("open", "os.rename", "os.mkdir", "os.listdir", "os.scandir", "os.remove", "os.rmdir")
MINUTE, HOUR, DAY = 60, 3600, 24 * 3600
GOOD = ("0.5", "1", "-2e-1\n", "3.25\r\n", ".5", "7.")
BAD = ("loss=0.3", "0,4", ".", "e5", "nan", '{"loss": 1}')


class WrongError(AssertionError):
    """The cleaner did what it must not do."""


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
    """Or "trash", or "limbo" where a kill left some of its files in the trash."""


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

    def here(self) -> list[Checkpoint]:
        return [one for one in self.checkpoints if one.where == "here"]


class Watch:
    """Does something before a step of the cleaner. An audit hook can never be removed, so there is one for all."""

    def __init__(self) -> None:
        self.act: Callable[[str, Any], None] | None = None
        sys.addaudithook(self._seen)

    def _seen(self, event: str, words: Any) -> None:
        if self.act is not None and event in STEPS:
            act, self.act = self.act, None
            try:
                act(event, words)
            finally:
                self.act = act


class History:
    """One history in an empty folder."""

    def __init__(self, seed: int, root: Path, main: Callable[[dict[str, str], float], int], watch: Watch) -> None:
        self.random = random.Random(seed)
        self.root, self.main, self.watch = root, main, watch
        self.now = 1_700_000_000.0
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
        self.told = {
            "ROOT": str(root), "FOLDER": "", "AFTER": "", "NAME": "step-", "MARKER": self.marker, "LAST": str(self.last),
            "BEST": str(self.best), "METRIC": ".json" if self.files else "loss", "MODE": self.mode, "NTH": str(self.nth),
            "GRACE": str(self.grace), "MOST": str(self.most), "FILES": json.dumps(self.files), "TERMINATION_LOG": "/nowhere",
        }  # fmt: skip
        self.runs = [self._run(name, name) for name in ("run-a", "run-b")[: chance.choice([1, 1, 2])]]
        self.others = [self._run("golden", chance.choice(["", "run-a", "other"]))]
        for number in range(1, 4):
            self.save(self.others[0], number=number * 1000)
        self.kept = self._content(self.others[0].folder)
        self.moves: list[tuple[Checkpoint, bool]] = []

    def _run(self, name: str, mark: str) -> Run:
        folder = self.root / name
        folder.mkdir()
        if mark:
            (folder / ".tjgen-run").write_text(mark)
        return Run(folder, mark)

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
        half = self.root / ".tjgen-half"
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
        run = self.random.choice(self.runs)
        here = run.here()
        actions = ["save"] * 8 + ["half", "empty", "again", "pin", "link", "delete", "metric", "finish", "odd"]
        actions += ["skewed", "future", "twice", "mark"] if self.random.random() < 0.3 else []
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
                (run.folder / ".tjgen-run").write_text(run.mark)
            case _:
                self.save(run)
                what = "save"
        self.counts[what] += 1
        return what

    # The rules, as the documentation states them

    def is_whole(self, one: Checkpoint, now: float) -> bool:
        settled = not self.files or one.time <= now - 600 or one.time > now + 60
        return one.is_complete and not one.is_empty and one.where == "here" and settled

    def removable(self, run: Run, now: float) -> list[Checkpoint]:
        """The checkpoints that no rule keeps, by number."""
        if run.mark != run.folder.name:
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
            )
        ]

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

    def clean(self, *, is_calm: bool = False) -> None:
        skewed = not is_calm and self.random.random() < 0.1
        now = self.now + (self.random.choice([-30 * DAY, -HOUR, 2 * HOUR, 400 * DAY]) if skewed else 0)
        kind = "calm" if is_calm else self.random.choice(["calm", "calm", "kill", "writer", "writer", "second"])
        self.counts[kind] += 1
        self.moves = []
        before = {one.uid: one in self.removable(run, now) for run in self.runs for one in run.checkpoints}
        had = {run.folder.name: any(self.is_whole(one, now) for one in run.here()) for run in self.runs}
        if kind == "kill":
            self._killed(now, self.random.choice([5, 20, 60, 120]))
        elif kind == "writer":
            self._disturbed(now, self.random.choice([10, 30, 80]))
        elif kind == "second":
            for run in self.runs:
                run.passes += 1
            self._interleaved(now, self.random.choice([10, 40, 120]))
        else:
            self._pass(now)
        self.judge(now, before, had, is_alone=kind != "writer")

    def _pass(self, now: float) -> None:
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            code = self.main(self.told, now)
        if code not in (0, 1):
            raise WrongError(f"exit code {code}")

    def _killed(self, now: float, limit: int) -> None:
        """A pass in a process that is killed before one of its steps."""
        at = self.random.randrange(1, limit)
        child = os.fork()
        if child == 0:
            count = 0

            def kill(event: str, words: Any) -> None:
                nonlocal count
                count += 1
                if count == at:
                    os.kill(os.getpid(), signal.SIGKILL)

            self.watch.act = kill
            self._pass(now)
            os._exit(0)
        os.waitpid(child, 0)

    def _interleaved(self, now: float, limit: int) -> None:
        """A pass that waits before one of its steps while a second cleaner makes a whole pass."""
        at, count = self.random.randrange(1, limit), 0

        def second(event: str, words: Any) -> None:
            nonlocal count
            count += 1
            if count == at:
                self._pass(now)

        self.watch.act = second
        try:
            self._pass(now)
        finally:
            self.watch.act = None

    def _disturbed(self, now: float, limit: int) -> None:
        """A pass during which others act: before any step, or between the last check of a checkpoint and its move."""
        at = self.random.randrange(1, limit)
        only_moves = self.random.random() < 0.6
        at = self.random.choice([1, 1, 2]) if only_moves else at
        count = 0

        def disturb(event: str, words: Any) -> None:
            nonlocal count
            moved = self._moved(words[0]) if event == "os.rename" else None
            count += moved is not None if only_moves else 1
            if count == at:
                count += 1
                self._look_again()
                for _ in range(self.random.choice([1, 1, 3])):
                    self.act()
            if moved is not None:
                run, one = moved
                current = next((other for other in run.here() if other.name == one.name), one)
                self.moves.append((current, current in self.removable(run, now)))

        self.watch.act = disturb
        try:
            self._pass(now)
        finally:
            self.watch.act = None

    def _look_again(self) -> None:
        """A trainer or a user does not act on what the cleaner has moved already."""
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

    def judge(self, now: float, before: dict[str, bool], had: dict[str, bool], *, is_alone: bool) -> None:
        moved = {id(one): allowed for one, allowed in self.moves}
        for run in self.runs:
            trash = self._trash(run)
            for one in list(run.checkpoints):
                was, one.where = one.where, self._where(run, one, trash)
                was = "here" if was == "moving" else was
                if one.where == "gone":
                    if was != "trash" and not one.is_given_up:
                        raise WrongError(f"{run.folder.name}/{one.name} of {one.uid} was {was} and is deleted")
                    if was == "trash" and now - one.moved_at <= self.grace:
                        raise WrongError(f"{run.folder.name}/{one.name} of {one.uid} is deleted before the grace period ends")
                    run.checkpoints.remove(one)
                    self.counts["deleted"] += 1
                elif was == "here" and one.where != "here":
                    allowed = before.get(one.uid, False) if is_alone else moved.get(id(one), False)
                    if not allowed:
                        raise WrongError(
                            f"{run.folder.name}/{one.name} of {one.uid} was kept by a rule and is in the {one.where}"
                        )
                    if run.passes == 0:
                        raise WrongError("the first pass moved something")
                    one.moved_at = now
                    self.counts["moved"] += 1
                elif was != "here" and one.where == "here":
                    self.counts["restored"] += 1
            unknown = set(trash) - {one.uid for one in run.checkpoints}
            if unknown:
                raise WrongError(f"the trash holds {unknown}")
            if is_alone and had[run.folder.name] and not any(self.is_whole(one, now) for one in run.here()):
                raise WrongError(f"{run.folder.name} has no complete checkpoint any more")
            run.passes += 1
        if self._content(self.others[0].folder) != self.kept:
            raise WrongError("a folder that no run marked has changed")

    def _trash(self, run: Run) -> list[str]:
        """The identifiers of the weights in the trash, but for what a pass has decided to delete and was killed."""
        form = "*/step-*.pt" if self.files else "*/step-*/weights"
        paths = (run.folder / ".tjgen-trash").glob(form)
        texts = [path.read_text() for path in paths if ".deleting" not in str(path)]
        return [text for text in texts if text]

    def _where(self, run: Run, one: Checkpoint, trash: list[str]) -> str:
        weights = run.folder / (f"{one.name}.pt" if self.files else f"{one.name}/weights")
        texts = self._texts(one)
        paths = [run.folder / name if self.files else run.folder / one.name / name for name in texts]
        found = [path for path in paths if path.exists()]
        is_own = weights.exists() and weights.read_text() == ("" if one.is_empty else one.uid)
        if len(found) == len(paths) and is_own:
            return "here"
        if self.files and found and (is_own or one.uid in trash) and one.where != "trash":
            return "limbo"
        return "trash" if one.uid in trash else "gone"

    def _content(self, folder: Path) -> dict[str, tuple[bytes, int]]:
        return {
            str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns)
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }

    def finish(self) -> None:
        """Without disturbance, what no rule keeps goes, and nothing else."""
        for _ in range(3):
            self.now += 2 * HOUR
            self.clean(is_calm=True)
        for _ in range(60):
            if not any(self.removable(run, self.now) for run in self.runs):
                break
            self.now += 2 * HOUR
            self.clean(is_calm=True)
        left = [one.name for run in self.runs for one in self.removable(run, self.now)]
        if left:
            raise WrongError(f"no rule keeps {left}, and the cleaner does not remove them")


def load(program: str) -> Callable[[dict[str, str], float], int]:
    """The function `main` of a cleaner."""
    names: dict[str, Any] = {"__name__": "cleaner"}
    exec(compile(program, "cleaner.py", "exec"), names)
    main: Callable[[dict[str, str], float], int] = names["main"]
    return main


def played(seeds: range, main: Callable[[dict[str, str], float], int], watch: Watch) -> Iterator[tuple[int, Counter[str], str]]:
    """(seed, what happened, what went wrong) of each history."""
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    for seed in seeds:
        with tempfile.TemporaryDirectory(dir=place) as folder:
            history, problem = History(seed, Path(folder), main, watch), ""
            try:
                history.go()
            except WrongError as error:
                problem = str(error)
            yield seed, history.counts, problem


if __name__ == "__main__":
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    began, total, wrong = time.monotonic(), Counter[str](), 0
    for seed, counts, problem in played(range(first, first + int(sys.argv[1])), load(cleaner().program), Watch()):
        total += counts
        if problem:
            wrong += 1
            print(f"seed {seed}: {problem}")  # noqa: T201
    print(f"{sys.argv[1]} histories, {wrong} wrong, {time.monotonic() - began:.0f} s: {dict(total)}")  # noqa: T201
    sys.exit(wrong > 0)
