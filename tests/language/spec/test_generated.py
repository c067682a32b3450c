"""The generated modules are those that the models give, and a build needs nothing else."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tjgen.language.spec.generate.__main__ import SOURCES

TOO_SLOW = ["pydantic", "typing_extensions", "click", "dataclasses", "inspect", "jsonschema"]


@pytest.mark.parametrize(("file", "source"), SOURCES.items(), ids=[file.name for file in SOURCES])
def test_is_fresh(file: Path, source: Callable[[], str]) -> None:
    assert file.read_text(encoding="utf-8") == source(), "run python -m tjgen.language.spec.generate"


def test_a_build_does_not_load_the_models() -> None:
    code = f"import sys, tjgen.language.resolve.variants; print([name for name in {TOO_SLOW} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
