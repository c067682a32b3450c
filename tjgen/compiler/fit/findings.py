"""Verdicts on runs -> diagnostics, at the lines that cause them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.compiler.fit.causes import (
    NUMBER,
    OTHER,
    RESOURCE,
    SELECTOR,
    TAINT,
    Cause,
    anywhere,
    causes,
    network_hint,
    queue_hint,
    topology_cause,
)
from tjgen.compiler.fit.demand import ANY_TIER, demand_of
from tjgen.compiler.fit.placement import Placement, try_place
from tjgen.compiler.fit.verdicts import BY_QUEUE, FITS, NEVER, FitCluster, FitRun, FitVerdict, verdict_alone
from tjgen.compiler.totals.quotas import requesting_field
from tjgen.language.resolve.places import Documents, locate
from tjgen.language.setting import Setting
from tjgen.trees.diagnostics.model import Diagnostic, Span
from tjgen.trees.explain.provenance import Sources, place_in
from tjgen.trees.fields.managed import Managed
from tjgen.trees.fields.path import MISSING, FieldPath, Tree, get
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.typing import NamedTuple

_QUEUE: FieldPath = ("spec", "schedule", "queue")
_NETWORK: FieldPath = ("spec", "schedule", "networkTopology")
_MOST: FieldPath = ("spec", "sweep", "maxParallel")
_NAME: FieldPath = ("metadata", "name")
_GPU: FieldPath = ("spec", "gpu")


class Others(NamedTuple):
    """What the other runs of the cluster hold of what a run waits for."""

    holders: str = ""
    """Runs that no experiment requests and that hold some of it, and how to free it; or empty."""
    points: int = 0
    """Points of the same experiment that start."""


NO_OTHERS = Others()


def never_starts(
    setting: Setting, manifests: Sequence[Manifest], previews: Sequence[Manifest], sources: Sources, shared: FitCluster
) -> list[Diagnostic]:
    """TJ580, TJ581, or TJ587 for a run whose pods do not fit the nodes or domains of the empty cluster `shared`."""
    demand = demand_of(manifests, previews, shared.priorities)
    if not demand.number:
        return []
    tree = sources.experiment
    queue = get(tree.value, _QUEUE, None) or ""
    verdict = verdict_alone(FitRun(setting.run, setting.namespace, queue, demand), shared)
    if verdict.mode != NEVER or (verdict.by == BY_QUEUE and topology_cause(verdict.run, shared.quotas) is None):
        return []  # Rules on quotas and queues report the others (see compiler/totals).
    return list(findings(verdict, shared, tree, sources))


def findings(
    verdict: FitVerdict, shared: FitCluster, tree: Managed, sources: Sources, others: Others = NO_OTHERS
) -> Iterator[Diagnostic]:
    """The diagnostics for a run; none if it starts. `tree` is its experiment, `shared` the cluster without pods."""
    documents, platform = sources.documents, shared.platform
    run = verdict.run
    if verdict.mode == FITS:
        return
    if verdict.mode != NEVER:
        yield _waits(verdict, shared, tree, documents, others)
    elif verdict.by == BY_QUEUE:
        message = f"run {run.name} never starts: queue {run.queue} never admits it: {verdict.message}"
        cause = topology_cause(run, shared.quotas)
        queue = shared.quotas.queues.get(run.queue)
        other = queue_hint(run, queue) if queue is not None else None
        hint, field = other or "request less, or change the quota of the queue in the Platform", _QUEUE
        if verdict.share:
            hint = f"{verdict.share}; {hint}"
        if cause is not None:
            field = cause.field if get(tree.value, cause.field) is not MISSING else _QUEUE
            hint = cause.hint
        code = "TJ587" if cause is not None and cause.is_unknown else "TJ581"
        yield Diagnostic(code, message, path=field, span=locate(tree, _field(tree, field), documents), hint=hint)
    elif verdict.placement is not None and verdict.demand is not None:
        message = f"run {run.name} never starts on the nodes of Platform {platform}: {verdict.message}"
        network = network_hint(verdict.demand, shared.cluster)
        if network is not None:
            field = _field(tree, _NETWORK)
            yield Diagnostic("TJ580", message, path=field, span=locate(tree, field, documents), hint=network)
            return
        demand, placement = verdict.demand, verdict.placement
        if demand.highest_tier is not None:
            demand = anywhere(demand)
            placement = try_place(demand, shared.cluster)
        every = causes(placement, demand, shared.cluster)
        span = _span(every[0], placement, tree, sources)
        yield Diagnostic("TJ580", message, span=span, hint="; ".join(_hint(one, shared, tree) for one in every))


def locked_findings(
    verdict: FitVerdict, source: FitRun, shared: FitCluster, tree: Managed, sources: Sources, others: Others = NO_OTHERS
) -> Iterator[Diagnostic]:
    """The diagnostics for a run that is locked with other pods than `source`, which its experiment makes now."""
    if verdict.mode == FITS:
        return
    if verdict.mode != NEVER:
        yield _waits(verdict, shared, tree, sources.documents, others)
        return
    run = verdict.run
    message = f"run {run.name} is locked with {_pods(run)} and never starts: {verdict.message}"
    hint = f"change the experiment, and {_archiving(run)}"
    if verdict_alone(source, shared).mode != NEVER:
        requests = _pods(source) if source.demand.number != run.demand.number else "other pods"
        hint = f"the source requests {requests}: tjgen build --renew {run.name}"
    code = "TJ581" if verdict.by == BY_QUEUE else "TJ580"
    yield Diagnostic(code, message, span=locate(tree, _NAME, sources.documents), hint=hint)


def left_findings(verdict: FitVerdict) -> Iterator[Diagnostic]:
    """The diagnostic for a run of the tree that no source makes and that never starts."""
    run = verdict.run
    if verdict.mode == NEVER:
        message = f"run {run.name} is {run.state} in the tree with {_pods(run)} and never starts: {verdict.message}"
        code = "TJ581" if verdict.by == BY_QUEUE else "TJ580"
        yield Diagnostic(code, message, hint=_archiving(run))


def _archiving(run: FitRun) -> str:
    return f"archive it with tjgen runs archive {run.name}; if it is pending in the cluster, delete it there with kubectl"


def _pods(run: FitRun) -> str:
    return "1 pod" if run.demand.number == 1 else f"{run.demand.number} pods"


def _waits(verdict: FitVerdict, shared: FitCluster, tree: Managed, documents: Documents, others: Others) -> Diagnostic:
    run = verdict.run
    where = f"queue {run.queue}" if verdict.by == BY_QUEUE else f"the nodes of Platform {shared.platform}"
    partly = f" with {verdict.started} of {run.demand.number} pods on nodes" if verdict.started else ""
    action = "may not start on" if verdict.condition else "waits for"
    if verdict.evicted_for:
        partly = f", evicted for {verdict.evicted_for}"
    message = f"run {run.name} {action} {where}{partly}: {verdict.message}"
    hint = "it starts when other runs end; raise its priority or request less to start it earlier"
    if verdict.by != BY_QUEUE and verdict.flavors and not verdict.condition:
        message = f"queue {run.queue} admits run {run.name}, but it {action} {where}{partly}: {verdict.message}"
        hint = (
            "it holds its quota until nodes are free; if the queue has more quota than free nodes, "
            "lower its quota in the Platform, or add nodes"
        )
    tier = run.demand.highest_tier
    if verdict.by != BY_QUEUE and shared.cluster.hyper_nodes and tier is not None and tier != ANY_TIER:
        hint = f"no HyperNode up to tier {tier} has free nodes for all pods; it starts when other runs end, or with a higher tier"
    if verdict.share:
        hint = f"{verdict.share}; it starts when other runs end; request less to start it earlier"
    most = get(tree.value, _MOST, None)
    if verdict.by == BY_QUEUE and most is not None and others.points >= most:
        hint = f"sweep.maxParallel lets {most} points train at once: this one starts when another run of the queue ends"
    if verdict.evicted_for:
        hint = "the run starts and is evicted; request no more than the quota of its own queue, or raise its priority"
    if verdict.started and not verdict.flavors:
        hint = "gang scheduling (schedule.system) keeps the nodes free for runs that can start"
    if verdict.condition:
        hint = verdict.condition
    if others.holders:
        hint = f"{others.holders}; otherwise, {hint}"
    return Diagnostic("TJ582", message, span=locate(tree, _NAME, documents), hint=hint)


def _hint(cause: Cause, shared: FitCluster, tree: Managed) -> str:
    """The change for a cause: another device class instead of the labels that it selects, if the experiment has one."""
    gpu = get(tree.value, _GPU)
    if cause.kind != SELECTOR or not cause.name or gpu is MISSING:
        return cause.hint
    known = sorted({name for value in cause.values if (name := shared.device_classes.get((cause.name, value))) is not None})
    if known:
        return f"change the device class of gpu to {' or '.join(known)}: the pod fits nodes of that class"
    own = sorted({name for (label, _), name in shared.device_classes.items() if label == cause.name and _is_of(name, gpu)})
    if own and not cause.values:
        reason = f"no node that the pod fits has the label {cause.name} of device class {own[0]}"
        return f"{reason}: use another class, or write like: {own[0]} in the node pool of its devices"
    return cause.hint


def _is_of(name: str, gpu: Tree) -> bool:
    """Whether `gpu` of an experiment requests devices of a class."""
    given = gpu.get("class") if gpu.__class__ is dict else gpu
    return str(given).partition(":")[0].partition("/")[0] == name


def _field(tree: Managed, path: FieldPath) -> FieldPath:
    return path if get(tree.value, path) is not MISSING else _NAME


def _span(cause: Cause, placement: Placement, tree: Managed, sources: Sources) -> Span | None:
    """The line of the experiment, or of a runtime or Platform, that sets the field of a cause."""
    documents = sources.documents
    own = placement.pending_set
    if cause.kind == SELECTOR and own is not None:
        span = place_in(own.manifest, (*own.path, *cause.path), sources)
        if span is not None:
            return span
    fields: dict[str, FieldPath] = {
        RESOURCE: requesting_field(cause.name, tree),
        NUMBER: requesting_field("pods", tree),
        TAINT: _field(tree, _GPU),
        SELECTOR: _field(tree, _GPU),
        OTHER: _NAME,
    }
    return locate(tree, fields[cause.kind], documents)
