"""A project with a GitOps tool -> names of clusters, projects and revisions that the tool cannot find (TJ679)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tjgen.cluster.synctools.table import BY_NAME
from tjgen.gitops.sync.access import GITOPS
from tjgen.gitops.sync.site import Site
from tjgen.language.resolve.project import LoadedProject
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.k8s import syntax

_RELATIVE = re.compile(r"\S[~^]|\.\.|@\{|:|\\|^\s*$")
"""Revisions that git computes from others, and texts that name none."""
_IN_NO_BRANCH = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|^[/-]|[/.]$|\.lock$|^@$")
"""What no branch contains (git check-ref-format)."""


def unusable(project: LoadedProject, sites: Sequence[Site]) -> Iterator[Diagnostic]:
    """TJ679 for each name."""
    gitops = project.spec.gitops
    tool = BY_NAME[gitops.tool]
    if (_RELATIVE if tool.reads_commits else _IN_NO_BRANCH).search(gitops.revision) is not None:
        what = "a branch, tag or commit" if tool.reads_commits else "a branch"
        message = f'"{gitops.revision}" is not {what} that {tool.title} can read from the repository'
        yield _at(project, message, (*GITOPS, "revision"), "write the name of a branch, such as main")
    for site in sites if tool.names_clusters else ():
        name = site.access.project
        if syntax.dns1123_subdomain(name):
            near = re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-.")
            hint = f"write {near}" if near else "use lowercase letters, digits and -"
            yield _at(project, f'no AppProject can have the name "{name}"', site.access.paths["project"], hint)
        if site.cluster is not None and "://" in site.cluster:
            message = f"{tool.title} finds a cluster by its name, and {site.cluster} is the URL of its API server"
            hint = "write the name that argocd cluster list shows"
            yield _at(project, message, ("spec", "environments", site.environment or "", "cluster"), hint)


def _at(project: LoadedProject, message: str, path: FieldPath, hint: str) -> Diagnostic:
    return Diagnostic("TJ679", message, span=project.document.locate(path) if project.document is not None else None, hint=hint)
