"""Every GitOps tool of the table against its module, the language, and the packages that read the table."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import get_args

import pytest

import tjgen.cluster.synctools
from tests.checkout import ROOT, modules, parsed
from tjgen.cluster.synctools.protocol import SyncTool
from tjgen.cluster.synctools.table import BY_NAME, KEPT, LEFT_ALONE, NAMES, TOOLS, WITHOUT_EFFECT, tools_of
from tjgen.gitops.lint import kinds
from tjgen.gitops.lint.rule import TOOLS as TOOLS_OF_RULES
from tjgen.gitops.sync.table import SYNCING
from tjgen.language.spec.models.gitops import Tool
from tjgen.trees.manifests.manifest import DATA

MODULES = {module.name for module in iter_modules(tjgen.cluster.synctools.__path__)} - {"guards", "protocol", "table"}


def test_the_table_has_the_tool_of_every_module_under_its_name() -> None:
    assert set(NAMES) == MODULES
    assert all(import_module(f"tjgen.cluster.synctools.{name}").TOOL is tool for name, tool in BY_NAME.items())


def test_the_language_has_the_same_tools_and_what_syncs_is_everywhere() -> None:
    assert get_args(Tool) == NAMES
    names = tuple(tool.name for tool in TOOLS)
    assert set(names) == set(TOOLS_OF_RULES) == set(SYNCING)
    assert [name for name, _ in kinds.SYNCED_BY] == list(names)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_tool_reads_its_own_annotations(tool: SyncTool) -> None:
    guards = [key for guard in tool.guards.values() for key in guard]
    own = {*tool.kept, *tool.left_alone, *tool.without_effect, *guards}
    assert own and tools_of(own) == {tool.name}
    assert set(tool.kept.items()) <= set(tool.stages[DATA].items())
    assert set(tool.stages_by_experiment) <= set(tool.stages)


def test_annotations_for_all_tools_have_those_of_each() -> None:
    for tool in TOOLS:
        assert tool.kept.items() <= KEPT.items()
        assert tool.left_alone.items() <= LEFT_ALONE.items()
        assert tool.without_effect.items() <= WITHOUT_EFFECT.items()


def test_a_tool_without_one_of_the_facts_does_not_type_check(tmp_path: Path) -> None:
    text = (ROOT / "tjgen" / "cluster" / "synctools" / "none.py").read_text(encoding="utf-8")
    file = tmp_path / "incomplete.py"
    file.write_text(text.replace("    kept={},\n", ""), encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--no-error-summary", "--cache-dir", str(tmp_path / "cache"), str(file)]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    assert 'Missing positional argument "kept" in call to "SyncTool"' in found or 'Missing named argument "kept"' in found


def test_annotations_and_labels_of_tools_are_nowhere_else_in_the_source() -> None:
    domains = tuple(f"{tool.domain}/" for tool in TOOLS)
    found = []
    for path in modules():
        where = str(path.relative_to(ROOT))
        if not where.startswith("tjgen/cluster/synctools/"):
            for node in ast.walk(parsed(path)):
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith(domains):
                    found.append(f"{where}:{node.lineno}")
    assert found == []


OWN_OBJECTS = {
    "account_without_permission": "reads the account of a Kustomization and the destination of an AppProject",
    "automation_of_run": "reads the images of a Kustomization",
    "moved_to_another_owner": "reads the prune option of an ApplicationSet",
    "namespace_with_its_runs": "reads and writes the marks of each tool",
    "namespace_left_out": "reads the targetNamespace of a Kustomization",
    "no_decryption": "reads what decrypts: a field of a Kustomization, a plugin of an Application",
    "placement_with_kueue": "reads a mark of Flux",
    "suspend_with_kueue": "reads the marks of each tool",
    "sync_without_account": "reads the account of a Kustomization, and the AppProject of an Application",
    "unknown_sync_word": "reads the marks of each tool",
    "unprotected_claim": "reads and writes the marks of each tool",
}
"""The rules that name a tool, because they read its own objects or marks. Others read properties: `scene.synctools`."""


OWN_FACTS = {
    "tjgen/gitops/lint/applied.py": "reads the annotations of each tool by which an object stays in the cluster",
    "tjgen/gitops/lint/sync.py": "reads the annotations of each tool by which it leaves an object alone",
}
"""The modules besides rules that compare the name of a tool. Others read a property of its `SyncTool`."""


def compared(tree: ast.Module) -> list[int]:
    """The lines of a module that compare something with the name of a tool."""
    names = {"ARGOCD", "FLUX"}
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare)
        and any(isinstance(one, ast.Name) and one.id in names for one in (node.left, *node.comparators))
    ]


def test_a_module_depends_on_a_property_of_a_tool_and_not_on_its_name() -> None:
    found = {str(path.relative_to(ROOT)) for path in modules() if compared(parsed(path))}
    assert {name for name in found if name.startswith("tjgen/") and "/lint/rules/" not in name} == OWN_FACTS.keys()
    assert compared(ast.parse("x = 1\nif tool == ARGOCD or FLUX in tools: ...")) == [2, 2]


def test_a_rule_depends_on_a_property_of_a_tool_and_not_on_its_name() -> None:
    rules = ROOT / "tjgen" / "gitops" / "lint" / "rules"
    named = re.compile(r"\b(ARGOCD|FLUX) (not )?in scene\.tools|scene\.tools == |tool == (ARGOCD|FLUX)\b|in \(ARGOCD, FLUX\)")
    found = {file.stem for file in rules.glob("*.py") if named.search(file.read_text(encoding="utf-8"))}
    assert found - {"__init__"} == OWN_OBJECTS.keys()
