"""`monitor`: what is measured of runs while they train, and from where on somebody is told."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, StringConstraints

from tjgen.language.spec.models.identity import Setting
from tjgen.language.spec.models.shape import Shape, Text, expects

METRIC = r"^[a-zA-Z_:][a-zA-Z0-9_:]*$"
PROMETHEUS_DURATION = r"^[1-9][0-9]*(ms|s|m|h)$"

MetricName: TypeAlias = Annotated[
    str, StringConstraints(pattern=METRIC), expects("name a metric of Prometheus, such as training_read_bytes_total")
]
Period: TypeAlias = Annotated[str, StringConstraints(pattern=PROMETHEUS_DURATION), expects("write a number and ms, s, m or h")]
Bound: TypeAlias = Annotated[int, Field(ge=0, le=2**31 - 1)] | Annotated[float, Field(ge=0, le=2**31 - 1)]
Measure: TypeAlias = Literal[
    "readThroughput",
    "readLatency",
    "prefetchHits",
    "checkpointSave",
    "checkpointRestore",
    "checkpointFailures",
    "cacheHits",
    "evictions",
    "checkpointAge",
    "slowRank",
    "volumeUsage",
    "backupAge",
    "gpuUtilization",
    "gpuThrottling",
    "failedJobs",
]


class Threshold(Shape):
    """From where on somebody is told."""

    warning: Setting[Bound | None] = None
    """From here on it is a warning."""
    critical: Setting[Bound | None] = None
    """From here on it is critical."""


class Thresholds(Shape):
    """From where on somebody is told, of each measure; what is left out is as the Platform says, or else as tjgen does."""

    read_throughput: Setting[Threshold] = Threshold()
    """MB/s that a run reads (10^6 bytes); told when it is less: 100, 50."""
    read_latency: Setting[Threshold] = Threshold()
    """Milliseconds that a read takes in the mean; told when it is more: 100, 500."""
    prefetch_hits: Setting[Threshold] = Threshold()
    """Percent of reads that find what was prefetched; told when it is less: 80, 60."""
    checkpoint_save: Setting[Threshold] = Threshold()
    """Seconds that saving a checkpoint takes in the mean; told when it is more: 30, 60."""
    checkpoint_restore: Setting[Threshold] = Threshold()
    """Seconds that restoring one takes in the mean; told when it is more: 30, 60."""
    checkpoint_failures: Setting[Threshold] = Threshold()
    """Percent of checkpoints that fail; told when it is more: 5, 10."""
    cache_hits: Setting[Threshold] = Threshold()
    """Percent of reads that the cache answers; told when it is less: 85, 70."""
    evictions: Setting[Threshold] = Threshold()
    """Entries that the cache drops in a second; told when it is more: 1000, 5000."""
    checkpoint_age: Threshold = Threshold()
    """Minutes since the last checkpoint of a run that trains; alerts when it is more: 60, 180."""
    slow_rank: Threshold = Threshold()
    """Mean step time of a process, as a multiple of the median of all processes; alerts when it is more: 1.5, 2."""
    volume_usage: Threshold = Threshold()
    """Percent of a claim that is used; alerts when it is more: 85, 95."""
    backup_age: Threshold = Threshold()
    """Hours since the last backup that succeeded; alerts when it is more: 26, 50."""
    gpu_utilization: Threshold = Threshold()
    """Percent of the time that the GPUs of a pod work; alerts when it is less: 20, 5."""


class MetricNames(Shape):
    """What training code and storage call what they count. Counters grow; durations are histograms or summaries, in seconds."""

    read_bytes: MetricName | None = None
    """Counter of bytes that were read."""
    read_duration: MetricName | None = None
    """Duration of reads, without `_sum` and `_count`."""
    prefetch_hits: MetricName | None = None
    """Counter of reads that found what was prefetched."""
    prefetch_misses: MetricName | None = None
    """Counter of reads that did not."""
    checkpoint_save_duration: MetricName | None = None
    """Duration of saving checkpoints, without `_sum` and `_count`."""
    checkpoint_restore_duration: MetricName | None = None
    """Duration of restoring them, likewise."""
    checkpoint_attempts: MetricName | None = None
    """Counter of checkpoints that were begun."""
    checkpoint_failures: MetricName | None = None
    """Counter of checkpoints that failed."""
    cache_hits: MetricName | None = None
    """Counter of reads that the cache answered."""
    cache_misses: MetricName | None = None
    """Counter of reads that it did not."""
    cache_evictions: MetricName | None = None
    """Counter of entries that it dropped."""
    checkpoint_time: MetricName | None = None
    """Time of the last checkpoint that was saved, in seconds since 1970."""
    step_duration: MetricName | None = None
    """Duration of a step in one process, without what it waits for others; label `rank`; without `_sum` and `_count`."""


class Monitoring(Shape):
    """What the cluster's Prometheus and Grafana look for."""

    labels: dict[str, str] = {}
    """Labels of rules and monitors, by which Prometheus chooses them, such as `release: kube-prometheus-stack`."""
    dashboard_labels: dict[str, str] = {"grafana_dashboard": "1"}
    """Labels of ConfigMaps that Grafana takes dashboards from."""
    interval: Period = "30s"
    """How often metrics are read."""
    thresholds: Thresholds = Thresholds()
    """From where on somebody is told."""
    metrics: MetricNames = MetricNames()
    """What metrics are called here."""
    cache_statistics: dict[str, Text] = {}
    """CSI driver -> shell command that prints what its cache has done, with the volume at `$VOLUME`; some drivers are known."""


class Monitor(Shape):
    """Rules, a monitor and a dashboard for the runs of the experiment."""

    port: Setting[Annotated[int, Field(ge=1, le=65535)]] = 8000
    """Port of the training container at which it shows its metrics."""
    path: Setting[Annotated[str, StringConstraints(pattern="^/")]] = "/metrics"
    """Path at which it does."""
    measures: Setting[list[Measure]] = []
    """Which measures it shows; all where it is left out."""
    thresholds: Setting[Thresholds] = Thresholds()
    """From where on somebody is told, over what the Platform says."""
    labels: Setting[dict[str, str]] = {}
    """Labels of the alerts, by which they find their way to a team."""
    dashboard: Setting[bool] = True
    """Whether Grafana gets a dashboard."""
    diagnose: Setting[bool] = False
    """Whether each run brings Jobs that measure its volumes, which wait until somebody starts them."""
