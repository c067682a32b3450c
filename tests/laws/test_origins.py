"""Every leaf of every manifest, also of previews, says who set it: down to a line of a file, or to a rule."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.laws.built import CASES, made
from tjgen.trees.explain.provenance import Hop, trace
from tjgen.trees.fields.path import Tree, get, render
from tjgen.trees.k8s.quantity import parse
from tjgen.trees.manifests.leaves import leaves

RULE = "tjgen"
COMMAND_LINE = "command line"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_leaf_has_an_origin(case: Path) -> None:
    without = []
    for manifest, sources in made(case):
        for path, _ in leaves(manifest.tree):
            traces = [trace(origin, sources, expanded=manifest.expanded) for origin in manifest.origins(path)]
            if not traces or not all(ends(hops) for hops in traces):
                without.append(f"{manifest.ref} {render(path)}: {traces}")
    assert without == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_is_copied_stands_there(case: Path) -> None:
    wrong = []
    for manifest, sources in made(case):
        trees = {"experiment": sources.experiment.value}
        if manifest.expanded:
            assert sources.trainjob is not None
            # Where no Trainer starts the run, its own job stands there, and no runtime is made.
            trees |= {"trainjob": sources.trainjob.tree, "job": sources.trainjob.tree}
            if sources.created_runtime is not None:
                trees["runtime"] = sources.created_runtime.tree
        for path, value in leaves(manifest.tree):
            for origin in manifest.origins(path):
                if origin.mirrors and origin.source in trees:
                    there = get(trees[origin.source], origin.because)
                    if not same(value, there):
                        wrong.append(f"{manifest.ref} {render(path)}: {value!r}, but {origin}: {there!r}")
    assert wrong == []


def same(value: Tree, there: Tree) -> bool:
    """Whether two values are one. A quantity may be a number in an experiment, and a controller writes it canonically."""
    if value == there or str(value) == str(there):
        return True
    if isinstance(there, dict) and there.keys() <= {"request", "limit"}:  # An amount in its long form.
        return any(same(value, amount) for amount in there.values())
    try:
        return parse(str(value)) == parse(str(there))
    except ValueError:
        return False


def ends(hops: list[Hop]) -> bool:
    """Whether a trace ends where a reader can look: at a line, an argument, or a rule with a name."""
    last = hops[-1]
    return last.span is not None or last.source == COMMAND_LINE or (last.source == RULE and last.manager != "")
