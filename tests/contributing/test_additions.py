"""CONTRIBUTING's table is true: an addition is complete with the places that its row names, and fails without any of them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.checkout import ROOT, list_entries, tracked
from tests.contributing.additions import ADDITIONS, DOCS, GENERATED, LEFT_OUT, SPEC, Edit, Place

ROWS = re.findall(r"^\| (.+?) \| (.+) \| (.+) \|$", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.MULTILINE)
NEEDED = (
    *(
        "tjgen/",
        "docs/",
        "runtimes/",
        "platforms/",
        "reader/",
        "scripts/",
        "examples/",
        "templates/",
        "pyproject.toml",
        "README.md",
        "CONTRIBUTING.md",
    ),
    *(
        "tests/architecture/",
        "tests/checkout.py",
        "tests/conftest.py",
        "tests/containers.py",
        "tests/parts.py",
        "tests/program.py",
        "tests/snapshots.py",
        "tests/corpus/",
    ),
    *(
        "tests/cases/",
        "tests/cluster/kinds/",
        "tests/cluster/policies/",
        "tests/cluster/test_outcomes.py",
        "tests/cluster/synctools/",
        "tests/cluster/trainer/",
        "tests/docs/",
        "tests/e2e/lifecycle/",
        "tests/e2e/rig.py",
        "tests/gitops/lint/",
        "tests/gitops/verify/",
        "tests/hints/",
        "tests/laws/",
        "tests/mistakes/",
    ),
    *("tests/cluster/validate/minors/", "tests/language/runs/", "schemas/minors.py", "schemas/index.json"),
    *("schemas/jobset/", "schemas/trainer/"),
    *("tests/language/spec/", "tests/oracle/", "tests/rejects/", "tests/compiler/"),
)
GENERATORS = (SPEC, DOCS)
COMPLETE = sorted({check for places in ADDITIONS.values() for place in places for check in place.checks} - {GENERATED})
"""The fixture has just made what GENERATED compares."""
PLACES = [(row, place) for row, places in ADDITIONS.items() for place in places]
LINES = ("PASSES", "HOPS", "DIRECT", "PLUGINS", "STRATEGIES", "SECTIONS", "GROUPS", "FORMATS", "ENGINES", "WAYS")
"""Lines of tables that have nothing to do with each other: they are left out at once, and each has a test of its own."""
OMISSIONS = [pytest.param(place, id=f"{row}-{place.named}") for row, place in PLACES if place.named not in (*GENERATORS, *LINES)]


class Tree(NamedTuple):
    """A copy of the repository with every addition, and a session that runs tests in it."""

    root: Path
    process: subprocess.Popen[str]

    def ask(self, **request: Any) -> tuple[int, str]:
        """Exit code and output of tests or of a program."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        return answer["code"], answer["output"]

    def write(self, place: Place) -> None:
        """Make the edits of a place."""
        for file, edit in place.edits.items():
            self.substitute(file, edit if isinstance(edit, tuple) else ("", edit))

    def remove(self, place: Place) -> None:
        """Undo the edits of a place; what a command generates gets the text that it has without the additions."""
        for file, edit in place.edits.items():
            if not edit:
                _write(self.root / file, (ROOT / file).read_text(encoding="utf-8"))
            elif isinstance(edit, tuple):
                self.substitute(file, edit[::-1])
            else:
                path = self.root / file
                path.unlink()
                while not any(path.parent.iterdir()):
                    path = path.parent
                    path.rmdir()

    @contextmanager
    def without(self, places: Sequence[Place]) -> Iterator[None]:
        """The tree without some places."""
        before = {file: (self.root / file).read_bytes() for place in places for file in place.edits}
        for place in places:
            self.remove(place)
        yield
        for file, content in before.items():
            (self.root / file).parent.mkdir(parents=True, exist_ok=True)
            (self.root / file).write_bytes(content)

    def substitute(self, file: str, edit: Edit) -> None:
        """Replace the first text of `edit` by the second; without a first text, write a file."""
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text(encoding="utf-8") if edit[0] else ""
        for before, after in zip(edit[::2], edit[1::2], strict=True):
            assert not before or text.count(before) == 1, f"{file} holds {before!r} {text.count(before)} times"
            text = text.replace(before, after) if before else after
        _write(path, text)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tree]:
    root = tmp_path_factory.mktemp("additions")
    for name in tracked():
        if name.startswith(NEEDED):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, root / name)
    (root / ".corpus").symlink_to(ROOT / ".corpus")
    for path in list_entries(ROOT / "schemas"):
        if not (root / "schemas" / path.name).exists():
            (root / "schemas" / path.name).symlink_to(path)
    # In CI, pytest prints each failure twice and in full, which hides the names of tests in a bounded output.
    variables = {name: value for name, value in os.environ.items() if name not in ("CI", "BUILD_NUMBER")}
    variables |= {"PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, str(ROOT / "tests/contributing/server.py")]
    with subprocess.Popen(command, cwd=root, env=variables, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        made = Tree(root, process)
        for places in ADDITIONS.values():
            for place in places:
                if place.named != "its type as `Counts`, `Present`, `Excluded` or `Setting`" and place.named not in GENERATORS:
                    made.write(place)
        for command_line in GENERATORS:
            code, output = made.ask(module=command_line.removeprefix("python -m "))
            assert code == 0, output
        yield made
        assert process.stdin is not None
        process.stdin.close()


def test_every_row_has_its_addition() -> None:
    rows = [row for row in ROWS if row[0] not in ("to add", "---")]
    assert {row[0] for row in rows} == {*ADDITIONS, *LEFT_OUT}
    for name, write, more in [row for row in rows if row[0] in ADDITIONS]:
        words = f"{write} | {more}".replace("`", "")
        assert [place.named for place in ADDITIONS[name] if place.named.replace("`", "") not in words] == []


def test_the_additions_are_complete(tree: Tree) -> None:
    code, output = tree.ask(tests=["-x", *COMPLETE])
    assert code == 0, output


@pytest.mark.parametrize("place", OMISSIONS)
def test_an_omission_fails(tree: Tree, place: Place) -> None:
    with tree.without([place]):
        code, output = tree.ask(tests=["-x", *place.checks])
    assert code != 0, output


def test_an_omitted_line_of_a_table_fails_its_own_test(tree: Tree) -> None:
    places = [place for _, place in PLACES if place.named in LINES]
    checks = [check for place in places for check in place.checks]
    assert len(set(checks)) == len(LINES)
    with tree.without(places):
        code, output = tree.ask(tests=["--tb=no", *checks])
    assert code != 0
    assert [check for check in checks if f"FAILED {check}" not in output] == []


@pytest.mark.parametrize("command", GENERATORS)
def test_an_omitted_command_fails_for_each_row_that_names_it(tree: Tree, command: str) -> None:
    places = [place for _, place in PLACES if place.named == command]
    with tree.without(places):
        code, output = tree.ask(tests=["--tb=no", *sorted({check for place in places for check in place.checks})])
    assert code != 0
    failed = [line for line in output.splitlines() if line.startswith("FAILED")]
    for place in places:
        names = [Path(file).name if file.endswith((".md", "/compact.py")) else "" for file in place.edits]
        assert [name for name in names if not any(name in line for line in failed)] == [], output
    assert command != DOCS or any("test_the_generated_tables_are_fresh" in line for line in failed)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
