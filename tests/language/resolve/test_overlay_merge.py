"""What overlays make of an experiment, value by value."""

from __future__ import annotations

from typing import Any

import pytest

from tests.language.resolve.texts import document, experiment, overlay, resolve
from tjgen.trees.fields.path import get, parse

MERGES = {
    "maps merge by key": ("env: {A: 1}", "env: {B: 2}", "env", {"A": {"value": "1"}, "B": {"value": "2"}}),
    "a scalar replaces": ("nodes: 2", "nodes: 4", "nodes", 4),
    "a list replaces": ("args: [a, b]", "args: [c]", "args", ["c"]),
    "null removes": ("gpu: h100:8\nnodes: 2", "gpu: null", "gpu", None),
    "null of what is not there changes nothing": ("nodes: 2", "gpu: null", "nodes", 2),
    "null inside a new map does not exist": ("nodes: 2", "env: {A: null, B: x}", "env", {"B": {"value": "x"}}),
    "the long form changes a part of a short form": (
        "gpu: a100:8",
        "gpu: {count: 4}",
        "gpu",
        {"class": "a100", "count": 4},
    ),
    "a short form changes a long form": ("gpu: {class: a100, count: 8}", "gpu: h100:4", "gpu", {"class": "h100", "count": 4}),
    "a class alone keeps the count": ("gpu: a100:8", "gpu: h100", "gpu", {"class": "h100", "count": 8}),
    "a runtime by name keeps its kind": (
        "runtime: {name: a, kind: TrainingRuntime}",
        "runtime: b",
        "runtime",
        {"name": "b", "kind": "TrainingRuntime"},
    ),
    "another source of a volume takes the place of the old one": (
        "volumes: {data: {pvc: imagenet, mountPath: /data}}",
        "volumes: {data: {emptyDir: {medium: Memory}}}",
        "volumes.data",
        {"emptyDir": {"medium": "Memory"}, "mountPath": "/data"},
    ),
    "a claim to create takes the place of a claim by name": (
        "volumes: {data: {pvc: imagenet, mountPath: /data}}",
        "volumes: {data: {pvc: {create: {size: 1Gi}}}}",
        "volumes.data.pvc",
        {"create": {"size": "1Gi"}},
    ),
    "a claim by name takes the place of a claim to create": (
        "volumes: {data: {pvc: {create: {size: 1Gi, scope: run}}, mountPath: /data}}",
        "volumes: {data: {pvc: imagenet}}",
        "volumes.data.pvc",
        {"claimName": "imagenet"},
    ),
    "a claim to create is changed in part": (
        "volumes: {data: {pvc: {create: {size: 1Gi}}, mountPath: /data}}",
        "volumes: {data: {pvc: {create: {storageClassName: fast}}}}",
        "volumes.data.pvc",
        {"create": {"size": "1Gi", "storageClassName": "fast"}},
    ),
    "a variable becomes a secret": ("env: {A: x}", "env: {A: {secret: s, key: k}}", "env.A", {"secret": "s", "key": "k"}),
    "a secret becomes a value": ("env: {A: {secret: s, key: k}}", "env: {A: x}", "env.A", {"value": "x"}),
    "what belongs to a secret does not stay with a config map": (
        "env: {A: {secret: s, key: k, optional: true}}",
        "env: {A: {configMap: c, key: k}}",
        "env.A",
        {"configMap": "c", "key": "k"},
    ),
    "the key of a secret changes alone": (
        "env: {A: {secret: s, key: k}}",
        "env: {A: {key: l}}",
        "env.A",
        {"secret": "s", "key": "l"},
    ),
    "a script takes the place of command and args": (
        "command: [python]\nargs: [a.py]\nnodes: 2",
        "script: b.py",
        "",
        {"nodes": 2, "script": "b.py"},
    ),
    "args alone are no other way to start": ("command: [python]", "args: [a.py]", "", {"command": ["python"], "args": ["a.py"]}),
    "a manifest takes the place of a glob": (
        "data: {volume: d, items: {glob: '*.tar', directory: x}}",
        "data: {items: {manifest: files.txt}}",
        "data.items",
        {"manifest": "files.txt"},
    ),
    "null is kept in the tree of a patch": (
        "patches: {p: {target: {kind: JobSet}, merge: {spec: {a: 1}}}}",
        "patches: {p: {merge: {spec: {b: null}}}}",
        "patches.p.merge",
        {"spec": {"a": 1, "b": None}},
    ),
    "named elements merge in the tree of a patch": (
        "patches: {p: {target: {kind: Pod}, merge: {containers: [{name: a, x: 1}, {name: b}]}}}",
        "patches: {p: {merge: {containers: [{name: c}, {name: a, z: 2}]}}}",
        "patches.p.merge.containers",
        [{"name": "a", "x": 1, "z": 2}, {"name": "b"}, {"name": "c"}],
    ),
    "lists of other things replace": (
        "pod: {tolerations: [{key: a}]}",
        "pod: {tolerations: [{key: b}]}",
        "pod.tolerations",
        [{"key": "b"}],
    ),
    "a role is changed in part": (
        "roles: {launcher: {cpu: 2, gpu: a100:1}}",
        "roles: {launcher: {gpu: {count: 2}}}",
        "roles.launcher",
        {"cpu": {"request": 2, "limit": 2}, "gpu": {"class": "a100", "count": 2}},
    ),
    "a limit is raised": ("cpu: 4", "cpu: {limit: 8}", "cpu", {"request": 4, "limit": 8}),
    "a limit is removed": ("memory: 4Gi", "memory: {limit: null}", "memory", {"request": "4Gi"}),
    "a number sets both": ("cpu: {request: 2, limit: 8}", "cpu: 4", "cpu", {"request": 4, "limit": 4}),
}


@pytest.mark.parametrize(("base", "over", "path", "wanted"), MERGES.values(), ids=MERGES)
def test_environment_overlay(base: str, over: str, path: str, wanted: Any) -> None:
    found = resolve(experiment(base), overlay("over", "experiment:\n" + _deeper(over)))
    assert found.diagnostics == []
    assert get(found.tree.value, ("spec", *parse(path)), None) == wanted


def test_default_overlay_lies_under_the_experiment() -> None:
    below = overlay("below", "layer: default\nexperiment: {nodes: 1, image: a, gpu: h100:8}")
    found = resolve(experiment("nodes: 2\ngpu: null"), below)
    assert found.tree.value["spec"] == {"nodes": 2, "image": "a"}


def test_an_alternative_of_the_experiment_takes_the_place_of_a_default_one() -> None:
    below = overlay("below", "layer: default\nexperiment: {volumes: {data: {pvc: shared, mountPath: /data, readOnly: true}}}")
    found = resolve(experiment("volumes: {data: {emptyDir: {}}}"), below)
    assert found.tree.value["spec"]["volumes"]["data"] == {"emptyDir": {}, "mountPath": "/data", "readOnly": True}


def test_metadata_in_an_overlay() -> None:
    over = overlay("over", "experiment: {metadata: {namespace: prod, labels: {team: a}}, nodes: 2}")
    found = resolve(experiment("nodes: 1"), over)
    assert found.tree.value["metadata"] == {"name": "net", "namespace": "prod", "labels": {"team": "a"}}
    assert "metadata" not in found.tree.value["spec"]


def test_trees_that_come_in_stay_as_they_are() -> None:
    base = experiment("env: {A: x}\nvolumes: {d: {pvc: a, mountPath: /d}}")
    over = overlay("over", "experiment: {env: {B: z}, volumes: {d: {emptyDir: {}}}}")
    before = repr((base.value, over.document.value))
    resolve(base, over)
    assert repr((base.value, over.document.value)) == before


def test_every_value_knows_who_said_it() -> None:
    below = overlay("below", "layer: default\nexperiment: {image: a}")
    over = overlay("over", "experiment: {gpu: {count: 4}, env: {B: z}, nodes: null}")
    found = resolve(experiment("nodes: 2\ngpu: a100:8\nenv: {A: x}"), below, over)
    said = {
        path: _last(found.tree.origins(("spec", *parse(path))))
        for path in ("image", "nodes", "gpu.class", "gpu.count", "env.A.value", "env.B")
    }
    assert said == {
        "image": ("below", "file:below.yaml", "spec.experiment.image"),
        "nodes": ("over", "file:over.yaml", "spec.experiment.nodes"),
        "gpu.class": ("experiment", "file:experiment.yaml", "spec.gpu.class"),
        "gpu.count": ("over", "file:over.yaml", "spec.experiment.gpu.count"),
        "env.A.value": ("experiment", "file:experiment.yaml", "spec.env.A.value"),
        "env.B": ("over", "file:over.yaml", "spec.experiment.env.B"),
    }


def test_a_value_that_two_say_has_two_owners() -> None:
    found = resolve(experiment("nodes: 2"), overlay("over", "experiment: {nodes: 2}"))
    assert [origin.manager for origin in found.tree.origins(("spec", "nodes"))] == ["experiment", "over"]


def test_the_second_document_of_a_file_has_a_name_of_its_own() -> None:
    from tjgen.trees.source.reader import CORE, read

    text = "".join(
        f"---\napiVersion: tjgen.dev/v1alpha1\nkind: Experiment\nmetadata: {{name: {name}}}\nspec: {{}}\n" for name in "ab"
    )
    documents, _ = read(text, "both.yaml", CORE)
    sources = [resolve(one).tree.origins(("metadata", "name"))[0].source for one in documents]
    assert sources == ["file:both.yaml", "file:both.yaml#2"]
    assert document(text.split("---\n")[1], "one.yaml").index == 0


def _last(origins: Any) -> tuple[str, str, str]:
    from tjgen.trees.fields.path import render

    return origins[-1].manager, origins[-1].source, render(origins[-1].because)


def _deeper(text: str) -> str:
    return "".join(f"  {line}\n" for line in text.split("\n"))
