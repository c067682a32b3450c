"""Every kind of the table against its module, its schema, and the packages that read the table."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

import pytest

import tjgen.cluster.kinds
from tjgen.cluster.kinds.pods import pods_of, starts_pods
from tjgen.cluster.kinds.protocol import IN_PLACE, MANAGED, SILENT, Kind
from tjgen.cluster.kinds.table import facts_of, find, kind_of, kinds, replica_field, targets
from tjgen.cluster.schema import store
from tjgen.gitops.bundle import access
from tjgen.gitops.diff.effect import effect
from tjgen.gitops.diff.fields import Changed
from tjgen.gitops.lint.kinds import RUNS
from tjgen.gitops.sync import health
from tjgen.language.runs.freeze import carry
from tjgen.language.spec.objects import PlatformSpec
from tjgen.trees.fields.path import MISSING
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.typing import Any


def of_kind(kind: Kind, **fields: Any) -> dict[str, Any]:
    return {"apiVersion": kind.api_version, "kind": kind.name, "metadata": {"name": "a"}, **fields}


def test_the_table_has_every_kind_of_the_package_under_its_own_name() -> None:
    described = {
        (value.group, value.name): value
        for module in iter_modules(tjgen.cluster.kinds.__path__)
        for value in vars(import_module(f"tjgen.cluster.kinds.{module.name}")).values()
        if isinstance(value, Kind)
    }
    assert {(kind.group, kind.name) for kind in kinds()} == set(described)
    assert all(find(*key) is kind for key, kind in described.items())


def test_a_kind_is_found_in_any_version() -> None:
    kind = kind_of({"apiVersion": "jobset.x-k8s.io/v1", "kind": "JobSet"})
    assert kind is not None
    assert kind.name == "JobSet"
    assert kind_of({"apiVersion": "v1", "kind": "Secret"}) is None
    assert kind_of({}) is None


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: f"{kind.group}-{kind.name}")
def test_the_plural_is_that_of_the_schema(kind: Kind) -> None:
    schema = store.find(kind.api_version, kind.name)
    assert schema is not None
    if "plural" in schema["x-tjgen-resource"]:
        assert schema["x-tjgen-resource"]["plural"] == kind.plural


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: f"{kind.group}-{kind.name}")
def test_only_changeable_fields_of_a_frozen_object_change(kind: Kind) -> None:
    old = of_kind(kind, spec={"a": 1}, immutable=True)
    new = {**of_kind(kind, spec={"a": 2}, immutable=True), "metadata": {"name": "a", "labels": {"x": "y"}}}
    carried = carry(old, new)
    assert carried["metadata"]["labels"] == {"x": "y"}
    assert carried["spec"]["a"] == (2 if kind.changeable is None else 1)


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: f"{kind.group}-{kind.name}")
def test_every_accepted_change_has_an_effect(kind: Kind) -> None:
    for path in (("metadata", "labels", "a"), ("spec", "suspend"), ("spec", "replicas"), ("spec", "x", "y")):
        for values in (("a", "b"), (MISSING, "b"), ("a", MISSING)):
            assert effect(of_kind(kind), Changed(path, *values)).kind in (IN_PLACE, SILENT)


def test_people_who_train_get_access_to_every_managed_kind() -> None:
    namespace = {"trainers": [{"group": "ml"}]}
    (role, _) = access.objects(PlatformSpec({"namespaces": {"vision": namespace}}))
    granted = {
        (group, plural)
        for rule in role.tree["rules"]
        if "create" in rule["verbs"]
        for group in rule["apiGroups"]
        for plural in rule["resources"]
    }
    assert granted == {(kind.group, kind.plural) for kind in kinds() if kind.access == MANAGED}


def test_both_sync_tools_get_a_health_check_of_every_run() -> None:
    with_status = [kind for kind in kinds() if kind.status is not None]
    assert set(health.customizations("failures")) == {
        f"resource.customizations.health.{kind.group}_{kind.name}" for kind in with_status
    }
    assert {(check["apiVersion"], check["kind"]) for check in health.checks("failures")} == {
        (kind.api_version, kind.name) for kind in with_status if kind.run is not None
    }


def test_lint_protects_every_kind_that_trains() -> None:
    assert set(RUNS) == {(kind.group, kind.name) for kind in kinds() if kind.run is not None}


@pytest.mark.parametrize("kind", [kind for kind in kinds() if kind.run is not None], ids=lambda kind: kind.name)
def test_a_kind_that_trains_is_complete(kind: Kind) -> None:
    run = kind.run
    assert run is not None
    assert starts_pods(Manifest(of_kind(kind), {})) == (run.pods is not None)
    assert list(pods_of(Manifest(of_kind(kind), {}))) == []
    assert replica_field(kind.name) == run.replicas
    if run.target:
        assert run.starter
        assert run.page.startswith("[")
        assert kind.status is not None
        assert kind.changeable is not None
        assert kind.access == MANAGED
        assert run.target in targets()
        assert facts_of(run.target) is run
