"""Alerts on what the cluster exposes, as Prometheus itself evaluates them: series just inside and just outside of each bound."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.program import tjgen

EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: watched, namespace: vision}
spec:
  runtime: tjgen-torch
  image: registry.example.com/train:1
  script: train.py
  gpu: a100:8
  schedule: {system: kueue, queue: ai}
  volumes:
    data: {pvc: datasets, mountPath: /data, readOnly: true}
    out: {pvc: {create: {size: 10Gi, storageClassName: shared}}, mountPath: /out}
  prefetch: {volume: data, source: s3://sets/one}
  checkpoints: {volume: out, keep: {last: 2}, backup: {schedule: "0 3 * * *", deadline: 1h}}
  monitor: {}
"""
HOUR = 60
"""Minutes."""
RUN = 'namespace="vision",experiment="watched",run="watched-1"'
UP = f'up{{{RUN},pod="watched-1-node-0-0-x"}}'
OTHER_UP = 'up{namespace="vision",experiment="other",run="other-1",pod="other-1-node-0-0-x"}'
GPU = "DCGM_FI_DEV_GPU_UTIL"
POWER = "DCGM_FI_DEV_POWER_VIOLATION"
Series = dict[str, str]


NAMED = "watched-bcdfghjk"
"""The name of a run, as the rules find it in names of Jobs and pods."""
JOB = f'namespace="vision",job_name="{NAMED}-node-0"'
POD = f'namespace="vision",pod="{NAMED}-node-0-0-x",uid="1"'


def job(owner: str = NAMED, kind: str = "JobSet", labels: str = JOB, **series: str) -> Series:
    """A Job of a run and its metrics."""
    found = {f'kube_job_owner{{{labels},owner_kind="{kind}",owner_name="{owner}",owner_is_controller="true"}}': "1x300"}
    found.update({f"kube_job_{name}{{{labels}}}": values for name, values in series.items() if name != "failed"})
    if "failed" in series:
        found[f'kube_job_failed{{{labels},condition="true"}}'] = series["failed"]
    return found


def pod(phase: str, labels: str = POD) -> Series:
    return {f"kube_pod_created{{{labels}}}": "0x240", f'kube_pod_status_phase{{{labels},phase="{phase}"}}': "1x240"}


def counted(values: str) -> Series:
    return {f'training_step_duration_seconds_count{{{RUN},pod="watched-1-node-0-0-x",rank="0"}}': values}


def steps(**seconds: float) -> Series:
    """Step times of processes: 1 step per second of it, over 3 hours."""
    found = {}
    for rank, mean in seconds.items():
        labels = f'{RUN},pod="watched-1-node-0-{rank[1:]}-x",rank="{rank[1:]}"'
        found[f"training_step_duration_seconds_sum{{{labels}}}"] = f"0+{mean * 60:g}x240"
        found[f"training_step_duration_seconds_count{{{labels}}}"] = "0+60x240"
    return found


def volume(claim: str, used: float) -> Series:
    labels = f'namespace="vision",persistentvolumeclaim="{claim}"'
    return {
        f'kubelet_volume_stats_used_bytes{{{labels},node="a"}}': f"{used}x240",
        f'kubelet_volume_stats_capacity_bytes{{{labels},node="a"}}': "100x240",
    }


def cron(name: str, scheduled: int, succeeded: int | None) -> Series:
    """Times in minutes of the test."""
    labels = f'namespace="vision",cronjob="{name}"'
    found = {f"kube_cronjob_status_last_schedule_time{{{labels}}}": f"{scheduled * 60}x240"}
    if succeeded is not None:
        found[f"kube_cronjob_status_last_successful_time{{{labels}}}"] = f"{succeeded * 60}x240"
    return found


Case = tuple[str, str, Series, int, dict[str, str]]
"""What happens, the alert, its series, the minute, and severity -> words of its summary."""
CASES: list[Case] = [
    (
        "a checkpoint of an hour ago", "TrainingCheckpointOld",
        {f"training_checkpoint_last_success_timestamp_seconds{{{RUN}}}": "3600x240"}, 119, {},
    ),
    (
        "an old checkpoint", "TrainingCheckpointOld",
        {f"training_checkpoint_last_success_timestamp_seconds{{{RUN}}}": "3600x240"}, 130,
        {"warning": "run vision/watched-1 is 70.0 min, more than 60"},
    ),
    (
        "no checkpoint yet", "TrainingCheckpointOld",
        {f"training_checkpoint_last_success_timestamp_seconds{{{RUN}}}": "0x240"}, 230, {},
    ),
    ("processes alike", "TrainingRankSlow", steps(r0=1, r1=1, r2=1.4, r3=1), 90, {}),
    (
        "one slow process among four", "TrainingRankSlow", steps(r0=1, r1=1, r2=1.8, r3=1), 90,
        {"warning": "rank 2 of run vision/watched-1 (pod watched-1-node-0-2-x) is 1.8 times, more than 1.5"},
    ),
    (
        "one very slow process among four", "TrainingRankSlow", steps(r0=1, r1=1, r2=4, r3=1), 90,
        {
            "warning": "rank 2 of run vision/watched-1 (pod watched-1-node-0-2-x) is 4.0 times, more than 1.5",
            "critical": "rank 2 of run vision/watched-1 (pod watched-1-node-0-2-x) is 4.0 times, more than 2",
        },
    ),
    ("two processes have no median", "TrainingRankSlow", steps(r0=1, r1=4), 90, {}),
    ("a volume with room", "TrainingVolumeFull", volume("watched-out", 85), 30, {}),
    (
        "a full volume", "TrainingVolumeFull", volume("watched-out", 96), 30,
        {
            "warning": "claim vision/watched-out is 96.0 %, more than 85",
            "critical": "claim vision/watched-out is 96.0 %, more than 95",
        },
    ),
    (
        "a claim that exists is watched too", "TrainingVolumeFull", volume("datasets", 90), 30,
        {"warning": "claim vision/datasets is 90.0 %, more than 85"},
    ),
    ("the volume of another", "TrainingVolumeFull", volume("watched-out-2", 99), 30, {}),
    ("a backup of yesterday", "TrainingBackupOld", cron("watched-backup", 0, 0), 26 * HOUR, {}),
    (
        "no backup since the day before", "TrainingBackupOld", cron("watched-backup", 0, 0), 27 * HOUR,
        {"warning": "CronJob vision/watched-backup is 27.0 h, more than 26"},
    ),
    (
        "a backup that never was", "TrainingBackupOld",
        {'kube_cronjob_created{namespace="vision",cronjob="watched-backup"}': "0x240"}, 51 * HOUR,
        {
            "warning": "CronJob vision/watched-backup is 51.0 h, more than 26",
            "critical": "CronJob vision/watched-backup is 51.0 h, more than 50",
        },
    ),
    ("a CronJob that succeeded", "TrainingCronJobFailed", cron("watched-cleaner", 60, 61), 5 * HOUR, {}),
    ("a CronJob that still runs", "TrainingCronJobFailed", cron("watched-cleaner", 60, 50), 65, {}),
    (
        "a CronJob whose last Job failed", "TrainingCronJobFailed", cron("watched-cleaner", 60, 50), 3 * HOUR,
        {"warning": "watched-cleaner"},
    ),
    (
        "a CronJob that never succeeded", "TrainingCronJobFailed", cron("watched-backup", 60, None), 3 * HOUR,
        {"warning": "watched-backup"},
    ),
    ("the CronJob of another", "TrainingCronJobFailed", cron("other-cleaner", 60, 50), 9 * HOUR, {}),
    (
        "a Job that failed", "TrainingProgramFailed",
        {'kube_job_failed{namespace="vision",job_name="watched-prefetch-0123456789",condition="true"}': "1x60"}, 30,
        {"critical": "watched-prefetch-0123456789"},
    ),
    (
        "a Job that did not fail", "TrainingProgramFailed",
        {
            'kube_job_failed{namespace="vision",job_name="watched-prefetch-0123456789",condition="false"}': "1x60",
            'kube_job_failed{namespace="vision",job_name="watched-prefetch-0123456789",condition="true"}': "0x60",
        }, 30, {},
    ),
    (
        "GPUs that work", "TrainingGpuIdle",
        {UP: "1x240", f'{GPU}{{namespace="vision",pod="watched-1-node-0-0-x",gpu="0"}}': "90x240"}, 60, {},
    ),
    (
        "GPUs that idle", "TrainingGpuIdle",
        {UP: "1x240", f'{GPU}{{namespace="vision",pod="watched-1-node-0-0-x",gpu="0"}}': "1x240"}, 60,
        {
            "warning": "pod vision/watched-1-node-0-0-x of run watched-1 is 1.0 %, less than 20",
            "critical": "pod vision/watched-1-node-0-0-x of run watched-1 is 1.0 %, less than 5",
        },
    ),
    (
        "labels that Prometheus renamed", "TrainingGpuIdle",
        {
            UP: "0x240",
            f'{GPU}{{namespace="gpu",pod="dcgm-1",exported_namespace="vision",exported_pod="watched-1-node-0-0-x"}}': "10x240",
        }, 60, {"warning": "pod vision/watched-1-node-0-0-x of run watched-1 is 10.0 %, less than 20"},
    ),
    (
        "idle GPUs of another experiment", "TrainingGpuIdle",
        {UP: "1x240", OTHER_UP: "1x240", f'{GPU}{{namespace="vision",pod="other-1-node-0-0-x",gpu="0"}}': "0x240"}, 60, {},
    ),
    (
        "GPUs that are throttled", "TrainingGpuThrottled",
        {UP: "1x240", f'{POWER}{{namespace="vision",pod="watched-1-node-0-0-x",gpu="0"}}': "0+1000x240"}, 60,
        {"warning": "watched-1-node-0-0-x"},
    ),
    (
        "GPUs that are not", "TrainingGpuThrottled",
        {UP: "1x240", f'{POWER}{{namespace="vision",pod="watched-1-node-0-0-x",gpu="0"}}': "1000x240"}, 60, {},
    ),
    ("a run that failed", "TrainingRunFailed", job(failed="1x60"), 30, {"critical": f"Run vision/{NAMED} failed"}),
    ("a run that starts again", "TrainingRunFailed", job(failed="0x9 1x3 0x60"), 30, {}),
    ("a run of another", "TrainingRunFailed", job(owner="watched-2-bcdfghjk", failed="1x60"), 30, {}),
    ("a measurement of volumes that failed", "TrainingRunFailed", job(kind="CronJob", failed="1x60"), 30, {}),
    ("a run that waits for nodes", "TrainingRunPending", pod("Pending"), 37, {"warning": f"run vision/{NAMED} is 37.0 min"}),
    ("a run that waits for a while", "TrainingRunPending", pod("Pending"), 29, {}),
    ("a run that trains", "TrainingRunPending", pod("Running"), 60, {}),
    (
        "a run that its queue does not admit", "TrainingRunPending", job(created="0x300"), 250,
        {
            "warning": f"run vision/{NAMED} is 250.0 min, more than 30",
            "critical": f"run vision/{NAMED} is 250.0 min, more than 240",
        },
    ),
    ("a run that its queue admitted", "TrainingRunPending", job(created="0x240", status_start_time="60x240"), 60, {}),
    ("a run without steps", "TrainingRunStuck", counted("0+1x60 60x100"), 105, {"critical": "watched-1 has not finished"}),
    ("a run with slow steps", "TrainingRunStuck", counted("0x8 1x8 2x8 3x8 4x8 5x8 6x8 7x8 8x8 9x8 10x8 11x8"), 100, {}),
]  # fmt: skip


def rule(folder: Path, text: str = EXPERIMENT) -> dict[str, Any]:
    (folder / "experiment.yaml").write_text(text)
    answer = tjgen(folder, "build", "experiment.yaml")
    assert answer.code == 0, answer.err
    return next(one["spec"] for one in yaml.safe_load_all(answer.out) if one["kind"] == "PrometheusRule")


def alerts(spec: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for group in spec["groups"] if group["name"].endswith("-cluster") for one in group["rules"]]


def promtool(folder: Path, *words: str) -> str:
    answer = subprocess.run(["promtool", *words], cwd=folder, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return answer.stdout


def fires(folder: Path, spec: dict[str, Any], cases: list[Case], step: str) -> None:
    """Assert that Prometheus fires the alert of each case in the severities that it lists."""
    (folder / "rules.yaml").write_text(json.dumps(spec))
    promtool(folder, "check", "rules", "rules.yaml")
    tests = [
        {
            "name": name,
            "interval": step,
            "input_series": [{"series": series, "values": values} for series, values in given.items()],
            "promql_expr_test": [
                {
                    "expr": f'count by (severity) (ALERTS{{alertname="{alert}",alertstate="firing"}})',
                    "eval_time": f"{minute}m",
                    "exp_samples": [{"labels": f'{{severity="{severity}"}}', "value": 1} for severity in expected],
                }
            ],
        }
        for name, alert, given, minute, expected in cases
    ]
    (folder / "tests.yaml").write_text(json.dumps({"rule_files": ["rules.yaml"], "evaluation_interval": step, "tests": tests}))
    promtool(folder, "test", "rules", "tests.yaml")


@pytest.mark.skipif(
    shutil.which("promtool") is None, reason="promtool is not there: it comes with Prometheus, or as a Go program"
)
@pytest.mark.parametrize(
    ("step", "cases"),
    [
        ("1m", [case for case in CASES if case[3] < 12 * HOUR]),
        ("30m", [case for case in CASES if case[3] >= 12 * HOUR]),
    ],
    ids=["within hours", "within days"],
)
def test_alerts_fire_outside_of_their_bounds_and_not_inside(tmp_path: Path, step: str, cases: list[Case]) -> None:
    """Each case lists the severities in which the alert fires. Those of days are evaluated less often, to save time."""
    fires(tmp_path, rule(tmp_path), cases, step)


@pytest.mark.skipif(
    shutil.which("promtool") is None, reason="promtool is not there: it comes with Prometheus, or as a Go program"
)
@pytest.mark.parametrize("case", [case for case in CASES if case[4]], ids=lambda case: case[0])
def test_summaries_name_what_it_is_about(tmp_path: Path, case: Case) -> None:
    _, alert, given, minute, expected = case
    (tmp_path / "rules.yaml").write_text(json.dumps(rule(tmp_path)))
    step = "1m" if minute < 12 * HOUR else "30m"
    test = {
        "interval": step,
        "input_series": [{"series": series, "values": values} for series, values in given.items()],
        "alert_rule_test": [{"eval_time": f"{minute}m", "alertname": alert, "exp_alerts": []}],
    }
    (tmp_path / "tests.yaml").write_text(json.dumps({"rule_files": ["rules.yaml"], "evaluation_interval": step, "tests": [test]}))
    words = ["promtool", "test", "rules", "tests.yaml"]
    shown = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    text = shown.stdout + shown.stderr
    assert shown.returncode == 1, "an alert fires, so that what it says is shown"
    for words_of_summary in expected.values():
        assert words_of_summary in text


def test_every_alert_has_a_case_that_fires_and_one_that_does_not(tmp_path: Path) -> None:
    for alert in {one["alert"] for one in alerts(rule(tmp_path))}:
        mine = [case for case in CASES if case[1] == alert]
        assert any(case[4] for case in mine) and any(not case[4] for case in mine), alert


OF_CPUS = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: watched, namespace: vision}
spec:
  runtime: tjgen-plain
  target: pytorchjob
  image: registry.example.com/train:1
  script: train.py
  cpu: 4
  monitor: {}
"""
OWNED = f'kube_pod_owner{{{POD},owner_kind="PyTorchJob",owner_name="{NAMED}",owner_is_controller="true"}}'
USED = f'container_cpu_usage_seconds_total{{namespace="vision",pod="{NAMED}-node-0-0-x",container="pytorch",cpu="total"}}'
REQUESTED = f'kube_pod_container_resource_requests{{{POD},container="pytorch",resource="cpu",unit="core"}}'
CASES_OF_PODS: list[Case] = [
    ("a pod that failed", "TrainingRunFailed", {**pod("Failed"), OWNED: "1x240"}, 30, {"critical": f"Run vision/{NAMED} failed"}),
    ("a pod that works", "TrainingRunFailed", {**pod("Running"), OWNED: "1x240"}, 30, {}),
    (
        "CPUs that idle", "TrainingCpuIdle", {USED: "0+12x240", REQUESTED: "4x240"}, 60,
        {"warning": f"pod vision/{NAMED}-node-0-0-x of run {NAMED} is 5.0 %, less than 10"},
    ),
    ("CPUs that work", "TrainingCpuIdle", {USED: "0+120x240", REQUESTED: "4x240"}, 60, {}),
]  # fmt: skip


@pytest.mark.skipif(
    shutil.which("promtool") is None, reason="promtool is not there: it comes with Prometheus, or as a Go program"
)
@pytest.mark.parametrize("case", CASES_OF_PODS, ids=lambda case: case[0])
def test_alerts_of_a_run_without_jobs_and_gpus(tmp_path: Path, case: Case) -> None:
    fires(tmp_path, rule(tmp_path, OF_CPUS), [case], "1m")


@pytest.mark.parametrize("text", [EXPERIMENT, OF_CPUS], ids=["of Jobs", "of pods"])
def test_names_of_runs_are_those_that_alerts_look_for(tmp_path: Path, text: str) -> None:
    expressions = " ".join(one["expr"] for one in alerts(rule(tmp_path, text)))
    answer = tjgen(tmp_path, "build", "experiment.yaml")
    run = list(yaml.safe_load_all(answer.out))[-1]["metadata"]["name"]
    patterns = set(re.findall(r'(?:owner_name|pod)=~"([^"]+)"', expressions))
    assert patterns
    assert all(re.fullmatch(pattern, name) for pattern in patterns for name in ([f"{run}-x"] if "-.+" in pattern else [run]))


def test_an_experiment_gets_alerts_on_what_it_has(tmp_path: Path) -> None:
    plain = "\n".join(
        line for line in EXPERIMENT.splitlines()
        if not line.strip().startswith(("gpu:", "volumes:", "data:", "out:", "prefetch:", "checkpoints:"))
    )  # fmt: skip
    assert {one["alert"] for one in alerts(rule(tmp_path, plain))} == {
        "TrainingCheckpointOld", "TrainingRankSlow", "TrainingRunFailed", "TrainingRunPending", "TrainingRunStuck"
    }  # fmt: skip
    chosen = EXPERIMENT.replace("monitor: {}", "monitor: {measures: [volumeUsage], thresholds: {volumeUsage: {warning: 70}}}")
    found = [(one["alert"], one["expr"].rpartition(" > ")[2]) for one in alerts(rule(tmp_path, chosen))]
    assert found == [("TrainingVolumeFull", "70"), ("TrainingVolumeFull", "95")]
