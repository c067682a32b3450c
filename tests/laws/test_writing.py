"""What is written is what was meant, for every reader."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.laws.built import CASES, made
from tjgen.trees.source.reader import KUBERNETES, read
from tjgen.trees.source.writer import dump, dump_all


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_stream_reads_back_as_the_same_trees(case: Path) -> None:
    trees = [manifest.tree for manifest, _ in made(case)]
    documents, diagnostics = read(dump_all(trees), "stream.yaml", KUBERNETES)
    assert diagnostics == []
    assert [document.value for document in documents] == trees


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("loader", [yaml.SafeLoader, yaml.CSafeLoader], ids=["python", "libyaml"])
def test_another_reader_sees_the_same(case: Path, loader: type[yaml.SafeLoader]) -> None:
    for manifest, _ in made(case):
        assert yaml.load(dump(manifest.tree), Loader=loader) == manifest.tree
