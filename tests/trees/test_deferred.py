"""The package `collections` of a command is executed at its first use, and is the same for libraries."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.checkout import ROOT

START = "import sys\nfrom tjgen.trees import bytecode\nbytecode.load()\n"
USES = {
    "abc first": """
from collections.abc import Mapping
import _collections_abc
assert Mapping is _collections_abc.Mapping
assert "keyword" not in sys.modules
""",
    "abc as an attribute": """
import collections.abc
assert issubclass(dict, collections.abc.Mapping)
assert "keyword" not in sys.modules
""",
    "a name": """
from collections.abc import Mapping
from collections import namedtuple, OrderedDict
assert namedtuple("P", "x")(1).x == 1 and issubclass(OrderedDict, Mapping)
""",
    "an attribute": """
import collections
assert collections.Counter("aab").most_common(1) == [("a", 2)]
assert "keyword" in sys.modules
""",
    "all names": """
from collections import *
assert Counter and deque
""",
    "typing": """
import typing, collections
assert typing.Mapping[str, int].__origin__ is collections.abc.Mapping
""",
    "libraries": """
import functools, enum, re, inspect, dataclasses
assert functools.partial and inspect.getfile(__import__("collections")).endswith("collections/__init__.py")
""",
}


@pytest.mark.parametrize("program", USES.values(), ids=USES)
def test_collections_are_those_of_python(program: str) -> None:
    run = subprocess.run([sys.executable, "-S", "-c", START + program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
