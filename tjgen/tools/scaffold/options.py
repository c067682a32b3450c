"""The options of a new repository: names, environments and tools, from the command line."""

from __future__ import annotations

import re

from tjgen.cluster.synctools.table import NAMES, NO_TOOL
from tjgen.gitops.output import codeowners
from tjgen.tools.scaffold.artifact import FORMS, Artifact
from tjgen.trees.k8s.valid_names import dashed
from tjgen.trees.typing import NamedTuple

TOOLS = NAMES
NO_FORGE = "none"
FORGES = (*codeowners.FORGES, NO_FORGE)
"""Whose pipeline and whose file of owners are written."""
OUTPUT = "deploy"
"""The folder of what is built."""
DEFAULT_ENVIRONMENTS = ("dev", "prod")

_NO_TEXT = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
"""What YAML, of one version or the other, does not read as a text."""
_LABEL = re.compile(r"[a-z]([a-z0-9-]*[a-z0-9])?\Z")
_ENVIRONMENT = re.compile(r"[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?\Z")
_PRODUCTION = frozenset({"prod", "production", "prd"})
_MOST = 40
"""Characters of a project's name: namespaces add a dash and the environment."""


class Options(NamedTuple):
    """The options. `hooks` is a repository of hooks and its revision, or None for the installed program."""

    name: str
    environments: tuple[str, ...]
    tool: str = NO_TOOL
    repository: str = ""
    forge: str = NO_FORGE
    hooks: tuple[str, str] | None = None
    release: str = ""
    """Release of Trainer, where it is not the newest."""
    folder: str = ""
    """Its folder in an existing repository; "" at its root."""
    in_repository: bool = False
    """Whether a Git repository contains the folder already."""
    branch: str = "main"
    """Default branch of the repository."""
    framework: str = "torch"
    """What the first experiments are written with: a folder of `templates/init`."""
    imports: bool = False
    """Whether experiments come from existing manifests, rather than from a new first one."""
    has_platform: bool = False
    """Whether the manifests contain objects for a Platform."""

    artifact: Artifact | None = None
    """What the pipeline installs."""
    teams: tuple[str, ...] = ()
    """The teams of a workspace; empty for a project."""

    @property
    def output(self) -> str:
        """The folder of the output, from the top of the repository."""
        return f"{self.folder}/{OUTPUT}" if self.folder else OUTPUT

    @property
    def top(self) -> str:
        """The way to the top of the repository, where hooks and pipelines are looked for."""
        return "../" * (self.folder.count("/") + 1) if self.folder else ""

    def promotes(self, environment: str) -> bool:
        """Whether runs come to an environment by `tjgen promote` alone: to the last of several."""
        return len(self.environments) > 1 and environment == self.environments[-1]

    def namespace(self, environment: str) -> str:
        """The namespace of an environment: the last one, where the work is done, has that of the project."""
        return self.name if environment == self.environments[-1] else f"{self.name}-{environment.lower()}"


def named(text: str) -> str:
    """Return a name of a project from that of a folder: characters that a namespace does not allow become dashes."""
    name = dashed(text)
    name = name if name[:1].isalpha() and name not in _NO_TEXT else f"training-{name}"
    return name[:_MOST].strip("-")


def wrong(options: Options) -> str | None:
    """What is wrong with the words, for a message of wrong use."""
    if not _LABEL.match(options.name) or len(options.name) > _MOST:
        return f"--name {options.name}: use at most {_MOST} small letters, digits and dashes, with a letter first"
    for option, word in [("--name", options.name), *[("--env", one) for one in options.environments]]:
        if word.lower() in _NO_TEXT:
            return f"{option} {word}: YAML reads it as a value that is not text; use a longer name"
    for environment in options.environments:
        if not _ENVIRONMENT.match(environment) or not _LABEL.match(options.namespace(environment)):
            return f"--env {environment}: use letters, digits and dashes, with a letter first"
    if len({one.lower() for one in options.environments}) != len(options.environments):
        return "--env is given twice with one name"
    early = next((one for one in options.environments[:-1] if one.lower() in _PRODUCTION), None)
    if early is not None:
        ordered = " ".join(f"--env {one}" for one in (*(one for one in options.environments if one != early), early))
        return f"--env {early}: runs reach the last environment by promotion, so production comes last: write {ordered}"
    for team in options.teams:
        if not _LABEL.match(team) or len(team) > _MOST or team.lower() in _NO_TEXT:
            return f"--team {team}: use at most {_MOST} small letters, digits and dashes, with a letter first"
    if len(set(options.teams)) != len(options.teams):
        return "--team is given twice with one name"
    if options.imports and options.teams:
        return "--from creates a project: leave --workspace out"
    if options.imports and options.environments:
        return "--from takes the namespaces from the manifests: add environments to tjgen.yaml when it builds"
    if options.tool != NO_TOOL and not options.repository:
        return f"--gitops {options.tool} needs --repository URL: it is what the tool reads"
    if options.forge != NO_FORGE and options.artifact is None:
        return f"--ci {options.forge} needs --package, the tjgen that the pipeline installs: {FORMS}"
    return None
