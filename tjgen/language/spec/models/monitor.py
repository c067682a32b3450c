"""`monitor`: metrics, alerts and dashboards of runs."""

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
    "cpuUtilization",
    "pendingRuns",
    "failedRuns",
    "stuckRuns",
]


class Threshold(Shape):
    """Alert thresholds."""

    warning: Setting[Bound | None] = None
    """Threshold of a warning."""
    critical: Setting[Bound | None] = None
    """Threshold of a critical alert."""


class Thresholds(Shape):
    """Alert thresholds of each metric. The defaults are those of the Platform, or of tjgen."""

    read_throughput: Setting[Threshold] = Threshold()
    """MB/s that a run reads (10^6 bytes). Alerts below: 100, 50."""
    read_latency: Setting[Threshold] = Threshold()
    """Mean duration of a read in milliseconds. Alerts above: 100, 500."""
    prefetch_hits: Setting[Threshold] = Threshold()
    """Percent of reads that find prefetched data. Alerts below: 80, 60."""
    checkpoint_save: Setting[Threshold] = Threshold()
    """Mean duration of saving a checkpoint in seconds. Alerts above: 30, 60."""
    checkpoint_restore: Setting[Threshold] = Threshold()
    """Mean duration of restoring a checkpoint in seconds. Alerts above: 30, 60."""
    checkpoint_failures: Setting[Threshold] = Threshold()
    """Percent of checkpoints that fail. Alerts above: 5, 10."""
    cache_hits: Setting[Threshold] = Threshold()
    """Percent of reads that the cache answers. Alerts below: 85, 70."""
    evictions: Setting[Threshold] = Threshold()
    """Entries that the cache evicts per second. Alerts above: 1000, 5000."""
    checkpoint_age: Threshold = Threshold()
    """Minutes since the last checkpoint of a running run. Alerts above: 60, 180."""
    slow_rank: Threshold = Threshold()
    """Mean step time of a process, as a multiple of the median of all processes. Alerts above: 1.5, 2."""
    volume_usage: Threshold = Threshold()
    """Percent of a claim that is used. Alerts above: 85, 95."""
    backup_age: Threshold = Threshold()
    """Hours since the last successful backup. Alerts above: 26, 50."""
    gpu_utilization: Threshold = Threshold()
    """Percent of the time that the GPUs of a pod work. Alerts below: 20, 5."""
    cpu_utilization: Threshold = Threshold()
    """Percent of the requested CPUs that a pod without GPUs uses. Alerts below: 10, 2."""
    pending_runs: Threshold = Threshold()
    """Minutes that pods of a run wait for nodes or for a queue of Kueue. Alerts above: 30, 240."""


class MetricNames(Shape):
    """Names of the metrics that programs and storage export. Durations are histograms or summaries, in seconds."""

    read_bytes: MetricName | None = None
    """Counter of bytes that were read."""
    read_duration: MetricName | None = None
    """Duration of reads, without `_sum` and `_count`."""
    prefetch_hits: MetricName | None = None
    """Counter of reads that found prefetched data."""
    prefetch_misses: MetricName | None = None
    """Counter of reads that did not find prefetched data."""
    checkpoint_save_duration: MetricName | None = None
    """Duration of saving checkpoints, without `_sum` and `_count`."""
    checkpoint_restore_duration: MetricName | None = None
    """Duration of restoring checkpoints, without `_sum` and `_count`."""
    checkpoint_attempts: MetricName | None = None
    """Counter of started checkpoints."""
    checkpoint_failures: MetricName | None = None
    """Counter of failed checkpoints."""
    cache_hits: MetricName | None = None
    """Counter of reads that the cache answered."""
    cache_misses: MetricName | None = None
    """Counter of reads that the cache did not answer."""
    cache_evictions: MetricName | None = None
    """Counter of evicted entries."""
    checkpoint_time: MetricName | None = None
    """Time of the last checkpoint that was saved, in seconds since 1970."""
    step_duration: MetricName | None = None
    """Duration of a step in one process, without what it waits for others; label `rank`; without `_sum` and `_count`."""


class Monitoring(Shape):
    """Settings of the cluster's Prometheus and Grafana."""

    labels: dict[str, str] = {}
    """Labels by which Prometheus selects rules and monitors, such as `release: kube-prometheus-stack`."""
    dashboard_labels: dict[str, str] = {"grafana_dashboard": "1"}
    """Labels by which Grafana selects ConfigMaps with dashboards."""
    interval: Period = "30s"
    """Scrape interval."""
    thresholds: Thresholds = Thresholds()
    """Alert thresholds."""
    metrics: MetricNames = MetricNames()
    """Names of metrics in this cluster."""
    cache_statistics: dict[str, Text] = {}
    """CSI driver -> shell command that prints the statistics of its cache, with the volume at `$VOLUME`."""


class Monitor(Shape):
    """Rules, a monitor and a dashboard for the runs of the experiment."""

    port: Setting[Annotated[int, Field(ge=1, le=65535)]] = 8000
    """Port of the metrics of the training container."""
    path: Setting[Annotated[str, StringConstraints(pattern="^/")]] = "/metrics"
    """Path of the metrics."""
    measures: Setting[list[Measure]] = []
    """Metrics that the container exports. The default is all."""
    thresholds: Setting[Thresholds] = Thresholds()
    """Alert thresholds, merged over those of the Platform."""
    labels: Setting[dict[str, str]] = {}
    """Labels of the alerts, for routing to a team."""
    dashboard: Setting[bool] = True
    """Whether to create a Grafana dashboard."""
    diagnose: Setting[bool] = False
    """Whether each run includes suspended Jobs that measure its volumes."""
