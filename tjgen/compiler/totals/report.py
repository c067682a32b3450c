"""Totals of runs -> JSON for programs.

`{"runs": [{"name": ..., "pods": ...}], "totals": {STATE: {...}}, "total": {...}, "clusters": {CLUSTER: {...}}}`; a cluster has
`totals`, `teams`, `environments`, `projects`, `namespaces` and `total`. With `--by`, it also has `groups`: names to totals by
value, where the value is empty for runs without one. Fields may be added. With runs of several clusters, `totals` and `total` are
null.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from tjgen.compiler.totals.cost import Cost, amount, summed_cost
from tjgen.compiler.totals.table import STORAGE, Bandwidths, Row, bandwidth, by_cluster, group_by
from tjgen.compiler.totals.tally import Totals, together
from tjgen.trees.fields.path import Tree
from tjgen.trees.k8s.quantity import Quantity, multiply, total


def report(rows: Sequence[Row], slices: Mapping[str, Mapping[str, Tree]], bandwidths: Bandwidths, by: Sequence[str] = ()) -> str:
    """The text. Amounts are quantities, `storage` and `bandwidth` null if there is none; `slices` by run and data set."""
    runs = [
        {
            "name": one.name,
            "environment": one.environment,
            "cluster": one.cluster,
            "namespace": one.namespace,
            "experiment": one.experiment,
            "state": one.state,
            "class": one.device_class,
            "team": one.team,
            "project": one.project,
            **_described(one.totals, bandwidths),
            "cost": cost_data(one.cost),
            "slices": _slices(slices.get(one.name)),
        }
        for one in rows
    ]
    described = {name: _sums(own, bandwidths, by) for name, own in by_cluster(rows).items()}
    alone = next(iter(described.values())) if len(described) == 1 else _sums([], bandwidths, by) if not described else None
    # No total combines two clusters.
    whole = {"totals": alone["totals"], "total": alone["total"]} if alone is not None else {"totals": None, "total": None}
    return json.dumps({"runs": runs, **whole, "clusters": described}, indent=2, ensure_ascii=False) + "\n"


def _slices(described: Mapping[str, Tree] | None) -> Tree:
    """How the only data set is sliced; of data sets with names, a mapping."""
    return described.get("", described) if described is not None else None


def _sums(rows: Sequence[Row], bandwidths: Bandwidths, by: Sequence[str]) -> dict[str, Tree]:
    """The totals of the runs of one cluster, by state, by each group, and together."""

    def groups(name: str) -> dict[str, Tree]:
        return {group: _sum(own, bandwidths) for group, own in sorted(group_by(rows, name).items())}

    return {
        "totals": {name: _sum(own, bandwidths) for name, own in group_by(rows, "state").items()},
        "teams": {name: _sum(own, bandwidths) for name, own in sorted(group_by(rows, "team").items()) if name},
        "environments": {name: _sum(own, bandwidths) for name, own in group_by(rows, "environment").items() if name},
        "projects": {name: _sum(own, bandwidths) for name, own in sorted(group_by(rows, "project").items()) if name},
        "namespaces": {name: _sum(own, bandwidths) for name, own in sorted(group_by(rows, "namespace").items())},
        **({"groups": {name: groups(name) for name in by}} if by else {}),
        "total": _sum(rows, bandwidths),
    }


def _sum(rows: Sequence[Row], bandwidths: Bandwidths) -> Tree:
    described = _described(together([one.totals for one in rows]), bandwidths)
    return {**described, "cost": cost_data(summed_cost(one.cost for one in rows))}


def cost_data(cost: Cost) -> Tree:
    """Amounts as text with two decimals; null if no price is known."""
    if not (cost.is_known or cost.storage):
        return None
    at_most = amount(cost.at_most) if cost.at_most is not None else None
    return {
        "currency": cost.currency,
        "perHour": amount(cost.hourly),
        "atMost": at_most,
        "unpricedDevices": cost.unpriced,
        "storagePerMonth": amount(cost.monthly) if cost.storage else None,
        "unpricedClaims": cost.unpriced_claims,
    }


def _described(totals: Totals, bandwidths: Bandwidths) -> Tree:
    storage = total({STORAGE: multiply(one.size, one.number)} for one in totals.claims.values()).get(STORAGE)
    delivered = bandwidth(totals, bandwidths)
    return {
        "pods": totals.pods,
        "requests": _texts(totals.resources),
        "limits": _texts(totals.limits),
        "devices": totals.devices,
        "claims": {name: str(multiply(one.size, one.number)) for name, one in totals.claims.items()},
        "storage": str(storage) if storage is not None else None,
        "bandwidth": str(delivered) if delivered is not None else None,
    }


def _texts(amounts: Mapping[str, Quantity]) -> Tree:
    return {name: str(amount) for name, amount in amounts.items()}
