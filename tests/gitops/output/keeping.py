"""Random histories of a project, with what builds keep in a cache and without: every message and every file is the same.

    python -m tests.gitops.output.keeping --count 500 --seed 1

Two copies of a project have the same history: edits of sources, output and lock, files that no source makes, commands, and
builds that are killed. One copy has a cache. The program prints the seed of each history whose copies differ, and exits with 1.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

from tests.gitops.emit.crash import dies_at, run
from tests.gitops.output import histories
from tests.gitops.output.histories import Project
from tests.program import Answer, tjgen
from tests.seeds import selected_seeds

BUILD = ("build", "-o", "out", "--expanded", "preview")
TOPS = ("out", "preview", "tjgen.lock.d")
_IN_MEMORY = Path("/dev/shm")


class DifferenceError(Exception):
    """The copy with a cache is not as the other one."""


class Copy(Project):
    """A project whose files and commands may be anything. `answers` records what commands print."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.answers: list[Answer] = []
        super().__init__(folder, random.Random(seed))

    def run(self, *words: str) -> Answer:
        """Run a command; the answer is recorded."""
        self.steps.append(f"tjgen {' '.join(words)}")
        self.answers.append(tjgen(self.folder, *words))
        return self.answers[-1]

    def build(self, *words: str) -> None:
        """Build with previews."""
        self.run(*BUILD, *words)

    def contents(self) -> dict[str, bytes]:
        """Path -> bytes of everything that builds write."""
        files = [path for top in TOPS for path in (self.folder / top).rglob("*") if path.is_file() and not path.is_symlink()]
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in files}

    def output(self) -> dict[str, bytes]:
        """Path -> bytes of tree and lock."""
        return {path: content for path, content in self.contents().items() if not path.startswith("preview/")}

    def written(self) -> Path | None:
        """A random file that a build wrote."""
        files = sorted(path for top in TOPS for path in (self.folder / top).rglob("*.yaml") if path.is_file())
        return self.draw.choice(files) if files else None


def edit_written(copy: Project) -> None:
    """Edit a file of the output, the previews or the lock."""
    file = copy.written() if isinstance(copy, Copy) else None
    if file is not None:
        old, new = copy.draw.choice(((b"train", b"trian"), (b"\n", b"\r\n"), (b"active", b"suspended"), (b"a", b"a")))
        content = file.read_bytes().replace(old, new)
        conflict = b"<<<<<<< ours\n=======\n>>>>>>> theirs\n"
        file.write_bytes(content + copy.draw.choice((b"", b"# edited\n", b"edited: true\n", conflict)))


def delete_written(copy: Project) -> None:
    file = copy.written() if isinstance(copy, Copy) else None
    if file is not None:
        file.unlink()


def copy_written(copy: Project) -> None:
    """Add a file with the header of another one, or a folder of a run."""
    file = copy.written() if isinstance(copy, Copy) else None
    if file is None:
        return
    if copy.draw.random() < 0.7:
        target = file.with_name(copy.draw.choice(("stray.yaml", "stray.txt", "trainjob-stray.yaml")))
        target.write_bytes(file.read_bytes())
    elif not (stray := file.parent.with_name("stray")).exists():
        shutil.copytree(file.parent, stray)


def replace_written(copy: Project) -> None:
    """Put another kind of file at the place of one that a build wrote, or move it away and back."""
    file = copy.written() if isinstance(copy, Copy) else None
    if file is None:
        return
    kind = copy.draw.randrange(4)
    content, status = file.read_bytes(), file.stat()
    file.unlink()
    if kind == 0:
        file.symlink_to(copy.folder / "tjgen.yaml")
    elif kind == 1:
        file.mkdir()
    else:
        file.write_bytes(content if kind == 2 else content[:-2] + content[-1:] + content[-2:-1])
        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


def duplicate(copy: Project) -> None:
    """Repeat an experiment in another file."""
    file = copy.experiment()
    if file is not None:
        shutil.copy(file, file.with_name(copy.draw.choice(("a-copy.yaml", "zz-copy.yaml"))))


def add_folder(copy: Project) -> None:
    """Add an empty folder, or a file without the header."""
    place = copy.folder / copy.draw.choice(TOPS) / copy.draw.choice(("", "runs", "runs/vision", "data"))
    place.mkdir(parents=True, exist_ok=True)
    if copy.draw.random() < 0.5:
        (place / "empty").mkdir(exist_ok=True)
    else:
        (place / "foreign.yaml").write_text("a: b\n", encoding="utf-8")


def touch(copy: Project) -> None:
    """Change the times of all files."""
    for path in copy.folder.rglob("*.yaml"):
        if path.is_file():
            path.touch()


def kill(copy: Project) -> None:
    """Kill a build at one of its changes of files."""
    copy.replace(r"train:\d", [f"train:{version}" for version in range(4, 7)])
    run(lambda: tjgen(copy.folder, *BUILD), copy.folder, happens=dies_at(copy.draw.randrange(1, 40)), changes=True)


HOSTILE: tuple[Callable[[Project], None], ...] = (
    edit_written,
    edit_written,
    delete_written,
    copy_written,
    copy_written,
    replace_written,
    duplicate,
    add_folder,
    touch,
    kill,
)
COMMANDS = (
    *[()] * 8,
    ("build", "-o", "out"),
    ("build", "-o", "out", "--prune-runs"),
    ("build", "-o", "out", "--force"),
    (*BUILD, "--all-pods"),
    (*BUILD, "--check"),
    *[words for words in histories.WITHOUT_MIGRATE if words[0] == "runs"],
)


def compare(folder: Path, seed: int, steps: int = 8) -> int:
    """Run one history in two copies; the number of its commands. Raises DifferenceError."""
    copies: list[Copy] = []
    choose = random.Random(seed)
    modes = ({"TJGEN_CACHE": "on", "XDG_CACHE_HOME": str(folder / "cache")}, {"TJGEN_CACHE": "off"})
    for place, mode in zip(("kept", "fresh"), modes, strict=True):
        with patch.dict(os.environ, mode):
            copies.append(Copy(folder / place / "project", seed))
    for _ in range(steps):
        changes = choose.choices((*histories.CHANGES, *HOSTILE), k=choose.choice((0, 1, 1, 2)))
        words, pause = choose.choice(COMMANDS), choose.choice((0.0, 0.03))
        for copy, mode in zip(copies, modes, strict=True):
            with patch.dict(os.environ, mode):
                copy._past.append(copy.sources())
                for change in changes:
                    copy.steps.append(change.__name__)
                    change(copy)
                time.sleep(pause)
                if words:
                    copy.run(*words)
                copy.build()
        kept, fresh = copies
        if list(map(_plain, kept.answers)) != list(map(_plain, fresh.answers)) or kept.contents() != fresh.contents():
            raise DifferenceError("\n".join([f"seed {seed}", *kept.steps, *_differences(kept, fresh)]))
    return len(copies[0].answers)


def _plain(answer: Answer) -> tuple[int, str, list[str]]:
    """The answer, with its messages in order of their text: if an experiment is kept, a folder in no lock is reported later."""
    return answer.code, answer.out, sorted(answer.err.splitlines())


def _differences(kept: Copy, fresh: Copy) -> list[str]:
    pairs = zip(kept.answers, fresh.answers, strict=True)
    answers = [f"{one}\n{other}" for one, other in pairs if _plain(one) != _plain(other)]
    ours, theirs = kept.contents(), fresh.contents()
    return [*answers, *[path for path in sorted({*ours, *theirs}) if ours.get(path) != theirs.get(path)]]


def main() -> int:
    """Compare random histories; returns 1 if there is a difference."""
    commands, wrong = 0, 0
    for seed in selected_seeds():
        with tempfile.TemporaryDirectory(dir=_IN_MEMORY if _IN_MEMORY.is_dir() and seed % 2 else None) as folder:
            try:
                commands += compare(Path(folder).resolve(), seed)
            except DifferenceError as error:
                wrong += 1
                sys.stdout.write(f"{error}\n\n")
    sys.stdout.write(f"{commands} commands with and without a cache answer and write the same; {wrong} histories differ\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
