"""A tree in which some values name their field of the project file -> an object that makes a tool sync."""

from __future__ import annotations

from tjgen.gitops.sync.access import GITOPS
from tjgen.gitops.sync.site import Site
from tjgen.trees.fields.managed import Origin
from tjgen.trees.fields.path import Tree
from tjgen.trees.manifests.manifest import SYNC, Manifest
from tjgen.trees.manifests.sourced import Sourced, plain
from tjgen.trees.typing import NamedTuple


class SyncObject(NamedTuple):
    """An object for the tool, and its path below the folder of such objects."""

    manifest: Manifest
    file: str
    note: str = ""
    """Comment lines in front of it."""
    is_entry: bool = False
    """Whether it makes the tool apply the folder of such objects. The tool has to find it in a folder that it already applies."""


def sync_object(tree: Tree, tool: str, *, file: str = "", note: str = "") -> SyncObject:
    """Return the object that `tree` describes. The source of values without their own is a rule of tjgen for `tool`."""
    content, owners = plain(tree, lambda because: Origin("project", "project", because))
    name = file or f"{content['kind'].lower()}-{content['metadata']['name']}.yaml"
    return SyncObject(Manifest(content, {(): (Origin(f"gitops:{tool}", "tjgen"),), **owners}, SYNC), name, note)


def name_of(site: Site, suffix: str = "") -> Sourced:
    """The name of one of a site's objects."""
    return Sourced(f"{site.name}{suffix}", ("metadata", "name"))


def namespace_of(site: Site) -> Sourced:
    """The namespace of a site's objects."""
    return Sourced(site.namespace, site.access.paths["namespace"])


def project_of(site: Site) -> Sourced:
    """The project of Argo CD."""
    return Sourced(site.access.project, site.access.paths["project"])


def repository_of(site: Site) -> Sourced:
    """The URL of the repository."""
    return Sourced(site.repository, (*GITOPS, "repository"))


def revision_of(site: Site) -> Sourced:
    """The branch."""
    return Sourced(site.revision, (*GITOPS, "revision"))


def path_of(site: Site, text: str) -> Sourced:
    """A folder in the repository."""
    return Sourced(text, site.path_origin)
