"""Quantities of a TrainJob as a webhook would write them."""

from __future__ import annotations

from tjgen.compiler.targets.quantities import with_canonical_quantities


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
