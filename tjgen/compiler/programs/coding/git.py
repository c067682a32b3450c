"""`code.git` -> an init container that fetches one commit into a volume of the pod, which the program then reads."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tjgen.compiler.programs import pods
from tjgen.compiler.programs.coding.placing import AT, VOLUME, mounted
from tjgen.compiler.programs.containers import image_in_run, script, shell
from tjgen.language.codebase import problems
from tjgen.language.codebase.clone import FULL, CloneError, resolved, uncommitted
from tjgen.language.resolve.volume_paths import leads_out
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Code, Experiment, GitCode
from tjgen.trees.diagnostics.credentials import concealed, find_in_address
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, named
from tjgen.trees.files.sandbox import Sandbox
from tjgen.trees.workload.contribution import Contribution, Contributions
from tjgen.trees.workload.roles import members
from tjgen.trees.workload.workload import Workload

GIT: FieldPath = (*AT, "git")
TARGET = "/tjgen/code"
CREDENTIALS = "/tjgen/credentials"
SECRET_VOLUME = "tjgen-code-credentials"
_TRIES = 5
_PAUSE_SECONDS = 5
"""Pause before the second try; each further one is twice as long."""
_URL = re.compile(r"(https?|ssh|git)://([^/]*@)?([^/@]*)(/.+)")
_SCP = re.compile(r"(?:[A-Za-z0-9._-]+@)?[A-Za-z0-9._-]+:[^/].*|(?:[A-Za-z0-9._-]+@)?[A-Za-z0-9._-]+:/.+")


def deliver(code: Code, workload: Workload, experiment: Experiment, setting: Setting) -> Contributions:
    """The init container with the volumes that it needs, and the mounts of what it fetched."""
    git = code.git
    assert git is not None, "asked only where it is described"
    commit = None
    for one in pinned(git, setting):
        if isinstance(one, Diagnostic):
            yield one
        else:
            commit = one
    if commit is None:
        return
    for podset in members(workload):
        fetch = container(VOLUME, git, commit, image_in_run("git", setting))
        user = pods.user_of(workload, [podset], setting)._replace(touches_files_of_run=False)
        # OpenSSH rejects a user that /etc/passwd of the image does not list. Images list 65534, and every user can read
        # what it fetches.
        safe = pods.secured_in_run(fetch, pods.UNRELATED if _scheme(git.repository) == "ssh" else user)
        yield Contribution((*podset.pod, "initContainers", named(VOLUME)), safe, GIT)
        yield Contribution((*podset.pod, "volumes", named(pods.TMP_VOLUME)), pods.tmp_volume(), GIT)
        for volume in secrets(git):
            yield Contribution((*podset.pod, "volumes", named(SECRET_VOLUME)), volume, (*GIT, "secret"))
    yield from mounted(code, workload, experiment, {"name": VOLUME, "emptyDir": {}}, GIT, start=git.path)


def pinned(git: GitCode, setting: Setting) -> Iterator[str | Diagnostic]:
    """Return the full commit ID if the request is valid; else the diagnostics."""
    wrong = list(_problems(git, setting))
    yield from wrong
    if wrong:
        return
    if FULL.match(git.commit):
        yield git.commit
        return
    at: FieldPath = (*GIT, "commit")
    if "commits" in setting.demands:
        message = f'the project requires commit IDs, but "{git.commit}" can refer to another commit later'
        yield Diagnostic(problems.COMMIT, message, path=at, hint="write the full commit ID (git rev-parse HEAD)")
        return
    try:
        commit = resolved(setting.directory, git.commit, git.path)
        changed = uncommitted(setting.directory, git.path)
    except CloneError as error:
        yield Diagnostic(problems.CLONE, f'commit "{git.commit}" is not a full commit ID, but {error}', path=at, hint=error.hint)
        return
    if changed:
        message = f"{changed} file{'s' if changed > 1 else ''} of the code differ from the commit that the run gets"
        yield Diagnostic(problems.DIRTY, message, path=at, hint="commit and push them")
    yield commit


def container(name: str, git: GitCode, commit: str, image: str) -> Tree:
    """The container that fetches the commit into the volume VOLUME."""
    environment = {
        "REPOSITORY": git.repository,
        "COMMIT": commit,
        "DEPTH": str(git.depth),
        "TARGET": TARGET,
        "TRIES": str(_TRIES),
        "PAUSE": str(_PAUSE_SECONDS),
    }
    mounts: list[Tree] = [{"name": VOLUME, "mountPath": TARGET}]
    if git.path is not None:
        environment["FOLDER"] = git.path
    if git.submodules:
        environment["SUBMODULES"] = "true"
    if git.lfs:
        environment["LFS"] = "true"
    if git.secret is not None:
        environment["CREDENTIALS"] = CREDENTIALS
        environment["ORIGIN"] = _origin(git.repository)
        mounts.append({"name": SECRET_VOLUME, "mountPath": CREDENTIALS, "readOnly": True})
    # Kubernetes takes "$(" in a value for a reference.
    safe = {key: value.replace("$(", "$$(") for key, value in environment.items()}
    return shell(name, image, script("clone.sh"), safe, mounts)


def secrets(git: GitCode) -> list[Tree]:
    """The volume with the credentials, if there are any."""
    return [{"name": SECRET_VOLUME, "secret": {"secretName": git.secret}}] if git.secret is not None else []


def local_files(code: Code, folder: str, sandbox: Sandbox) -> dict[str, str]:
    """Return the commit that a name refers to now."""
    git = code.git
    assert git is not None, "asked only where it is described"
    if FULL.match(git.commit):
        return {}
    try:
        return {f"commit:{git.commit}": resolved(folder, git.commit, git.path)}
    except CloneError:
        return {}


def _problems(git: GitCode, setting: Setting) -> Iterator[Diagnostic]:
    at: FieldPath = (*GIT, "repository")
    url = _URL.fullmatch(git.repository)
    if url is None and not _SCP.fullmatch(git.repository):
        hint = "write https://host/path, ssh://git@host/path or git@host:path"
        shown = concealed(git.repository)
        yield Diagnostic(problems.REPOSITORY, f'"{shown}" is not the URL of a repository', path=at, hint=hint)
        return
    scheme = _scheme(git.repository)
    if find_in_address(git.repository) or (url is not None and url[2] and scheme != "ssh"):
        message = f"the URL {concealed(git.repository)} contains credentials, which all readers of the manifests could see"
        yield Diagnostic(
            problems.REPOSITORY, message, path=at, hint="remove them from the URL, and name a secret that contains them"
        )
    if git.secret is not None and scheme not in ("https", "ssh"):
        message = f"the secret would be sent over {scheme}, where it can be read on the network"
        yield Diagnostic(problems.SECRET, message, path=(*GIT, "secret"), hint="use https or ssh")
    if git.secret is None and scheme == "ssh":
        message = "access to a repository by ssh needs a key"
        yield Diagnostic(problems.SECRET, message, path=GIT, hint="add secret, of type kubernetes.io/ssh-auth with known_hosts")
    if git.path is not None and leads_out(git.path):
        message = f"path {git.path} points outside the repository"
        yield Diagnostic(problems.OUTSIDE, message, path=(*GIT, "path"), hint="name a folder of the repository")
    if git.commit.startswith("-"):
        yield Diagnostic(
            problems.COMMIT, f'"{git.commit}" is not a commit ID', path=(*GIT, "commit"), hint="write a full commit ID"
        )


def _scheme(repository: str) -> str:
    url = _URL.fullmatch(repository)
    return url[1] if url is not None else "ssh"


def _origin(repository: str) -> str:
    """Scheme and host: whom the credentials are for."""
    url = _URL.fullmatch(repository)
    return f"{url[1]}://{url[3]}" if url is not None else repository
