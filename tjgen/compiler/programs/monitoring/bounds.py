"""Thresholds of the experiment, over the Platform's, over ours -> the bounds of each measure, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.lower import SPEC
from tjgen.compiler.programs.monitoring.cluster import MEASURES as CLUSTER
from tjgen.compiler.programs.monitoring.cluster import ClusterMeasure
from tjgen.compiler.programs.monitoring.measures import MEASURES, Measure
from tjgen.language.spec.objects import Monitor, Monitoring
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.typing import NamedTuple

AT: FieldPath = (*SPEC, "monitor")
_HUNDRED = 100
_PERCENT = "%"


class AlertBounds(NamedTuple):
    """Alert threshold."""

    warning: float
    critical: float


def chosen(monitor: Monitor) -> tuple[Measure, ...]:
    """Return the measures of the experiment, in the order of the table."""
    return tuple([one for one in MEASURES if not monitor.measures or one.name in monitor.measures])


def bounds_of(measure: Measure | ClusterMeasure, monitor: Monitor, platform: Monitoring | None) -> AlertBounds:
    """What holds for a measure."""
    thresholds = [getattr(one.thresholds, measure.field) for one in (monitor, platform) if one is not None]
    bounds = {}
    for field in AlertBounds._fields:
        values = [value for one in thresholds if (value := getattr(one, field)) is not None]
        bounds[field] = values[0] if values else getattr(measure, field)
    return AlertBounds(**bounds)


def thresholds_set(monitor: Monitor) -> Iterator[tuple[str, str, FieldPath]]:
    """Yield the alert and the severity of each threshold that the experiment has, its own or that of a profile, and its field."""
    measures: list[Measure | ClusterMeasure] = [*MEASURES, *CLUSTER]
    for measure in measures:
        threshold = getattr(monitor.thresholds, measure.field)
        for level in AlertBounds._fields:
            if getattr(threshold, level) is not None:
                yield measure.alert, level, (*AT, "thresholds", measure.name, level)


def problems(monitor: Monitor, platform: Monitoring | None) -> Iterator[Diagnostic]:
    """Yield bounds in the wrong order (TJ930), bounds that a percentage never reaches (TJ931), and invalid labels (TJ933)."""
    for label in monitor.labels:
        if not _is_label(label):
            message = f'"{label}" is not a label of Prometheus: use letters, digits and _. tjgen sets severity'
            hint = "use another name, such as team"
            yield Diagnostic("TJ933", message, path=(*AT, "labels", label), hint=hint)
    measures: list[Measure | ClusterMeasure] = [*chosen(monitor)]
    measures += [one for one in CLUSTER if not monitor.measures or one.name in monitor.measures]
    for measure in measures:
        bounds = bounds_of(measure, monitor, platform)
        own = getattr(monitor.thresholds, measure.field)
        level = next((field for field in ("critical", "warning") if getattr(own, field) is not None), None)
        at: FieldPath = (*AT, "thresholds", measure.name, level) if level is not None else AT
        are_reversed = bounds.critical > bounds.warning if measure.below else bounds.critical < bounds.warning
        if are_reversed:
            sign = "less" if measure.below else "more"
            message = (
                f"{measure.name} is a warning at {bounds.warning} {measure.unit} and critical at "
                f"{bounds.critical}, although {sign} is worse"
            )
            hint = "swap them, or also set the other one"
            yield Diagnostic("TJ930", message, path=at, hint=hint)
        for field, value in bounds._asdict().items():
            if measure.unit == _PERCENT and value > _HUNDRED:
                at = (*AT, "thresholds", measure.name, field) if getattr(own, field) is not None else AT
                message = f"{measure.name} is a percentage, and its threshold is {value}"
                yield Diagnostic("TJ931", message, path=at, hint="use at most 100")


def _is_label(name: str) -> bool:
    """Whether rules can set a label (prometheus/common `LabelName.IsValid`; names with two underscores are its own)."""
    known = name.isascii() and name.replace("_", "a").isalnum() and not name[0].isdigit()
    return known and not name.startswith("__") and name != "severity"
