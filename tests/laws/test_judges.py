"""Judges that are not ours agree that what is built is valid."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import jsonschema
import kubernetes_validate
import pytest

from tests.laws.built import CASES, made
from tests.program import TESTS, tjgen
from tjgen.cluster.schema.store import find
from tjgen.trees.manifests.manifest import PREVIEW
from tjgen.trees.source.writer import dump_all

OF_CLUSTERS = ("data.fluid.io/v1alpha1",)
"""What is only checked with schemas that were imported from a cluster; the build says so."""
OF_KUBERNETES = ("PersistentVolumeClaim", "ConfigMap", "Secret", "Service")


WARNED = {
    # The runtime is not among the files, so check cannot expand its TrainJob and reports that.
    "runtime-of-the-cluster": {"TJ529"},
    # The build also reports a resource that is not a GPU.
    "requests-below-limits": {"TJ814"},
}
"""Case -> the warnings that it may have."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_schemas_hold_by_another_validator(case: Path) -> None:
    for manifest, _ in made(case):
        schema = find(manifest.api_version, manifest.kind)
        if schema is None:
            assert manifest.api_version in OF_CLUSTERS, manifest.ref
            continue
        found = jsonschema.Draft202012Validator(closed(schema)).iter_errors(manifest.tree)
        assert [error.message for error in found] == [], manifest.ref


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_kinds_of_kubernetes_are_valid_by_its_own_schemas(case: Path) -> None:
    for manifest, _ in made(case):
        if manifest.kind in OF_KUBERNETES and manifest.stage != PREVIEW:
            kubernetes_validate.validate(manifest.tree, "1.36", strict=True)


def test_the_other_validator_sees_a_fault() -> None:
    (manifest, *_) = [found for found, _ in made(TESTS / "cases" / "plain-two-nodes") if found.kind == "TrainJob"]
    schema = find(manifest.api_version, manifest.kind)
    assert schema is not None
    spoiled = {**manifest.tree, "spec": {**manifest.tree["spec"], "unknown": 1, "trainer": {"numNodes": "two"}}}
    assert len(list(jsonschema.Draft202012Validator(closed(schema)).iter_errors(spoiled))) == 2


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_check_accepts_what_build_makes(case: Path, tmp_path: Path) -> None:
    # A Secret that a controller generates is shown with a mark in place of its random content, and a claim that the JobSet
    # controller creates must not exist before the JobSet.
    later = [(kind, PREVIEW) for kind in ("Secret", "PersistentVolumeClaim")]
    trees = [manifest.tree for manifest, _ in made(case) if (manifest.kind, manifest.stage) not in later]
    trees = [named(tree) for tree in trees if tree["apiVersion"] not in OF_CLUSTERS]
    (tmp_path / "built.yaml").write_text(dump_all(trees), encoding="utf-8")
    answer = tjgen(tmp_path, "check", "--strict", "built.yaml")
    warnings = set(re.findall(r"\[(TJ\d+)\]", answer.err)) if case.name in WARNED else set()
    assert (answer.code, answer.out) == (1 if warnings else 0, ""), answer.err
    assert warnings <= WARNED.get(case.name, set()), answer.err


def named(tree: Any) -> Any:
    """The object with a name such as the server generates for a pod."""
    metadata = dict(tree["metadata"])
    prefix = metadata.pop("generateName", "")
    return {**tree, "metadata": {**metadata, "name": f"{prefix}x7k2p"}} if prefix else tree


def closed(schema: Any) -> Any:
    """A structural schema as JSON Schema: a map with known fields has no others."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    open_ended = schema.get("x-kubernetes-preserve-unknown-fields") or "additionalProperties" in schema
    made = {key: closed(value) if key != "properties" else dict(value) for key, value in schema.items()}
    if "properties" in made:
        made["properties"] = {name: closed(value) for name, value in schema["properties"].items()}
        if not open_ended:
            made["additionalProperties"] = False
    # Kubernetes' formats and default values say nothing about validity here.
    made.pop("default", None)
    made.pop("format", None)
    return made
