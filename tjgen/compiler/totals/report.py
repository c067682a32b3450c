"""Totals of runs -> JSON for programs.

`{"runs": [{"name": ..., "state": ..., "pods": ...}], "totals": {STATE: {...}}, "total": {...}}`; fields may be added.
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
        {"name": one.name, "state": one.state, **_described(one.totals, bandwidths), "slices": slices.get(one.name)}
        for one in rows
    ]
    totals = {state: _described(sums, bandwidths) for state, sums in by_state(rows).items()}
    whole = _described(together([one.totals for one in rows]), bandwidths)
    return json.dumps({"runs": runs, "totals": totals, "total": whole}, indent=2, ensure_ascii=False) + "\n"


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
