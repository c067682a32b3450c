"""The measures of a run: what each is in PromQL, in which unit, and the alert threshold.

The one table of metrics: the default names in training code and storage, unless the Platform sets other names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from tjgen.compiler.lower import SPEC
from tjgen.compiler.programs.monitoring.cluster import MEASURES as CLUSTER
from tjgen.compiler.programs.monitoring.cluster import ClusterMeasure
from tjgen.language.spec.objects import MetricNames, Monitor, Monitoring
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.typing import NamedTuple

METRICS: Mapping[str, str] = {
    "read_bytes": "training_read_bytes_total",
    "read_duration": "training_read_duration_seconds",
    "prefetch_hits": "training_prefetch_hits_total",
    "prefetch_misses": "training_prefetch_misses_total",
    "checkpoint_save_duration": "training_checkpoint_save_duration_seconds",
    "checkpoint_restore_duration": "training_checkpoint_restore_duration_seconds",
    "checkpoint_attempts": "training_checkpoint_attempts_total",
    "checkpoint_failures": "training_checkpoint_failures_total",
    "cache_hits": "training_cache_hits_total",
    "cache_misses": "training_cache_misses_total",
    "cache_evictions": "training_cache_evictions_total",
    "checkpoint_time": "training_checkpoint_last_success_timestamp_seconds",
    "step_duration": "training_step_duration_seconds",
}
"""Field of `metrics` -> name of the metric."""
BY = "namespace, experiment, run"
"""Labels of every series: PodMonitors give them (scraping.py)."""
_BYTES_OF_A_MEGABYTE = 10**6
_MILLISECONDS = 10**3

Rate = Callable[[str], str]
"""Metric -> how much it grows in a second, over all pods of a run."""
Names = Mapping[str, str]


class Measure(NamedTuple):
    """One thing that is measured."""

    name: str
    """As experiments write it."""
    field: str
    """The field of `thresholds`."""
    title: str
    alert: str
    unit: str
    """For people."""
    grafana: str
    """The unit, as Grafana calls it."""
    below: bool
    """Whether less is worse."""
    warning: float
    critical: float
    expression: Callable[[Rate, Names], str]
    window: str = "5m"
    """Time over which it is taken; checkpoints are rare."""
    duration: str = "5m"
    """Time for which the condition must hold before the alert fires; "" is at once."""


def _mean(metric: str, factor: str = "") -> Callable[[Rate, Names], str]:
    return lambda rate, names: f"{factor}{rate(names[metric] + '_sum')} / {rate(names[metric] + '_count')}"


def _hits(hits: str, missed: str) -> Callable[[Rate, Names], str]:
    return lambda rate, names: f"100 * {rate(names[hits])} / ({rate(names[hits])} + {rate(names[missed])})"


MEASURES: tuple[Measure, ...] = (
    Measure(
        "readThroughput", "read_throughput", "Read throughput", "TrainingReadThroughputLow", "MB/s", "MBs", True, 100, 50,
        lambda rate, names: f"{rate(names['read_bytes'])} / {_BYTES_OF_A_MEGABYTE}",
    ),
    Measure(
        "readLatency", "read_latency", "Read latency", "TrainingReadLatencyHigh", "ms", "ms", False, 100, 500,
        _mean("read_duration", f"{_MILLISECONDS} * "),
    ),
    Measure(
        "prefetchHits", "prefetch_hits", "Prefetch hits", "TrainingPrefetchHitsLow", "%", "percent", True, 80, 60,
        _hits("prefetch_hits", "prefetch_misses"),
    ),
    Measure(
        "checkpointSave", "checkpoint_save", "Checkpoint save", "TrainingCheckpointSaveSlow", "s", "s", False, 30, 60,
        _mean("checkpoint_save_duration"), "1h", "",
    ),
    Measure(
        "checkpointRestore", "checkpoint_restore", "Checkpoint restore", "TrainingCheckpointRestoreSlow", "s", "s", False, 30, 60,
        _mean("checkpoint_restore_duration"), "1h", "",
    ),
    Measure(
        "checkpointFailures", "checkpoint_failures", "Checkpoint failures", "TrainingCheckpointFailures", "%", "percent",
        False, 5, 10,
        lambda rate, names: f"100 * {rate(names['checkpoint_failures'])} / {rate(names['checkpoint_attempts'])}", "1h", "",
    ),
    Measure(
        "cacheHits", "cache_hits", "Cache hits", "TrainingCacheHitsLow", "%", "percent", True, 85, 70,
        _hits("cache_hits", "cache_misses"),
    ),
    Measure(
        "evictions", "evictions", "Cache evictions", "TrainingCacheEvictionsHigh", "per s", "ops", False, 1000, 5000,
        lambda rate, names: rate(names["cache_evictions"]),
    ),
)  # fmt: skip


def names(configured: MetricNames | None) -> Names:
    """Return the names of the metrics: from the Platform, or else as above."""
    return {field: getattr(configured, field, None) or name for field, name in METRICS.items()}


def expression(measure: Measure, known: Names, selector: str) -> str:
    """The measure in PromQL, for the series that `selector` matches."""
    return measure.expression(lambda metric: f"sum by ({BY}) (rate({metric}{{{selector}}}[{measure.window}]))", known)


# Thresholds of the experiment, over the Platform's, over ours -> the bounds of each measure, and what is wrong with them.

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
