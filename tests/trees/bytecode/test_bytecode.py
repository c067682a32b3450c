"""The file of compiled modules: a start with it does the same as a start without it, and a changed source is always loaded."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.checkout import ROOT

EXPERIMENT = ROOT / "examples" / "resnet50.yaml"
FACTS = """
import json, sys
from tjgen.trees import bytecode
modules = bytecode.load() if sys.argv[1] == "on" else None
from tjgen.cli.program import run
run(["build", sys.argv[2], "--quiet"])
if modules is not None:
    print(len(modules._loaded - {"tjgen.trees.deferred"}), file=sys.stderr)
# The finder itself loads tjgen.trees.deferred, if the start of this release of Python does not import collections.
facts = {
    name: [module.__file__, module.__cached__, module.__spec__.origin, module.__spec__.has_location, module.__package__,
           list(getattr(module, "__path__", ())), module.__loader__.get_source(name)]
    for name, module in sorted(sys.modules.items()) if name.startswith("tjgen") and name != "tjgen.trees.deferred"
}
sys.stdout.flush()
print(json.dumps(facts), file=sys.stderr)
"""


class Copy:
    """A copy of the program, with a file of compiled modules of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        leave_out = shutil.ignore_patterns("__pycache__", "modules", "SOURCE")
        shutil.copytree(ROOT / "tjgen", folder / "tjgen", ignore=leave_out)
        for name in ("schemas", "runtimes"):
            (folder / name).symlink_to(ROOT / name)

    def start(self, *words: str, **environment: str) -> tuple[int, str, str]:
        """The exit code and the output of a program of Python."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "TJGEN"))}
        kept |= {"PYTHONPATH": str(self.folder), "XDG_CACHE_HOME": str(self.folder / "cache"), **environment}
        command = [sys.executable, *words]
        done = subprocess.run(command, cwd=self.folder.parent, env=kept, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def build(self, **environment: str) -> tuple[int, str, str]:
        return self.start("-m", "tjgen", "build", str(EXPERIMENT), "--no-cache", **environment)

    @property
    def libraries(self) -> str:
        """What PYTHONPATH must have where the start-up files of the environment are left out."""
        return f"{self.folder}:{Path(yaml.__file__).parent.parent}"

    @property
    def file(self) -> Path:
        return self.folder / "tjgen" / "__pycache__" / f"modules.{sys.implementation.cache_tag}.bin"


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path / "copy")


def test_a_start_with_the_file_does_the_same(copy: Copy) -> None:
    without = copy.build(TJGEN_BYTECODE="off")
    assert without[0] == 0
    assert not copy.file.exists()
    first = copy.build()
    written = copy.file.stat()
    assert copy.build() == first == without
    assert copy.file.stat().st_mtime_ns == written.st_mtime_ns, "the second start had nothing to add"


def test_a_module_from_the_file_has_the_same_attributes(copy: Copy) -> None:
    copy.build()
    answers = [copy.start("-c", FACTS, mode, str(EXPERIMENT))[2].splitlines() for mode in ("on", "off")]
    (found, with_file), (without_file,) = answers
    assert int(found) > 100
    assert json.loads(with_file) == json.loads(without_file)


def test_a_changed_source_is_loaded_and_added(copy: Copy) -> None:
    version = copy.folder / "tjgen" / "compiler" / "pipeline.py"
    copy.build()
    before = copy.file.read_bytes()
    version.write_text("raise RuntimeError('changed')\n", encoding="utf-8")
    code, _, err = copy.build()
    assert code == 3
    assert "RuntimeError: changed" in err
    assert f'File "{version}", line 1' in err
    shutil.copy(ROOT / "tjgen" / "compiler" / "pipeline.py", version)
    assert copy.build()[0] == 0
    assert copy.file.read_bytes() != before


def test_a_source_with_another_time_is_loaded_by_python_itself(copy: Copy) -> None:
    copy.build()
    source = copy.folder / "tjgen" / "trees" / "source" / "writer.py"
    status = source.stat()
    os.utime(source, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    found = int(copy.start("-c", FACTS, "on", str(EXPERIMENT), PYTHONDONTWRITEBYTECODE="1")[2].splitlines()[0])
    copy.build()
    assert int(copy.start("-c", FACTS, "on", str(EXPERIMENT))[2].splitlines()[0]) == found + 1


def test_a_file_of_another_form_is_replaced(copy: Copy) -> None:
    first = copy.build()
    source = copy.folder / "tjgen" / "trees" / "bytecode.py"
    source.write_text(source.read_text(encoding="utf-8") + "# changed\n", encoding="utf-8")
    before = copy.file.read_bytes()
    assert copy.build() == first
    assert copy.file.read_bytes()[:40] != before[:40]


@pytest.mark.parametrize("content", [b"", b"\0" * 10_000, b"shorter"], ids=["empty", "zeros", "truncated"])
def test_a_damaged_file_is_replaced(copy: Copy, content: bytes) -> None:
    first = copy.build()
    whole = copy.file.read_bytes()
    copy.file.write_bytes(whole[:-1] if content == b"shorter" else content)
    assert copy.build() == first
    written = copy.file.stat()
    assert written.st_size > len(whole) // 2
    assert copy.build() == first
    assert copy.file.stat().st_mtime_ns == written.st_mtime_ns, "the file is valid again"


def test_a_moved_program_reports_its_new_place(copy: Copy) -> None:
    copy.build()
    moved = Copy.__new__(Copy)
    moved.folder = copy.folder.rename(copy.folder.parent / "moved")
    written = moved.file.stat().st_mtime_ns
    program = "from tjgen.trees import bytecode; bytecode.load(); from tjgen.trees.source.writer import dump"
    program += "; print(dump.__code__.co_filename)"
    assert moved.start("-c", program)[1].strip() == str(moved.folder / "tjgen" / "trees" / "source" / "writer.py")
    assert moved.file.stat().st_mtime_ns == written


def test_nothing_is_written_where_python_writes_nothing(copy: Copy) -> None:
    copy.build(PYTHONDONTWRITEBYTECODE="1")
    copy.build(PYTHONPYCACHEPREFIX=str(copy.folder / "elsewhere"))
    assert not copy.file.exists()


def test_a_folder_that_cannot_be_written_is_no_error(copy: Copy) -> None:
    (copy.folder / "tjgen" / "__pycache__").write_text("a file", encoding="utf-8")
    assert copy.build() == copy.build(TJGEN_BYTECODE="off")
