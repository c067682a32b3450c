"""Standard streams that are closed, or of another encoding, in a process of its own."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

MANIFEST = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
TRAINJOB = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: a}
spec:
  runtimeRef: {name: tjgen-torch}
  trainer: {env: [{name: WORD, value: déjà}]}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "map.yaml").write_text(MANIFEST, encoding="utf-8")
    (tmp_path / "job.yaml").write_text(TRAINJOB, encoding="utf-8")
    return tmp_path


def shell(folder: Path, line: str, **variables: str) -> tuple[int, bytes, str]:
    """Run a shell's command line in which TJGEN is the program."""
    program = f"{shlex.quote(sys.executable)} -m tjgen"
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache"), **variables}
    ended = subprocess.run(
        line.replace("TJGEN", program), cwd=folder, shell=True, env=environment, capture_output=True, check=False
    )
    return ended.returncode, ended.stdout, ended.stderr.decode()


@pytest.mark.parametrize("command", ["expand job.yaml", "runtimes list", "convert job.yaml", "--version"])
def test_closed_output_is_an_error_where_something_is_written(folder: Path, command: str) -> None:
    code, _, err = shell(folder, f"TJGEN {command} >&-")
    assert code == 1
    assert "error[TJ056] standard output cannot be written: Bad file descriptor" in err


def test_closed_output_is_no_error_where_nothing_is_written(folder: Path) -> None:
    assert shell(folder, "TJGEN check map.yaml >&-")[0] == 0


@pytest.mark.parametrize("command", ["check -", "expand -", "krm", "postrender"])
def test_closed_input_is_an_error(folder: Path, command: str) -> None:
    code, out, err = shell(folder, f"TJGEN {command} <&-")
    assert (code, out) == (1, b"")
    assert "error[TJ020] <stdin> cannot be read: Bad file descriptor" in err


@pytest.mark.parametrize("streams", [">&- 2>&-", "<&- >&- 2>&-"])
def test_all_streams_may_be_closed(folder: Path, streams: str) -> None:
    assert shell(folder, f"TJGEN check map.yaml {streams}")[0] == 0
    assert shell(folder, f"TJGEN expand job.yaml {streams}")[0] == 1


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-16"])
def test_output_has_one_encoding(folder: Path, encoding: str) -> None:
    expected = shell(folder, "TJGEN expand job.yaml")
    assert expected[0] == 0
    assert "déjà".encode() in expected[1]
    assert shell(folder, "TJGEN expand job.yaml 2>/dev/null", PYTHONIOENCODING=encoding)[:2] == expected[:2]
