"""The program that puts the context of a build together, taken from a built manifest."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.containers import SHELLS, find, pod_of, run
from tests.program import tjgen

EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: built, namespace: team}
spec:
  runtime: tjgen-torch
  image: registry.example.com/base:1
  script: train.py
  code: {build: {image: registry.example.com/built, directory: src}}
"""


def unpack(shell: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Copy `folder`/packed, which looks like a ConfigMap volume, to `folder`/context."""
    (folder / "src").mkdir()
    (folder / "src/train.py").write_text("print()")
    (folder / "experiment.yaml").write_text(EXPERIMENT)
    answer = tjgen(folder, "build", "experiment.yaml")
    assert answer.code == 0, answer.err
    job = next(one for one in yaml.safe_load_all(answer.out) if one["kind"] == "Job")
    (folder / "context").mkdir(exist_ok=True)
    return run(shell, find(pod_of(job), "unpack"), {"PACKED": folder / "packed", "CONTEXT": folder / "context"})


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    """A ConfigMap volume: links to a folder that a link with two dots names."""
    data = tmp_path / "packed/..2026"
    (data / "model").mkdir(parents=True)
    (data / "train.py").write_text("1")
    (data / "model/net.py").write_text("2")
    (tmp_path / "packed/..data").symlink_to("..2026")
    for name in ("train.py", "model"):
        (tmp_path / "packed" / name).symlink_to(f"..data/{name}")
    return tmp_path / "packed"


@pytest.mark.parametrize("shell", list(SHELLS))
def test_the_context_holds_files_and_no_links(shell: str, packed: Path, tmp_path: Path) -> None:
    answer = unpack(shell, tmp_path)
    assert answer.returncode == 0, answer.stderr
    context = tmp_path / "context"
    found = {str(path.relative_to(context)): path.is_symlink() for path in context.rglob("*")}
    assert found == {"train.py": False, "model": False, "model/net.py": False}


@pytest.mark.parametrize("shell", list(SHELLS))
def test_a_file_that_cannot_be_copied_fails_even_if_the_last_one_can(shell: str, packed: Path, tmp_path: Path) -> None:
    (packed / "..2026/zlast.py").write_text("3")
    (packed / "zlast.py").symlink_to("..data/zlast.py")
    (tmp_path / "context/train.py").mkdir(parents=True)  # a folder in the way of a file
    assert unpack(shell, tmp_path).returncode != 0


@pytest.mark.parametrize("shell", list(SHELLS))
def test_hidden_files_are_copied_and_a_link_without_target_fails(shell: str, packed: Path, tmp_path: Path) -> None:
    (packed / "..2026/.dockerignore").write_text("*.pyc")
    (packed / ".dockerignore").symlink_to("..data/.dockerignore")
    assert unpack(shell, tmp_path).returncode == 0
    assert (tmp_path / "context/.dockerignore").read_text() == "*.pyc"
    assert not (tmp_path / "context/..data").exists()
    (packed / "..2026/train.py").unlink()
    shutil.rmtree(tmp_path / "src")
    answer = unpack(shell, tmp_path)
    assert answer.returncode != 0
    assert "train.py" in answer.stderr


@pytest.mark.parametrize("shell", list(SHELLS))
def test_a_config_map_without_files_fails(shell: str, tmp_path: Path) -> None:
    (tmp_path / "packed/..2026").mkdir(parents=True)
    (tmp_path / "packed/..data").symlink_to("..2026")
    answer = unpack(shell, tmp_path)
    assert answer.returncode == 1
    assert answer.stderr.endswith("packed has no files, so the context of the build would be empty\n")
