"""The import contracts of pyproject.toml, and that they can be broken."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.checkout import ROOT

LINT = (sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()", "--no-cache")


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PYTHONPATH": str(folder), "PATH": "", "NO_COLOR": "1", "COLUMNS": "200"}
    return subprocess.run(LINT, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the package that a test may spoil."""
    shutil.copytree(ROOT / "tjgen", tmp_path / "tjgen", ignore=shutil.ignore_patterns("__pycache__", "_data"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_contracts_hold(copy: Path) -> None:
    result = lint(copy)
    assert result.returncode == 0, result.stdout
    assert "0 broken" in result.stdout


@pytest.mark.parametrize(
    ("module", "line"),
    [
        pytest.param("tjgen/trees/fields/path.py", "import tjgen.compiler.pipeline", id="a lower layer imports an upper one"),
        pytest.param("tjgen/gitops/sync/site.py", "import tjgen.gitops.bundle.access", id="siblings import each other"),
        pytest.param("tjgen/cluster/validate/__init__.py", "import tjgen.language.spec.objects", id="validate knows experiments"),
        pytest.param("tjgen/compiler/targets/trainjob.py", "import pydantic", id="pydantic outside spec"),
        pytest.param("tjgen/newcomer/__init__.py", "", id="a package without a place"),
    ],
)
def test_a_breach_is_reported(copy: Path, module: str, line: str) -> None:
    spoiled = copy / module
    spoiled.parent.mkdir(exist_ok=True)
    spoiled.write_text((spoiled.read_text(encoding="utf-8") if spoiled.exists() else "") + f"\n{line}\n", encoding="utf-8")
    result = lint(copy)
    assert result.returncode == 1
    assert "BROKEN" in result.stdout, result.stdout + result.stderr
