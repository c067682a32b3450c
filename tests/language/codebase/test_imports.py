"""Which modules code needs from elsewhere, and which packages bring them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tjgen.language.codebase.files import matching_files
from tjgen.language.codebase.imports import needed
from tjgen.language.codebase.requirements import missing, names, of_project, references
from tjgen.trees.files.sandbox import Sandbox

CODE = """\
import os, torch
import torch.nn as nn
from PIL import Image
from . import sibling
import own
from package.part import x
try:
    import wandb
except ImportError:
    wandb = None
try:
    import yaml
except ValueError:
    raise
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    import jaxtyping
else:
    import einops
def late():
    import sklearn
import distutils, imp
"""


def test_what_is_imported_from_elsewhere_is_found_where_it_is_needed(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "train.py").write_text(CODE)
    (tmp_path / "own.py").write_text("")
    (tmp_path / "package/part.py").write_text("x = 1")
    modules, broken = needed(matching_files(Sandbox([str(tmp_path)]), str(tmp_path)))
    assert list(modules) == ["PIL", "einops", "sklearn", "torch", "yaml"]
    assert modules["sklearn"] == ("train.py", 21)
    assert broken == []


@pytest.mark.parametrize("text", ["def (:\n", "x = 1\0", "(" * 5000])
def test_a_file_that_is_no_python_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "bad.py").write_text(text)
    (tmp_path / "good.py").write_text("import torch")
    modules, broken = needed(matching_files(Sandbox([str(tmp_path)]), str(tmp_path)))
    assert list(modules) == ["torch"]
    assert [error.place.path for error in broken] == ["bad.py"]


def test_requirements_name_packages_in_all_their_forms() -> None:
    lines = ["PyYAML==6.0", "scikit_learn>=1 ; python_version > '3'", "--index-url https://x", "-r more.txt", "# note", "",
             "git+https://x/y#egg=My.Own&z=1", "uvicorn[standard]", "pkg @ https://x/pkg.whl"]  # fmt: skip
    assert names(lines) == {"pyyaml", "scikit-learn", "my-own", "uvicorn", "pkg"}
    assert references("-r more.txt\n--constraint=c.txt\n-c limits.txt\nx") == ["more.txt", "c.txt", "limits.txt"]


def test_a_module_is_missing_where_no_package_brings_it() -> None:
    assert missing(["yaml", "sklearn", "google", "torch", "my_own"], {"pyyaml", "my-own"}, ["torch"]) == ["sklearn"]


def test_dependencies_of_a_project() -> None:
    assert of_project('[project]\ndependencies = ["a==1"]') == ["a==1"]
    assert of_project("[tool.x]") == []
    for wrong in ("[project", '[project]\ndependencies = "a"', "[project]\ndependencies = [1]"):
        with pytest.raises(ValueError, match=r"."):
            of_project(wrong)
