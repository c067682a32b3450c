"""Sweeps: which runs there are, what they are called, and what is said when a sweep makes no sense."""

from __future__ import annotations

from typing import Any

import pytest

from tests.language.resolve.texts import experiment, overlay, runs, told
from tjgen.language.resolve.fieldpaths import field_path
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import get, parse

POINTS = {
    "a matrix, the first key of the alphabet slowest": (
        "matrix: {nodes: [1, 2], gpu: [a100:8, h100:8]}",
        [
            ("gpu-a100-8-nodes-1", 1, "a100"),
            ("gpu-a100-8-nodes-2", 2, "a100"),
            ("gpu-h100-8-nodes-1", 1, "h100"),
            ("gpu-h100-8-nodes-2", 2, "h100"),
        ],
    ),
    "a zip": (
        "zip: {nodes: [1, 2], gpu: [a100:8, h100:8]}",
        [("gpu-a100-8-nodes-1", 1, "a100"), ("gpu-h100-8-nodes-2", 2, "h100")],
    ),
    "a matrix with a zip as its last axis": (
        "matrix: {cpu: [1, 2]}\nzip: {nodes: [1, 2], gpu: [a100:1, h100:1]}",
        [
            ("cpu-1-gpu-a100-1-nodes-1", 1, "a100"),
            ("cpu-1-gpu-h100-1-nodes-2", 2, "h100"),
            ("cpu-2-gpu-a100-1-nodes-1", 1, "a100"),
            ("cpu-2-gpu-h100-1-nodes-2", 2, "h100"),
        ],
    ),
    "an exclude takes points away": (
        "matrix: {nodes: [1, 2], gpu: [a100:8, h100:8]}\n"
        "exclude: [{gpu: {class: h100, count: 8}, nodes: 2}, {gpu: a100:8, nodes: 1}]",
        [("gpu-a100-8-nodes-2", 2, "a100"), ("gpu-h100-8-nodes-1", 1, "h100")],
    ),
    "an include adds to the points that it agrees with": (
        "matrix: {nodes: [1, 2]}\ninclude: [{nodes: 2, gpu: h100:8}]",
        [("nodes-1", 1, "v100"), ("nodes-2-gpu-h100-8", 2, "h100")],
    ),
    "an include that agrees with none is a point": (
        "matrix: {nodes: [1, 2]}\ninclude: [{nodes: 4, gpu: h100:8}, {gpu: l4}]",
        [("nodes-1", 1, "v100"), ("nodes-2", 2, "v100"), ("gpu-h100-8-nodes-4", 4, "h100"), ("gpu-l4", 7, "l4")],
    ),
    "includes alone": ("include: [{nodes: 1}, {nodes: 2}]", [("nodes-1", 1, "v100"), ("nodes-2", 2, "v100")]),
    "null in an include removes": ("include: [{nodes: 1, gpu: null}]", [("gpu-none-nodes-1", 1, None)]),
}


@pytest.mark.parametrize(("sweep", "wanted"), POINTS.values(), ids=POINTS)
def test_points(sweep: str, wanted: list[Any]) -> None:
    found = runs(experiment("runtime: a\nnodes: 7\ngpu: v100:1\nsweep:\n" + "".join(f"  {line}\n" for line in sweep.split("\n"))))
    assert found.diagnostics == []
    assert [
        (run.label, run.experiment.spec.nodes, run.experiment.spec.gpu and run.experiment.spec.gpu.device_class)
        for run in found.runs
    ] == wanted


def test_values_of_variables_are_as_they_are_written() -> None:
    found = runs(experiment("runtime: a\nenv: {LR: 0.1}\nsweep: {matrix: {env.LR: [1e-3, 0.10, 1]}}"))
    assert [run.experiment.spec.env["LR"].value for run in found.runs] == ["1e-3", "0.10", "1"]
    assert [run.label for run in found.runs] == ["lr-1e-3", "lr-0-10", "lr-1"]


def test_every_value_of_a_point_knows_its_line() -> None:
    over = overlay("over", "experiment: {sweep: {matrix: {nodes: [3]}}}")
    (run,) = runs(experiment("runtime: a\nsweep: {matrix: {gpu: [h100:8], nodes: [1, 2]}}"), over).runs
    gpu, nodes = (run.tree.origins(("spec", *parse(path)))[-1] for path in ("gpu.class", "nodes"))
    assert (gpu.manager, gpu.source, get(gpu.because, ())) == (
        "sweep",
        "file:experiment.yaml",
        ("spec", "sweep", "matrix", "gpu", 0, "class"),
    )
    assert (nodes.source, nodes.because) == ("file:over.yaml", ("spec", "experiment", "sweep", "matrix", "nodes", 0))
    assert run.point == {"spec.gpu": "h100:8", "spec.nodes": 3}


def test_an_alternative_in_a_point_takes_the_place_of_the_old_one() -> None:
    found = runs(
        experiment(
            """
            runtime: a
            volumes: {data: {pvc: x, mountPath: /data}}
            sweep: {matrix: {volumes.data.pvc: [y1, {create: {size: 1Gi}}], volumes.data.readOnly: [true]}}
            """
        )
    )
    assert [run.tree.value["spec"]["volumes"]["data"]["pvc"] for run in found.runs] == [
        {"claimName": "y1"},
        {"create": {"size": "1Gi"}},
    ]


LABELS = {
    "long values end in a mark": ("image: [registry.example.com/team/train:1.0, b]", ["image-registry-ex-590200", "image-b"]),
    "values that look alike are told apart": ("env.A: [a.b, a-b]", None),
    "capitals and signs are made plain": ("env.BATCH_SIZE: [-1]", ["batch-size-1"]),
    "a list": ("args: [[--lr, '1']]", ["args-lr-1"]),
    "true": ("env.AMP: [true, false]", ["amp-true", "amp-false"]),
}


@pytest.mark.parametrize(("matrix", "wanted"), LABELS.values(), ids=LABELS)
def test_labels(matrix: str, wanted: list[str] | None) -> None:
    found = [run.label for run in runs(experiment(f"runtime: a\nsweep:\n  matrix:\n    {matrix}\n")).runs]
    assert len(set(found)) == len(found)
    assert all(len(label) <= 24 and set(label) <= set("abcdefghijklmnopqrstuvwxyz0123456789-") for label in found)
    if wanted is not None:
        assert found == wanted


FAULTS = {
    "an unknown field": (
        "{matrix: {env.LR: [1], gppu: [a]}}",
        'TJ222 unknown-path experiment.yaml:6:33 "gppu" is not a field of an experiment: "gppu" does not exist',
    ),
    "an unknown field further down": (
        "{include: [{volumes.d.readonly: true}]}",
        'TJ222 unknown-path experiment.yaml:6:22 "volumes.d.readonly" is not a field of an experiment: "readonly" does not exist',
    ),
    "the sweep itself": (
        "{matrix: {sweep.max: [1]}}",
        'TJ222 unknown-path experiment.yaml:6:20 "sweep.max" cannot be set here, because it defines the runs',
    ),
    "no path": ("{matrix: {'a..b': [1]}}", 'TJ221 malformed-path experiment.yaml:6:20 "a..b" is not a field path'),
    "an element of a list": (
        "{matrix: {'args[0]': [a]}}",
        'TJ221 malformed-path experiment.yaml:6:20 "args[0]" is not a field path',
    ),
    "a field and a part of it": (
        "{matrix: {gpu: [a], gpu.count: [1]}}",
        'TJ230 overlapping-sweep-keys experiment.yaml:6:30 "gpu.count" and "gpu" set the same field',
    ),
    "a key of matrix in zip": (
        "{matrix: {nodes: [1]}, zip: {nodes: [2]}}",
        'TJ230 overlapping-sweep-keys experiment.yaml:6:39 "nodes" and "nodes" set the same field',
    ),
    "uneven zip": (
        "{zip: {nodes: [1, 2], cpu: [1]}}",
        "TJ231 uneven-zip experiment.yaml:6:16 the lists of zip must have the same length, but cpu has 1, nodes has 2",
    ),
    "no points": ("{exclude: []}", "TJ233 empty-sweep experiment.yaml:6:10 the sweep has no points"),
    "a point twice": (
        "{matrix: {gpu: ['h100:8', {class: h100, count: 8}]}}",
        'TJ234 repeated-point experiment.yaml:6:36 the sweep contains point gpu={class: "h100", count: 8} twice',
    ),
    "too many": (
        "{max: 3, matrix: {nodes: [1, 2], cpu: [1, 2]}}",
        "TJ235 sweep-too-large experiment.yaml:6:16 the sweep has 4 points, more than 3",
    ),
    "far too many": (
        "{matrix: {nodes: &l [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], cpu: *l, memory: *l, env.A: *l, env.B: *l, env.C: *l}}",
        "TJ235 sweep-too-large experiment.yaml:6:3 the sweep has 1000000 points, more than 64",
    ),
    "a value that does not fit": (
        "{matrix: {nodes: [1, 0]}}",
        "TJ106 out-of-range experiment.yaml:6:31 spec.nodes is 0, but must be at least 1",
    ),
    "no list": (
        "{matrix: {nodes: 1}}",
        "TJ103 wrong-type experiment.yaml:6:27 spec.sweep.matrix.nodes is 1, a number, but must be a list",
    ),
}


@pytest.mark.parametrize(("sweep", "wanted"), FAULTS.values(), ids=FAULTS)
def test_fault(sweep: str, wanted: str) -> None:
    found = runs(experiment(f"runtime: a\nsweep: {sweep}"))
    assert (told(found.diagnostics), found.runs) == ([wanted], [])


def test_an_exclude_that_takes_nothing_away() -> None:
    found = runs(experiment("runtime: a\nsweep: {matrix: {nodes: [1]}, exclude: [{nodes: 2}]}"))
    assert told(found.diagnostics) == ["TJ232 idle-exclude experiment.yaml:6:43 this entry of exclude matches no point"]
    assert len(found.runs) == 1


@pytest.mark.parametrize(("key", "variable"), [("lr", "LR"), ("args.--batch-size", "BATCH_SIZE")])
def test_a_parameter_of_the_program_is_a_variable(key: str, variable: str) -> None:
    diagnostic = field_path(key)
    assert isinstance(diagnostic, Diagnostic)
    wanted = f"for a parameter of the program, write env.{variable}, and refer to it as $({variable}) in script or args"
    assert (diagnostic.code, diagnostic.hint) == ("TJ222", wanted)
