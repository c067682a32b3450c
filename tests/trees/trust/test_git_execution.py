"""No command starts a program that a repository names: neither a folder in the tree nor the configuration of the clone."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.program import tjgen

EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: probe, namespace: team}
spec:
  runtime: tjgen-torch
  image: registry.example.com/team/train:1
  command: [python, train.py]
  nodes: 1
  cpu: 1
  memory: 1Gi
  code: {git: {repository: "https://git.example.com/team/code.git", commit: main}}
"""
PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
metadata: {name: probe}
spec:
  experiments: [experiments/]
  output: {directory: deploy}
"""
COMMANDS = (
    ("build", "experiments/evil/a.yaml"),
    ("build", "-o", "deploy"),
    ("build", "-o", "deploy", "--check"),
    ("build", "-o", "deploy", "--staged"),
    ("lint", "experiments/evil/a.yaml"),
    ("diff",),
    ("diff", "HEAD"),
    ("report", "-o", "report.html"),
    ("explain", "experiments/evil/a.yaml"),
    ("cmp", "generate"),
    ("pin", "--check"),
)
IDENTITY = {f"GIT_{who}_{what}": "x@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


def git(folder: Path, *words: str) -> str:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, **IDENTITY}
    return subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True, text=True, env=environment).stdout


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A clone with a project and one experiment, all of it committed."""
    folder = tmp_path / "project"
    (folder / "experiments/evil").mkdir(parents=True)
    (folder / "experiments/evil/a.yaml").write_text(EXPERIMENT)
    (folder / "tjgen.yaml").write_text(PROJECT)
    git(tmp_path, "init", "-q", "-b", "main", str(folder))
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "first")
    return folder


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    """The file that a program of the repository writes where one is started."""
    return tmp_path / "executed"


def program(marker: Path) -> str:
    return f"touch {marker}; false"


def bare_repository(project: Path, marker: Path) -> None:
    """The experiment's folder is itself a bare repository, with this folder as its working tree."""
    folder = project / "experiments/evil"
    git(folder, "init", "-q", "--bare", "-b", "main", ".")
    git(folder, "config", "core.bare", "false")
    git(folder, "config", "core.worktree", ".")
    git(folder, "config", "core.fsmonitor", program(marker))
    environment = {**os.environ, **IDENTITY}
    words = ["git", "--git-dir=.", "--work-tree=.", "-c", "core.fsmonitor=false"]
    for more in (["add", "a.yaml"], ["commit", "-q", "-m", "x"]):
        subprocess.run([*words, *more], cwd=folder, env=environment, check=True, capture_output=True)


def nested_repository(project: Path, marker: Path) -> None:
    """The experiment's folder holds a `.git` folder, as an archive could bring along."""
    folder = project / "experiments/evil"
    git(folder, "init", "-q", "-b", "main", ".")
    git(folder, "add", "a.yaml")
    git(folder, "commit", "-q", "-m", "x")
    git(folder, "config", "core.fsmonitor", program(marker))


def pointing_file(project: Path, marker: Path) -> None:
    """The experiment's folder holds a `.git` file that points to a repository in another folder of the tree."""
    nested_repository(project, marker)
    os.rename(project / "experiments/evil/.git", project / "experiments/innocent")
    (project / "experiments/evil/.git").write_text("gitdir: ../innocent\n")


def fsmonitor(project: Path, marker: Path) -> None:
    """The configuration of the clone itself names programs."""
    git(project, "config", "core.fsmonitor", program(marker))


def hooks(project: Path, marker: Path) -> None:
    """Every hook of the clone is a program, and so is every hook in a folder that its configuration names."""
    (project / "hooks").mkdir()
    for folder in (project / ".git/hooks", project / "hooks"):
        for name in ("post-index-change", "reference-transaction", "pre-auto-gc", "fsmonitor-watchman", "post-checkout"):
            (folder / name).write_text(f"#!/bin/sh\ntouch {marker}\n")
            (folder / name).chmod(0o755)
    git(project, "config", "core.hooksPath", "hooks")


def filters(project: Path, marker: Path) -> None:
    """The attributes of a file name a filter that the clone's configuration defines, and the file has to be compared."""
    git(project, "config", "filter.evil.clean", program(marker))
    git(project, "config", "filter.e=v.process", program(marker))
    (project / ".git/info").mkdir(exist_ok=True)
    (project / ".git/info/attributes").write_text("*.yaml filter=evil\n*.txt filter=e=v\n")
    (project / ".gitattributes").write_text("*.yaml filter=evil diff=evil\n")
    git(project, "config", "diff.evil.textconv", program(marker))
    git(project, "config", "diff.evil.command", program(marker))
    git(project, "config", "diff.external", program(marker))
    path = project / "experiments/evil/a.yaml"
    path.write_text(EXPERIMENT.replace("cpu: 1", "cpu: 2"))  # the same size, so that the content is compared
    marker.unlink(missing_ok=True)


def included(project: Path, marker: Path) -> None:
    """The clone's configuration includes a file of the tree that names programs."""
    (project / "more").write_text(f'[core]\n\tfsmonitor = "{program(marker)}"\n[filter "evil"]\n\tclean = "{program(marker)}"\n')
    git(project, "config", "include.path", "../more")
    (project / ".gitattributes").write_text("*.yaml filter=evil\n")
    os.utime(project / "experiments/evil/a.yaml", (1, 1))


def promisor(project: Path, marker: Path) -> None:
    """The clone is partial, objects are missing, and its remote names a program that sends them."""
    git(project, "config", "extensions.partialClone", "origin")
    git(project, "config", "core.repositoryFormatVersion", "1")
    git(project, "config", "remote.origin.url", f"ext::touch {marker}")
    git(project, "config", "remote.origin.promisor", "true")
    git(project, "config", "remote.origin.uploadpack", program(marker))
    git(project, "config", "protocol.ext.allow", "always")
    blob = git(project, "rev-parse", "HEAD:experiments/evil/a.yaml").strip()
    tree = git(project, "rev-parse", "HEAD:experiments").strip()
    for name in (blob, tree):
        (project / ".git/objects" / name[:2] / name[2:]).unlink()


def signatures(project: Path, marker: Path) -> None:
    """The last commit carries a signature, and the configuration names the program that verifies it."""
    verifier = project.parent / "gpg"
    verifier.write_text(f"#!/bin/sh\ntouch {marker}\nprintf '\\n[GNUPG:] SIG_CREATED ' >&2\n")
    verifier.chmod(0o755)
    raw = git(project, "cat-file", "commit", "HEAD")
    head, _, rest = raw.partition("\n\n")
    signed = f"{head}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----\n\n{rest}"
    made = subprocess.run(
        ["git", "-C", str(project), "hash-object", "-t", "commit", "-w", "--stdin"],
        input=signed, text=True, check=True, capture_output=True,
    ).stdout.strip()  # fmt: skip
    git(project, "update-ref", "refs/heads/main", made)
    git(project, "config", "log.showSignature", "true")
    git(project, "config", "gpg.program", str(verifier))
    path = project / "experiments/evil/a.yaml"
    path.write_text(EXPERIMENT.replace("commit: main}", "commit: main, path: experiments}"))


def submodule(project: Path, marker: Path) -> None:
    """A submodule whose repository names a program."""
    inner = project / "experiments/inner"
    inner.mkdir()
    (inner / "train.py").write_text("pass\n")
    git(inner, "init", "-q", "-b", "main", ".")
    git(inner, "add", "-A")
    git(inner, "commit", "-q", "-m", "x")
    git(project, "-c", "advice.addEmbeddedRepo=false", "add", "experiments/inner")
    git(project, "commit", "-q", "-m", "submodule")
    git(inner, "config", "core.fsmonitor", program(marker))
    (inner / "train.py").write_text("None\n")


def pager(project: Path, marker: Path) -> None:
    """Programs that Git starts around its answers."""
    for key in ("core.pager", "core.editor", "core.sshCommand", "core.askPass", "core.alternateRefsCommand", "credential.helper"):
        git(project, "config", key, program(marker))
    git(project, "config", "status.submoduleSummary", "true")
    git(project, "config", "alias.status", f"!{program(marker)}")
    git(project, "config", "alias.rev-list", f"!{program(marker)}")


FAMILY: tuple[Callable[[Path, Path], None], ...] = (
    bare_repository, nested_repository, pointing_file, fsmonitor, hooks, filters, included, promisor, signatures, submodule,
    pager,
)  # fmt: skip


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_bare_repository_in_the_tree_starts_nothing(project: Path, marker: Path, words: tuple[str, ...]) -> None:
    bare_repository(project, marker)
    answer = tjgen(project, *words)
    assert not marker.exists()
    assert "Traceback" not in answer.err


@pytest.mark.parametrize("prepare", FAMILY, ids=lambda one: one.__name__)
def test_the_configuration_of_a_repository_starts_nothing(
    project: Path, marker: Path, prepare: Callable[[Path, Path], None]
) -> None:
    prepare(project, marker)
    for words in (
        ("build", "-o", "deploy"),
        ("build", "-o", "deploy", "--staged"),
        ("diff", "HEAD"),
        ("lint", "experiments/evil"),
    ):
        answer = tjgen(project, *words)
        assert not marker.exists(), words
        assert "Traceback" not in answer.err


@pytest.mark.parametrize(
    ("prepare", "words"),
    [
        (bare_repository, ("-C", "experiments/evil", "status")),
        (nested_repository, ("-C", "experiments/evil", "status")),
        (fsmonitor, ("status",)),
        (filters, ("status",)),
        (included, ("status",)),
        (promisor, ("cat-file", "-p", "HEAD:experiments/evil/a.yaml")),
        (signatures, ("log", "-1", "--format=%H")),
        (submodule, ("status",)),
    ],
    ids=lambda one: getattr(one, "__name__", " ".join(one) if isinstance(one, tuple) else ""),
)
def test_git_alone_starts_the_program(
    project: Path, marker: Path, prepare: Callable[[Path, Path], None], words: tuple[str, ...]
) -> None:
    """The attack works: where this fails, the tests above prove nothing."""
    prepare(project, marker)
    subprocess.run(["git", "-C", str(project), *words], capture_output=True, check=False)
    assert marker.exists()


def test_a_filter_of_the_user_stays(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A filter that only the user's configuration defines runs, as Git LFS needs; the repository cannot replace it."""
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    configuration = tmp_path / "gitconfig"
    configuration.write_text(f'[filter "large"]\n\tclean = "touch {mine}; cat"\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(configuration))
    git(project, "config", "filter.large.clean", f"touch {theirs}; cat")
    (project / ".git/info").mkdir(exist_ok=True)
    (project / ".git/info/attributes").write_text("*.yaml filter=large\n")
    os.utime(project / "experiments/evil/a.yaml", (1, 1))
    tjgen(project, "diff", "HEAD", "-o", "deploy")
    assert (mine.exists(), theirs.exists()) == (True, False)


def test_variables_of_git_lead_to_no_other_repository(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, marker: Path
) -> None:
    other = tmp_path / "other"
    git(tmp_path, "init", "-q", str(other))
    fsmonitor(other, marker)
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(project))
    assert tjgen(project, "build", "-o", "deploy").code == 0
    assert not marker.exists()
    assert tjgen(project, "diff", "HEAD").code == 0


def test_a_repository_inside_of_the_callers_is_not_asked(project: Path, marker: Path) -> None:
    """Its commit is not what the name means, and what is not committed there does not count."""
    outer = git(project, "rev-parse", "HEAD").strip()
    nested_repository(project, marker)
    answer = tjgen(project, "build", "experiments/evil/a.yaml")
    assert (answer.code, outer in answer.out) == (0, True), answer.err
