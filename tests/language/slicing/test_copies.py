"""The program that copies a slice, taken from a built manifest: all items in parallel, or it fails."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.compiler.programs.prefetching.cluster import SHELLS, required
from tests.program import tjgen

NAMES = [f"{number}.tar" for number in range(45)] + ["a b/c", "-rf", "f$(x)", "é/数据", "'", "back\\slash", "folder"]


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest) -> list[str]:
    return required(request.param)


class Slice:
    """Folders in place of the volumes of a pod whose init container copies one slice."""

    def __init__(self, folder: Path) -> None:
        self.source, self.copy, self.list = folder / "source", folder / "copy", folder / "slice-0.txt"
        self.copy.mkdir()
        for number, name in enumerate(NAMES):
            file = self.source / (name if name != "folder" else "folder/deep/file")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"{number} {name}")
        (self.source / "folder/link").symlink_to("../0.tar")
        self.list.write_text("".join(f"{name}\n" for name in NAMES))
        spec: dict[str, Any] = {
            "target": "jobset",
            "runtime": "tjgen-torch",
            "script": "train.py",
            "volumes": {
                "corpus": {"pvc": "corpus", "mountPath": "/corpus", "readOnly": True},
                "scratch": {"emptyDir": {}, "mountPath": "/scratch"},
            },
            "data": {"volume": "corpus", "items": {"list": NAMES}, "slices": {"deliver": "init", "scratch": "scratch"}},
        }
        head = {"apiVersion": "tjgen.dev/v1alpha1", "kind": "Experiment", "metadata": {"name": "read", "namespace": "data"}}
        (folder / "experiment.yaml").write_text(yaml.safe_dump({**head, "spec": spec}), encoding="utf-8")
        answer = tjgen(folder, "build", "experiment.yaml")
        assert answer.code == 0, answer.err
        jobset = next(one for one in yaml.safe_load_all(answer.out) if one["kind"] == "JobSet")
        [container] = jobset["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]["initContainers"]
        self.command = [*container["command"][1:], *container["args"]]

    def start(self, shell: list[str], **more: str) -> subprocess.Popen[str]:
        told = {"TJGEN_SLICE_FILE": str(self.list), "TJGEN_DATA_PATH": str(self.source), "TJGEN_SLICE_COPY": str(self.copy)}
        environment = {"PATH": os.environ["PATH"], **told, **more}
        words = [*shell, *self.command]
        return subprocess.Popen(
            words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )

    def run(self, shell: list[str], **more: str) -> tuple[int, str, str]:
        with self.start(shell, **more) as process:
            out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def same(self) -> bool:
        there, wanted = (
            {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}
            for folder in (self.copy, self.source)
        )
        return there == wanted


def test_all_items_are_copied_with_progress(shell: list[str], tmp_path: Path) -> None:
    made = Slice(tmp_path)
    code, out, err = made.run(shell)
    assert (code, err) == (0, "")
    assert made.same()
    assert out.splitlines()[-1] == f"{len(NAMES)} of {len(NAMES)} items"
    assert 10 < len(out.splitlines()) <= 21


def test_a_list_in_several_files_is_copied_whole(shell: list[str], tmp_path: Path) -> None:
    made = Slice(tmp_path)
    lines = made.list.read_text().splitlines(keepends=True)
    made.list.write_text("".join(lines[:20]))
    made.list.with_name("slice-0.1.txt").write_text("".join(lines[20:]))
    assert made.run(shell)[0] == 0
    assert made.same()


def test_an_empty_slice_is_copied(shell: list[str], tmp_path: Path) -> None:
    made = Slice(tmp_path)
    made.list.write_text("")
    assert made.run(shell) == (0, "", "")


def test_a_missing_item_fails(shell: list[str], tmp_path: Path) -> None:
    made = Slice(tmp_path)
    (made.source / "7.tar").unlink()
    code, _, err = made.run(shell)
    assert code != 0
    assert "7.tar" in err


def test_a_changed_item_fails(shell: list[str], tmp_path: Path) -> None:
    made = Slice(tmp_path)
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "cp").write_text(f'#!/bin/sh\n{shutil.which("cp")} "$@"\ncase $2 in */7.tar) echo more >>"$2" ;; esac\n')
    (tools / "cp").chmod(0o755)
    if shell[0] == "busybox":
        pytest.skip("this shell has a cp of its own, which a test cannot replace")
    code, _, err = made.run(shell, PATH=f"{tools}{os.pathsep}{os.environ['PATH']}")
    assert code != 0
    assert "7.tar is not in the copy as it is in the source" in err


def test_a_full_disk_fails(shell: list[str], tmp_path: Path) -> None:
    if shutil.which("prlimit") is None:
        pytest.skip("prlimit is not installed")
    made = Slice(tmp_path)
    (made.source / "7.tar").write_bytes(bytes(3_000_000))
    code, _, _ = made.run(["prlimit", "--fsize=1000000", *shell])
    assert code != 0
    assert made.run(shell)[0] == 0


def test_a_killed_copy_is_made_again(shell: list[str], tmp_path: Path) -> None:
    made = Slice(tmp_path)
    for delay in (0.01, 0.03, 0.06):
        process = made.start(shell)
        time.sleep(delay)
        os.killpg(process.pid, 9)
        with process:
            process.communicate()
        (made.copy / "3.tar").write_text("half")
        (made.copy / "folder").mkdir(exist_ok=True)
        (made.copy / "folder/half").write_text("half")
        assert made.run(shell)[0] == 0
        assert made.same()


def test_a_missing_list_fails(shell: list[str], tmp_path: Path) -> None:
    made = Slice(tmp_path)
    made.list.rename(made.list.with_name("slice-0.1.txt"))
    code, _, err = made.run(shell)
    assert code == 1
    assert err == f"there is no list {made.list}, so nothing can be copied\n"
