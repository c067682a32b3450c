"""The command of a build with a real mpirun: which variables its processes get on a host whose sshd hands none on."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.program import tjgen

HOSTS = ("localhost", "127.0.0.2")
VALUES = {"EQUALS": "=mlx5_0,key==", "SEMICOLON": "a;b", "QUOTES": 'it\'s "$HOME"\n ', "EMPTY": ""}
TOKEN = "c2VjcmV0=="
SHOW = """
import json, os
names = ("EQUALS", "SEMICOLON", "QUOTES", "EMPTY", "TOKEN", "OPTIONAL", "POD_NAME", "OMPI_COMM_WORLD_RANK", "OF_SSHD")
print(json.dumps({name: os.environ.get(name) for name in names}), flush=True)
"""
AGENT = """#!/bin/sh
while [ "${1#-}" != "$1" ]; do
  case "$1" in -o|-p|-l) shift 2 ;; *) shift ;; esac
done
shift
exec env -i PATH="$PATH" HOME="$HOME" OF_SSHD=yes sh -c "$*"
"""
"""What `ssh HOST COMMAND` comes to: the command runs without the variables of the container."""


def open_mpi() -> bool:
    program = shutil.which("mpirun")
    return program is not None and b"Open MPI" in subprocess.run([program, "--version"], check=True, capture_output=True).stdout


needs_mpirun = pytest.mark.skipif(not (sys.platform == "linux" and open_mpi()), reason="needs mpirun of Open MPI")


def launcher(folder: Path, script: str) -> tuple[list[str], dict[str, str]]:
    """The command line of the launcher, and its variables with values of Secrets and fields."""
    spec = {
        "runtime": "tjgen-mpi",
        "image": "registry.example/train:1",
        "nodes": 2,
        "script": script,
        "env": {
            **VALUES,
            "TOKEN": {"secret": "tokens", "key": "token"},
            "OPTIONAL": {"secret": "tokens", "key": "missing", "optional": True},
            "POD_NAME": {"field": "metadata.name"},
        },
    }
    head = {"apiVersion": "tjgen.dev/v1alpha1", "kind": "Experiment", "metadata": {"name": "ranks", "namespace": "team"}}
    (folder / "experiment.yaml").write_text(yaml.safe_dump({**head, "spec": spec}), encoding="utf-8")
    answer = tjgen(folder, "build", "experiment.yaml")
    assert answer.code == 0, answer.err
    [trainer] = [one["spec"]["trainer"] for one in yaml.safe_load_all(answer.out) if one["kind"] == "TrainJob"]
    values = {one["name"]: one["value"] for one in trainer["env"] if "value" in one}
    return [*trainer["command"], *trainer["args"]], {**values, "TOKEN": TOKEN, "POD_NAME": "launcher"}


def processes(folder: Path, command: list[str], variables: dict[str, str]) -> list[dict[str, Any]]:
    """What each process finds, by rank."""
    agent, hosts = folder / "agent", folder / "hosts"
    agent.write_text(AGENT)
    agent.chmod(0o755)
    hosts.write_text("".join(f"{host} slots=1\n" for host in HOSTS))
    (folder / "show.py").write_text(SHOW)
    settings = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HOME": str(folder),
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        # The names of Open MPI 4 and 5.
        "OMPI_MCA_plm_rsh_agent": str(agent),
        "PRTE_MCA_plm_ssh_agent": str(agent),
        "OMPI_MCA_orte_default_hostfile": str(hosts),
        "PRTE_MCA_prte_default_hostfile": str(hosts),
    }
    environment = {**settings, **variables}
    answer = subprocess.run(command, check=True, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, timeout=120)
    found = [json.loads(line) for line in answer.stdout.splitlines() if line.startswith("{")]
    return sorted(found, key=lambda one: int(one["OMPI_COMM_WORLD_RANK"]))


@needs_mpirun
@pytest.mark.parametrize("script", ["show.py", "set -eu\nexec mpirun python show.py\n"], ids=["one command", "shell text"])
def test_processes_on_another_host_get_the_variables_of_the_run(script: str, tmp_path: Path) -> None:
    command, variables = launcher(tmp_path, script)
    first, second = processes(tmp_path, command, variables)
    assert (first["OF_SSHD"], second["OF_SSHD"]) == (None, "yes")  # the second one is behind the agent
    for name, value in {**VALUES, "TOKEN": TOKEN, "OPTIONAL": None}.items():
        assert (first[name], second[name]) == (value, value), name
    assert (first["POD_NAME"], second["POD_NAME"]) == ("launcher", None)


@needs_mpirun
def test_without_the_options_they_get_none(tmp_path: Path) -> None:
    _, variables = launcher(tmp_path, "show.py")
    first, second = processes(tmp_path, ["mpirun", "python", "show.py"], variables)
    assert [first[name] for name in VALUES] == list(VALUES.values())
    assert [second[name] for name in (*VALUES, "TOKEN")] == [None] * 5


@needs_mpirun
def test_options_of_the_experiment_take_precedence(tmp_path: Path) -> None:
    command, variables = launcher(tmp_path, "set -eu\nmpirun -x EQUALS=own python show.py\n")
    assert [one["EQUALS"] for one in processes(tmp_path, command, variables)] == ["own", "own"]
