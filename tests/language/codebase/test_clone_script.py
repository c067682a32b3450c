"""The program that fetches a commit, taken from a built manifest, against real servers of Git over HTTP and SSH."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.containers import SHELLS, environment, find, run
from tests.language.codebase.git_server import Server, served
from tests.language.codebase.test_clone import commit, git
from tests.program import tjgen

EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: fetched, namespace: team}
spec:
  runtime: tjgen-torch
  image: registry.example.com/train:1
  script: train.py
  code: {git: GIT}
"""
COMMIT = "5f1d1c4f2f5d3c0f6a7b8c9d0e1f2a3b4c5d6e7f"
NOBODY = 65534
all_shells = pytest.mark.parametrize("shell", list(SHELLS))


def container(folder: Path, **change: Any) -> dict[str, Any]:
    """The container that fetches the code, as the JobSet has it."""
    asked = {"repository": "https://git.example.com/train.git", "commit": COMMIT, **change}
    (folder / "experiment.yaml").write_text(EXPERIMENT.replace("GIT", str(asked).replace("True", "true")))
    answer = tjgen(folder, "build", "--expanded", "experiment.yaml")
    assert answer.code == 0, answer.err
    jobset = next(one for one in yaml.safe_load_all(answer.out) if one["kind"] == "JobSet")
    return find(jobset["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"], "tjgen-code")


def fetch(
    shell: str, folder: Path, repository: str, commit_id: str, *, asked: dict[str, Any] | None = None, **change: str | Path
) -> subprocess.CompletedProcess[str]:
    """One run of the program into `folder`/target."""
    target = folder / "target"
    target.mkdir(exist_ok=True)
    told = {"GIT_ALLOW_PROTOCOL": "file:http:https:ssh", "PAUSE": "0", **change}
    return run(
        shell, container(folder, **(asked or {})), {"TARGET": target, "REPOSITORY": repository, "COMMIT": commit_id, **told}
    )


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "served" / "repository"
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    return folder


@pytest.fixture
def server(repository: Path) -> Iterator[Server]:
    with served(repository.parent) as found:
        yield found


def commits(repository: Path) -> tuple[str, str]:
    """The first of five commits, and the last."""
    first = commit(repository, "src/train.py", "0")
    for number in range(1, 5):
        last = commit(repository, "src/train.py", str(number))
    return first, last


def history(folder: Path) -> int:
    return int(git(folder / "target", "rev-list", "--all", "--count", "HEAD"))


@all_shells
def test_it_fetches_the_commit_alone(shell: str, server: Server, repository: Path, tmp_path: Path) -> None:
    first, _ = commits(repository)
    answer = fetch(shell, tmp_path, server.url("repository/.git"), first)
    assert answer.returncode == 0, answer.stderr
    assert (tmp_path / "target/src/train.py").read_text() == "0"
    assert history(tmp_path) == 1


@all_shells
@pytest.mark.parametrize("failures", [1, 4])
def test_a_server_that_is_down_for_a_moment_is_asked_for_the_same_again(
    shell: str, failures: int, server: Server, repository: Path, tmp_path: Path
) -> None:
    _, last = commits(repository)
    server.failures = failures
    answer = fetch(shell, tmp_path, server.url("repository/.git"), last)
    assert answer.returncode == 0, answer.stderr
    assert f"try {failures} of 5 failed" in answer.stderr
    assert history(tmp_path) == 1, "the history is not fetched"


@all_shells
def test_a_server_that_stays_down_fails_without_the_history(shell: str, server: Server, repository: Path, tmp_path: Path) -> None:
    _, last = commits(repository)
    server.failures = 100
    answer = fetch(shell, tmp_path, server.url("repository/.git"), last)
    assert answer.returncode == 1
    assert "5 tries failed" in answer.stderr
    assert len(server.requests) == 5


def test_the_pauses_double(repository: Path, tmp_path: Path) -> None:
    assert environment(container(tmp_path)).items() >= {"TRIES": "5", "PAUSE": "5"}.items()
    slept = tmp_path / "slept"
    (tmp_path / "sleep").write_text(f'#!/bin/sh\necho "$1" >>{slept}\n')
    (tmp_path / "sleep").chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    answer = fetch("dash", tmp_path, "http://127.0.0.1:9/none", COMMIT, PAUSE="5", PATH=path)
    assert answer.returncode == 1
    assert slept.read_text().split() == ["5", "10", "20", "40"]


@all_shells
def test_a_server_that_serves_no_commit_by_its_id_gives_the_history(
    shell: str, server: Server, repository: Path, tmp_path: Path
) -> None:
    first, _ = commits(repository)
    # Version 0 of the protocol, which refuses a commit that is not the tip of a branch.
    answer = fetch(
        shell, tmp_path, server.url("repository/.git"), first,
        GIT_CONFIG_COUNT="1", GIT_CONFIG_KEY_0="protocol.version", GIT_CONFIG_VALUE_0="0",
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    assert "does not serve a commit by its ID" in answer.stderr
    assert (tmp_path / "target/src/train.py").read_text() == "0"


@all_shells
def test_a_repository_that_does_not_exist_is_not_tried_again(
    shell: str, server: Server, repository: Path, tmp_path: Path
) -> None:
    assert fetch(shell, tmp_path, server.url("nowhere"), COMMIT).returncode == 1
    assert len(server.requests) == 1


@all_shells
def test_submodules_come_from_a_server_that_is_down_for_a_moment(
    shell: str, server: Server, repository: Path, tmp_path: Path
) -> None:
    other = repository.parent / "other"
    other.mkdir()
    git(other, "init", "-q")
    commit(other, "lib.py", "1")
    git(repository, "submodule", "--quiet", "add", server.url("other/.git"), "lib")
    whole = commit(repository, "a", "1")
    without = fetch(shell, tmp_path, server.url("repository/.git"), whole)
    assert without.returncode == 0 and not (tmp_path / "target/lib/lib.py").exists()
    server.failures = 2
    answer = fetch(shell, tmp_path, server.url("repository/.git"), whole, asked={"submodules": True})
    assert answer.returncode == 0, answer.stderr
    assert (tmp_path / "target/lib/lib.py").exists()


@pytest.mark.skipif(shutil.which("git-lfs") is None, reason="no git-lfs here")
@all_shells
def test_files_of_lfs_are_fetched_where_the_experiment_says_so(shell: str, repository: Path, tmp_path: Path) -> None:
    git(repository, "lfs", "install", "--local")
    (repository / ".gitattributes").write_text("*.bin filter=lfs diff=lfs merge=lfs -text\n")
    made = commit(repository, "weights.bin", "the weights")
    url = f"file://{repository}"
    without = fetch(shell, tmp_path, url, made)
    assert without.returncode == 0, without.stderr
    assert "1 files are in Git LFS, and only their pointers are here" in without.stderr
    assert (tmp_path / "target/weights.bin").read_text().startswith("version https://git-lfs")
    answer = fetch(shell, tmp_path, url, made, asked={"lfs": True})
    assert answer.returncode == 0, answer.stderr
    assert (tmp_path / "target/weights.bin").read_text() == "the weights"


@pytest.mark.skipif(shutil.which("git-lfs") is None, reason="no git-lfs here")
def test_a_file_of_lfs_that_the_server_does_not_have_fails(repository: Path, tmp_path: Path) -> None:
    git(repository, "lfs", "install", "--local")
    (repository / ".gitattributes").write_text("*.bin filter=lfs diff=lfs merge=lfs -text\n")
    made = commit(repository, "weights.bin", "the weights")
    shutil.rmtree(repository / ".git/lfs")
    assert fetch("dash", tmp_path, f"file://{repository}", made, asked={"lfs": True}).returncode == 1


@pytest.mark.skipif(shutil.which("git-lfs") is None, reason="no git-lfs here")
@all_shells
def test_files_of_lfs_that_the_repository_excludes_are_reported(shell: str, repository: Path, tmp_path: Path) -> None:
    git(repository, "lfs", "install", "--local")
    (repository / ".gitattributes").write_text("*.bin filter=lfs diff=lfs merge=lfs -text\n")
    (repository / ".lfsconfig").write_text("[lfs]\n\tfetchexclude = large files.bin\n")
    commit(repository, "large files.bin", "much")
    made = commit(repository, "weights.bin", "the weights")
    answer = fetch(shell, tmp_path, f"file://{repository}", made, asked={"lfs": True})
    assert answer.returncode == 0, answer.stderr
    assert (tmp_path / "target/weights.bin").read_text() == "the weights"
    wanted = "these files of Git LFS are only pointers, since .lfsconfig of the repository excludes them:\nlarge files.bin\n"
    assert answer.stderr.endswith(wanted)


@contextmanager
def ssh_server(folder: Path) -> Iterator[tuple[int, Path]]:
    """A real sshd: its port, and a Secret's folder with a key that it accepts and its host key."""
    for name in ("host", "key"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)], check=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "authorized").write_text((folder / "key.pub").read_text())
    (folder / "authorized").chmod(0o600)
    (folder / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nAuthorizedKeysFile {folder}/authorized\n"
        f"StrictModes no\nUsePAM no\nPermitRootLogin yes\nPidFile {folder}/pid\n"
    )
    secret = folder / "secret"
    secret.mkdir()
    shutil.copy(folder / "key", secret / "ssh-privatekey")
    (secret / "ssh-privatekey").chmod(0o644)
    (secret / "known_hosts").write_text(f"[127.0.0.1]:{port} {(folder / 'host.pub').read_text()}")
    Path("/run/sshd").mkdir(exist_ok=True)
    with subprocess.Popen(["/usr/sbin/sshd", "-D", "-e", "-f", str(folder / "sshd_config")], stderr=subprocess.PIPE) as daemon:
        try:
            for _ in range(100):
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.05)
            yield port, secret
        finally:
            daemon.terminate()


needs_sshd = pytest.mark.skipif(
    not Path("/usr/sbin/sshd").exists() or os.getuid() != 0 or shutil.which("setpriv") is None,
    reason="it takes sshd, setpriv and root, to run ssh as other users",
)


@needs_sshd
@pytest.mark.parametrize(
    ("user", "message"), [(NOBODY, None), (12345, "ssh does not run for user 12345")], ids=["nobody", "not in /etc/passwd"]
)
def test_ssh_runs_as_the_user_that_the_manifest_gives(user: int, message: str | None, repository: Path, tmp_path: Path) -> None:
    _, last = commits(repository)
    url = "ssh://git@git.example.com/train.git"
    made = container(tmp_path, repository=url, secret="key")
    assert made["securityContext"]["runAsUser"] == NOBODY, "whatever user the run has"
    for folder in (tmp_path, *tmp_path.parents):
        if folder != Path("/tmp") and folder.is_relative_to("/tmp"):
            folder.chmod(0o755)
    target = tmp_path / "target"
    target.mkdir()
    target.chmod(0o777)
    git(repository, "config", "--local", "uploadpack.allowAnySHA1InWant", "true")
    with ssh_server(tmp_path) as (port, secret):
        answer = run(
            "dash", made,
            {
                "TARGET": target, "REPOSITORY": f"ssh://root@127.0.0.1:{port}{repository}", "COMMIT": last,
                "CREDENTIALS": secret,
            },
            prefix=("setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"),
        )  # fmt: skip
    if message is not None:
        assert answer.returncode == 1 and message in answer.stderr
        return
    assert answer.returncode == 0, answer.stderr
    file = target / "src/train.py"
    assert file.read_text() == "4" and file.stat().st_mode & 0o444 == 0o444, "every user can read it"
