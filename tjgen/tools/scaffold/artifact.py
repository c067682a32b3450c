"""What `--package` names, or how tjgen was installed -> the artifact that pipelines install: always exact, never a bare name."""

from __future__ import annotations

import hashlib
import os
import re
from urllib.parse import unquote, urlsplit

from tjgen.trees.files.regular import read_regular
from tjgen.trees.typing import Any, NamedTuple

_GIT = re.compile(r"(?a)git\+(?P<url>(?:https|ssh)://[\w.~:/%@+-]+)@(?P<commit>[0-9a-f]{40}|[0-9a-f]{64})\Z")
_HASHES = r"(?: --hash=sha256:[0-9a-f]{64})+"
_RELEASE = re.compile(rf"tjgen==[0-9][0-9A-Za-z.+!]*{_HASHES}\Z")
_ARCHIVE = re.compile(rf"(?a)tjgen @ https://[\w.~:/%+-]+{_HASHES}\Z")
FORMS = (
    "a wheel (dist/tjgen-0.1.0-py3-none-any.whl), a repository with a commit (git+https://git.example.com/tjgen@COMMIT), "
    "or a release with its hash ('tjgen==0.1.0 --hash=sha256:HASH')"
)


class Artifact(NamedTuple):
    """One exact tjgen. Either `requirement` or `git` is set."""

    requirement: str = ""
    """Line of a requirements file, with its hashes. The path of a wheel is relative to the project."""
    git: str = ""
    """Requirement for pip with a repository and a commit, which pip takes without hashes only."""
    wheel: str = ""
    """File name of the wheel to copy into the project."""
    content: bytes = b""
    """Content of the wheel."""


def parse(text: str, folder: str) -> Artifact | str:
    """The artifact that the text names, or what is wrong with it; `folder` is where wheels go in a project."""
    if text.endswith(".whl"):
        return _wheel(text, folder)
    match = _GIT.match(text)
    if match:
        parts = urlsplit(match["url"])
        if parts.password is not None or (parts.scheme == "https" and parts.username is not None):
            return "--package contains credentials, which would be committed: remove them, and use a credential helper of Git"
        return Artifact(git=f"tjgen @ {text}")
    if _RELEASE.match(text) or _ARCHIVE.match(text):
        return Artifact(requirement=text)
    return f"--package {text}: this is not one exact tjgen; use {FORMS}"


def installed(folder: str) -> Artifact | None:
    """The artifact that the running tjgen was installed from, by its `direct_url.json`; None if that does not name one."""
    import json
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        text = distribution("tjgen").read_text("direct_url.json")
    except PackageNotFoundError:
        return None
    return recorded(json.loads(text), folder) if text else None


def recorded(record: dict[str, Any], folder: str) -> Artifact | None:
    """The artifact of a record in the form of PEP 610; None for folders, and for artifacts that no longer exist."""
    url = str(record.get("url", ""))
    archive, repository = record.get("archive_info"), record.get("vcs_info")
    text = ""
    if repository is not None and repository.get("vcs") == "git":
        text = f"git+{url}@{repository.get('commit_id')}"
    elif archive is not None and url.startswith("file://"):
        text = unquote(urlsplit(url).path)
    elif archive is not None:
        text = f"tjgen @ {url} --hash=sha256:{archive.get('hashes', {}).get('sha256')}"
    package = parse(text, folder)
    return None if isinstance(package, str) else package


def _wheel(path: str, folder: str) -> Artifact | str:
    name = os.path.basename(path)
    if not re.fullmatch(r"tjgen-[0-9][0-9A-Za-z_.+!]*-py3-none-any\.whl", name):
        return f"--package {path}: this is not a wheel of tjgen, which has a name like tjgen-0.1.0-py3-none-any.whl"
    try:
        content = read_regular(os.path.realpath(path))
    except OSError as error:
        return f"--package {path}: {error.strerror}"
    digest = hashlib.sha256(content).hexdigest()
    return Artifact(requirement=f"./{folder}/{name} --hash=sha256:{digest}", wheel=name, content=content)
