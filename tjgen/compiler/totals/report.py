"""Totals of runs -> JSON for programs.

`{"runs": [{"name": ..., "pods": ...}], "totals": {STATE: {...}}, "total": {...}, "clusters": {CLUSTER: {...}}}`; a cluster has
`totals`, `teams` and `total`. Fields may be added. With runs of several clusters, `totals` and `total` are null.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from tjgen.compiler.totals.table import STORAGE, Bandwidths, Row, bandwidth, by_state
from tjgen.compiler.totals.tally import Totals, together
from tjgen.trees.fields.path import Tree
from tjgen.trees.k8s.quantity import Quantity, multiply, total


def report(rows: Sequence[Row], slices: Mapping[str, Tree], bandwidths: Bandwidths) -> str:
    """The text. Amounts are quantities, `storage` and `bandwidth` null where there is none; `slices` as far as data is sliced."""
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
            "slices": slices.get(one.name),
        }
        for one in rows
    ]
    clusters = {name: [one for one in rows if one.cluster == name] for name in dict.fromkeys(one.cluster for one in rows)}
    described = {name: _sums(own, bandwidths) for name, own in clusters.items()}
    alone = next(iter(described.values())) if len(described) == 1 else _sums([], bandwidths) if not described else None
    # No total combines two clusters.
    whole = {"totals": alone["totals"], "total": alone["total"]} if alone is not None else {"totals": None, "total": None}
    return json.dumps({"runs": runs, **whole, "clusters": described}, indent=2, ensure_ascii=False) + "\n"


def _sums(rows: Sequence[Row], bandwidths: Bandwidths) -> dict[str, Tree]:
    """The totals of the runs of one cluster, by state, by team, and together."""
    teams = {name: [one for one in rows if one.team == name] for name in sorted({one.team for one in rows if one.team})}
    return {
        "totals": {state: _described(sums, bandwidths) for state, sums in by_state(rows).items()},
        "teams": {name: _described(together([one.totals for one in own]), bandwidths) for name, own in teams.items()},
        "total": _described(together([one.totals for one in rows]), bandwidths),
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
