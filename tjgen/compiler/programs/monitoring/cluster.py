"""What the cluster itself exposes of a run and of the programs next to it -> alerts that need no metric of the training.

The metrics are those of kube-state-metrics 2 (`kube_pod_*`, `kube_job_*`, `kube_cronjob_*`), of the kubelet
(`kubelet_volume_stats_*`), of its cAdvisor (`container_cpu_usage_seconds_total`) and of NVIDIA's DCGM exporter
(`DCGM_FI_DEV_*`). Three alerts compare processes of a run, count its steps, or look at the time since its last checkpoint;
they read metrics of the training.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tjgen.trees.typing import NamedTuple


class Scope(NamedTuple):
    """What the alerts of an experiment are about."""

    namespace: str
    experiment: str
    metrics: Mapping[str, str]
    """Field of `metrics` of the Platform -> name of the metric."""
    jobs: str = ""
    """Pattern of the names of its Jobs; "" if it has none."""
    cron_jobs: str = ""
    """Pattern of the names of its CronJobs."""
    backup: str = ""
    """Pattern of the names of its CronJobs for backup."""
    deadline: int = 0
    """The longest time in seconds that a Job of a CronJob can take."""
    claims: str = ""
    """Pattern of the names of its claims."""
    has_gpus: bool = False
    """Whether its pods have devices that DCGM watches."""
    runs: str = ""
    """Pattern of the names of its runs."""
    owner: str = ""
    """Kind of the owner of the Jobs that start pods of its runs; "" if no Jobs do."""
    has_queue: bool = False
    """Whether Kueue creates its Jobs suspended, and starts them later."""
    requests_cpu: bool = False
    """Whether its pods request CPUs."""

    def training(self) -> str:
        """The selector of series that pods of the runs show."""
        return f'namespace="{self.namespace}",experiment="{self.experiment}"'

    def in_namespace(self, **patterns: str) -> str:
        """The selector of series of the namespace whose labels match patterns."""
        return ",".join([f'namespace="{self.namespace}"', *(f'{label}=~"{text}"' for label, text in patterns.items())])

    def of_pods(self, metric: str, more: str = "") -> str:
        """The series of `metric` about pods whose names begin with that of a run."""
        return f"{metric}{{{self.in_namespace(pod=f'{self.runs}-.+')}{more}}}"

    def jobs_of_runs(self, query: str) -> str:
        """The series of `query` about Jobs of runs, with the name of the run."""
        owner = f'kube_job_owner{{{self.in_namespace(owner_name=self.runs)},owner_kind="{self.owner}"}}'
        return f'label_replace({owner} * on (namespace, job_name) group_left () ({query}), "run", "$1", "owner_name", "(.+)")'

    def pods_of_runs(self, query: str) -> str:
        """The series of `query` about pods, with the name of the run, with which their names begin."""
        return f'label_replace({query}, "run", "$1", "pod", "({self.runs})-.+")'


class ClusterMeasure(NamedTuple):
    """One alert. Its bounds are those of `field` in `thresholds`, as for the measures of the training."""

    name: str
    field: str
    title: str
    alert: str
    unit: str
    below: bool
    """Whether less is worse."""
    warning: float
    critical: float
    subject: str
    """What the alert is about, in the words of Prometheus's templates."""
    query: Callable[[Scope], str]
    """The value in PromQL."""
    applies: Callable[[Scope], object]
    """Whether the experiment has what the alert is about."""
    duration: str


class Event(NamedTuple):
    """An alert without bounds: it fires while its query has a series."""

    name: str
    alert: str
    severity: str
    summary: str
    query: Callable[[Scope], str]
    applies: Callable[[Scope], object]
    duration: Callable[[Scope], str]


def _of_gpus(taken: Callable[[str], str]) -> Callable[[Scope], str]:
    """Apply `taken` to a selector, for each pod of the runs, whether or not Prometheus renames the exporter's labels."""

    def query(scope: Scope) -> str:
        renamed = taken(f'exported_namespace="{scope.namespace}"')
        for label in ("namespace", "pod"):
            renamed = f'label_replace({renamed}, "{label}", "$1", "exported_{label}", "(.+)")'
        plain = taken(f'namespace="{scope.namespace}",exported_pod=""')
        pods = f"0 * max by (namespace, pod, run) (up{{{scope.training()}}}) + 1"
        return f"avg by (namespace, pod) ({renamed} or {plain}) * on (namespace, pod) group_left (run) ({pods})"

    return query


def _slowest(scope: Scope) -> str:
    """How much longer a step takes in the slowest process than in the middle one, of runs with several processes."""
    by = "namespace, experiment, run"
    metric, selector = scope.metrics["step_duration"], scope.training()
    sums, counts = (f"sum by ({by}, pod, rank) (rate({metric}{part}{{{selector}}}[10m]))" for part in ("_sum", "_count"))
    mean = f"({sums} / {counts})"
    several = f"count by ({by}) {mean} > 2"
    return f"{mean} / on ({by}) group_left () (quantile by ({by}) (0.5, {mean}) and on ({by}) ({several}))"


def _late(scope: Scope) -> str:
    """CronJobs whose last Job has not succeeded."""
    last = (
        f"max by (namespace, cronjob) (kube_cronjob_status_last_schedule_time{{{scope.in_namespace(cronjob=scope.cron_jobs)}}})"
    )
    good = last.replace("last_schedule_time", "last_successful_time")
    return f"{last} > ({good} or 0 * {last})"


def _waiting(scope: Scope) -> str:
    """For how many minutes pods of a run have been pending, or its Jobs have waited for Kueue."""
    pending = scope.of_pods("kube_pod_status_phase", ',phase="Pending"')
    since = scope.pods_of_runs(f"{scope.of_pods('kube_pod_created')} and on (namespace, pod) ({pending} == 1)")
    if scope.has_queue:
        created, started = (f"kube_job_{name}{{{scope.in_namespace()}}}" for name in ("created", "status_start_time"))
        since = f"{since} or {scope.jobs_of_runs(f'{created} unless on (namespace, job_name) {started}')}"
    return f"(time() - min by (namespace, run) ({since})) / 60"


def _failed(scope: Scope) -> str:
    """Runs with a Job that failed, or with a pod that failed and stays. A controller that starts a run again deletes both."""
    if scope.owner:
        failed = scope.jobs_of_runs(f'kube_job_failed{{{scope.in_namespace()},condition="true"}}')
    else:
        owner = f"kube_pod_owner{{{scope.in_namespace(owner_name=scope.runs)}}}"
        phase = f'kube_pod_status_phase{{{scope.in_namespace()},phase="Failed"}}'
        failed = f'label_replace({owner} * on (namespace, pod, uid) group_left () {phase}, "run", "$1", "owner_name", "(.+)")'
    return f"max by (namespace, run) ({failed}) > 0"


def _stuck(scope: Scope) -> str:
    """Runs whose processes count steps, and have finished none for ten minutes."""
    return (
        f"sum by (namespace, experiment, run) (increase({scope.metrics['step_duration']}_count{{{scope.training()}}}[10m])) == 0"
    )


def _of_requested_cpus(scope: Scope) -> str:
    """Percent of the CPUs that a pod requests and uses."""
    usage = scope.of_pods("container_cpu_usage_seconds_total", ',container!=""')
    requested = scope.of_pods("kube_pod_container_resource_requests", ',resource="cpu"')
    by = "sum by (namespace, pod)"
    return scope.pods_of_runs(f"100 * {by} (rate({usage}[10m])) / {by} ({requested})")


def _throttled(scope: Scope) -> str:
    """Pods whose GPUs have lost time to heat or power in the last 15 minutes."""
    metrics = ("DCGM_FI_DEV_THERMAL_VIOLATION", "DCGM_FI_DEV_POWER_VIOLATION")
    lost = [_of_gpus(_increase(metric))(scope) for metric in metrics]
    return " or ".join(f"({one} > 0)" for one in lost)


def _increase(metric: str) -> Callable[[str], str]:
    return lambda selector: f"increase({metric}{{{selector}}}[15m])"


MEASURES: tuple[ClusterMeasure, ...] = (
    ClusterMeasure(
        "checkpointAge", "checkpoint_age", "Time since the last checkpoint", "TrainingCheckpointOld", "min", False, 60, 180,
        "run {{ $labels.namespace }}/{{ $labels.run }}",
        lambda scope: "(time() - max by (namespace, experiment, run) "
        f"({scope.metrics['checkpoint_time']}{{{scope.training()}}} > 0)) / 60",
        lambda scope: True, "5m",
    ),
    ClusterMeasure(
        "slowRank", "slow_rank", "Step time against the median of all processes", "TrainingRankSlow", "times", False, 1.5, 2,
        "rank {{ $labels.rank }} of run {{ $labels.namespace }}/{{ $labels.run }} (pod {{ $labels.pod }})",
        _slowest, lambda scope: True, "10m",
    ),
    ClusterMeasure(
        "volumeUsage", "volume_usage", "Use of volume", "TrainingVolumeFull", "%", False, 85, 95,
        "claim {{ $labels.namespace }}/{{ $labels.persistentvolumeclaim }}",
        lambda scope: "100 * max by (namespace, persistentvolumeclaim) "
        f"(kubelet_volume_stats_used_bytes{{{scope.in_namespace(persistentvolumeclaim=scope.claims)}}}"
        f" / kubelet_volume_stats_capacity_bytes{{{scope.in_namespace(persistentvolumeclaim=scope.claims)}}})",
        lambda scope: scope.claims, "5m",
    ),
    ClusterMeasure(
        "backupAge", "backup_age", "Time since the last backup", "TrainingBackupOld", "h", False, 26, 50,
        "CronJob {{ $labels.namespace }}/{{ $labels.cronjob }}",
        lambda scope: "(time() - max by (namespace, cronjob) (kube_cronjob_status_last_successful_time"
        f"{{{scope.in_namespace(cronjob=scope.backup)}}} or kube_cronjob_created{{{scope.in_namespace(cronjob=scope.backup)}}}))"
        " / 3600",
        lambda scope: scope.backup, "5m",
    ),
    ClusterMeasure(
        "gpuUtilization", "gpu_utilization", "GPU utilization", "TrainingGpuIdle", "%", True, 20, 5,
        "pod {{ $labels.namespace }}/{{ $labels.pod }} of run {{ $labels.run }}",
        _of_gpus(lambda selector: f"DCGM_FI_DEV_GPU_UTIL{{{selector}}}"), lambda scope: scope.has_gpus, "30m",
    ),
    ClusterMeasure(
        "cpuUtilization", "cpu_utilization", "CPU utilization", "TrainingCpuIdle", "%", True, 10, 2,
        "pod {{ $labels.namespace }}/{{ $labels.pod }} of run {{ $labels.run }}",
        _of_requested_cpus, lambda scope: scope.requests_cpu and not scope.has_gpus, "30m",
    ),
    ClusterMeasure(
        "pendingRuns", "pending_runs", "Waiting time", "TrainingRunPending", "min", False, 30, 240,
        "run {{ $labels.namespace }}/{{ $labels.run }}", _waiting, lambda scope: True, "5m",
    ),
)  # fmt: skip
EVENTS: tuple[Event, ...] = (
    Event(
        "failedRuns",
        "TrainingRunFailed",
        "critical",
        "Run {{ $labels.namespace }}/{{ $labels.run }} failed: see the status and the logs of its pods",
        _failed,
        lambda scope: True,
        lambda scope: "5m",
    ),
    Event(
        "stuckRuns",
        "TrainingRunStuck",
        "critical",
        "Run {{ $labels.namespace }}/{{ $labels.run }} has not finished a step for 40 minutes",
        _stuck,
        lambda scope: True,
        lambda scope: "30m",
    ),
    Event(
        "failedJobs",
        "TrainingProgramFailed",
        "critical",
        "Job {{ $labels.namespace }}/{{ $labels.job_name }} failed: see the status of its pods",
        lambda scope: (
            f'max by (namespace, job_name) (kube_job_failed{{{scope.in_namespace(job_name=scope.jobs)},condition="true"}}) > 0'
        ),
        lambda scope: scope.jobs,
        lambda scope: "1m",
    ),
    Event(
        "failedJobs",
        "TrainingCronJobFailed",
        "warning",
        "The last Job of CronJob {{ $labels.namespace }}/{{ $labels.cronjob }} did not succeed in time: "
        "see the status of its pods",
        _late,
        lambda scope: scope.cron_jobs,
        lambda scope: f"{scope.deadline // 60 + 10}m",
    ),
    Event(
        "gpuThrottling",
        "TrainingGpuThrottled",
        "warning",
        "GPUs of pod {{ $labels.namespace }}/{{ $labels.pod }} of run {{ $labels.run }} run slower because of heat or power",
        _throttled,
        lambda scope: scope.has_gpus,
        lambda scope: "15m",
    ),
)
