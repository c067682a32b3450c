"""Each set of names has one home: its members are string literals there, and nowhere else in the product.

Other modules import a constant, or read a property of the member's row. A module that compares names needs a change for each
new member, and nothing reports that it was forgotten.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

import pytest

from tests.checkout import ROOT, modules, parsed
from tjgen.cli.command import FORMATS
from tjgen.cluster.kinds.table import targets
from tjgen.cluster.outcomes import OUTCOMES
from tjgen.cluster.policies.table import BINDING, ENGINES, POLICY
from tjgen.cluster.synctools.table import TOOLS
from tjgen.compiler.programs.prefetching.job import STORES
from tjgen.gitops.output.codeowners import FORGES
from tjgen.language.runs.lock import PRUNED, STATES

LANGUAGE = ("tjgen/language/spec/models/", *[f"tjgen/language/spec/{name}.py" for name in ("compact", "identity", "objects")])
"""The language has each set as a `Literal`; other tests compare these with the tables. Three modules are generated from it."""


class NameSet(NamedTuple):
    """A set of names."""

    members: frozenset[str]
    home: str
    """The beginning of the paths of the modules that spell the members."""
    within: tuple[str, ...] = ("tjgen/",)
    """Where else the members are searched: short words mean something else in other packages."""
    others: Mapping[str, str] = {}
    """Beginning of a path, or such a beginning and a member after a colon -> what the word means there."""


SETS = {
    "output formats": NameSet(
        frozenset(FORMATS),
        "tjgen/cli/command.py",
        within=("tjgen/api.py", "tjgen/cli/", "tjgen/gitops/", "tjgen/testing/", "tjgen/tools/"),
        others={
            "tjgen/cli/cluster.py:json": "an option of kubectl",
            "tjgen/cli/foreignoptions.py:json": "an option of kubectl",
            "tjgen/cli/runs.py:json": "the option --json",
            "tjgen/cli/status.py:json": "the option --json",
            "tjgen/gitops/output/codeowners.py": "the forges",
            "tjgen/tools/hosts/configuration.py:text": "a word of a message",
            "tjgen/tools/importing/patch.py:json": "a field of a patch",
        },
    ),
    "forges": NameSet(
        frozenset(FORGES),
        "tjgen/gitops/output/codeowners.py",
        others={"tjgen/cli/command.py": "the output formats"},
    ),
    "kinds of policies": NameSet(
        frozenset((POLICY, BINDING, *(name for group_and_kind in ENGINES for name in group_and_kind), *ENGINES.values())),
        "tjgen/cluster/policies/table.py",
    ),
    "targets": NameSet(
        frozenset(targets()),
        "tjgen/cluster/kinds/",
        others={
            "tjgen/cluster/controllers/jobset.py": "the controller of JobSets",
            "tjgen/cluster/trainer/": "an object that an origin names, or the project JobSet",
            "tjgen/cluster/validate/expansion.py": "an object that an origin names",
            "tjgen/compiler/targets/jobset.py": "an object that an origin names",
            "tjgen/language/runs/identity_v": "the rules of an earlier release",
            "tjgen/tools/importing/kinds.py": "a module of the package",
            "tjgen/trees/explain/": "an object that an origin names",
        },
    ),
    "states of a run": NameSet(
        frozenset((*STATES, PRUNED)),
        "tjgen/language/runs/lock.py",
        within=("tjgen/cli/", "tjgen/compiler/", "tjgen/gitops/", "tjgen/language/", "tjgen/tools/"),
        others={
            "tjgen/cli/runs.py:archived": "the option --archived",
            "tjgen/gitops/output/kubectl.py:active": "a field of a status",
            "tjgen/gitops/sync/rules.py:active": "a field of a status",
            "tjgen/gitops/sync/states.py:suspended": "the state of an object in the cluster",
            "tjgen/language/resolve/variants.py:active": "a module of a lower layer",
            "tjgen/language/runs/archive.py:archived": "a field of a lock file",
            "tjgen/language/runs/lockfile.py:archived": "a field of a lock file",
        },
    ),
    "events in the life of a run": NameSet(frozenset(row.event for row in OUTCOMES), "tjgen/cluster/outcomes.py"),
    "schemes of prefetches": NameSet(
        frozenset(STORES) - {"http", "https"},
        "tjgen/compiler/programs/prefetching/job.py",
        within=("tjgen/compiler/",),
    ),
    "GitOps tools": NameSet(
        frozenset(name for tool in TOOLS for name in (tool.name, tool.title)),
        "tjgen/cluster/synctools/",
        others={
            "tjgen/cluster/outcomes.py": "a controller of the table of outcomes, a lower layer",
            "tjgen/cluster/trainer/": "the policy `flux` of a runtime",
            "tjgen/cluster/validate/": "the policy `flux` of a runtime",
            "tjgen/compiler/": "the policy `flux` of a runtime",
        },
    ),
}


def literals(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and text of each string of a module, without docstrings."""
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.lineno, node.value


def strays(names: NameSet, strings: Mapping[str, list[tuple[int, str]]]) -> list[str]:
    """Place and text of each member that is spelled outside of the home of its set."""
    return [
        f"{path}:{line}: {text}"
        for path, found in strings.items()
        if path.startswith(names.within) and not path.startswith((names.home, *LANGUAGE))
        for line, text in found
        if text in names.members and not any(means(path, text, other) for other in names.others)
    ]


def means(path: str, text: str, other: str) -> bool:
    """Whether an entry of `others` is about a text of a module."""
    beginning, _, member = other.partition(":")
    return path.startswith(beginning) and member in ("", text)


@cache
def product() -> dict[str, list[tuple[int, str]]]:
    """The strings of each module."""
    return {str(path.relative_to(ROOT)): list(literals(parsed(path))) for path in modules()}


@pytest.mark.parametrize("names", SETS.values(), ids=SETS)
def test_members_of_a_set_are_spelled_only_in_its_home(names: NameSet) -> None:
    assert strays(names, product()) == []


@pytest.mark.parametrize("names", SETS.values(), ids=SETS)
def test_every_other_meaning_is_that_of_a_word_in_the_product(names: NameSet) -> None:
    found = [(path, text) for path, strings in product().items() for _, text in strings if text in names.members]
    assert [other for other in names.others if not any(means(path, text, other) for path, text in found)] == []


def test_a_member_elsewhere_is_found() -> None:
    names = NameSet(frozenset({"red", "blue"}), "tjgen/home.py", others={"tjgen/b.py:red": "another word"})
    text = '"""red"""\nif x == "red" or x in ("blue", "green"):\n    y = {"red blue": 1}'
    strings = {path: list(literals(ast.parse(text))) for path in ("tjgen/home.py", "tjgen/a.py", "tjgen/b.py", "tests/a.py")}
    assert strays(names, strings) == ["tjgen/a.py:2: red", "tjgen/a.py:2: blue", "tjgen/b.py:2: blue"]
