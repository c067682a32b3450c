"""Manifests of runs -> what they take together: pods, cpu, memory, devices, storage. Always derived, never stored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tjgen.fields.path import Tree, get
from tjgen.k8s.quantity import Quantity, multiply, parse, total
from tjgen.manifests.manifest import Manifest
from tjgen.trainer.requests import pod_requests
from tjgen.typing import NamedTuple

STORAGE = "storage"
_FIRST = ("cpu", "memory", "ephemeral-storage")


class Totals(NamedTuple):
    """What something takes: pods (of all pod sets), requests by resource over all pods, and storage that is asked for."""

    pods: int
    resources: dict[str, Quantity]
    claims: dict[str, Quantity]
    """Storage of each PersistentVolumeClaim that is made, by `namespace/name`: runs may share one."""


def of_run(manifests: Iterable[Manifest], previews: Iterable[Manifest]) -> Totals:
    """The totals of one run, from the JobSet that is applied or previewed and from its claims."""
    pods, resources, claims = 0, [], {}
    for manifest in (*manifests, *previews):
        if manifest.kind == "JobSet":
            for job in get(manifest.tree, ("spec", "replicatedJobs"), None) or []:
                count = _pods(job)
                pods += count
                requests = pod_requests(get(job, ("template", "spec", "template", "spec"), {}))
                resources.append({name: multiply(amount, count) for name, amount in requests.items()})
        elif manifest.kind == "PersistentVolumeClaim":
            size = get(manifest.tree, ("spec", "resources", "requests", "storage"), None)
            if size is not None:
                claims[f"{manifest.namespace}/{manifest.name}"] = parse(size)
    return Totals(pods, total(resources), claims)


def together(several: Sequence[Totals]) -> Totals:
    """The sum; a claim that several share counts once."""
    claims: dict[str, Quantity] = {}
    for one in several:
        claims.update(one.claims)
    return Totals(sum(one.pods for one in several), total(one.resources for one in several), claims)


def table(rows: Sequence[tuple[str, Totals]]) -> str:
    """A line for each named total and one for all together, in columns."""
    named = [*rows, ("TOTAL", together([totals for _, totals in rows]))]
    known = {name for _, totals in named for name in totals.resources}
    resources = [name for name in _FIRST if name in known] + sorted(known.difference(_FIRST))
    lines = [["RUN", "PODS", *(name.upper() if name in _FIRST else name for name in resources), STORAGE.upper()]]
    for name, totals in named:
        amounts = [str(totals.resources.get(resource, "-")) for resource in resources]
        storage = total({STORAGE: size} for size in totals.claims.values()).get(STORAGE, "-")
        lines.append([name, str(totals.pods), *amounts, str(storage)])
    return _columns(lines)


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


def _pods(job: Tree) -> int:
    parallelism = get(job, ("template", "spec", "parallelism"), None)
    return int(job.get("replicas", 1)) * int(1 if parallelism is None else parallelism)
