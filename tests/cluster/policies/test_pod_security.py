"""Pod Security gives the verdicts and the words of a real API server, as recorded (see record.py)."""

from __future__ import annotations

import pytest

from tests.cluster.policies import pods
from tests.cluster.policies.test_recorded import ANSWERS
from tjgen.cluster.policies.pod_security import of_labels, violations
from tjgen.cluster.policies.stored import stored
from tjgen.trees.k8s.labels import POD_SECURITY


@pytest.mark.parametrize("name", pods.NAMESPACES)
def test_a_pod_gets_the_answer_of_the_server(name: str) -> None:
    labels = {f"{POD_SECURITY}{key}": value for key, value in pods.NAMESPACES[name].items()}
    expected = []
    found = []
    for tree, answer in zip(pods.OBJECTS, ANSWERS["pods"][name], strict=True):
        held = stored(tree, webhooks=False)
        assert held is not None
        is_pod = tree["kind"] == "Pod"
        pod = held.tree if is_pod else held.tree["spec"]["template"]
        enforced, warned = of_labels(labels, "enforce"), of_labels(labels, "warn")
        refused = ", ".join(map(str, violations(pod, enforced))) if is_pod else ""
        words = f'violates PodSecurity "{enforced}": {refused}' if refused else ""
        against = ", ".join(map(str, violations(pod, warned))) if not refused else ""
        warnings = [f'would violate PodSecurity "{warned}": {against}'] if against else []
        if answer["code"] in (201, 403):  # otherwise the pod itself is invalid
            found.append((words, warnings))
            message = answer.get("message", "").partition(" is forbidden: ")[2]
            own = [one for one in answer["warnings"] if "PodSecurity" in one]
            expected.append((message, own))
    assert found == expected
    assert len(expected) > len(pods.OBJECTS) - 5
