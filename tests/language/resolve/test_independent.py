"""Errors of an experiment of the wrong shape: all that are independent, and none that follows from another."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.language.resolve.texts import experiment, runs, told
from tests.program import cases
from tjgen.language.resolve.independent import independent_errors
from tjgen.language.resolve.rules import check_rules
from tjgen.language.spec.check import check_experiment
from tjgen.language.spec.compact import EXPERIMENT_FORM
from tjgen.language.spec.forms import long_form
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.source.reader import CORE, read


def test_three_mistakes_are_reported_together() -> None:
    expansion = runs(
        experiment("runtime: a\nnodes: two\nmemori: 8Gi\nvolumes: {d: {pvc: x, mountPath: data}}\nenv: {A: {secret: s}}")
    )
    assert told(expansion.diagnostics) == [
        'TJ103 wrong-type experiment.yaml:6:10 spec.nodes is "two", a string, but must be a whole number',
        'TJ101 unknown-field experiment.yaml:7:3 unknown field "memori"',
        'TJ123 no-key experiment.yaml:9:12 spec.env.A names secret "s" without a key',
        'TJ143 relative-mount-path experiment.yaml:8:36 mountPath data of volume "d" is relative: the kubelet mounts it at /data',
    ]


@pytest.mark.parametrize(
    "spec",
    [
        "runtme: a",
        "runtime: a\nvolumes: {d: {pvc: x, mountPaht: /d}}",
        "runtime: a\nvolumes: {d: {pvcc: x, mountPath: /d}}",
        "runtime: a\nvolumes: {d: [pvc]}\ndata: {volume: d}",
        "runtime: a\nvolumes: 5\ndata: {volume: d}",
        "runtime: a\nenv: {A: {secret: s, keyy: k}}",
        "runtime: a\nvolumes: {d: {pvc: x}, e: {pvc: 5.5, mountPath: [/e]}}\ncode: {workspace: {volum: d}}",
    ],
)
def test_a_consequence_of_a_mistake_is_not_reported(spec: str) -> None:
    expansion = runs(experiment(spec))
    assert {one.code for one in expansion.diagnostics} <= {"TJ101", "TJ102", "TJ103", "TJ105"}, told(expansion.diagnostics)


@pytest.mark.parametrize("case", cases("cases"), ids=lambda case: case.name)
def test_one_wrong_value_in_a_valid_experiment_is_one_error(case: Path) -> None:
    """Every value in turn has another type, and every field another name; the rest of the experiment is still valid."""
    tried = 0
    for file in sorted(case.glob("*.yaml")):
        documents, _ = read(file.read_bytes(), file.name, CORE)
        for document in documents:
            tree = document.value
            if not isinstance(tree, dict) or tree.get("kind") != "Experiment" or not isinstance(tree.get("spec"), dict):
                continue
            tree = long_form(tree, EXPERIMENT_FORM)
            if check_experiment(tree) or check_rules(tree):
                continue
            for path, changed in _mistakes(tree, ()):
                wrong = check_experiment(changed)
                if wrong:
                    tried += 1
                    assert independent_errors(changed, wrong) == [], path
    assert tried or case.name in _INCOMPLETE_WITHOUT_OVERLAYS


_INCOMPLETE_WITHOUT_OVERLAYS = {
    "claims-with-settings-of-the-platform",
    "overlays-of-two-layers",
    "platform-makes-its-objects",
    "platform-with-patches",
}


def _mistakes(tree: Tree, path: FieldPath) -> Iterator[tuple[FieldPath, Tree]]:
    if len(path) > 5:
        return
    for key, value in tree.items():
        here = (*path, key)
        yield here, {**tree, key: 5 if isinstance(value, (dict, list)) else [{"no": 5}]}
        yield here, {name + "x" if name == key else name: part for name, part in tree.items()}
        if isinstance(value, dict):
            for place, changed in _mistakes(value, here):
                yield place, {**tree, key: changed}
