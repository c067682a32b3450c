"""Totals of runs -> a table for people: a line for each run, and one for all together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tjgen.fields.path import Tree
from tjgen.k8s.quantity import BINARY, Quantity, multiply, parse, total
from tjgen.totals.tally import Totals, together

_FIRST = ("cpu", "memory", "ephemeral-storage")
STORAGE = "storage"

Bandwidths = Mapping[str, int]
"""StorageClass -> bytes that a volume of it delivers in a second, as the Platform says."""


def table(rows: Sequence[tuple[str, Totals]], bandwidths: Bandwidths | None = None) -> str:
    """A line for each named total and one for all together, in columns."""
    named = [*rows, ("TOTAL", together([totals for _, totals in rows]))]
    known = {name for _, totals in named for name in totals.resources}
    resources = [name for name in _FIRST if name in known] + sorted(known.difference(_FIRST))
    devices = sorted({name for _, totals in named for name in totals.devices})
    # Who says no bandwidth sees no column of it.
    delivers = any(claim.storage_class in (bandwidths or {}) for _, totals in named for claim in totals.claims.values())
    lines = [["RUN", "PODS", *(name.upper() if name in _FIRST else name for name in resources), *devices, STORAGE.upper()]]
    if delivers:
        lines[0].append("BANDWIDTH")
    for name, totals in named:
        amounts = [str(totals.resources.get(resource, "-")) for resource in resources]
        claimed = [str(totals.devices.get(device, "-")) for device in devices]
        storage = total({STORAGE: multiply(one.size, one.number)} for one in totals.claims.values()).get(STORAGE, "-")
        line = [name, str(totals.pods), *amounts, *claimed, str(storage)]
        lines.append([*line, str(bandwidth(totals, bandwidths or {}) or "-")] if delivers else line)
    return _columns(lines)


def bandwidth(totals: Totals, bandwidths: Bandwidths) -> Quantity | None:
    """Bytes a second of all claims whose class says how many; a claim that several share counts once."""
    each = [
        bandwidths[claim.storage_class] * claim.number for claim in totals.claims.values() if claim.storage_class in bandwidths
    ]
    if not each:
        return None
    # The Platform may have said it in either format.
    decimal = parse(sum(each))
    return min(decimal, decimal._replace(format=BINARY, text=""), key=lambda amount: len(str(amount)))


def slices_table(rows: Sequence[tuple[str, Tree]]) -> str:
    """A line for each run whose data is sliced: how even the slices are (passes/slices.py describes them)."""
    lines = [["RUN", "BY", "SLICES", "ITEMS", "FEWEST", "MOST", "SMALLEST", "LARGEST", "LARGEST/MEAN", "LEFT OUT", "REPEATED"]]
    for name, one in rows:
        counts = [str(one[key]) for key in ("count", "items", "fewest", "most")]
        sizes = [_bytes(one[key]) if key in one else "-" for key in ("smallest", "largest")]
        rest = [str(one.get(key, "-")) for key in ("dropped", "repeated")]
        lines.append([name, str(one["by"]), *counts, *sizes, f"{one['ratio']:.3f}", *rest])
    return _columns(lines)


def _bytes(amount: int) -> str:
    """Bytes for people, with one digit behind the point above 1023."""
    for power, unit in ((5, "Pi"), (4, "Ti"), (3, "Gi"), (2, "Mi"), (1, "Ki")):
        if amount >= 1024**power:
            return f"{amount / 1024**power:.1f}{unit}"
    return str(amount)


def _columns(lines: Sequence[Sequence[str]]) -> str:
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "".join(
        "  ".join(_cell(text, width, i) for i, (text, width) in enumerate(zip(line, widths, strict=True))).rstrip() + "\n"
        for line in lines
    )


def _cell(text: str, width: int, column: int) -> str:
    return text.ljust(width) if column == 0 else text.rjust(width)
