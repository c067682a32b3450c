"""The checks of health: they derive from states what the tools' own interpreters made of them, and what `tjgen status` shows.

`recorded/health.json` holds states of objects (the first of TrainJobs and JobSets come from a cluster, the others have the form
that their controllers write) with what the scripts gave under yuin/gopher-lua 1.1.2, Argo CD's Lua, and the expressions in the
environment of fluxcd/pkg runtime/cel with google/cel-go 0.26.1.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from tests.checkout import ROOT
from tjgen.cluster.kinds.protocol import Conditions, Kind
from tjgen.cluster.kinds.table import kind_of, kinds
from tjgen.cluster.validate.cel.program import program
from tjgen.gitops.sync import states as table
from tjgen.gitops.sync.health import COMPLETION, FAILURES, checks, customizations, state_of
from tjgen.gitops.sync.states import DEGRADED, GANG, PROGRESSING, RUNNING, RunState

RECORDED = json.loads((ROOT / "tests/gitops/sync/recorded/health.json").read_text(encoding="utf-8"))
LEVELS = (FAILURES, COMPLETION)
KINDS = [kind for kind in kinds() if isinstance(kind.status, Conditions)]


def named(state: Any) -> str:
    return f"{state['kind']} {state['message']}"


def by_flux(state: Any, level: str) -> str | None:
    """What kustomize-controller concludes: the first expression that is true decides."""
    for check in checks(level):
        if (check["apiVersion"], check["kind"]) == (state["apiVersion"], state["kind"]):
            return "error" if "status" not in state else concluded(state, *map(compiled, (check["failed"], check["current"])))
    return None


def compiled(text: str) -> Any:
    """Flux gives an expression the fields of the object, rules of the API server have the object itself."""
    return program(re.sub(r"(?<![.\w])(status|spec)\.", r"self.\1.", text))


def concluded(state: Any, failed: Any, current: Any) -> str:
    return "Failed" if failed.holds(state) else "Current" if current.holds(state) else "InProgress"


def by_argocd(state: Any, level: str) -> tuple[str, str]:
    """Health and message of the script."""
    lua51 = pytest.importorskip("lupa.lua51", reason="needs lupa, which runs Lua")
    runtime = lua51.LuaRuntime()
    tree = {key: state[key] for key in ("apiVersion", "kind", "metadata", "spec", "status") if key in state}
    runtime.globals()["obj"] = runtime.table_from(tree, recursive=True)
    group = state["apiVersion"].partition("/")[0]
    result = runtime.execute(customizations(level)[f"resource.customizations.health.{group}_{state['kind']}"])
    return result["status"], result["message"]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("state", RECORDED, ids=named)
def test_the_expressions_of_flux(state: Any, level: str) -> None:
    assert by_flux(state, level) == state[level].get("flux")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("state", RECORDED, ids=named)
def test_the_scripts_of_argocd(state: Any, level: str) -> None:
    assert by_argocd(state, level) == (state[level]["argocd"], state["message"])


@pytest.mark.parametrize("state", RECORDED, ids=named)
def test_the_health_that_tjgen_status_shows_is_that_of_argocd(state: Any) -> None:
    kind = kind_of(state)
    assert kind is not None
    found = state_of(state, kind)
    assert (found.state.health, found.message) == (state[FAILURES]["argocd"], state["message"])


def test_every_kind_that_is_checked_has_been_recorded() -> None:
    recorded = {f"resource.customizations.health.{one['apiVersion'].partition('/')[0]}_{one['kind']}" for one in RECORDED}
    for level in LEVELS:
        assert set(customizations(level)) == recorded


def with_suspend(kind: Kind, value: bool | None) -> dict[str, Any]:
    """A spec with this value of `suspend`, and two replica types if the kind has some."""
    assert kind.run is not None
    spec: dict[str, Any] = {kind.run.replicas: {"A": {}, "B": {"replicas": 2}}} if kind.run.replicas else {}
    path = kind.suspend or ()
    if value is not None:
        spec |= {"runPolicy": {"suspend": value}} if "runPolicy" in path else {"suspend": value}
    return spec


def counts(kind: Kind) -> Iterator[dict[str, Any]]:
    """Counts of a status: none, and some for each of two Jobs or replica types."""
    assert isinstance(kind.status, Conditions)
    assert kind.run is not None
    field = kind.status.active
    yield {}
    if kind.run.replicas:
        for first, second, succeeded in product((None, {}, {"active": 1}), (0, 1, 2), (0, 1)):
            role = {} if first is None else {"A": first}
            yield {field: {**role, "B": {"active": second, "succeeded": succeeded, "failed": 0}}}
    else:
        for (active, ready), (other, succeeded) in product(((0, 0), (1, 0), (2, 1), (2, 2)), ((0, 0), (0, 1), (1, 0))):
            rows = (("a", active, ready, 0), ("b", other, 0, succeeded))
            yield {field: [{"name": name, "active": a, "ready": r, "succeeded": s} for name, a, r, s in rows]}


def states(kind: Kind) -> Iterator[dict[str, Any]]:
    """Objects of a kind with any combination of conditions, counts, `suspend`, and a queue."""
    assert isinstance(kind.status, Conditions)
    types = ("Failed", kind.status.done, "Suspended")
    some = [
        [
            {"type": name, "status": status, "message": f"{name} it is"}
            for name, status in zip(types, chosen, strict=True)
            if status
        ]
        for chosen in product(("", "True"), ("", "True"), ("", "False", "True"))
    ]
    for found, counted, suspend, queue in product(
        some, counts(kind), (None, False, True), ({}, {"kueue.x-k8s.io/queue-name": "a"})
    ):
        status = {**({"conditions": found} if found else {}), **counted}
        meta = {"labels": queue}
        yield {
            "apiVersion": kind.api_version,
            "kind": kind.name,
            "metadata": meta,
            "spec": with_suspend(kind, suspend),
            "status": status,
        }


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_checks_and_tjgen_status_agree_on_any_status(kind: Kind) -> None:
    lua51 = pytest.importorskip("lupa.lua51", reason="needs lupa, which runs Lua")
    runtime = lua51.LuaRuntime()
    key = f"resource.customizations.health.{kind.group}_{kind.name}"
    scripts = {level: runtime.execute(f"return function(obj) {customizations(level)[key]} end") for level in LEVELS}
    own = {
        level: next(one for one in checks(level) if (one["apiVersion"], one["kind"]) == (kind.api_version, kind.name))
        for level in LEVELS
    }
    expressions = {level: (compiled(one["failed"]), compiled(one["current"])) for level, one in own.items()}
    seen = set()
    for state in states(kind):
        found = state_of(state, kind)
        seen.add(found.state)
        for level in LEVELS:
            health = PROGRESSING if level == COMPLETION and found.state is RUNNING else found.state.health
            answer = scripts[level](runtime.table_from(state, recursive=True))
            assert (answer["status"], answer["message"]) == (health, found.message), state
            flux = {DEGRADED: "Failed", PROGRESSING: "InProgress"}.get(health, "Current")
            assert concluded(state, *expressions[level]) == flux, state
    assert {one.word for one in seen} == {"failed", "completed", "suspended", "waiting", "running", "starting"}


def test_the_page_has_each_state() -> None:
    page = (ROOT / "docs/how-to/status.md").read_text(encoding="utf-8")
    rows = [
        tuple(cell.strip(" `") for cell in line.split("|")[1:3])
        for line in page.splitlines()
        if re.match(r"\| `[a-z]+` \| [A-Z][a-z]+ \|", line)
    ]
    known = [one for one in vars(table).values() if isinstance(one, RunState) and one is not GANG]
    assert sorted(rows) == sorted({(one.word, one.health) for one in known})
