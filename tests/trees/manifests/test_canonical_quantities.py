"""Quantities of a TrainJob as a webhook would write them."""

from __future__ import annotations

from tjgen.trees.manifests.canonical_quantities import noncanonical, with_canonical_quantities


def test_quantities_are_written_as_the_server_writes_them() -> None:
    tree = {
        "spec": {
            "trainer": {"resourcesPerNode": {"limits": {"memory": "1.5Gi", "cpu": "1000m"}, "requests": {"cpu": 2}}},
            "runtimePatches": [{"resources": {"limits": {"cpu": "0.5"}}, "emptyDir": {"sizeLimit": "1024Mi"}}],
        }
    }
    assert with_canonical_quantities(tree)["spec"] == {
        "trainer": {"resourcesPerNode": {"limits": {"memory": "1536Mi", "cpu": "1"}, "requests": {"cpu": "2"}}},
        "runtimePatches": [{"resources": {"limits": {"cpu": "500m"}}, "emptyDir": {"sizeLimit": "1Gi"}}],
    }
    assert tree["spec"]["trainer"]["resourcesPerNode"]["limits"]["memory"] == "1.5Gi"  # type: ignore[index]


def test_what_is_canonical_no_quantity_or_elsewhere_stays_the_same_tree() -> None:
    for tree in (
        {"resources": {"limits": {"cpu": "500m", "memory": "1Gi"}}},
        {"resources": {"limits": {"cpu": "many", "memory": None}, "claims": [{"name": "1000m"}]}},
        {"args": ["1000m"], "limits": {"cpu": "1000m"}, "resources": "1000m"},
    ):
        assert with_canonical_quantities(tree) is tree


def test_quantities_that_are_printed_otherwise_are_listed_with_their_paths() -> None:
    tree = {"resourcesPerNode": {"limits": {"nvidia.com/gpu": 1, "cpu": "1"}}, "volumes": [{"emptyDir": {"sizeLimit": "1024Mi"}}]}
    assert list(noncanonical(tree)) == [
        (("resourcesPerNode", "limits", "nvidia.com/gpu"), 1, "1"),
        (("volumes", 0, "emptyDir", "sizeLimit"), "1024Mi", "1Gi"),
    ]
