"""A source of volumes that is added to a copy of the project: whatever is left out, the type checker or the suite reports it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.checkout import ROOT
from tjgen.compiler.volumes.protocol import Source

LINKED = ("schemas", "runtimes", "scripts", "docs")
MODEL = "tjgen/language/spec/models/volumes.py"
TABLE = "tjgen/compiler/volumes/table.py"
MODULE = "tjgen/compiler/volumes/tape.py"
EXAMPLES = "tests/compiler/volumes/test_table.py"
CLASS = '''class Tape(Shape):
    """A tape."""

    label: Counts[Text]
    """Label of the tape."""


'''
FIELD = '''    tape: Counts[Tape | None] = None
    """A tape."""
'''
SOURCE = '''"""`tape`: a tape, which a server exports."""

from __future__ import annotations

from tjgen.compiler.volumes import protocol
from tjgen.compiler.volumes.protocol import ClaimSpecs, Label, Source
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Volume
from tjgen.trees.fields.path import Tree


def _pod_source(name: str, volume: Volume, setting: Setting) -> Tree:
    assert volume.tape is not None
    return {"server": "tapes.example", "path": f"/{volume.tape.label}"}


def _label(value: Tree, made: ClaimSpecs) -> Label:
    return Label("a tape", "")


SOURCE = Source(
    field="tape",
    pod_field="nfs",
    pod_source=_pod_source,
    objects=protocol.no_objects,
    node_selector=protocol.any_node,
    storage=protocol.no_storage,
    shared_as=protocol.not_shared,
    reach=protocol.EVERY_POD,
    read_only=protocol.AS_WRITTEN,
    filled_by=protocol.NOTHING,
    is_filled=protocol.filled,
    is_chowned=False,
    size_limit=protocol.unlimited,
    replaceable=None,
    driver=None,
    problems=protocol.no_problems,
    imported=None,
    label=_label,
)
'''
CHANGES: dict[str, tuple[tuple[str, str], ...]] = {
    MODEL: (
        ("class Mount(Shape):", f"{CLASS}class Mount(Shape):"),
        ('        ("dataset",),\n    )', '        ("dataset",),\n        ("tape",),\n    )'),
        ("    mount_path: Counts", f"{FIELD}    mount_path: Counts"),
    ),
    TABLE: (
        ('"dataset")', '"dataset", "tape")'),
        ("import config_map, csi, dataset,", "import config_map, csi, dataset, tape,"),
        ("        dataset.SOURCE,\n", "        dataset.SOURCE,\n        tape.SOURCE,\n"),
    ),
    EXAMPLES: (('    "dataset": "data",\n', '    "dataset": "data",\n    "tape": {"label": "x"},\n'),),
}
"""File -> texts there, and what a new source puts in their place. Its module is the only other file."""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packages and the tests of volumes."""
    folder = tmp_path_factory.mktemp("copy")
    shutil.copytree(ROOT / "tjgen", folder / "tjgen", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("tests/compiler/volumes", "tests/architecture"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "tests/program.py", "tests/checkout.py"):
        shutil.copy(ROOT / name, folder / name)
    for name in LINKED:
        (folder / name).symlink_to(ROOT / name)
    return folder


def run(copy: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([sys.executable, *words], cwd=copy, env=environment, capture_output=True, text=True, check=False)


def add(copy: Path, *, without: str = "") -> None:
    """Add the source to the copy, but for one file."""
    before = (copy / MODEL).read_text(encoding="utf-8")
    for file, changes in CHANGES.items():
        text = (ROOT / file).read_text(encoding="utf-8")
        for old, new in changes if file != without else ():
            assert text.count(old) == 1, f"{old} in {file}"
            text = text.replace(old, new)
        (copy / file).write_text(text, encoding="utf-8")
    (copy / MODULE).unlink(missing_ok=True)
    if without != MODULE:
        (copy / MODULE).write_text(SOURCE, encoding="utf-8")
    if (copy / MODEL).read_text(encoding="utf-8") != before:
        assert run(copy, "-m", "tjgen.language.spec.generate").returncode == 0


def suite(copy: Path) -> subprocess.CompletedProcess[str]:
    """The tests of the table, and one of the new source, without the start of pytest."""
    program = (
        "import pathlib, tests.compiler.volumes.test_table as tests; "
        "tests.test_the_table_has_every_source_of_the_package_and_of_the_language(); "
        "tests.test_the_type_checker_sees_every_source(); "
        "tests.test_the_pod_has_the_source_and_the_server_accepts_it(tests.sources()[-1], pathlib.Path('.'))"
    )
    return run(copy, "-c", program)


def test_a_complete_source_passes(copy: Path) -> None:
    add(copy)
    answer = suite(copy)
    assert answer.returncode == 0, answer.stderr


@pytest.mark.parametrize("without", [*CHANGES, MODULE])
def test_the_suite_reports_a_place_that_was_left_out(copy: Path, without: str) -> None:
    add(copy, without=without)
    answer = suite(copy)
    assert answer.returncode == 1
    assert "AssertionError" in answer.stderr or "No module named" in answer.stderr


def test_the_type_checker_reports_every_fact_that_was_left_out(copy: Path) -> None:
    add(copy)
    facts = copy / "facts"
    facts.mkdir()
    for fact in Source._fields:
        text, count = re.subn(rf"^    {fact}=.*\n", "", SOURCE, flags=re.MULTILINE)
        assert count == 1, fact
        (facts / f"without_{fact}.py").write_text(text, encoding="utf-8")
    answer = run(copy, "-m", "mypy", "--cache-dir", str(copy / ".mypy"), "--no-error-summary", "facts", MODULE)
    assert MODULE not in answer.stdout
    found = sorted(
        re.findall(r"^facts/without_(\w+)\.py:\d+: error: Missing positional argument \"(\w+)\"", answer.stdout, re.MULTILINE)
    )
    assert found == [(fact, fact) for fact in sorted(Source._fields)], answer.stdout + answer.stderr
