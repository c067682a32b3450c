"""The script that measures a volume, on real folders: by fio itself where it is there, by a stand-in for all that goes wrong."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import subprocess
import sys
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.checkout import ROOT
from tests.compiler.programs.prefetching.cluster import SHELLS as WORDS

SCRIPT = ROOT / "scripts/diagnose.sh"
FOLDER = ".tjgen-diagnose-run"
SHELLS = {**WORDS, "sh": ["sh"]}
KEYS = [
    "schema", "status", "result", "misses", "time", "node", "system", "volume", "claim", "driver", "readOnly",
    "sequentialRead", "randomRead", "checkpointWrite", "checkpointRead", "cache",
]  # fmt: skip
FIELDS = ["status", "reason", "bytesPerSecond", "operationsPerSecond", "meanMilliseconds", "p99Milliseconds", "direct", "files"]

STAND_IN = """\
# Behaves as fio does towards the script: the same words, the same JSON, and a log of what it was asked.
import json, os, sys
asked, jobs = {{}}, []
for key, value in ((word[2:].split("=", 1) + [""])[:2] for word in sys.argv[1:]):
    if key == "name":
        jobs.append(dict(asked))
    (jobs[-1] if jobs else asked)[key] = value
asked = {{**jobs[0], "jobs": jobs}}
with open({log!r}, "a") as log:
    log.write(json.dumps(asked) + "\\n")
mode = os.environ.get("MODE", "")
if mode == "no-direct" and asked["direct"] == "1":
    sys.exit("fio: looks like your file system does not support direct=1/buffered=0")
if mode == "broken":
    sys.exit("fio: pid=7, err=5/file:x.c, func=xfer, error=Input/output error")
for job in jobs:
    for file in job["filename"].split(":"):
        if not os.path.exists(file):
            assert "readonly" not in job, file
            with open(file, "wb") as stream:
                stream.write(bytes(int(job["size"])))
side = "write" if asked["rw"] == "write" else "read"
idle = {{"bw_bytes": 0, "iops": 0.0, "clat_ns": {{"mean": 0.0}}, "lat_ns": {{"mean": 0.0}}}}
busy = {{
    "io_bytes": 1, "bw_bytes": 125000000, "bw": 122070, "iops": 119.209290,
    "slat_ns": {{"mean": 1.0}},
    "clat_ns": {{"mean": 2.0, "percentile": {{"50.000000": 3, "99.000000": 4500000, "99.900000": 5}}}},
    "lat_ns": {{"min": 9, "mean": 1250000.5}},
    "iops_mean": 1.0,
}}
job = {{"jobname": "x", "error": 0, "job options": {{"filename": asked["filename"]}}, "read": idle, "write": idle, "trim": idle}}
job[side] = busy
if mode == "error":
    job["error"] = 5
with open(asked["output"], "w") as out:
    json.dump({{"fio version": "fio-3.33", "jobs": [job]}}, out, indent=2)
"""


class Answer(NamedTuple):
    code: int
    report: dict[str, Any]
    asked: list[dict[str, Any]]


class Bench:
    """A folder that is measured, and a stand-in for fio."""

    def __init__(self, folder: Path) -> None:
        self.volume = folder / "volume"
        self.volume.mkdir()
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.log = folder / "log"
        self.log.write_text("")
        self.fio = self.bin / "fio"
        program = folder / "fio.py"
        program.write_text(STAND_IN.format(log=str(self.log)))
        self.fio.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{program}" "$@"\n')
        self.fio.chmod(self.fio.stat().st_mode | stat.S_IXUSR)

    def run(self, *, path: str | None = None, shell: str = "sh", **told: str) -> Answer:
        variables = {
            "ROOT": str(self.volume), "VOLUME": "data", "CLAIM": "a-data", "DRIVER": "", "NODE": "node-1", "CACHE": "",
            "READ_ONLY": "false", "CHECKPOINTS": "false", "FOLDER": FOLDER, "SIZE": str(2**23), "TIME": "1", "DEMANDS": "",
            "TERMINATION": str(self.bin / "termination"), "PATH": path or f"{self.bin}{os.pathsep}{os.defpath}", **told,
        }  # fmt: skip
        if shutil.which(SHELLS[shell][0]) is None:
            pytest.skip(f"{shell} is not installed")
        done = subprocess.run(
            [*SHELLS[shell], str(SCRIPT)], env=variables, cwd=self.bin, capture_output=True, text=True, check=False
        )
        assert done.stderr == ""
        assert done.stdout.count("\n") == 1
        return Answer(done.returncode, json.loads(done.stdout), [json.loads(line) for line in self.log.read_text().splitlines()])

    def fill(self, name: str = "shard.bin", size: int = 2**21) -> Path:
        file = self.volume / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(bytes(size))
        return file

    def digest(self) -> str:
        """Names, contents and times of all that lies on the volume."""
        whole = hashlib.sha256()
        for path in sorted(self.volume.rglob("*")):
            content = path.read_bytes() if path.is_file() else b""
            whole.update(f"{path}\0{path.stat().st_mtime_ns if path.is_file() else ''}\0".encode() + content)
        return whole.hexdigest()


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_all_is_measured(bench: Bench) -> None:
    bench.fill(size=2**22)
    before = bench.digest()
    code, report, asked = bench.run(CHECKPOINTS="true", DRIVER="csi.juicefs.com", CACHE='echo "hits 1"')
    assert (code, report["status"], list(report)) == (0, "complete", KEYS)
    for key in ("sequentialRead", "randomRead", "checkpointWrite", "checkpointRead"):
        assert list(report[key]) == FIELDS
        assert report[key] == {
            "status": "measured",
            "reason": None,
            "bytesPerSecond": 125000000,
            "operationsPerSecond": 119.209,
            "meanMilliseconds": 1.250001,
            "p99Milliseconds": 4.5,
            "direct": True,
            "files": "data" if key in ("sequentialRead", "randomRead") else "own",
        }
    assert report["cache"] == {"status": "measured", "reason": None, "output": "hits 1"}
    assert [(one["rw"], one["bs"], len(one["jobs"]), one.get("numjobs"), one.get("runtime")) for one in asked] == [
        ("read", "1M", 4, None, "1"),
        ("randread", "4k", 1, "16", "1"),
        ("write", "1M", 1, None, None),
        ("read", "1M", 1, None, None),
    ]
    assert bench.digest() == before


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("demands", "code", "outcome", "misses"),
    [
        ("", 0, None, []),
        ("sequentialRead:125000000:1.3 randomRead::2", 0, "PASS", []),
        ("sequentialRead:125000001:", 4, "FAIL", ["sequentialRead reaches 125.0 MB/s, below the demand of 125.0 MB/s"]),
        (
            "checkpointWrite:2000000000: checkpointRead:1:1.25",
            4,
            "FAIL",
            [
                "checkpointWrite reaches 125.0 MB/s, below the demand of 2000.0 MB/s",
                "checkpointRead takes 1.250 ms on average, above the demand of 1.25 ms",
            ],
        ),
    ],
)
def test_demands_of_a_profile_are_judged(
    bench: Bench, shell: str, demands: str, code: int, outcome: str | None, misses: list[str]
) -> None:
    bench.fill(size=2**22)
    (bench.bin / "termination").write_text("")
    answer = bench.run(shell=shell, CHECKPOINTS="true", DEMANDS=demands)
    assert (answer.code, answer.report["result"], answer.report["misses"]) == (code, outcome, "\n".join(misses) or None)
    assert (bench.bin / "termination").read_text().splitlines() == [f"FAIL: {miss}" for miss in misses]


def test_a_demand_without_a_measurement_is_unknown(bench: Bench) -> None:
    bench.fill(size=2**22)
    answer = bench.run(MODE="broken", DEMANDS="sequentialRead:1:")
    assert (answer.code, answer.report["result"], answer.report["misses"]) == (3, "UNKNOWN", None)


def test_a_missed_demand_counts_more_than_a_missing_measurement(bench: Bench) -> None:
    bench.fill(size=2**22)
    answer = bench.run(DEMANDS="sequentialRead:1000000000: checkpointRead:1:")
    assert (answer.code, answer.report["status"], answer.report["result"]) == (4, "complete", "FAIL")


def test_data_is_only_read(bench: Bench) -> None:
    bench.fill("a b/shard {1}.bin")
    bench.fill('say "read" {.bin')
    for strange in ("with:colon.bin", "co:lon/shard.bin", "line\nbreak.bin", "small.txt"):
        bench.fill(strange, 10 if strange == "small.txt" else 2**21)
    before = bench.digest()
    code, _, asked = bench.run(READ_ONLY="true")
    assert code == 0
    for one in asked:
        assert {"readonly", "allow_file_create"} <= set(one)
        assert {file for job in one["jobs"] for file in job["filename"].split(":")} == {
            str(bench.volume / name) for name in ("a b/shard {1}.bin", 'say "read" {.bin')
        }
    assert bench.digest() == before


def test_nothing_is_written_to_a_volume_that_is_read_only(bench: Bench) -> None:
    code, report, asked = bench.run(READ_ONLY="true", CHECKPOINTS="true")
    assert (code, report["status"], asked) == (3, "incomplete", [])
    assert report["sequentialRead"]["reason"] == "no file of 1 MiB or more is on the volume, and nothing may be written"
    assert report["checkpointWrite"]["status"] == report["checkpointRead"]["status"] == "skipped"
    assert list(bench.volume.iterdir()) == []


def test_an_empty_volume_is_measured_by_a_file_that_goes_again(bench: Bench) -> None:
    code, report, asked = bench.run()
    assert (code, report["sequentialRead"]["files"]) == (0, "own")
    own = [str(bench.volume / FOLDER / f"data.{number}") for number in range(4)]
    assert [[job["filename"] for job in one["jobs"]] for one in asked] == [own, [":".join(own)]]
    assert list(bench.volume.iterdir()) == []


def test_a_folder_of_others_stays(bench: Bench) -> None:
    mine = bench.fill(f"{FOLDER}/notes.txt", 10)
    before = bench.digest()
    code, report, _ = bench.run(CHECKPOINTS="true")
    assert code == 3
    assert report["checkpointWrite"]["reason"] == f"{FOLDER} exists on the volume and was not made for this"
    assert mine.exists()
    assert bench.digest() == before


def regions(asked: list[dict[str, Any]]) -> list[tuple[str, int, int | None]]:
    """What the sequential jobs read: names of files, offset and bytes; None for all."""
    jobs = asked[0]["jobs"]
    return [(job["filename"], int(job.get("offset", 0)), int(job["size"]) if "size" in job else None) for job in jobs]


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 9, 70])
def test_no_two_sequential_jobs_read_the_same(bench: Bench, count: int, shell: str) -> None:
    # Large files are split among the jobs. Of many, each is read whole, so that small ones show the same.
    least, step = (2**22, 2**20) if count < 10 else (2**20, 2**12)
    sizes = {str(bench.fill(f"shard {number}.bin", least + number * step)): least + number * step for number in range(count)}
    found = regions(bench.run(shell=shell).asked)
    assert len(found) == 4
    read: dict[str, list[tuple[int, int]]] = {}
    for names, offset, size in found:
        for name in names.split(":"):
            read.setdefault(name, []).append((offset, offset + (sizes[name] if size is None else size)))
    assert len(read) == min(count, 64)
    for name, parts in read.items():
        assert all(before[1] <= after[0] for before, after in pairwise(sorted(parts)))
        assert max(end for _, end in parts) <= sizes[name]
        unread = sizes[name] - sum(end - start for start, end in parts)
        assert unread < 2**22 if count < 10 else unread == 0


@pytest.mark.parametrize("shell", SHELLS)
def test_files_with_holes_are_no_data(bench: Bench, shell: str) -> None:
    with (bench.volume / "sparse.bin").open("wb") as stream:
        stream.truncate(2**30)
        stream.write(bytes(4096))
    code, report, asked = bench.run(READ_ONLY="true", shell=shell)
    assert (code, asked) == (3, [])
    assert report["sequentialRead"]["reason"] == "all files of 1 MiB or more have holes, and nothing may be written"
    _, report, asked = bench.run(shell=shell)
    assert report["sequentialRead"]["files"] == report["randomRead"]["files"] == "own"
    bench.log.write_text("")
    dense = bench.fill("dense.bin", 2**22)
    code, report, asked = bench.run(shell=shell)
    assert (code, report["sequentialRead"]["files"]) == (0, "data")
    assert {job["filename"] for one in asked for job in one["jobs"]} == {str(dense)}


def test_what_a_killed_job_left_goes(bench: Bench) -> None:
    bench.fill(f"{FOLDER}/data")
    bench.fill(f"{FOLDER}/.tjgen-diagnose", 0)
    assert bench.run(CHECKPOINTS="true").code == 0
    assert list(bench.volume.iterdir()) == []


def test_the_report_has_its_time_and_node(bench: Bench) -> None:
    bench.fill()
    before = datetime.now(UTC).replace(microsecond=0)
    report = bench.run(NODE="gpu-node-7").report
    assert report["node"] == "gpu-node-7"
    assert before <= datetime.fromisoformat(report["time"]) <= datetime.now(UTC)
    assert bench.run(NODE="").report["node"] is None


def test_the_report_has_the_system(bench: Bench) -> None:
    bench.fill()
    system = bench.run().report["system"]
    assert list(system) == ["hostname", "kernel", "cpu", "processors", "memoryBytes"]
    assert (system["hostname"], system["kernel"]) == (os.uname().nodename, f"{os.uname().sysname} {os.uname().release}")
    models = {line.partition(": ")[2] for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")}
    assert (system["cpu"] or "") in (models or {""})
    assert system["processors"] >= len(os.sched_getaffinity(0))
    assert system["memoryBytes"] == os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def test_the_cache_of_fluid_is_in_the_status_of_the_dataset(bench: Bench) -> None:
    bench.fill()
    code, report, _ = bench.run(DRIVER="fuse.csi.fluid.io")
    assert (code, report["cache"]["status"]) == (0, "skipped")
    assert report["cache"]["reason"] == "the status of the Dataset shows the cache: kubectl get dataset"


def test_without_fio_the_report_says_so(bench: Bench, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("awk", "cat", "cp", "date", "find", "head", "mkdir", "mktemp", "rm", "sed", "sh", "sort", "stat", "tr"):
        (tools / name).symlink_to(str(shutil.which(name)))
    code, report, _ = bench.run(path=str(tools), CHECKPOINTS="true")
    assert (code, list(report)) == (3, KEYS)
    assert {report[key]["reason"] for key in ("sequentialRead", "randomRead", "checkpointWrite")} == {"fio is not in the image"}
    assert report["checkpointRead"]["reason"] == "no checkpoint could be written"
    assert list(bench.volume.iterdir()) == []


def test_a_file_system_without_direct_reads_is_read_through_its_cache(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.fill()
    code, report, asked = bench.run(MODE="no-direct")
    assert (code, report["sequentialRead"]["direct"]) == (0, False)
    assert [one["direct"] for one in asked] == ["1", "0", "1", "0"]


@pytest.mark.parametrize(
    ("mode", "reason"), [("broken", "fio: pid=7, err=5/file:x.c, func=xfer, error=Input/output error"), ("error", "{")]
)
def test_what_fio_cannot_read_is_reported(bench: Bench, mode: str, reason: str) -> None:
    bench.fill()
    code, report, _ = bench.run(MODE=mode)
    assert (code, report["status"]) == (3, "incomplete")
    assert (report["sequentialRead"]["status"], report["sequentialRead"]["reason"]) == ("failed", reason)
    assert report["sequentialRead"]["bytesPerSecond"] is None


@pytest.mark.parametrize(
    ("command", "status", "words"),
    [
        ("cat nothing-there", "failed", "No such file"),
        ("true", "failed", "the command said nothing"),
        ('printf "a\\tb\\n\\"c\\" \\\\ \\001 \\303\\251"', "measured", 'a\tb\n"c" \\   ??'),
        ("", "skipped", "no command is known for the driver"),
        ("yes", "measured", "y\ny"),
    ],
)
def test_the_cache_is_asked_by_its_command(bench: Bench, command: str, status: str, words: str) -> None:
    bench.fill()
    code, report, _ = bench.run(CACHE=command)
    assert (report["cache"]["status"], code) == (status, 3 if status == "failed" else 0)
    assert words in (report["cache"]["output"] or report["cache"]["reason"])
    assert len(report["cache"]["output"] or "") <= 65536


@pytest.mark.skipif(shutil.which("fio") is None, reason="fio does not exist")
@pytest.mark.parametrize("filled", [True, False], ids=["data to read", "an empty volume"])
def test_fio_itself_measures_a_folder(bench: Bench, filled: bool) -> None:  # a parameter of the test
    if filled:
        bench.fill("deep/shard.bin", 2**22)
    before = bench.digest()
    fio = Path(str(shutil.which("fio"))).parent
    code, report, _ = bench.run(CHECKPOINTS="true", path=f"{fio}{os.pathsep}{os.defpath}")
    assert (code, report["status"]) == (0, "complete"), report
    for key in ("sequentialRead", "randomRead", "checkpointWrite", "checkpointRead"):
        assert report[key]["bytesPerSecond"] > 0
        assert report[key]["meanMilliseconds"] > 0
    assert bench.digest() == before
