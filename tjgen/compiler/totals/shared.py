"""What the runs of several experiments write to, and take of quotas -> what they would spoil or lack together.

What is known of a run is kept as plain tuples, its footprint, so that a later build can do without compiling it again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tjgen.compiler.totals import quotas
from tjgen.compiler.totals.parallel import has_limit, unlimited
from tjgen.compiler.totals.tally import Totals, of_gang, of_run
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
    if manifests and has_limit(spec):  # a refused run has no objects
        problems += unlimited(spec, of_gang(of_run(manifests, previews, cluster.claims), previews), capability)
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
            from tjgen.compiler.totals.elastic import Growth, at_most  # few runs are elastic

            growth = Growth(spec.elastic.max, max(spec.elastic.max - nodes, 0), totals)
            for taken, limits, where, _ in bounds:
                problems += at_most(growth, [*manifests, *previews], taken, limits, where)
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
