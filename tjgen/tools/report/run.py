"""The objects of one run, as they are applied -> the run as a report shows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tjgen.cluster.synctools.table import LEFT_ALONE
from tjgen.cluster.trainer.release import Release
from tjgen.cluster.validate.judge import judge
from tjgen.compiler.building.run import Run
from tjgen.compiler.totals.cost import classes_of, cost_of, deadline_of, devices_of, requested_classes
from tjgen.compiler.totals.tally import of_run
from tjgen.gitops.diff.side import AttributeField, place_of, tree_of
from tjgen.gitops.output.leftover import labels_of, previews_of
from tjgen.language.catalog.find import Catalog
from tjgen.language.platform.prices import PricedDevices
from tjgen.language.runs.freeze import is_stopped
from tjgen.language.runs.lock import ARCHIVED, CURRENT, REQUESTING, SUSPENDED, LockedRun
from tjgen.language.runs.store import LockKey
from tjgen.language.setting import ClaimSizes
from tjgen.tools.report.content import FAILED, Shown
from tjgen.tools.report.facts import facts
from tjgen.tools.report.parts import part
from tjgen.tools.report.structure import Applied, is_suspended, structure_of
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.manifests.identity import ref_of
from tjgen.trees.manifests.manifest import PREVIEW, RUNS, STAGES, Manifest
from tjgen.trees.typing import NamedTuple


class KnownRun(NamedTuple):
    """The properties of a run that are known without its objects."""

    place: LockKey
    name: str
    files: Mapping[str, str]
    """Path in the output tree -> text without header, of the run and of what it shares."""
    source: str
    folder: str = ""
    """Where its files are, for people; "" where they are nowhere."""
    locked: LockedRun | None = None
    built: Run | None = None
    problems: tuple[Diagnostic, ...] = ()


class ReportContext(NamedTuple):
    """How runs are looked at."""

    attribute: AttributeField
    catalog: Catalog
    """Runtimes without a file in the tree."""
    release: Callable[[str | None], Release]
    """Environment -> the release of Trainer there."""
    devices: Callable[[str | None], PricedDevices]
    """Environment -> the devices of its cluster."""
    claims: Callable[[str | None], ClaimSizes]
    """Environment -> the sizes of claims that exist in its cluster."""
    shared: frozenset[str]
    """Files that several runs use."""
    expanded: bool
    """Whether the fields of what controllers make are shown, too."""


def shown(known: KnownRun, look: ReportContext) -> Shown:
    """The run. Objects that a server would not take are shown by their fields alone."""
    release = look.release(known.place.environment)
    trees = {path: tree for path, body in known.files.items() if (tree := tree_of(body, path)) is not None}
    places = {path: place for path in trees if (place := place_of(path)) is not None}
    applied = [Applied(places[path].stage, trees[path]) for path in places if _is_sound(known, trees[path], release)]
    created = _created(known, [one.tree for one in applied], look.catalog, release)
    built = known.built
    slices = built.compiled.workload.tree.value.get("slices") if built is not None else None
    described = structure_of(applied, created, slices)
    manifests = [Manifest(one.tree, {}, one.stage) for one in applied]
    # Objects of one run are shown with it, shared ones once.
    uses = [path for path in sorted(trees, key=_apply_order) if path in look.shared]
    parts = [part(trees[path], path, look.attribute) for path in sorted(trees, key=_apply_order) if path not in look.shared]
    parts += [part(tree, "", look.attribute) for tree in created if look.expanded]
    previews = [Manifest(tree, {}, PREVIEW) for tree in created]
    known_devices = look.devices(known.place.environment)
    devices = devices_of(manifests, previews, known_devices.classes)
    totals = of_run(manifests, previews, look.claims(known.place.environment))
    trees_applied = [one.tree for one in applied]
    run_state = state(known, trees)
    stopped = any(map(is_stopped, trees_applied))
    runs = run_state in REQUESTING and not stopped
    device_class = requested_classes(built.variant.experiment.spec) if built is not None else ""
    queue = described.gang.queue if described.gang is not None else described.queue
    return Shown(
        known.place,
        known.name,
        run_state,
        known.source,
        built.unit.document.file if built is not None else "",
        known.folder,
        tuple(facts(trees_applied, created, known.locked, look.attribute)),
        described,
        totals,
        tuple(parts),
        tuple(uses),
        queue,
        known.problems,
        stopped=stopped,
        cluster=known_devices.cluster,
        device_class=device_class or classes_of(devices, known_devices.classes),
        labels=labels_of(trees_applied),
        cost=cost_of(devices if runs else {}, known_devices.prices, deadline_of(trees_applied), totals.claims),
    )


def _apply_order(path: str) -> tuple[int, str]:
    """In the order in which objects are applied."""
    place = place_of(path)
    return STAGES.index(place.stage) if place is not None else len(STAGES), path


def age(one: KnownRun) -> tuple[object, ...]:
    """Sort requested runs first, then the newest."""
    locked = one.locked
    return (locked is not None and not locked.is_requested, -locked.number if locked is not None else 0, one.name)


def state(known: KnownRun, trees: Mapping[str, Tree]) -> str:
    """The value in the lock; without one that of the experiment, or the manifests."""
    if known.locked is not None:
        return known.locked.lifecycle_state
    if known.built is not None and not known.built.compiled.manifests:
        return FAILED
    own = [tree for path, tree in trees.items() if (place := place_of(path)) is not None and place.stage == RUNS]
    marks = [get(tree, ("metadata", "annotations"), None) or {} for tree in own]
    if own and all(labels_of_marks.get(key) == value for labels_of_marks in marks for key, value in LEFT_ALONE.items()):
        return ARCHIVED
    return SUSPENDED if any(map(is_suspended, own)) else CURRENT


def _created(known: KnownRun, applied: Sequence[Tree], catalog: Catalog, release: Release) -> list[Tree]:
    """What controllers make: as it was compiled, or of files that are older than the sources."""
    if known.built is not None and all(_is_known(known, tree) for tree in applied):
        return [one.tree for one in known.built.compiled.previews]
    return [preview for tree in applied for preview in previews_of(tree, applied, catalog, release)]


def _is_sound(known: KnownRun, tree: Tree, release: Release) -> bool:
    """Return whether an object has a valid form, so that its fields can be read."""
    if _is_known(known, tree):
        return True
    verdict = judge(tree, versions=release.versions, webhooks=True)
    return verdict.checked and not verdict.stages


def _is_known(known: KnownRun, tree: Tree) -> bool:
    """Whether the object is as it was compiled."""
    built = known.built
    ref = ref_of(tree)
    return built is not None and any(one.ref == ref and one.tree == tree for one in built.compiled.manifests)
