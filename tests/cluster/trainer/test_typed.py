"""What a value becomes on its way through a Go type, and what encoding/json says where it cannot."""

from __future__ import annotations

from typing import Any

import pytest

from tjgen.cluster.trainer.goread import DecodeError
from tjgen.cluster.trainer.typed import NEWEST


@pytest.mark.parametrize(
    ("name", "tree", "printed"),
    [
        pytest.param("Container", {"name": "c"}, {"name": "c", "resources": {}}, id="a struct by value is printed"),
        pytest.param("VolumeMount", {"name": "v"}, {"name": "v", "mountPath": ""}, id="a required text is printed"),
        pytest.param("Container", {"name": "c", "tty": False, "resources": {}}, {"name": "c", "resources": {}}, id="a zero goes"),
        pytest.param("JobSpec", {"suspend": False, "template": {}}, "template", id="a pointer keeps its zero"),
        pytest.param("Toleration", {"key": "a", "colour": "red"}, {"key": "a"}, id="an unknown field goes"),
        pytest.param("Toleration", {"key": None}, {}, id="a null goes"),
        pytest.param("ObjectMeta", {"labels": {}, "finalizers": []}, {}, id="empty maps and lists go"),
        pytest.param("ContainerPort", {"containerPort": 1}, {"containerPort": 1, "protocol": "TCP"}, id="a default comes"),
        pytest.param(
            "ContainerPort", {"containerPort": 1, "protocol": None}, {"containerPort": 1, "protocol": "TCP"}, id="for a null"
        ),
        pytest.param("EmptyDirVolumeSource", {"sizeLimit": "1024Mi"}, {"sizeLimit": "1Gi"}, id="a quantity is canonical"),
        pytest.param("TCPSocketAction", {"port": "http"}, {"port": "http"}, id="a port by name"),
        pytest.param("ContainerPort", {"containerPort": 2.0}, {"containerPort": 2, "protocol": "TCP"}, id="a whole number"),
        pytest.param("ResourceFieldSelector", {}, {"resource": "", "divisor": "0"}, id="zeros of an empty struct"),
    ],
)
def test_a_value_is_printed_as_go_prints_it(name: str, tree: Any, printed: Any) -> None:
    if printed == "template":
        printed = {"suspend": False, "template": {"metadata": {}, "spec": {}}}
    assert NEWEST.typed(tree, name) == printed


@pytest.mark.parametrize(
    ("name", "tree", "words"),
    [
        pytest.param(
            "Trainer", {"numNodes": "2"}, "string into Go struct field Trainer.numNodes of type int32", id="text for a number"
        ),
        pytest.param(
            "Trainer", {"numNodes": 2.5}, "number 2.5 into Go struct field Trainer.numNodes of type int32", id="a fraction"
        ),
        pytest.param(
            "Trainer", {"numNodes": 2**40}, "number 1099511627776 into Go struct field Trainer.numNodes", id="too large"
        ),
        pytest.param(
            "Trainer", {"image": True}, "bool into Go struct field Trainer.image of type string", id="a boolean for text"
        ),
        pytest.param(
            "Trainer", {"command": ["a", 1]}, "number into Go struct field Trainer.command of type string", id="in a list"
        ),
        pytest.param(
            "Trainer", {"env": [{"name": {}}]}, "object into Go struct field EnvVar.env.name of type string", id="deeper"
        ),
        pytest.param(
            "Trainer", {"env": {}}, "object into Go struct field Trainer.env of type []v1.EnvVar", id="a map for a list"
        ),
        pytest.param(
            "TrainJobSpec",
            {"trainer": []},
            "array into Go struct field TrainJobSpec.trainer of type v1alpha1.Trainer",
            id="struct",
        ),
        pytest.param(
            "TrainJobSpec", {"suspend": 1}, "number into Go struct field TrainJobSpec.suspend of type bool", id="no boolean"
        ),
        pytest.param(
            "ResourceRequirements", {"limits": "x"}, "string into Go struct field ResourceRequirements.limits", id="a map"
        ),
        pytest.param(
            "ObjectMeta", {"labels": {"a": 1}}, "number into Go struct field ObjectMeta.labels of type string", id="in a map"
        ),
    ],
)
def test_what_a_type_cannot_hold_is_refused_in_gos_words(name: str, tree: Any, words: str) -> None:
    with pytest.raises(DecodeError) as caught:
        NEWEST.typed(tree, name)
    assert caught.value.text.startswith(f"json: cannot unmarshal {words}")


@pytest.mark.parametrize("value", ["1x", True, [], {}], ids=str)
def test_what_is_no_quantity_is_refused(value: Any) -> None:
    with pytest.raises(DecodeError) as caught:
        NEWEST.typed({"cpu": "1", "sizeLimit": value}, "EmptyDirVolumeSource")
    assert "must match the regular expression" in caught.value.text
    assert caught.value.path == ("sizeLimit",)
