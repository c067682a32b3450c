"""Device classes: the built-in ones, and a Platform's over them."""

from __future__ import annotations

import re

import pytest

from tjgen.language.platform.builtin import CLASSES
from tjgen.language.platform.devices import Accelerator, DeviceSharing, classes
from tjgen.language.spec.objects import DeviceClass as Described

RESOURCE = re.compile(r"[a-z0-9.-]+\.[a-z]+/[A-Za-z0-9._-]+\Z")


@pytest.mark.parametrize("name", CLASSES)
def test_a_builtin_class_is_usable_as_it_stands(name: str) -> None:
    device = classes()[name]
    assert device.name == name
    assert RESOURCE.match(device.resource or "")
    assert device.is_builtin
    assert device.processes >= 1
    if device.memory is not None:
        assert device.times(device.memory, 1) == device.memory
    assert all(toleration["key"] == device.resource for toleration in device.tolerations)


def test_products_with_one_resource_name_are_told_apart_by_labels() -> None:
    chosen = [(one.resource, tuple(one.node_selector.items())) for one in classes().values() if one.node_selector]
    assert len(chosen) == len(set(chosen))


def test_a_platform_replaces_a_builtin_class_whole_and_adds_its_own() -> None:
    ours = {
        "h100": Described({"resource": "nvidia.com/gpu", "nodeSelector": {"pool": "h100"}, "cpuPerDevice": 12}),
        "half": Described({"resource": "nvidia.com/mig-3g.40gb", "memory": "40Gi", "processes": 2}),
    }
    known = classes(ours)
    assert known["h100"] == Accelerator("h100", "nvidia.com/gpu", {"pool": "h100"}, cpu_per_device=12)
    assert known["half"] == Accelerator("half", "nvidia.com/mig-3g.40gb", memory="40Gi", processes=2)
    assert known["l4"] == classes()["l4"]


@pytest.mark.parametrize("name", [name for name in CLASSES if classes()[name].partitions])
def test_parts_of_a_builtin_class_are_resources_of_their_own(name: str) -> None:
    for profile, part in classes()[name].partitions.items():
        assert RESOURCE.match(part.resource or "")
        assert (part.resource or "").endswith(profile)
        assert part.memory is not None
        assert profile.endswith(f".{str(part.memory).removesuffix('Gi')}gb")


def test_a_part_is_a_class_of_its_own() -> None:
    described = {
        "resource": "nvidia.com/gpu",
        "nodeSelector": {"pool": "a", "zone": "b"},
        "processes": 2,
        "memoryPerDevice": "64Gi",
        "partitions": {"half": {"resource": "nvidia.com/mig-half", "nodeSelector": {"pool": "c"}}},
    }
    device = classes({"ours": Described(described)})["ours"]
    assert device.part("half") == Accelerator("ours", "nvidia.com/mig-half", {"pool": "c", "zone": "b"})


def test_how_devices_are_shared_is_what_the_platform_says() -> None:
    described = {"resource": "nvidia.com/gpu", "sharing": {"memory": "nvidia.com/gpumem", "annotations": {"a/b": "c"}}}
    device = classes({"ours": Described(described)})["ours"]
    assert device.sharing == DeviceSharing(memory="nvidia.com/gpumem", annotations={"a/b": "c"})
    assert classes({"ours": Described({"resource": "nvidia.com/gpu"})})["ours"].sharing is None


@pytest.mark.parametrize(
    ("each", "count", "wanted"),
    [("500m", 3, "1500m"), (12, 8, "96"), ("64Gi", 8, "512Gi"), ("1.5Gi", 2, "3Gi")],
)
def test_what_several_devices_need(each: str | int, count: int, wanted: str) -> None:
    assert Accelerator("a", "b/c").times(each, count) == wanted
