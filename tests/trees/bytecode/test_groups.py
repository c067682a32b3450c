"""The modules that one import loads are read together and executed in the order in which Python completed them."""

from __future__ import annotations

import json
import marshal
import os
from pathlib import Path

import pytest

from tests.trees.bytecode.test_bytecode import EXPERIMENT, Copy
from tjgen.trees import bytecode_file

IMPORT = """
import json, os, sys
from tjgen.trees import bytecode
bytecode.GROUPED |= {"tjgen.first"}
modules = bytecode.load()
groups = {name: [member for names, _, _ in pieces for member in names] for name, pieces in modules._groups.items()}
pread, reads = os.pread, []
os.pread = lambda descriptor, length, offset: reads.append(offset) or pread(descriptor, length, offset)
root = __import__(sys.argv[1], fromlist=["run"])
os.pread = pread
modules.keep()
print(json.dumps([groups, len(reads), repr(getattr(root, "second", None))]))
"""
FIRST = "try:\n    from tjgen import second\nexcept RuntimeError:\n    second = 'expected'\n"
SECOND = "import os\nif 'FAIL' in os.environ:\n    raise RuntimeError\n"


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path / "copy")


def load(copy: Copy, name: str, **environment: str) -> tuple[dict[str, list[str]], int, str]:
    """The groups of the file, how often the import of the module reads from it, and what the module imported as `second`."""
    code, out, err = copy.start("-c", IMPORT, name, **environment)
    assert code == 0, err
    groups, reads, second = json.loads(out)
    return groups, reads, second


def test_the_modules_of_a_command_are_read_together(copy: Copy) -> None:
    copy.build()
    groups, reads, _ = load(copy, "tjgen.cli.build")
    members = groups["tjgen.cli.build"]
    assert len(members) > 100
    assert members.index("tjgen.trees.fields") < members.index("tjgen.trees.fields.path") < members.index("tjgen.compiler.lower")
    assert reads < len(members) / 4


def test_other_imports_have_no_groups(copy: Copy) -> None:
    copy.build()
    assert copy.start("-m", "tjgen", "schema", "experiment")[0] == 0
    assert copy.start("-m", "tjgen", "runtimes", "list")[0] == 0
    assert [*load(copy, "tjgen.trees.typing")[0]] == ["tjgen.cli.build"]


def test_a_group_with_a_changed_module_is_written_again(copy: Copy) -> None:
    first = copy.build()
    source = copy.folder / "tjgen" / "compiler" / "lower.py"
    source.write_text(source.read_text(encoding="utf-8") + "# changed\n", encoding="utf-8")
    assert copy.build() == first
    assert "tjgen.cli.build" not in load(copy, "tjgen.trees.typing")[0]
    assert copy.build() == first
    assert "tjgen.compiler.lower" in load(copy, "tjgen.trees.typing")[0]["tjgen.cli.build"]


def test_an_error_of_a_module_of_a_group_is_raised_where_it_is_imported(copy: Copy) -> None:
    (copy.folder / "tjgen" / "first.py").write_text(FIRST, encoding="utf-8")
    (copy.folder / "tjgen" / "second.py").write_text(SECOND, encoding="utf-8")
    load(copy, "tjgen.first")
    groups, _, second = load(copy, "tjgen.first")
    assert groups["tjgen.first"] == ["tjgen.second"]
    assert second.startswith("<module 'tjgen.second'")
    assert load(copy, "tjgen.first", FAIL="1")[-1] == "'expected'"


def test_a_module_has_no_attribute_that_it_does_not_define(copy: Copy) -> None:
    copy.build()
    program = "from tjgen.trees import bytecode; bytecode.load(); from tjgen.trees.source import writer; print(writer); writer.no"
    code, out, err = copy.start("-c", program)
    assert code == 1
    assert out.startswith("<module 'tjgen.trees.source.writer' from ")
    assert err.splitlines()[-1].startswith("AttributeError: ")


def test_a_large_group_has_several_pieces() -> None:
    body = marshal.dumps(compile("x = 1\n" + f"text = {'a' * 60_000!r}\n", "a", "exec"))
    parts = dict.fromkeys("abcd", (False, 0, 0, body))
    names = [list(piece) for piece, _ in bytecode_file.group(["a", "b", "c", "lost", "d"], parts)]
    assert names == [["a", "b"], ["c"]], "the last one is imported itself"


def test_a_start_with_groups_does_the_same(copy: Copy) -> None:
    words = ("-m", "tjgen", "check", str(EXPERIMENT.parent / "gitops" / "deploy"), "--no-cache")
    starts = [copy.start(*words, TJGEN_BYTECODE=mode) for mode in ("off", "on", "on")]
    assert starts[0][2], "check ends with a line on standard error"
    assert starts[1] == starts[0]
    assert starts[2] == starts[0]
    assert os.path.exists(copy.file)
