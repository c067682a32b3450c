"""Random histories of a project: whatever happens to its sources, no run or claim leaves the tree without an explicit command.

    python -m tests.gitops.output.histories --count 5000 --seed 1

A history is a list of steps: edits of the sources, merges, and commands. After each step that builds, `Watch` checks the tree.
The program prints the seed of each history that breaks a promise, with its steps, and exits with 1.
"""

from __future__ import annotations

import argparse
import functools
import os
import random
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import yaml

from tests.program import Answer, tjgen

NAMES = ("digits", "letters", "glyphs")
NAMESPACES = ("vision", "sight")
ENVIRONMENTS = ("", "{dev: {}}", "{dev: {}, prod: {}}", "{dev: {}, production: {}}")
CLAIM = "  volumes:\n    results: {pvc: {create: {size: 10Gi}}, mountPath: /results}\n"
EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: NAME, namespace: vision}
spec:
  runtime: tjgen-torch
  image: train:1
  script: train.py
"""
PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec:
  experiments: [experiments]
  overlays: [overlays]
  output: {directory: out}
"""
OVERLAY = """\
apiVersion: tjgen.dev/v1alpha1
kind: Overlay
metadata: {name: size}
spec: {experiment: {nodes: 1}}
"""
REPOSITORY = "repository: 'https://git.example.com/site.git'"
LAYOUTS = (
    "{tool: argocd}",
    "{tool: flux}",
    f"{{tool: argocd, {REPOSITORY}}}",
    f"{{tool: flux, {REPOSITORY}}}",
    f"{{tool: argocd, {REPOSITORY}, applicationSet: experiments}}",
)
"""What syncs the tree. A build refuses a switch that moves runs to another owner; `tjgen migrate --write` makes it."""
Text = TypeVar("Text", str, bytes)
_IN_MEMORY = Path("/dev/shm")
_EXPLICIT = ("tjgen runs prune", "tjgen build --prune-runs", "tjgen runs rename")


class BrokenPromiseError(Exception):
    """A promise that a history broke."""


class Watch:
    """What has been in the tree so far, and what of it may be gone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._runs: dict[str, str] = {}
        """Path of the TrainJob of each run that was ever in the tree -> digest of what cannot change in place."""
        self._claims: set[str] = set()
        self._gone: set[str] = set()

    def look(self) -> None:
        """Check the tree and the lock. Raises BrokenPromiseError."""
        out = self._folder / "out"
        here = {str(path.relative_to(out)): path for path in out.rglob("*.yaml") if ".tjgen" not in path.parts}
        jobs = {path: digest_of(file) for path, file in here.items() if "/trainjob-" in path}
        tombstones = self._tombstones()
        for path, digest in self._runs.items():
            if path not in jobs and path.rpartition("/")[0] not in tombstones:
                raise BrokenPromiseError(f"run {path} is gone, and has no tombstone")
            if path in jobs and path in self._gone:
                raise BrokenPromiseError(f"the name of {path} is used again")
            if path in jobs and jobs[path] != digest:
                raise BrokenPromiseError(f"run {path} has other content under the same name")
        self._gone |= {path for path in self._runs if path not in jobs}
        self._runs |= jobs
        claims = {path for path in here if "/persistentvolumeclaim-" in path}
        allowed = {claim for one in tombstones.values() for claim in one.get("claims", ())}
        for path in self._claims - claims - allowed:
            raise BrokenPromiseError(f"claim {path} is gone, and no run that used it was pruned")
        self._claims |= claims

    def _tombstones(self) -> dict[str, dict[str, Any]]:
        """Folder of each run that was removed -> its tombstone."""
        found = {}
        for file in (self._folder / "tjgen.lock.d").rglob("*.yaml"):
            text = file.read_text(encoding="utf-8")
            if "kind: PrunedRun" in text:
                tree = tree_of(text)
                if not str(tree["reason"]).startswith(_EXPLICIT):
                    raise BrokenPromiseError(f"{file.name} was removed by {tree['reason']}")
                if tree["was"] != "renamed":
                    *environment, namespace, name = tree["experiment"].split("/")
                    folder = "/".join([*environment, "runs", namespace, name, tree["run"]])
                    found[tree.get("folder", folder)] = tree
        return found


@functools.lru_cache(maxsize=10000)
def tree_of(text: str) -> dict[str, Any]:
    """The document in `text`. Histories read the same texts many times."""
    tree: dict[str, Any] = yaml.load(text, Loader=yaml.CSafeLoader)
    return tree


def digest_of(job: Path) -> str:
    """The digest of what a TrainJob trains."""
    spec = tree_of(job.read_text(encoding="utf-8"))["spec"]
    return sha256(repr({key: value for key, value in spec.items() if key != "suspend"}).encode()).hexdigest()


class Project:
    """A project in a folder, its sources and the state of its tree. `steps` records what happened."""

    def __init__(self, folder: Path, draw: random.Random) -> None:
        self.folder = folder
        self.draw = draw
        self.steps: list[str] = []
        self.watch = Watch(folder)
        self._past: list[dict[str, str]] = []
        for name in NAMES[:2]:
            self.write(f"experiments/{name}.yaml", EXPERIMENT.replace("NAME", name) + (CLAIM if name == "digits" else ""))
        self.write("overlays/size.yaml", OVERLAY)
        self.write("tjgen.yaml", PROJECT)
        self.build()

    def write(self, path: str, text: str) -> None:
        """Write a source."""
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text, encoding="utf-8")

    def sources(self) -> dict[str, str]:
        """Path -> text of the sources of experiments, and of the project."""
        files = [*self.folder.glob("experiments/*.yaml"), self.folder / "overlays/size.yaml", self.folder / "tjgen.yaml"]
        return {str(path.relative_to(self.folder)): path.read_text(encoding="utf-8") for path in files}

    def restore(self, sources: dict[str, str]) -> None:
        """Make the sources these."""
        for path in self.folder.glob("experiments/*.yaml"):
            path.unlink()
        for name, text in sources.items():
            self.write(name, text)

    def experiment(self) -> Path | None:
        """A random source of an experiment."""
        files = sorted(self.folder.glob("experiments/*.yaml"))
        return self.draw.choice(files) if files else None

    def replace(self, pattern: str, values: list[str]) -> None:
        """Change a random experiment."""
        file = self.experiment()
        if file is not None:
            text = file.read_text(encoding="utf-8")
            file.write_text(re.sub(pattern, self.draw.choice(values), text), encoding="utf-8")

    def output(self) -> dict[str, bytes]:
        """Path -> bytes of tree and lock."""
        files = [path for top in ("out", "tjgen.lock.d") for path in (self.folder / top).rglob("*.yaml")]
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in files}

    def run(self, *words: str) -> Answer:
        """Run a command. One that fails changes nothing."""
        before = self.output()
        answer = tjgen(self.folder, *words)
        self.steps.append(f"tjgen {' '.join(words)}  -> {answer.code}")
        if "Traceback" in answer.err:
            raise BrokenPromiseError(answer.err)
        if answer.code and self.output() != before:
            raise BrokenPromiseError(f"a command that fails changes the tree: {answer.err}")
        self.watch.look()
        return answer

    def build(self, *words: str) -> None:
        """Build; the next build changes nothing, and a check agrees unless somebody has to decide."""
        answer = self.run("build", "-o", "out", *words)
        if answer.code:
            return
        built = self.output()
        again = self.run("build", "-o", "out")
        if words and "--prune-data" not in words:
            built = self.output()
        if again.code or self.output() != built:
            raise BrokenPromiseError(f"a second build is not stable: {again.err}")
        check = self.run("build", "-o", "out", "--check")
        if (check.code == 1) != ("TJ273" in again.err):
            raise BrokenPromiseError(f"--check does not agree with the build: {check.err}")

    def migrate(self) -> None:
        """Write the layout of the project; no build refuses it then."""
        plan = self.run("migrate")
        written = self.run("migrate", "--write")
        refused = "TJ280" in self.run("build", "-o", "out").err
        if plan.code == 0 and written.code == 0 and refused:
            raise BrokenPromiseError("a build refuses the layout that tjgen migrate --write wrote")
        if "TJ280" in written.err:
            raise BrokenPromiseError("tjgen migrate --write refuses a layout")


def edit(project: Project) -> None:
    project.replace(r"train:\d", [f"train:{version}" for version in range(1, 4)])


def rename(project: Project) -> None:
    project.replace(r"name: \w+,", [f"name: {name}," for name in NAMES])


def change_namespace(project: Project) -> None:
    project.replace(r"namespace: \w+", [f"namespace: {name}" for name in NAMESPACES])


def suspend(project: Project) -> None:
    project.replace(r"spec:\n(  state: \w+\n)?", [f"spec:\n  state: {state}\n" for state in ("active", "suspended", "archived")])


def delete(project: Project) -> None:
    file = project.experiment()
    if file is not None and len(project.sources()) > 3:
        file.unlink()


def add(project: Project) -> None:
    name = project.draw.choice(NAMES)
    project.write(f"experiments/{name}.yaml", EXPERIMENT.replace("NAME", name))


def move(project: Project) -> None:
    file = project.experiment()
    if file is not None:
        file.rename(file.with_name(f"moved-{project.draw.randrange(3)}.yaml"))


def revert(project: Project) -> None:
    if project._past:
        project.restore(project.draw.choice(project._past))


def change_environments(project: Project) -> None:
    chosen = project.draw.choice(ENVIRONMENTS)
    project.write("tjgen.yaml", PROJECT + (f"  environments: {chosen}\n" if chosen else ""))


def upgrade(project: Project) -> None:
    """A release that compiles runs otherwise, as an overlay does too."""
    project.write("overlays/size.yaml", OVERLAY.replace("nodes: 1", f"nodes: {project.draw.randrange(1, 4)}"))


def switch_layout(project: Project) -> None:
    layout = project.draw.choice(("", *LAYOUTS))
    text = re.sub(r"  gitops: .*\n", "", (project.folder / "tjgen.yaml").read_text(encoding="utf-8"))
    project.write("tjgen.yaml", text + (f"  gitops: {layout}\n" if layout else ""))


def choose_on_supersede(project: Project) -> None:
    policy = project.draw.choice(("", "  history: {onSupersede: keep}\n", "  history: {onSupersede: stop}\n"))
    text = re.sub(r"  history: .*\n", "", (project.folder / "tjgen.yaml").read_text(encoding="utf-8"))
    project.write("tjgen.yaml", text + policy)


def merge(project: Project) -> None:
    """Two branches each change a source and build; a merge takes for each file what one of them changed."""
    base, base_sources = project.output(), project.sources()
    sides = []
    for _ in range(2):
        project.restore(base_sources)
        write_output(project, base)
        project.draw.choice((edit, edit, rename, delete, suspend))(project)
        tjgen(project.folder, "build", "-o", "out")
        sides.append((project.output(), project.sources()))
    (ours, our_sources), (theirs, their_sources) = sides
    write_output(project, merged(base, ours, theirs))
    project.restore(merged(base_sources, our_sources, their_sources))


def merged(base: dict[str, Text], ours: dict[str, Text], theirs: dict[str, Text]) -> dict[str, Text]:
    """Three versions of files merged; of a file that both changed, ours."""
    found = {}
    for path in {*base, *ours, *theirs}:
        before, mine, other = base.get(path), ours.get(path), theirs.get(path)
        taken = other if mine == before else mine
        if taken is not None:
            found[path] = taken
    return found


def write_output(project: Project, files: dict[str, bytes]) -> None:
    for top in ("out", "tjgen.lock.d"):
        shutil.rmtree(project.folder / top, ignore_errors=True)
    for path, content in files.items():
        (project.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (project.folder / path).write_bytes(content)


CHANGES: tuple[Callable[[Project], None], ...] = (
    edit,
    edit,
    edit,
    rename,
    change_namespace,
    suspend,
    delete,
    add,
    move,
    revert,
    change_environments,
    upgrade,
    switch_layout,
    choose_on_supersede,
    merge,
)
WITHOUT_MIGRATE: tuple[tuple[str, ...], ...] = (
    *[("build",)] * 6,
    ("build", "--prune-runs"),
    ("build", "--prune-data"),
    ("runs", "prune"),
    ("runs", "prune", "letters-*"),
    ("runs", "archive", "digits-*"),
    ("runs", "unarchive", "digits-*"),
    ("runs", "keep", "letters-*"),
    ("runs", "rename", "letters", "glyphs"),
    ("runs", "rename", "--namespace", "vision", "sight"),
    ("runs", "rename", "--environment", "prod", "production"),
    ("runs", "rerun", "digits-*"),
)
COMMANDS = (*WITHOUT_MIGRATE, *[("migrate",)] * 2)


def history(folder: Path, seed: int, steps: int = 10, commands: Sequence[tuple[str, ...]] = COMMANDS) -> list[str]:
    """Run one history in an empty folder; its steps. Raises BrokenPromiseError."""
    draw = random.Random(seed)
    project = Project(folder, draw)
    try:
        for _ in range(steps):
            project._past.append(project.sources())
            change = draw.choice(CHANGES)
            project.steps.append(change.__name__)
            change(project)
            words = draw.choice(commands)
            if words[0] == "build":
                project.build(*words[1:])
                continue
            if words == ("migrate",):
                project.migrate()
            else:
                project.run(*words)
            project.build()
    except BrokenPromiseError as error:
        raise BrokenPromiseError("\n".join([f"seed {seed}: {error}", *project.steps])) from None
    return project.steps


def main() -> int:
    """Run histories from the seed on, and print those that break a promise."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=0, help="start no history after so many minutes; 0: run all")
    options = parser.parse_args()
    os.environ["TJGEN_CACHE"] = "off"
    begin, broken, done = time.monotonic(), 0, 0
    for seed in range(options.seed, options.seed + options.count):
        if options.minutes and time.monotonic() - begin > options.minutes * 60:
            break
        done += 1
        with tempfile.TemporaryDirectory(dir=_IN_MEMORY if _IN_MEMORY.is_dir() else None) as folder:
            try:
                history(Path(folder), seed)
            except BrokenPromiseError as error:
                broken += 1
                sys.stdout.write(f"{error}\n\n")
                sys.stdout.flush()
    sys.stdout.write(f"{done} histories from seed {options.seed}, {broken} broken promises\n")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
