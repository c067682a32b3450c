"""Patterns from the file of compiled modules are those that `re` makes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.trees.bytecode.test_bytecode import EXPERIMENT, Copy
from tjgen.trees import bytecode, regex

TEXTS = [
    ("", 0),
    ("a|b", 0),
    (r"(?P<word>[^\W\d]+)-(\d+)", regex.ASCII),
    (r"(?xs) a . b  # with a comment", 0),
    ("^%TAG", regex.MULTILINE),
    ("[\u0400-\u04ff\u3000\ud800-\udfff]+", 0),
    (r"(?i)straße(?=x)|(?<!y)z{2,70000}", 0),
    (r"((a)(b(c)?))*\2", 0),
]


@pytest.mark.parametrize(("text", "flags"), TEXTS)
def test_a_loaded_pattern_equals_a_compiled_one(text: str, flags: int) -> None:
    program = regex.program_of(text, flags)
    assert program is not None, "the compiler of this Python is another: patterns would not be kept"
    loaded, compiled = regex._loaded(text, program), re.compile(text, flags)
    assert loaded == compiled
    assert (loaded.flags, loaded.groups, loaded.groupindex) == (compiled.flags, compiled.groups, compiled.groupindex)


def test_an_invalid_pattern_is_an_error_of_re() -> None:
    with pytest.raises(re.error):
        regex.compile("(")


def test_the_functions_are_those_of_re() -> None:
    text, pattern = "a1 b22", "[0-9]+"
    assert regex.match(pattern, text) is None
    assert regex.fullmatch(r"[a-z0-9 ]+", text) is not None
    found = regex.search(pattern, text)
    assert found is not None
    assert found[0] == "1"
    assert regex.findall(pattern, text) == ["1", "22"]
    assert regex.sub(pattern, "#", text) == "a# b#"
    assert regex.split(" ", text) == ["a1", "b22"]
    assert (regex.ASCII, regex.MULTILINE) == (re.ASCII, re.MULTILINE)


def test_a_process_without_the_file_keeps_nothing() -> None:
    assert not bytecode.keeps()
    before = dict(bytecode.new_programs)
    regex.compile("a pattern of this test alone")
    assert bytecode.new_programs == before


LOADED = """
import sys
from tjgen.trees import bytecode
modules = bytecode.load()
from tjgen.cli.program import run
run(["build", sys.argv[1], "--quiet"])
loaded = "re" in sys.modules
import json, re
from tjgen.trees import regex
equal = all(pattern == re.compile(*key) for key, pattern in regex._patterns.items())
print(json.dumps([loaded, len(regex._patterns), equal]), file=sys.stderr)
"""


def test_a_second_start_does_not_import_re(tmp_path: Path) -> None:
    copy = Copy(tmp_path / "copy")
    copy.build()
    loaded, count, equal = json.loads(copy.start("-S", "-c", LOADED, str(EXPERIMENT), PYTHONPATH=copy.libraries)[2])
    assert not loaded
    assert count > 20
    assert equal
