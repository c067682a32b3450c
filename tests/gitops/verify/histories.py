"""Random histories of a project, verified step by step: what builds and commands make passes, and any edit by hand fails.

    python -m tests.gitops.verify.histories --count 500 --seed 1

After each step of a history, `tjgen verify` must accept the tree against the commit before it. Then one file of the tree or of
the locks is changed by hand, and `tjgen verify` must exit with 1 and name it. The program prints the seed of each history in
which that fails, with its steps, and exits with 1.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import sys
import tempfile
from pathlib import Path

from tests.gitops.output import histories
from tests.gitops.output.histories import (
    COMMANDS,
    BrokenPromiseError,
    Project,
    delete,
    edit,
    merged,
    rename,
    suspend,
    write_output,
)
from tests.gitops.verify.repository import commit, git
from tests.program import tjgen
from tjgen.gitops.emit import header

CHANGES = tuple(change for change in histories.CHANGES if change is not histories.merge)


class Count:
    """How much was verified."""

    def __init__(self) -> None:
        self.accepted = 0
        self.found = 0


def tampered(file: Path, draw: random.Random) -> str:
    """Change a file by hand, in one of several ways; how."""
    way = draw.choice(("delete", "byte", "line", "append", "restamp", "mode", "swap", "state"))
    content = file.read_bytes()
    lines = content.split(b"\n")
    known = header.read(content)
    if way == "delete":
        file.unlink()
    elif way == "byte":
        at = draw.randrange(len(content))
        file.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
    elif way == "line":
        at = draw.randrange(len(lines) - 1)
        file.write_bytes(b"\n".join(lines[:at] + lines[at + 1 :]))
    elif way == "append":
        file.write_bytes(content + b"# more\n")
    elif way == "restamp" and known is not None:
        body = content[known.length :].decode().replace("train:", "evil.io/train:").replace("name: ", "name:  ", 1)
        file.write_bytes(header.stamp(body, known.source, known.owner))
    elif way == "swap" and len(lines) > 2:
        file.write_bytes(b"\n".join([lines[1], lines[0], *lines[2:]]))
    elif way == "state" and b"\nstate: " in content:
        other = draw.choice([one for one in (b"active", b"superseded", b"orphaned") if b"\nstate: " + one not in content])
        file.write_bytes(re.sub(rb"\nstate: \w+", b"\nstate: " + other, content))
    else:
        way = "mode"
        file.chmod(0o755)
    return way


def resolved(base: dict[str, bytes], ours: dict[str, bytes], theirs: dict[str, bytes]) -> dict[str, bytes]:
    """Three versions of the output and the locks merged. Of a run whose lock is in conflict, ours, as TJ070 advises."""
    conflicts = [
        path for path in {*base, *ours, *theirs} if path.startswith("tjgen.lock.d/") and _differ(path, base, ours, theirs)
    ]
    names = [f"/{Path(path).stem}/" for path in conflicts]
    found = merged(base, ours, theirs)
    for path in {*found, *ours}:
        if any(name in path for name in names):
            if path in ours:
                found[path] = ours[path]
            else:
                del found[path]
    return found


def _differ(path: str, *versions: dict[str, bytes]) -> bool:
    return len({version.get(path) for version in versions}) == 3


class Repository:
    """A project of random histories, in a Git repository."""

    def __init__(self, folder: Path, draw: random.Random) -> None:
        self.folder = folder
        self.draw = draw
        git(folder, "init", "--quiet", "--initial-branch=main")
        self.project = Project(folder, draw)
        self.base = commit(folder)

    def verify(self, count: Count) -> None:
        """Verify the step since the base, and one edit by hand. Raises BrokenPromiseError."""
        check = tjgen(self.folder, "build", "--check")
        if check.code:
            return
        answer = tjgen(self.folder, "verify", "--base", self.base, "--format", "json")
        if answer.code:
            raise BrokenPromiseError(f"verify refuses what a build or a command made: {answer.err}")
        count.accepted += 1
        files = [path for top in ("out", "tjgen.lock.d") for path in sorted((self.folder / top).rglob("*.yaml"))]
        if not files:
            return
        file = self.draw.choice(files)
        name = str(file.relative_to(self.folder))
        kept = file.read_bytes()
        way = tampered(file, self.draw)
        answer = tjgen(self.folder, "verify", "--base", self.base)
        is_unused = "/data/" in name and not any(
            name.removeprefix("out/") in lock.read_text(encoding="utf-8").partition("uses:")[2]
            for lock in self.folder.glob("tjgen.lock.d/*/*/*/*.yaml")
        )
        if way == "delete" and is_unused and answer.code == 0:
            # This is what `tjgen build --prune-data` does.
            file.write_bytes(kept)
            return
        if answer.code != 1 or name not in answer.err:
            raise BrokenPromiseError(f"verify does not name {name} ({way}): {answer.code} {answer.err}")
        count.found += 1
        file.write_bytes(kept)
        file.chmod(0o644)

    def merge(self) -> None:
        """Two branches each change a source, build and commit; a merge takes for each file what one of them changed."""
        self.project.build()
        start = commit(self.folder)
        base, base_sources = self.project.output(), self.project.sources()
        sides = []
        for branch in ("one", "other"):
            git(self.folder, "checkout", "--quiet", "-B", branch, start)
            self.draw.choice((edit, edit, rename, delete, suspend))(self.project)
            tjgen(self.folder, "build", "-o", "out")
            commit(self.folder)
            sides.append((self.project.output(), self.project.sources()))
        (ours, our_sources), (theirs, their_sources) = sides
        git(self.folder, "checkout", "--quiet", "-B", "main", "one")
        git(self.folder, "merge", "--quiet", "--no-commit", "--no-ff", "--strategy=ours", "other")
        write_output(self.project, resolved(base, ours, theirs))
        self.project.restore(merged(base_sources, our_sources, their_sources))
        self.project.steps.append("merge")

    def commit(self) -> None:
        """Commit the step; every second one becomes the base of the next."""
        head = commit(self.folder)
        if self.draw.random() < 0.5:
            self.base = head


def history(folder: Path, seed: int, count: Count, steps: int = 8) -> list[str]:
    """Run and verify one history in an empty folder; its steps. Raises BrokenPromiseError."""
    draw = random.Random(seed)
    one = Repository(folder, draw)
    project = one.project
    try:
        for _ in range(steps):
            project._past.append(project.sources())
            if draw.random() < 0.1:
                one.merge()
            else:
                change = draw.choice(CHANGES)
                project.steps.append(change.__name__)
                change(project)
            words = draw.choice(COMMANDS)
            if words[0] == "build":
                project.build(*words[1:])
            else:
                # A run of a build that no commit contains has no sources: people commit before the next command.
                project.build()
                commit(folder)
                project.run(*words)
                project.build()
            one.verify(count)
            one.commit()
    except BrokenPromiseError as error:
        raise BrokenPromiseError("\n".join([f"seed {seed}: {error}", *project.steps])) from None
    return project.steps


def main() -> int:
    """Run many histories."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    os.environ["TJGEN_CACHE"] = "off"
    count, failed = Count(), 0
    for seed in range(chosen.seed, chosen.seed + chosen.count):
        folder = Path(tempfile.mkdtemp())
        try:
            history(folder, seed, count)
        except BrokenPromiseError as error:
            failed += 1
            sys.stdout.write(f"{error}\n\n")
        finally:
            shutil.rmtree(folder)
    sys.stdout.write(f"{chosen.count} histories: {count.accepted} steps accepted, {count.found} edits found, {failed} failed\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
