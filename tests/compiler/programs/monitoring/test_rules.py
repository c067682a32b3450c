"""Rules as Prometheus itself runs them: promtool feeds series that are just inside and just outside of every threshold."""

from __future__ import annotations

import json
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
  monitor: {}
"""
SERIES = '{namespace="vision",experiment="watched",run="watched-1"}'
MINUTE = 60


def built(folder: Path, **change: Any) -> dict[str, Any]:
    """Kind -> the object that the experiment makes."""
    experiment = yaml.safe_load(EXPERIMENT)
    experiment["spec"]["monitor"] = change
    (folder / "experiment.yaml").write_text(json.dumps(experiment))
    answer = tjgen(folder, "build", "experiment.yaml")
    assert answer.code == 0, answer.err
    return {one["kind"]: one for one in yaml.safe_load_all(answer.out)}


def grows(**per_second: float) -> list[dict[str, str]]:
    """Counters that grow so much in a second, sampled each minute, over two pods that share the work."""
    found = []
    for name, rate in per_second.items():
        for pod in ("a", "b"):
            labels = SERIES.replace("}", f',pod="{pod}"}}')
            found.append({"series": f"training_{name}{labels}", "values": f"0+{rate * MINUTE / 2:g}x80"})
    return found


def hits(name: str, percent: float) -> dict[str, float]:
    return {f"{name}_hits_total": percent, f"{name}_misses_total": 100 - percent}


def mean(name: str, value: float, each: float = 1.0) -> dict[str, float]:
    return {f"{name}_sum": value * each, f"{name}_count": each}


RARE = 1 / 600
"""A checkpoint every ten minutes."""

CASES: list[tuple[str, str, dict[str, float], dict[str, str]]] = [
    ("as much as is enough", "TrainingReadThroughputLow", {"read_bytes_total": 100e6}, {}),
    ("a little less", "TrainingReadThroughputLow", {"read_bytes_total": 99e6}, {"warning": "99.0 MB/s, less than 100"}),
    ("half as much", "TrainingReadThroughputLow", {"read_bytes_total": 50e6}, {"warning": "50.0 MB/s, less than 100"}),
    (
        "nothing at all",
        "TrainingReadThroughputLow",
        {"read_bytes_total": 0},
        {"warning": "0.0 MB/s, less than 100", "critical": "0.0 MB/s, less than 50"},
    ),
    ("mebibytes are no megabytes", "TrainingReadThroughputLow", {"read_bytes_total": 96 * 2**20}, {}),
    ("fast reads", "TrainingReadLatencyHigh", mean("read_duration_seconds", 0.1, 64), {}),
    ("slow reads", "TrainingReadLatencyHigh", mean("read_duration_seconds", 0.125, 64), {"warning": "125.0 ms, more than 100"}),
    (
        "very slow reads",
        "TrainingReadLatencyHigh",
        mean("read_duration_seconds", 0.75, 64),
        {"warning": "750.0 ms, more than 100", "critical": "750.0 ms, more than 500"},
    ),
    ("no reads", "TrainingReadLatencyHigh", mean("read_duration_seconds", 0, 0), {}),
    ("prefetched", "TrainingPrefetchHitsLow", hits("prefetch", 80), {}),
    ("less prefetched", "TrainingPrefetchHitsLow", hits("prefetch", 79), {"warning": "79.0 %, less than 80"}),
    (
        "hardly prefetched",
        "TrainingPrefetchHitsLow",
        hits("prefetch", 59),
        {"warning": "59.0 %, less than 80", "critical": "59.0 %, less than 60"},
    ),
    ("saved in time", "TrainingCheckpointSaveSlow", mean("checkpoint_save_duration_seconds", 29, RARE), {}),
    (
        "saved slowly",
        "TrainingCheckpointSaveSlow",
        mean("checkpoint_save_duration_seconds", 45, RARE),
        {"warning": "45.0 s, more than 30"},
    ),
    (
        "saved very slowly",
        "TrainingCheckpointSaveSlow",
        mean("checkpoint_save_duration_seconds", 61, RARE),
        {"warning": "61.0 s, more than 30", "critical": "61.0 s, more than 60"},
    ),
    (
        "restored very slowly",
        "TrainingCheckpointRestoreSlow",
        mean("checkpoint_restore_duration_seconds", 90, RARE),
        {"warning": "90.0 s, more than 30", "critical": "90.0 s, more than 60"},
    ),
    (
        "few failures",
        "TrainingCheckpointFailures",
        {"checkpoint_failures_total": 4 * RARE, "checkpoint_attempts_total": 100 * RARE},
        {},
    ),
    (
        "some failures",
        "TrainingCheckpointFailures",
        {"checkpoint_failures_total": 6 * RARE, "checkpoint_attempts_total": 100 * RARE},
        {"warning": "6.0 %, more than 5"},
    ),
    (
        "many failures",
        "TrainingCheckpointFailures",
        {"checkpoint_failures_total": 12 * RARE, "checkpoint_attempts_total": 100 * RARE},
        {"warning": "12.0 %, more than 5", "critical": "12.0 %, more than 10"},
    ),
    ("cached", "TrainingCacheHitsLow", hits("cache", 85), {}),
    ("less cached", "TrainingCacheHitsLow", hits("cache", 84), {"warning": "84.0 %, less than 85"}),
    (
        "hardly cached",
        "TrainingCacheHitsLow",
        hits("cache", 69),
        {"warning": "69.0 %, less than 85", "critical": "69.0 %, less than 70"},
    ),
    ("few evictions", "TrainingCacheEvictionsHigh", {"cache_evictions_total": 999}, {}),
    ("evictions", "TrainingCacheEvictionsHigh", {"cache_evictions_total": 1200}, {"warning": "1200.0 per s, more than 1000"}),
    (
        "many evictions",
        "TrainingCacheEvictionsHigh",
        {"cache_evictions_total": 6000},
        {"warning": "6000.0 per s, more than 1000", "critical": "6000.0 per s, more than 5000"},
    ),
    ("no series", "TrainingReadThroughputLow", {}, {}),
]
TITLES = {
    "TrainingReadThroughputLow": "Read throughput",
    "TrainingReadLatencyHigh": "Read latency",
    "TrainingPrefetchHitsLow": "Prefetch hits",
    "TrainingCheckpointSaveSlow": "Checkpoint save",
    "TrainingCheckpointRestoreSlow": "Checkpoint restore",
    "TrainingCheckpointFailures": "Checkpoint failures",
    "TrainingCacheHitsLow": "Cache hits",
    "TrainingCacheEvictionsHigh": "Cache evictions",
}


def expected(alert: str, said: dict[str, str]) -> list[dict[str, Any]]:
    labels = {"namespace": "vision", "experiment": "watched", "run": "watched-1"}
    return [
        {
            "exp_labels": {**labels, "severity": severity},
            "exp_annotations": {"summary": f"{TITLES[alert]} of run vision/watched-1 is {words}"},
        }
        for severity, words in said.items()
    ]


@pytest.mark.skipif(
    shutil.which("promtool") is None, reason="promtool is not there: it comes with Prometheus, or as a Go program"
)
def test_prometheus_tells_what_it_shall(tmp_path: Path) -> None:
    rule = built(tmp_path)["PrometheusRule"]
    (tmp_path / "rules.yaml").write_text(json.dumps(rule["spec"]))
    tests = [
        {
            "name": name,
            "interval": "1m",
            "input_series": grows(**series),
            "alert_rule_test": [{"eval_time": "75m", "alertname": alert, "exp_alerts": expected(alert, said)}],
        }
        for name, alert, series, said in CASES
    ]
    (tmp_path / "tests.yaml").write_text(json.dumps({"rule_files": ["rules.yaml"], "evaluation_interval": "1m", "tests": tests}))
    for words in (["check", "rules", "rules.yaml"], ["test", "rules", "tests.yaml"]):
        answer = subprocess.run(["promtool", *words], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert answer.returncode == 0, answer.stdout + answer.stderr


def test_every_alert_is_told_of_in_both_degrees() -> None:
    """The table above leaves nothing out."""
    for alert in TITLES:
        told = {severity for _, one, _, said in CASES if one == alert for severity in said}
        assert told == {"warning", "critical"}, alert


def test_rules_say_the_thresholds(tmp_path: Path) -> None:
    rules = built(tmp_path)["PrometheusRule"]["spec"]["groups"][0]["rules"]
    assert {(one["alert"], one["labels"]["severity"]): one["expr"].rpartition(") ")[2] for one in rules} == {
        ("TrainingReadThroughputLow", "warning"): "/ 1000000 < 100",
        ("TrainingReadThroughputLow", "critical"): "/ 1000000 < 50",
        ("TrainingReadLatencyHigh", "warning"): "> 100",
        ("TrainingReadLatencyHigh", "critical"): "> 500",
        ("TrainingPrefetchHitsLow", "warning"): "< 80",
        ("TrainingPrefetchHitsLow", "critical"): "< 60",
        ("TrainingCheckpointSaveSlow", "warning"): "> 30",
        ("TrainingCheckpointSaveSlow", "critical"): "> 60",
        ("TrainingCheckpointRestoreSlow", "warning"): "> 30",
        ("TrainingCheckpointRestoreSlow", "critical"): "> 60",
        ("TrainingCheckpointFailures", "warning"): "> 5",
        ("TrainingCheckpointFailures", "critical"): "> 10",
        ("TrainingCacheHitsLow", "warning"): "< 85",
        ("TrainingCacheHitsLow", "critical"): "< 70",
        ("TrainingCacheEvictionsHigh", "warning"): "> 1000",
        ("TrainingCacheEvictionsHigh", "critical"): "> 5000",
    }


def test_the_monitor_finds_the_pods_of_all_runs(tmp_path: Path) -> None:
    made = built(tmp_path, port=9100)
    monitor, job = made["PodMonitor"]["spec"], made["TrainJob"]
    [endpoint] = monitor["podMetricsEndpoints"]
    [template] = [
        job["template"]["metadata"]["labels"] if "template" in job else {}
        for job in [
            made["TrainJob"]["spec"]["runtimePatches"][0]["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"][0][
                "template"
            ]["spec"]
        ]
    ]
    assert monitor["selector"]["matchLabels"].items() <= template.items()
    assert template["tjgen.dev/run"] == job["metadata"]["name"]
    [node] = made["TrainingRuntime"]["spec"]["template"]["spec"]["replicatedJobs"]
    ports = node["template"]["spec"]["template"]["spec"]["containers"][0]["ports"]
    assert ports == [{"name": endpoint["port"], "containerPort": 9100}]
    assert [one["sourceLabels"] for one in endpoint["relabelings"]] == [
        ["__meta_kubernetes_pod_label_tjgen_dev_experiment"],
        ["__meta_kubernetes_pod_label_tjgen_dev_run"],
    ]


def test_the_dashboard_has_a_panel_for_each_measure(tmp_path: Path) -> None:
    [text] = built(tmp_path)["ConfigMap"]["data"].values()
    dashboard = json.loads(text)
    panels = {one["title"]: one for one in dashboard["panels"]}
    assert {title: panel["fieldConfig"]["defaults"]["unit"] for title, panel in panels.items()} == {
        "Read throughput": "MBs",
        "Read latency": "ms",
        "Prefetch hits": "percent",
        "Checkpoint save": "s",
        "Checkpoint restore": "s",
        "Checkpoint failures": "percent",
        "Cache hits": "percent",
        "Cache evictions": "ops",
    }
    assert [one["name"] for one in dashboard["templating"]["list"]] == ["datasource", "namespace", "run"]
    for panel in panels.values():
        steps = panel["fieldConfig"]["defaults"]["thresholds"]["steps"]
        assert [step["value"] for step in steps] == [None, *sorted(step["value"] for step in steps[1:])]
        assert panel["targets"]
        assert all('namespace="$namespace"' in target["expr"] and 'run=~"$run"' in target["expr"] for target in panel["targets"])
    places = {(one["gridPos"]["x"], one["gridPos"]["y"]) for one in dashboard["panels"]}
    assert len(places) == len({one["id"] for one in dashboard["panels"]}) == len(panels)


@pytest.mark.skipif(
    shutil.which("promtool") is None, reason="promtool is not there: it comes with Prometheus, or as a Go program"
)
def test_prometheus_reads_the_queries_of_the_dashboard(tmp_path: Path) -> None:
    [text] = built(tmp_path)["ConfigMap"]["data"].values()
    queries = [target["expr"] for panel in json.loads(text)["panels"] for target in panel["targets"]]
    rules = [{"record": f"panel:{number}", "expr": query} for number, query in enumerate(queries)]
    (tmp_path / "rules.yaml").write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
    answer = subprocess.run(
        ["promtool", "check", "rules", "rules.yaml"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
