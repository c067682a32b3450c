"""Every engine of policies is complete: its module, its kind with a schema, recorded decisions, and its place on the page."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

import tjgen.cluster.policies
from tests.checkout import ROOT
from tjgen.cluster.policies.conversion import PolicyEngine
from tjgen.cluster.policies.table import ENGINES, engine_of, is_policy
from tjgen.cluster.schema import store

PAGE = ROOT / "docs" / "how-to" / "policies.md"
MODULES = {
    module.name: engine
    for module in iter_modules(tjgen.cluster.policies.__path__)
    if isinstance(engine := getattr(import_module(f"tjgen.cluster.policies.{module.name}"), "ENGINE", None), PolicyEngine)
}


def test_every_module_of_an_engine_is_in_the_table() -> None:
    assert set(ENGINES.values()) == MODULES.keys()


@pytest.mark.parametrize(("group", "kind"), ENGINES)
def test_a_policy_of_an_engine_is_known_by_its_kind(group: str, kind: str) -> None:
    policy = {"apiVersion": f"{group}/v1", "kind": kind}
    assert engine_of(policy) is MODULES[ENGINES[group, kind]]
    assert not is_policy(policy)
    assert engine_of({"apiVersion": "v1", "kind": kind}) is None
    assert store.find(f"{group}/v1", kind) is not None, f"add {kind} of {group} to schemas/sets.yaml"


@pytest.mark.parametrize("name", MODULES)
def test_an_engine_has_recorded_decisions_and_its_section_of_the_page(name: str) -> None:
    assert (Path(__file__).parent / f"recorded_{name}.json.xz").is_file()
    assert f"## Policies of {MODULES[name].title}\n" in PAGE.read_text(encoding="utf-8")
