"""Inputs with a wrong value somewhere end in diagnostics, never in an exception."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from tests.checkout import list_entries
from tests.cluster.trainer.cases import RECORDED, trees
from tjgen.cluster.trainer.framework import live
from tjgen.cluster.trainer.inputs import expand_documents, opened
from tjgen.cluster.validate.webhooks import jobset, trainer

WRONG: tuple[Any, ...] = (None, "x", "", 0, -1, 2.5, True, 10**20, [], {}, [None], ["a"], [{}], [[]], {"a": 1}, {"name": None})
INPUTS = list_entries(RECORDED, "*/input.yaml")


def places(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value below the root."""
    steps = list(tree.items()) if isinstance(tree, dict) else list(enumerate(tree)) if isinstance(tree, list) else []
    for step, value in steps:
        yield (*path, step)
        yield from places(value, (*path, step))


def spoil(documents: list[Any], random: Random) -> None:
    document = random.choice(documents)
    *way, last = random.choice(list(places(document)))
    for step in way:
        document = document[step]
    document[last] = copy.deepcopy(random.choice(WRONG))


@pytest.mark.parametrize("seed", range(300))
def test_a_wrong_value_is_no_crash(seed: int) -> None:
    random = Random(seed)
    documents = opened(trees(random.choice(INPUTS)))
    for _ in range(random.choice((1, 1, 2))):
        spoil(documents, random)
    for _, expansion in expand_documents(documents):
        assert expansion.objects or expansion.diagnostics
        for made in expansion.objects:
            if made.tree["kind"] == "JobSet":
                jobset.validate(live(made.tree), context=documents)
    for document in documents:
        trainer.validate(document, context=documents)
