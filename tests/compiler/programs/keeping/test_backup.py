"""The program that makes snapshots, taken from a built manifest, against an API server that enforces its Role."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.checkout import ROOT
from tests.compiler.programs.keeping.cleaning import build
from tests.compiler.programs.keeping.snapshot_api import Cluster, served
from tests.containers import SHELLS, environment, find, pod_of, run

BACKUP, CLAIM = "llm-backup", "llm-states"
REAL = pytest.param("dash", "kubectl", marks=pytest.mark.skipif(shutil.which("kubectl") is None, reason="no kubectl here"))
PROGRAMS = [("dash", "ours"), ("bash", "ours"), ("busybox", "ours"), REAL]
"""Each shell with our own client, which is fast, and one with the real one."""


@cache
def built(snapshot_class: str | None = None) -> dict[str, Any]:
    """Kind -> the object that looks after snapshots."""
    backup = {"schedule": "0 3 * * *", "keep": 2, "snapshotClassName": snapshot_class}
    return {one["kind"]: one for one in build({"backup": backup})}


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with served(built()["Role"]["rules"]) as found:
        yield found


def back_up(
    cluster: Cluster, folder: Path, *, shell: str = "dash", tool: str = "ours", **change: str
) -> subprocess.CompletedProcess[str]:
    """One run of the program."""
    if shell not in SHELLS:
        pytest.skip(f"no {shell} here")
    tools = folder / "tools"
    tools.mkdir(exist_ok=True)
    if tool == "ours":
        (tools / "kubectl").write_text(
            f'#!/bin/sh\nexec "{sys.executable}" "{ROOT}/tests/compiler/programs/keeping/kubectl.py" "$@"\n'
        )
        (tools / "kubectl").chmod(0o755)
    container = find(pod_of(built()["CronJob"]), "backup")
    told: dict[str, str | Path] = {
        "PATH": f"{tools}:{os.environ['PATH']}",
        "KUBECONFIG": cluster.kubeconfig(folder),
        "HOME": folder,
    }
    return run(shell, container, {**told, "WAIT": "20", "PAUSE": "0", **change})


@pytest.mark.parametrize(("shell", "tool"), PROGRAMS)
def test_a_snapshot_of_the_claim_is_made_and_waited_for(cluster: Cluster, tmp_path: Path, shell: str, tool: str) -> None:
    cluster.polls_until_ready = 3
    answer = back_up(cluster, tmp_path, shell=shell, tool=tool)
    assert answer.returncode == 0, answer.stderr
    [made] = cluster.created
    assert made["metadata"]["name"] == "llm-backup-0"
    assert made["spec"] == {"source": {"persistentVolumeClaimName": CLAIM}}
    assert "llm-backup-0 is ready" in answer.stderr
    assert (cluster.deleted, cluster.denied) == ([], [])


def test_the_class_of_the_experiment_is_used(cluster: Cluster, tmp_path: Path) -> None:
    container = find(pod_of(built(snapshot_class="fast")["CronJob"]), "backup")
    assert environment(container)["CLASS"] == "fast"
    assert back_up(cluster, tmp_path, CLASS="fast").returncode == 0
    assert cluster.created[0]["spec"]["volumeSnapshotClassName"] == "fast"


Snapshot = tuple[str, bool | None]
RETENTION: list[tuple[str, list[Snapshot], list[str]]] = [
    ("none before", [], []),
    ("as many as stay, with the new one", [("0", True)], []),
    ("the oldest goes", [("0", True), ("1", True)], ["0"]),
    ("one that failed counts for nothing", [("0", True), ("1", False)], ["1"]),
    ("one without a status counts for nothing", [("0", True), ("1", None)], ["1"]),
    ("several failures in a row", [("0", True), ("1", False), ("2", False)], ["2", "1"]),
    ("slots are used again in any order", [("2", True), ("0", True)], ["2"]),
]


@pytest.mark.parametrize("shell", ["dash", "busybox"])
@pytest.mark.parametrize(("before", "removed"), [case[1:] for case in RETENTION], ids=[case[0] for case in RETENTION])
def test_the_newest_ready_ones_stay(
    cluster: Cluster, tmp_path: Path, shell: str, before: list[Snapshot], removed: list[str]
) -> None:
    for number, ready in before:
        cluster.add(f"{BACKUP}-{number}", backup=BACKUP, claim=CLAIM, ready=ready)
    answer = back_up(cluster, tmp_path, shell=shell)
    assert answer.returncode == 0, answer.stderr
    assert cluster.deleted == [f"{BACKUP}-{number}" for number in removed]
    assert cluster.denied == []
    assert sum(one.get("status", {}).get("readyToUse") is True for one in cluster.snapshots.values()) >= 1


@pytest.mark.parametrize(("shell", "tool"), PROGRAMS)
def test_one_that_never_becomes_ready_fails_and_removes_nothing(cluster: Cluster, tmp_path: Path, shell: str, tool: str) -> None:
    for number in (0, 1):
        cluster.add(f"{BACKUP}-{number}", backup=BACKUP, claim=CLAIM, ready=True)
    cluster.polls_until_ready, cluster.error = None, "driver: quota exceeded"
    answer = back_up(cluster, tmp_path, shell=shell, tool=tool, WAIT="1")
    assert answer.returncode == 1
    assert "llm-backup-2 is not ready after 1 seconds: driver: quota exceeded. No snapshot was removed." in answer.stderr
    assert cluster.deleted == []


def test_night_after_night_of_failures_keeps_the_last_ready_ones(cluster: Cluster, tmp_path: Path) -> None:
    for number in (0, 1):
        cluster.add(f"{BACKUP}-{number}", backup=BACKUP, claim=CLAIM, ready=True)
    cluster.polls_until_ready = None
    for _ in range(4):
        assert back_up(cluster, tmp_path, WAIT="1").returncode == 1
    assert {f"{BACKUP}-0", f"{BACKUP}-1"} <= set(cluster.snapshots)
    cluster.polls_until_ready = 1
    assert back_up(cluster, tmp_path).returncode == 0
    assert f"{BACKUP}-1" in cluster.snapshots and f"{BACKUP}-0" not in cluster.snapshots


@pytest.mark.parametrize("backup", ["other-backup", BACKUP])
def test_snapshots_of_others_stay_even_under_our_names(cluster: Cluster, tmp_path: Path, backup: str) -> None:
    claim = CLAIM if backup != BACKUP else "another-claim"
    for number in (0, 1):
        cluster.add(f"{BACKUP}-{number}", backup=backup, claim=claim, ready=True)
    for _ in range(3):
        back_up(cluster, tmp_path, KEEP="1")
    assert {f"{BACKUP}-0", f"{BACKUP}-1"} <= set(cluster.snapshots)


def test_it_fails_where_others_have_all_names(cluster: Cluster, tmp_path: Path) -> None:
    for number in range(4):
        cluster.add(f"{BACKUP}-{number}", backup="other", claim=CLAIM, ready=number > 0)
    answer = back_up(cluster, tmp_path)
    assert answer.returncode == 1 and "no name is free" in answer.stderr
    assert (cluster.created, cluster.deleted) == ([], [])


def test_a_snapshot_that_cannot_be_made_fails_and_removes_nothing(cluster: Cluster, tmp_path: Path) -> None:
    for number in (0, 1):
        cluster.add(f"{BACKUP}-{number}", backup=BACKUP, claim=CLAIM, ready=True)
    cluster.creations_fail = True
    assert back_up(cluster, tmp_path).returncode != 0
    assert cluster.deleted == []


def test_the_role_grants_deletion_of_its_own_names_alone(cluster: Cluster) -> None:
    assert cluster.allows("delete", f"{BACKUP}-0") and cluster.allows("create", "any")
    for name in ("llm-backup-4", "other-backup-0", "llm-backup", "mine"):
        assert not cluster.allows("delete", name) and not cluster.allows("get", name)
    assert not cluster.allows("list", "")


def test_a_backup_of_a_claim_is_that_of_checkpoints_under_the_name_of_the_claim() -> None:
    """What the other tests show of checkpoints holds for every claim."""
    wanted = {"schedule": "0 3 * * *", "keep": 2}
    ours = {kind: tree for kind, tree in built().items() if kind in ("ServiceAccount", "Role", "RoleBinding", "CronJob")}
    volume = {"states": {"pvc": {"create": {"size": "1Ti"}, "backup": wanted}, "mountPath": "/states"}}
    of_claim = {one["kind"]: one for one in build({}, volumes=volume)}
    for kind, tree in ours.items():
        assert json.loads(json.dumps(of_claim[kind]).replace("llm-states-backup", "llm-backup")) == tree


def test_two_passes_at_once_remove_no_ready_snapshot_that_stays(cluster: Cluster, tmp_path: Path) -> None:
    for number in range(3):
        cluster.add(f"llm-backup-{number}", backup=BACKUP, claim=CLAIM, ready=number < 2)
    for attempt in range(4):
        cluster.polls_until_ready = 2 + attempt
        folders = [tmp_path / str(number) for number in range(2)]
        for folder in folders:
            folder.mkdir(exist_ok=True)
        with ThreadPoolExecutor(2) as pool:
            codes = [answer.returncode for answer in pool.map(lambda folder: back_up(cluster, folder, PAUSE="0.1"), folders)]
        ready = [one for one in cluster.snapshots.values() if one.get("status", {}).get("readyToUse")]
        assert 0 in codes
        assert len(ready) >= 2
