"""Provenance of the twin: every leaf has an origin, and one that mirrors a place holds what stands there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cluster.trainer.cases import CORPUS, RECORDED, folders, trees
from tjgen.cluster.trainer.inputs import expand_documents, opened, runtime_of
from tjgen.trees.fields.managed import origins_of
from tjgen.trees.fields.path import MISSING, get, render
from tjgen.trees.k8s import quantity
from tjgen.trees.manifests.leaves import leaves


def equal(found: Any, value: Any) -> bool:
    """Whether a value is what its origin holds; the controller writes quantities in its own way."""
    if found == value:
        return True
    try:
        return quantity.parse(found) == quantity.parse(value) or quantity.canonical(found) == value
    except (TypeError, ValueError):
        return False


@pytest.mark.parametrize("case", [*folders(RECORDED), *folders(CORPUS)])
def test_every_leaf_says_where_it_comes_from(case: Path) -> None:
    documents = opened(trees(case / "input.yaml"))
    wrong = []
    for trainjob, expansion in expand_documents(documents):
        sources = {"trainjob": trainjob, "runtime": runtime_of(trainjob, documents)}
        for made in expansion.objects:
            for path, value in leaves(made.tree):
                origins = origins_of(made.owners, path)
                if not origins:
                    wrong.append(f"{made.tree['kind']} {render(path)}: nobody")
                for origin in origins:
                    assert origin.source in (*sources, "tjgen")
                    if origin.source == "tjgen":
                        continue
                    found = get(sources[origin.source], origin.because)
                    if found is MISSING or (origin.mirrors and not equal(found, value)):
                        wrong.append(f"{made.tree['kind']} {render(path)}: {value!r} is not {origin}")
    assert wrong == []
