"""`--set PATH=VALUE`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.language.resolve.texts import experiment, overlay, runs, told
from tjgen.language.resolve.settings import settings
from tjgen.trees.fields.path import get, parse

VALUES = {
    "a number": ("nodes=4", "spec.nodes", 4),
    "a short form": ("gpu=h100:2", "spec.gpu", {"class": "h100", "count": 2}),
    "a part of a value": ("gpu.count=2", "spec.gpu", {"class": "a100", "count": 2}),
    "a map": ("pod.nodeSelector={zone: a}", "spec.pod.nodeSelector", {"zone": "a"}),
    "a list": ("args=[a, b]", "spec.args", ["a", "b"]),
    "an equals sign in the value": ("env.A=b=c", "spec.env.A.value", "b=c"),
    "a variable as it is written": ("env.LR=1e-3", "spec.env.LR.value", "1e-3"),
    "a variable that looks like true": ("env.A=TRUE", "spec.env.A.value", "TRUE"),
    "a variable from a secret": ("env.A={secret: s, key: k}", "spec.env.A", {"secret": "s", "key": "k"}),
    "nothing removes": ("gpu=", "spec.gpu", None),
    "null removes": ("gpu=null", "spec.gpu", None),
    "metadata": ("metadata.namespace=dev", "metadata.namespace", "dev"),
    "a label with dots": ('metadata.labels["a.b/c"]=d', "metadata.labels", {"a.b/c": "d"}),
    "the whole path": ("spec.nodes=4", "spec.nodes", 4),
    "another source of a volume": (
        "volumes.d.emptyDir={}",
        "spec.volumes.d",
        {"emptyDir": {}, "mountPath": "/d"},
    ),
}


@pytest.mark.parametrize(("argument", "path", "wanted"), VALUES.values(), ids=VALUES)
def test_value(argument: str, path: str, wanted: Any) -> None:
    base = experiment("runtime: a\nnodes: 1\ngpu: a100:8\nvolumes: {d: {pvc: x, mountPath: /d}}")
    (run,) = runs(base, overlay("over", "experiment: {nodes: 2}"), sets=(argument,)).runs
    assert get(run.tree.value, parse(path), None) == wanted


def test_a_later_argument_wins() -> None:
    (run,) = runs(experiment("runtime: a"), sets=("nodes=2", "nodes=3")).runs
    assert run.experiment.spec.nodes == 3


def test_who_said_it() -> None:
    (run,) = runs(experiment("runtime: a"), sets=("gpu=h100:8",)).runs
    (origin,) = run.tree.origins(("spec", "gpu", "count"))
    assert (origin.manager, origin.source, origin.because) == ("--set", "command line", ("spec", "gpu", "count"))


FAULTS = {
    "no equals sign": ("nodes", 'TJ220 malformed-set - --set "nodes" has no "="'),
    "no path": ("=4", 'TJ221 malformed-path - "" is not a field path'),
    "an unknown field": ("node=4", 'TJ222 unknown-path - "node" is not a field of an experiment: "node" does not exist'),
    "the name": ("metadata.name=a", 'TJ222 unknown-path - "metadata.name" cannot be set here, because it defines the runs'),
    "no YAML": ("args=[a", "TJ001 yaml-syntax --set:1:1"),
}


@pytest.mark.parametrize(("argument", "wanted"), FAULTS.values(), ids=FAULTS)
def test_fault(argument: str, wanted: str) -> None:
    (found,) = told(settings([argument])[1])
    assert found.startswith(wanted)


def test_a_value_that_does_not_fit_says_where_it_comes_from() -> None:
    (found,) = runs(experiment("runtime: a"), sets=("nodes=many",)).diagnostics
    assert found.message == 'spec.nodes is "many", a string, but must be a whole number'
    assert [note.message for note in found.related] == ["set by --set"]
