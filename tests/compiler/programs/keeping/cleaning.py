"""A `checkpoints` section -> the cleaner that is built for it, run unchanged on real folders."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from tests.program import tjgen

RUN = "llm-bcdfghjk"
DAY = 24 * 3600
EXPERIMENT = {"apiVersion": "tjgen.dev/v1alpha1", "kind": "Experiment", "metadata": {"name": "llm", "namespace": "nlp"}}
CLAIM = {"pvc": {"create": {"size": "10Ti", "storageClassName": "shared"}}, "mountPath": "/states"}


class Cleaner(NamedTuple):
    """The container of a built CronJob."""

    command: list[str]
    program: str
    environment: dict[str, str]


class Result(NamedTuple):
    """One pass."""

    code: int
    out: str
    err: str
    message: str
    """What the status of the pod shows."""


def build(checkpoints: Mapping[str, Any], volume: Mapping[str, Any] = CLAIM, **spec: Any) -> list[dict[str, Any]]:
    """The manifests of an experiment with a volume `states`."""
    spec = {
        "runtime": "tjgen-torch",
        "image": "registry.example/train:1",
        "script": "train.py",
        "target": "jobset",
        "volumes": {"states": dict(volume)},
        "checkpoints": {"volume": "states", **checkpoints},
        **spec,
    }
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "experiment.yaml").write_text(yaml.safe_dump({**EXPERIMENT, "spec": spec}))
        answer = tjgen(Path(folder), "build", "experiment.yaml")
    assert answer.code == 0, answer.err
    return list(yaml.safe_load_all(answer.out))


def cleaner(volume: Mapping[str, Any] = CLAIM, keep: Mapping[str, Any] | None = None, **checkpoints: Any) -> Cleaner:
    """The cleaner of an experiment; without `keep`, that of `{last: 2, graceSeconds: 3600}`."""
    return _cleaner(yaml.safe_dump([{"keep": {"last": 2, **(keep or {})}, **checkpoints}, dict(volume)]))


@cache
def _cleaner(text: str) -> Cleaner:
    (cron_job,) = (one for one in build(*yaml.safe_load(text)) if one["kind"] == "CronJob")
    (container,) = cron_job["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"]
    environment = {one["name"]: one["value"].replace("$$(", "$(") for one in container["env"]}
    return Cleaner(container["command"], container["args"][0], environment)


def clean(
    one: Cleaner, root: Path, *, python: str = sys.executable, before: str = "", wrapper: Sequence[str] = (), **change: str
) -> Result:
    """One pass over a volume at `root`. `before` is Python that runs before the program, and `wrapper` starts it."""
    assert one.command[0] == "python3"
    log = root.parent / f"{root.name}-termination-log"
    log.write_text("")
    environment = {**one.environment, "ROOT": str(root), "TERMINATION_LOG": str(log), **change}
    answer = subprocess.run(
        [
            *wrapper,
            python,
            *one.command[1:],
            f"{before}\nexec(compile({one.program!r}, 'cleaner', 'exec'))" if before else one.program,
        ],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in answer.stderr, answer.stderr
    return Result(answer.returncode, answer.stdout, answer.stderr, log.read_text())


def clean_twice(one: Cleaner, root: Path, **options: Any) -> Result:
    """The pass after the first, which only reports what it would do."""
    before = tree(root)
    clean(one, root, **options)
    assert {name for name in tree(root) - before if not name.endswith(".tjgen-cleaner.json")} == before - tree(root) == set()
    return clean(one, root, **options)


def mark(folder: Path, name: str | None = None) -> Path:
    """A folder that a run marked as its own."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".tjgen-run").write_text(f"{name or folder.name}\n")
    return folder


def save(
    folder: Path,
    number: object,
    *,
    age: float = 0,
    marker: str | None = "_SUCCESS",
    files: Mapping[str, str] | None = None,
    name: str = "step-",
) -> Path:
    """A checkpoint with a file `weights`, and `files` if given, whose files have all the same age in seconds."""
    checkpoint = folder / f"{name}{number}"
    for file, text in {"weights": "w", **({marker: ""} if marker else {}), **(files or {})}.items():
        (checkpoint / file).parent.mkdir(parents=True, exist_ok=True)
        (checkpoint / file).write_text(text, newline="")
    made_old(checkpoint, age)
    return checkpoint


def made_old(path: Path, age: float) -> None:
    """Give all that is at a path the same age in seconds."""
    then = time.time() - age
    for one in (*path.rglob("*"), path):
        os.utime(one, (then, then), follow_symlinks=False)


def steps(folder: Path) -> list[str]:
    """The entries of a folder that a trainer made."""
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith(".tjgen"))


def tree(folder: Path) -> set[str]:
    """Every path below a folder."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def trash(folder: Path) -> list[str]:
    """The checkpoints that are in the trash of a folder."""
    place = folder / ".tjgen-trash"
    return sorted(path.name for path in place.glob("*/*") if path.name != "record.json")


@cache
def pythons() -> dict[str, str]:
    """Release -> the program, for every Python from 3.9 on that is installed here; this one first."""
    versions = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    named = [path for minor in range(9, 20) if (path := shutil.which(f"python3.{minor}"))]
    found: dict[str, str] = {}
    for candidate in (sys.executable, *named, *map(str, sorted(versions.glob("3.*/bin/python3")))):
        asked = [candidate, "-c", "import sys; print('3.%d' % sys.version_info[1]); sys.exit(sys.version_info < (3, 9))"]
        answer = subprocess.run(asked, capture_output=True, text=True, check=False)
        if answer.returncode == 0:
            found.setdefault(answer.stdout.strip(), candidate)
    return found
