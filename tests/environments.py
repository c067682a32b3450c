"""Runs the two commands of the README in fresh clones, in the environments that people have.

    python -m tests.environments                     # all of them: about 25 minutes for each run, on two cores
    python -m tests.environments together again --python /usr/bin/python3
    python -m tests.environments locale -- tests/trees

It prints a row for each: what passed, failed and was skipped, and the minutes. What follows `--` goes to pytest. The output of
each run is kept in the folder that it names. Run it as root: some of them belong to the user "nobody".
An environment that this machine does not have (a Python, a locale) is a row that names what is missing.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.checkout import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^```sh\n(.*?)\n```$", README, re.DOTALL | re.MULTILINE)
# Without arguments, the command of the README runs one part of the slow tests.
ALL_TESTS = ["--numprocesses", "auto", "--dist", "loadfile"]
# What the shell of a person has anyway, and the settings of a package index.
INHERITED = re.compile(r"PATH|PIP_\w+|SSL_CERT_\w+|https?_proxy|no_proxy", re.IGNORECASE)
LEFT_BEHIND = (
    "__pycache__/case.cpython-311.pyc",
    ".pytest_cache/README.md",
    ".DS_Store",
    ".case.yaml.swp",
    "case.yaml~",
    "#case.yaml#",
)


@dataclass(frozen=True, slots=True)
class Environment:
    """What differs from the shell of a person who has just cloned the repository."""

    what: str
    python: str = "python3"
    variables: dict[str, str] = field(default_factory=dict)
    folder: str = "tjgen"
    umask: int = 0o022
    ordinary: bool = False
    """The user is not root, has an empty HOME, and no configuration or identity of Git."""
    litter: bool = False
    """Every folder holds what Python, editors and operating systems leave behind."""
    runs: int = 1
    """How often the tests run in the clone."""


TURKISH = {"LC_ALL": "tr_TR.UTF-8", "TZ": "Asia/Kolkata"}
ENVIRONMENTS = {
    "together": Environment(
        "visitor, locale and litter at once", folder="my clones/tjgen", umask=0o077, ordinary=True, litter=True, variables=TURKISH
    ),
    "again": Environment("a second run in the same clone", ordinary=True, runs=2),
    "3.12": Environment("Python 3.12", python="python3.12"),
    "3.13": Environment("Python 3.13", python="python3.13"),
    "3.14": Environment("Python 3.14", python="python3.14"),
    # What "together" has, one by one, to find the cause of a failure.
    "visitor": Environment(
        "not root, umask 077, empty HOME, no Git configuration, a space in the path",
        folder="my clones/tjgen",
        umask=0o077,
        ordinary=True,
    ),
    "locale": Environment("Turkish letters and Indian time", variables=TURKISH),
    "ascii": Environment("a POSIX locale", variables={"LC_ALL": "POSIX", "TZ": "America/St_Johns"}),
    "litter": Environment("files of Python, editors and operating systems in every folder", litter=True),
}


def main() -> int:
    """Run each environment that is named, or all; 1 if a command of the README failed in one."""
    parser = argparse.ArgumentParser(prog="python -m tests.environments", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(ENVIRONMENTS)}")
    parser.add_argument("--python", help="the interpreter, instead of that of the environment")
    words, _, given = "\0".join(sys.argv[1:]).partition("--\0")
    options = parser.parse_args([word for word in words.split("\0") if word])
    if unknown := [name for name in options.names if name not in ENVIRONMENTS]:
        parser.error(f"unknown: {', '.join(unknown)}; choose from {', '.join(ENVIRONMENTS)}")
    failed = False
    sys.stdout.write("| environment | passed | failed | skipped | minutes |\n|---|---|---|---|---|\n")
    for name in options.names or ENVIRONMENTS:
        environment = ENVIRONMENTS[name]
        for row, bad in _rows(
            name, environment, options.python or environment.python, [word for word in given.split("\0") if word]
        ):
            failed |= bad
            sys.stdout.write(f"{row}\n")
            sys.stdout.flush()
    return int(failed)


def _rows(name: str, environment: Environment, python: str, arguments: list[str]) -> Iterator[tuple[str, bool]]:
    """A row of the table for each run in the environment, and whether a command failed."""
    if missing := _missing(environment, python):
        yield f"| {name} ({environment.what}) | not run: {missing} | | | |", False
        return
    folder = Path(tempfile.mkdtemp(prefix=f"tjgen-{name}-"))
    home, clone = folder / "home", folder / environment.folder
    home.mkdir()
    variables = {key: value for key, value in os.environ.items() if INHERITED.fullmatch(key)} | {
        "HOME": str(home),
        "PYTHON": shutil.which(python) or python,
        **environment.variables,
    }
    if environment.ordinary:
        variables["GIT_CONFIG_NOSYSTEM"] = "1"
        shutil.chown(folder, "nobody", "nogroup")
        shutil.chown(home, "nobody", "nogroup")
    bundle = folder / "tjgen.bundle"
    subprocess.run(["git", "bundle", "create", "--quiet", bundle, "HEAD"], cwd=ROOT, check=True)
    bundle.chmod(0o644)
    words = [*_as(environment), "git", "clone", "--quiet", str(bundle), str(clone)]
    subprocess.run(words, check=True, env=variables, umask=environment.umask)
    if environment.litter:
        _litter(clone)
    first, tests = (command.replace("python3 -m venv", '"$PYTHON" -m venv') for command in COMMANDS)
    commands = [first.replace(".venv", ".first")] + [
        shlex.join([*shlex.split(tests), *(arguments or ALL_TESTS)])
    ] * environment.runs
    for number, command in enumerate(commands):
        log = folder / f"{number}.log"
        started = time.monotonic()
        with log.open("wb") as output:
            ended = subprocess.run([*_as(environment), "sh", "-c", command], cwd=clone, env=variables, umask=environment.umask,
                                   stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, check=False)  # fmt: skip
        minutes = (time.monotonic() - started) / 60
        what = "first command" if number == 0 else f"tests, run {number}"
        counts = _counts(log.read_text(encoding="utf-8", errors="replace")) if number else ("", "", "")
        passed, failures, skipped = counts if any(counts) else (f"exit code {ended.returncode}", "", "")
        row = f"| {name} ({environment.what}): {what} | {passed} | {failures} | {skipped} | {minutes:.1f} |"
        yield row + (f" {log}" if ended.returncode else ""), bool(ended.returncode)


def _missing(environment: Environment, python: str) -> str | None:
    """What this machine does not have of an environment."""
    if environment.ordinary and os.geteuid():
        return "it needs root to become another user"
    found = shutil.which(python)
    if (
        found is None
        or subprocess.run([*_as(environment), found, "-c", ""], check=False, capture_output=True, cwd="/").returncode
    ):
        return f"no {python}" + (' that "nobody" can run' if found and environment.ordinary else "")
    locale = environment.variables.get("LC_ALL", "POSIX")
    listed = subprocess.run(["locale", "-a"], check=True, capture_output=True, text=True).stdout.lower().split()
    return None if locale.lower().replace("utf-8", "utf8") in listed else f"no locale {locale}"


def _as(environment: Environment) -> list[str]:
    """The words before a command that make it one of an ordinary user."""
    return ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] if environment.ordinary else []


def _litter(clone: Path) -> None:
    """Leave what people's programs leave, in each folder of the clone."""
    owner = clone.stat()
    for folder in [path for path in clone.rglob("*") if path.is_dir() and ".git" not in path.relative_to(clone).parts]:
        for name in LEFT_BEHIND:
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(b"\x00left: behind\n")
            for path in (folder / name, (folder / name).parent):
                os.chown(path, owner.st_uid, owner.st_gid)


def _counts(output: str) -> tuple[str, str, str]:
    """Passed, failed or in error, and skipped, in the last line of pytest."""
    last = next((line for line in reversed(output.splitlines()) if re.search(r"\d+ (passed|failed|error)", line)), "")
    found = {what: int(number) for number, what in re.findall(r"(\d+) (passed|failed|skipped|errors?)", last)}
    failures = found.get("failed", 0) + found.get("error", 0) + found.get("errors", 0)
    return (str(found.get("passed", 0)), str(failures), str(found.get("skipped", 0))) if found else ("", "", "")


if __name__ == "__main__":
    sys.exit(main())
