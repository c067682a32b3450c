"""What the runs of several experiments write to, and take of quotas -> what they would spoil or lack together.

What is known of a run is kept as plain tuples, its footprint, so that a later build can do without compiling it again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tjgen.cluster.kinds.pods import pods_of
from tjgen.cluster.trainer.requests import pod_requests
from tjgen.compiler.totals import quotas
from tjgen.compiler.totals.quotas import Limits, shown, summed, used
from tjgen.compiler.totals.tally import Totals, of_gang, of_run, with_requests
from tjgen.compiler.volumes.claims import own_folder
from tjgen.compiler.volumes.mounts import places
from tjgen.compiler.volumes.pvc import new_claim
from tjgen.compiler.volumes.table import source_of
from tjgen.language.resolve.places import Documents, locate, placed
from tjgen.language.runs.lock import ACTIVE, ARCHIVED
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import ExperimentSpec, Queue
from tjgen.trees.diagnostics.model import Diagnostic, Note, Span
from tjgen.trees.fields.managed import Managed
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.k8s.labels import KUEUE_QUEUE
from tjgen.trees.k8s.quantity import multiply, parse, total
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.source.document import Document
from tjgen.trees.typing import Any, NamedTuple

WRITES = "writes"
TAKES = "takes"
QUEUED = "queued"
LEFT = "left"
LEFT_IN_QUEUE = "left in queue"
TAKES_ELSEWHERE = "takes elsewhere"

_ITEM = 5
"""The field of a use that identifies what counts once: a claim."""

Footprint = tuple[Any, ...]
"""(WRITES, environment, storage, folder, experiment, volume, place in a file), or what a run takes of a bound:
(TAKES, environment, namespace, run, *used) of a quota, (QUEUED, environment, queue, run, *used) of a queue.
LEFT and LEFT_IN_QUEUE are the same for runs that the build does not request. TAKES_ELSEWHERE is TAKES for a run of another
project of the workspace, with "PROJECT: RUN" for the run."""

Locate = Callable[[FieldPath], "Span | None"]


class RunRequest(NamedTuple):
    """A run as requested."""

    spec: ExperimentSpec
    setting: Setting
    tree: Managed
    """The merged experiment."""
    documents: Documents
    platform: Document | None
    nodes: int
    """The nodes that it has when it is created."""


def watched(
    request: RunRequest, manifests: Sequence[Manifest], previews: Sequence[Manifest]
) -> tuple[list[Diagnostic], list[Footprint]]:
    """What one run takes too much of by itself, and its footprint: a record takes nothing."""
    spec, setting, tree, documents, platform, nodes = request
    cluster = setting.cluster
    if spec.state == ARCHIVED:
        return [], []
    problems: list[Diagnostic] = []
    footprint = list(writes(spec, setting, lambda path: locate(tree, path, documents)))
    quota, queue = cluster.quotas.get(setting.namespace, {}), spec.schedule.queue or ""
    # A queue of a cohort borrows from the others, which may be in no Platform.
    capability = {} if _borrows(cluster.queue_specs.get(queue)) else cluster.queues.get(queue, {})
    if manifests and _has_limit(spec):  # a refused run has no objects
        problems += _unlimited(spec, of_gang(of_run(manifests, previews, cluster.claims), previews), capability)
    if quota or queue in cluster.queues:
        totals = of_run(manifests, previews, cluster.claims)
        bounds: tuple[tuple[Totals, quotas.Limits, str, FieldPath], ...] = (
            (totals, quota, f"the quota of namespace {setting.namespace}", ("spec", "quotas", setting.namespace)),
            (of_gang(totals, previews), capability, f"queue {queue}", ("spec", "queues", queue, "capability")),
        )
        for taken, limits, where, at in bounds:
            problems += quotas.alone(setting.run, taken, limits, where, tree, at, platform)
        if queue in cluster.queue_specs and any(KUEUE_QUEUE in one.labels for one in manifests):
            from tjgen.compiler.totals.kueue import inadmissible  # few platforms make queues

            problems += inadmissible(queue, cluster, spec.target, [*manifests, *previews], tree)
        if spec.elastic is not None:
            growth = Growth(spec.elastic.max, max(spec.elastic.max - nodes, 0), totals)
            for taken, limits, where, _ in bounds:
                problems += _at_most(growth, [*manifests, *previews], taken, limits, where)
        # A run that waits has claims all the same.
        footprint += [one for one in takes(totals, setting) if spec.state == ACTIVE or one[_ITEM]]
        if spec.state == ACTIVE:
            at_queue = (setting.environment or "", queue, setting.run)
            footprint += [(QUEUED, *at_queue, *one) for one in quotas.used(of_gang(totals, previews), capability)]
    if setting.namespace in cluster.limits:
        from tjgen.compiler.totals.limits import refused  # few platforms set any

        problems += refused(manifests, previews, cluster.limits[setting.namespace], setting.namespace, tree, platform)
    return placed(problems, tree, documents), footprint


def _borrows(queue: Queue | None) -> bool:
    kueue = queue.create.kueue if queue is not None and queue.create is not None else None
    return kueue is not None and kueue.cohort is not None


def writes(spec: ExperimentSpec, setting: Setting, locate: Locate) -> Iterator[Footprint]:
    """The folders that runs write to and that are not theirs alone: of claims and servers that others may name too."""
    for name, volume in spec.volumes.items():
        storage = source_of(volume).shared_as(name, volume, setting)
        if storage is None or volume.shared:
            continue
        create = new_claim(volume)
        because: FieldPath = ("spec", "volumes", name)
        for place in places(volume, because):
            own = own_folder(create, shared=False, read_only=place.read_only, setting=setting)
            if not place.read_only and own is None and place.sub_path_expr is None:
                span = locate(place.because)
                experiment = f"{setting.namespace}/{setting.family}"
                folder = "/".join(part for part in (place.sub_path or "").split("/") if part)
                yield WRITES, setting.environment or "", storage, folder, experiment, name, tuple(span) if span else None


def takes(totals: Totals, setting: Setting) -> Iterator[Footprint]:
    """What a run takes of the quota of its namespace."""
    for one in quotas.used(totals, setting.cluster.quotas.get(setting.namespace, {})):
        yield TAKES, setting.environment or "", setting.namespace, setting.run, *one


def left_over(where: tuple[str, str, str], totals: Totals, limits: quotas.Limits, kind: str) -> Iterator[Footprint]:
    """What a run takes that the build does not request; `where` is its environment, its namespace or queue, and its name."""
    for one in quotas.used(totals, limits):
        yield kind, *where, *one


BoundOf = Callable[[str, str, str], "tuple[quotas.Limits, Document] | None"]
"""Environment, `quotas` or `queues`, and a namespace or queue -> its limits, and the Platform that sets them."""


def problems(footprints: Sequence[Footprint], bound_of: BoundOf) -> list[Diagnostic]:
    """Their result, which does not depend on their order."""
    problems = list(_written_over(sorted({one for one in footprints if one[0] == WRITES}, key=_place)))
    for field, requested, left, judge in (
        ("quotas", TAKES, LEFT, quotas.together),
        ("queues", QUEUED, LEFT_IN_QUEUE, quotas.behind),
    ):
        taken: dict[tuple[str, str], list[quotas.QuotaUse]] = {}
        elsewhere = TAKES_ELSEWHERE if requested == TAKES else requested
        for one in sorted({one for one in footprints if one[0] in (requested, left, elsewhere)}):
            kind, environment, name, run, *used = one
            project = run.partition(": ")[0] if kind == TAKES_ELSEWHERE else ""
            use = quotas.QuotaUse(run, (used[0], used[1], used[2]), is_left=kind == left, project=project)
            taken.setdefault((environment, name), []).append(use)
        for (environment, name), uses in taken.items():
            known = bound_of(environment, field, name)
            if known is not None:
                problems += judge(uses, known[0], name, ("spec", field, name), known[1])
    return problems


def _place(one: Footprint) -> Footprint:
    return one[:6]


def _written_over(writers: Sequence[Footprint]) -> Iterator[Diagnostic]:
    """`writers` in the order of their folders, so that a folder comes before those in it."""
    known: dict[tuple[str, str, str], list[Footprint]] = {}
    for one in writers:
        _, environment, storage, folder, experiment, name, place = one
        around = [known.get((environment, storage, above), ()) for above in _upwards(folder)]
        other = next((writer for writers in around for writer in writers if writer[4] != experiment), None)
        writers_of_folder = known.setdefault((environment, storage, folder), [])
        if all(writer[4] != experiment for writer in writers_of_folder):
            writers_of_folder.append(one)
        if other is not None:
            what = f"folder {folder} of {storage}" if folder else storage
            message = f'volume "{name}" writes to {what}, and so does experiment {other[4]}'
            related = (Note("the other one", Span(*other[6]) if other[6] else None),)
            hint = "give each a subPath of its own, add readOnly: true, or shared: true if this is intended"
            span = Span(*place) if place else None
            yield Diagnostic("TJ326", message, None, None, span, related, hint)


def _upwards(folder: str) -> Iterator[str]:
    """Return the folder and its parents, from the root."""
    yield ""
    parts = folder.split("/") if folder else []
    for length in range(1, len(parts) + 1):
        yield "/".join(parts[:length])


# A point of a sweep, and its queue -> whether the queue limits how many points train at once to `sweep.maxParallel`.
#
# Only a queue can count runs that wait and runs that have ended. It is in the cluster, so a build compares its capability.

_AT: FieldPath = ("spec", "sweep", "maxParallel")


def _has_limit(spec: ExperimentSpec) -> bool:
    """Whether an experiment limits how many points of its sweep train at once."""
    return spec.sweep is not None and spec.sweep.max_parallel is not None


_PAGE = '"Limit how many points train at once" in docs/how-to/sweeps.md has an example'


def _unlimited(spec: ExperimentSpec, totals: Totals, capability: Limits) -> Iterator[Diagnostic]:
    """TJ167 if no queue limits the points, and TJ168 if the queue admits more of them; `totals` is what a point requests."""
    assert spec.sweep is not None and spec.sweep.max_parallel is not None
    most, queue = spec.sweep.max_parallel, spec.schedule.queue
    requests = {key: amount for key, amount in summed(used(totals, capability)).items() if amount}
    if not requests:
        where = f"queue {queue} has no quota or capability for what they request" if queue else "the experiment has no queue"
        message = f"nothing limits how many points of the sweep train at once: {where}"
        yield Diagnostic("TJ167", message, path=_AT, hint=_with_limit(queue, totals, most))
        return
    admitted = min(parse(capability[key]).nanos // amount for key, amount in requests.items())
    if admitted > most:
        key = max(requests, key=lambda one: ("/" in one, one))
        limit = shown(requests[key] * most, parse(capability[key]))
        message = f"queue {queue} admits {admitted} points of the sweep at once, but sweep.maxParallel is {most}"
        hint = f"use a queue with {key}: {limit}, or raise maxParallel to {admitted}"
        yield Diagnostic("TJ168", message, path=_AT, hint=hint)


def _with_limit(queue: str | None, totals: Totals, most: int) -> str:
    """The queue of a Platform that admits `most` points, each with `totals`."""
    key = max(totals.resources, key=lambda one: ("/" in one, one), default="")
    amount = shown(totals.resources[key].nanos * most, totals.resources[key]) if key else "AMOUNT"
    entry = f"queues: {{{queue or 'sweeps'}: {{capability: {{{key or 'RESOURCE'}: {amount}}}}}}}"
    if queue:
        return f"write {entry} in the Platform, with a queue that has no cohort; {_PAGE}"
    return f"write schedule: {{system: kueue, queue: sweeps}}, and {entry} in a Platform of the project; {_PAGE}"


# An elastic run and a quota -> what the run could not get with its largest number of nodes.


class Growth(NamedTuple):
    """How far a run grows."""

    nodes: int
    """Its largest number of nodes."""
    more: int
    """Nodes that are added to those of its objects."""
    totals: Totals
    """What its objects take."""


def _at_most(growth: Growth, manifests: Sequence[Manifest], starting: Totals, quota: Limits, where: str) -> Iterator[Diagnostic]:
    """TJ395 for each key of `quota` that the run exceeds with its largest number of nodes, and not when it starts."""
    workers = max((one for manifest in manifests for one in pods_of(manifest)), key=lambda one: one.number, default=None)
    if workers is None:
        return
    nodes, more, totals = growth
    added = {name: multiply(each, more) for name, each in pod_requests(with_requests(workers.spec)).items()}
    largest = totals._replace(pods=totals.pods + more, resources=total((totals.resources, added)))
    now = summed(used(starting, quota))
    for key, amount in summed(used(largest, quota)).items():
        allowed = parse(quota[key]).nanos
        if now.get(key, 0) <= allowed < amount:
            message = f"with elastic.max of {nodes} nodes the run exceeds {key}, but {where} has only {quota[key]}"
            hint = "lower elastic.max, or raise the quota: the added pods would never start"
            yield Diagnostic("TJ395", message, path=("spec", "elastic", "max"), hint=hint)
