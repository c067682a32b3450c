"""An update of an object whose selectors have invalid label values: only those of expressions are tolerated.

The verdicts are those of `kadmit`, the registry code of Kubernetes 1.36.3.
"""

from __future__ import annotations

from typing import Any

import pytest

from tjgen.cluster.validate.judge import judge

LABELS = {"matchLabels": {"team": "image:1"}}
VALID = {"matchLabels": {"team": "a"}}
EXPRESSIONS = {"matchExpressions": [{"key": "team", "operator": "In", "values": ["image:1"]}]}


def deployment(selector: dict[str, Any]) -> dict[str, Any]:
    term = {"labelSelector": selector, "topologyKey": "zone"}
    affinity = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    spec = {"containers": [{"name": "c", "image": "a:1"}], "affinity": affinity}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "a", "namespace": "ml"},
        "spec": {
            "selector": {"matchLabels": {"a": "b"}},
            "template": {"metadata": {"labels": {"a": "b"}}, "spec": spec},
        },
    }


@pytest.mark.parametrize(
    ("old", "new", "allowed"),
    [
        pytest.param(LABELS, LABELS, False, id="labels that stay"),
        pytest.param(EXPRESSIONS, EXPRESSIONS, True, id="expressions that stay"),
        pytest.param(LABELS, EXPRESSIONS, True, id="expressions instead of labels"),
        pytest.param(VALID, EXPRESSIONS, False, id="new expressions"),
    ],
)
def test_values_of_labels(old: dict[str, Any], new: dict[str, Any], allowed: bool) -> None:
    assert judge(deployment(new), old=deployment(old)).allowed is allowed
