"""An experiment that creates claims -> the same with the settings of the Platform for them: size, class, labels, and thresholds.

newClaims of the Platform  <  profile of the claim  <  experiment, with its overlays, task, and point
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tjgen.language.resolve.layers import Layer, LayerPart, merged, part
from tjgen.language.resolve.places import source_of
from tjgen.language.resolve.project import PlatformDocument
from tjgen.language.spec.objects import PlatformSpec
from tjgen.trees.fields.managed import Managed
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.k8s.quantity import parse

_NANOS_OF_A_MEGABYTE = 10**6 * 10**9
_EXPERIMENT, _VOLUME = "{experiment}", "{volume}"
"""What labels of the Platform can contain: the names of the experiment and of the volume."""
_CRITICAL = 2
"""The critical threshold is this many times worse than the demand of the profile, which is the threshold of the warning."""


def completed(tree: Managed, platform: PlatformDocument) -> Managed:
    """`tree` with the sizes, classes and labels that its new claims leave out; the Platform owns them.

    The tree may be unchecked.
    """
    spec, experiment = _spec(tree), str(get(tree.value, ("metadata", "name"), None))
    known = platform.platform.spec
    return _over(tree, platform, (*_claims(spec, known), *_labels(spec, experiment, known)))


def with_thresholds(tree: Managed, platform: PlatformDocument) -> Managed:
    """`tree` with the demands of profiles as the alert thresholds that it leaves out. All its tasks and points share them."""
    return _over(tree, platform, _thresholds(_spec(tree), platform.platform.spec))


def _spec(tree: Managed) -> Tree:
    spec = tree.value.get("spec")
    return spec if spec.__class__ is dict else {}


def _over(tree: Managed, platform: PlatformDocument, parts: Iterable[LayerPart]) -> Managed:
    layer = Layer(platform.platform.metadata.name, source_of(platform.document), tuple(parts))
    return merged(tree, [layer])[0] if layer.parts else tree


def _created(spec: Tree) -> Iterator[tuple[str, Tree]]:
    """Each volume with a new claim, and `create` of it."""
    volumes = spec.get("volumes")
    for name, volume in volumes.items() if volumes.__class__ is dict else ():
        create = get(volume, ("pvc", "create"), None) if volume.__class__ is dict else None
        if create.__class__ is dict:
            yield name, create


def _profile(create: Tree, platform: PlatformSpec) -> str | None:
    name = create.get("profile")
    return name if name.__class__ is str and name in platform.profiles else None


def _claims(spec: Tree, platform: PlatformSpec) -> Iterator[LayerPart]:
    for name, create in _created(spec):
        for field, attribute in (("size", "size"), ("storageClassName", "storage_class_name")):
            set_by = _set_by(platform, _profile(create, platform), attribute)
            if field not in create and set_by is not None:
                value, because = set_by
                yield part(("spec", "volumes", name, "pvc", "create", field), value, (*because, field))


def _labels(spec: Tree, experiment: str, platform: PlatformSpec) -> Iterator[LayerPart]:
    """Labels that the claims leave out. All experiments share a claim with scope `project`: it has no label that names one."""
    for name, create in _created(spec):
        labels = create.get("labels")
        is_shared = create.get("scope") == "project"
        for key, (value, because) in _labels_of(platform, _profile(create, platform)).items():
            if (labels.__class__ is dict and key in labels) or (is_shared and _EXPERIMENT in value):
                continue
            text = value.replace(_EXPERIMENT, experiment).replace(_VOLUME, name)
            yield part(("spec", "volumes", name, "pvc", "create", "labels", key), text, because)


def _labels_of(platform: PlatformSpec, profile: str | None) -> dict[str, tuple[str, FieldPath]]:
    """Label -> its value, and the place of the Platform that has it."""
    settings: list[tuple[Mapping[str, str], FieldPath]] = [(platform.new_claims.labels, ("spec", "newClaims", "labels"))]
    if profile is not None:
        settings.append((platform.profiles[profile].labels, ("spec", "profiles", profile, "labels")))
    return {key: (value, (*because, key)) for labels, because in settings for key, value in labels.items()}


def _set_by(platform: PlatformSpec, profile: str | None, attribute: str) -> tuple[Tree, FieldPath] | None:
    """The value of a field of new claims, and the setting of the Platform that has the field; None if no setting has it."""
    settings: list[tuple[object, FieldPath]] = [(platform.new_claims, ("spec", "newClaims"))]
    if profile is not None:
        settings.insert(0, (platform.profiles[profile], ("spec", "profiles", profile)))
    values = ((getattr(setting, attribute), because) for setting, because in settings)
    return next(((value, because) for value, because in values if value is not None), None)


def _thresholds(spec: Tree, platform: PlatformSpec) -> Iterator[LayerPart]:
    """Thresholds of the measures for which the experiment sets none.

    A measure covers all volumes of a run. Of several demands, the threshold is the one that shows for certain that a volume
    misses its demand.
    """
    monitor = spec.get("monitor")
    if monitor.__class__ is not dict:
        return
    saved = get(spec, ("checkpoints", "volume"), None)
    profiles = [one for name, create in _created(spec) if name != saved and (one := _profile(create, platform)) is not None]
    throughputs = {one: demand for one in profiles if (demand := platform.profiles[one].throughput) is not None}
    latencies = {one: demand for one in profiles if (demand := platform.profiles[one].latency) is not None}
    if throughputs:
        profile = max(throughputs, key=lambda one: parse(throughputs[one]).nanos)
        megabytes = parse(throughputs[profile]).nanos / _NANOS_OF_A_MEGABYTE
        yield from _threshold(monitor, "readThroughput", megabytes, megabytes / _CRITICAL, (profile, "throughput"))
    if latencies:
        profile = max(latencies, key=lambda one: latencies[one])
        longest = latencies[profile]
        yield from _threshold(monitor, "readLatency", longest, longest * _CRITICAL, (profile, "latency"))


def _threshold(monitor: Tree, measure: str, warning: float, critical: float, setting: FieldPath) -> Iterator[LayerPart]:
    thresholds = monitor.get("thresholds") or {}
    if thresholds.__class__ is not dict or measure in thresholds:
        return
    for severity, value in (("warning", warning), ("critical", critical)):
        path: FieldPath = ("spec", "monitor", "thresholds", measure, severity)
        yield part(path, int(value) if value == int(value) else value, ("spec", "profiles", *setting))
