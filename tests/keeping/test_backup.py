"""The script that makes snapshots, with a kubectl that only writes down what it is asked."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.checkout import ROOT

KUBECTL = """\
#!/bin/sh
case $1 in
  create) cat >"$RECORD/created" ;;
  get) echo "$@" >"$RECORD/asked"; cat "$RECORD/snapshots" ;;
  delete) echo "$3" >>"$RECORD/deleted" ;;
esac
"""


def back_up(folder: Path, snapshots: str, **told: str) -> list[str]:
    """Names of the snapshots that are removed, when the cluster has `snapshots` from the oldest to the newest."""
    (folder / "kubectl").write_text(KUBECTL)
    (folder / "kubectl").chmod(0o755)
    (folder / "snapshots").write_text(snapshots)
    (folder / "deleted").write_text("")
    variables = {
        "PATH": f"{folder}:{os.environ['PATH']}",
        "RECORD": str(folder),
        "BACKUP": "llm-backup",
        "CLAIM": "llm-out",
        **told,
    }
    answer = subprocess.run(["sh", str(ROOT / "scripts/backup.sh")], env=variables, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    return (folder / "deleted").read_text().split()


@pytest.mark.parametrize("name", ["", "fast"])
def test_a_snapshot_of_the_claim_is_made(tmp_path: Path, name: str) -> None:
    back_up(tmp_path, "", KEEP="2", CLASS=name)
    made = yaml.safe_load((tmp_path / "created").read_text())
    assert made["kind"] == "VolumeSnapshot"
    assert made["metadata"]["generateName"] == "llm-backup-"
    wanted = {"source": {"persistentVolumeClaimName": "llm-out"}, **({"volumeSnapshotClassName": name} if name else {})}
    assert made["spec"] == wanted


@pytest.mark.parametrize(
    ("snapshots", "removed"),
    [
        ("", []),
        ("a true\nb true\n", []),
        ("a true\nb true\nc true\nd false\n", ["a"]),
        ("a true\nb \nc true\nd true\ne \n", ["b", "a"]),
        ("a true\nb false\nc false\nd false\n", []),
    ],
    ids=["none", "few", "one that is not ready counts for nothing", "failed ones go with their age", "the last usable one stays"],
)
def test_the_newest_usable_ones_stay(tmp_path: Path, snapshots: str, removed: list[str]) -> None:
    assert back_up(tmp_path, snapshots, KEEP="2") == removed
    assert "-l tjgen.dev/backup=llm-backup" in (tmp_path / "asked").read_text()
