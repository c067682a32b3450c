"""The checks of health: they say of recorded states what the tools' own interpreters made of them.

`recorded/health.json` holds states of objects (those of TrainJobs and JobSets come from a cluster) with what the
scripts gave under yuin/gopher-lua 1.1.2, Argo CD's Lua, and the expressions under fluxcd/pkg runtime/cel 0.110.3.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.checkout import ROOT
from tjgen.cluster.kinds.table import kind_of
from tjgen.cluster.validate.cel.program import program
from tjgen.gitops.sync.health import COMPLETION, FAILURES, checks, customizations, health_of

RECORDED = json.loads((ROOT / "tests/gitops/sync/recorded/health.json").read_text(encoding="utf-8"))
LEVELS = (FAILURES, COMPLETION)


def named(state: Any) -> str:
    return f"{state['kind']} {state['message']}"


def expression(text: str, state: Any) -> bool:
    """Flux gives an expression the fields of the object, rules of the API server have the object itself."""
    return program(re.sub(r"(?<![.\w])status\.", "self.status.", text)).holds(state)


def by_flux(state: Any, level: str) -> str | None:
    """What kustomize-controller concludes: the first expression that is true decides."""
    for check in checks(level):
        if (check["apiVersion"], check["kind"]) == (state["apiVersion"], state["kind"]):
            if "status" not in state:
                return "error"
            if expression(check["failed"], state):
                return "Failed"
            return "Current" if expression(check["current"], state) else "InProgress"
    return None


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("state", RECORDED, ids=named)
def test_the_expressions_of_flux(state: Any, level: str) -> None:
    assert by_flux(state, level) == state[level].get("flux")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("state", RECORDED, ids=named)
def test_the_scripts_of_argocd(state: Any, level: str) -> None:
    lua51 = pytest.importorskip("lupa.lua51", reason="needs lupa, which runs Lua")
    runtime = lua51.LuaRuntime()
    tree = {key: state[key] for key in ("apiVersion", "kind", "status") if key in state}
    runtime.globals()["obj"] = runtime.table_from(tree, recursive=True)
    group = state["apiVersion"].partition("/")[0]
    result = runtime.execute(customizations(level)[f"resource.customizations.health.{group}_{state['kind']}"])
    assert result["status"] == state[level]["argocd"]
    assert result["message"] == state["message"]


@pytest.mark.parametrize("state", RECORDED, ids=named)
def test_the_health_that_tjgen_status_shows_is_that_of_argocd(state: Any) -> None:
    kind = kind_of(state)
    assert kind is not None
    assert kind.status is not None
    assert health_of(state, kind.status)[:2] == (state[FAILURES]["argocd"], state["message"])


def test_every_kind_that_is_checked_has_been_recorded() -> None:
    recorded = {f"resource.customizations.health.{one['apiVersion'].partition('/')[0]}_{one['kind']}" for one in RECORDED}
    for level in LEVELS:
        assert set(customizations(level)) == recorded
