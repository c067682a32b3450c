"""What a project says of its GitOps tool -> what an environment's sync needs to know."""

from __future__ import annotations

from tjgen.typing import NamedTuple


class Site(NamedTuple):
    """One environment of a project, as the tool sees it."""

    name: str
    """What its objects are called, or begin with."""
    namespace: str
    """Where they are."""
    repository: str
    revision: str
    path: str
    """Folder of the environment's tree in the repository."""
    project: str
    """Project of Argo CD."""
    cluster: str | None
    """The cluster, by the name that Argo CD knows it by; None is the one that the tool runs in."""
    stages: tuple[str, ...]
    """The stages that hold files, in order."""
