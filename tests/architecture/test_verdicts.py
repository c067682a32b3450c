"""Every verdict on an object comes from `cluster/validate/judge.py`."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.checkout import ROOT, list_entries, parsed

INSIDE = {"admit", "check", "judge", "together"}
"""Modules of `cluster/validate` that may review an object by its webhooks alone, after `judge`."""


def reviews(file: Path) -> bool:
    """Whether a module runs the validating webhooks itself."""
    for node in ast.walk(parsed(file)):
        if isinstance(node, ast.Attribute) and node.attr == "review" and ast.unparse(node.value) == "admission":
            return True
        if isinstance(node, ast.ImportFrom) and node.module == "tjgen.cluster.validate.admission":
            return any(one.name == "review" for one in node.names)
    return False


def test_only_the_package_of_verdicts_runs_webhooks() -> None:
    found = {file.relative_to(ROOT / "tjgen").as_posix() for file in list_entries(ROOT / "tjgen", "**/*.py") if reviews(file)}
    assert "cluster/validate/judge.py" in found
    assert found <= {f"cluster/validate/{name}.py" for name in INSIDE}
