"""A tree in which some values say what asked for them -> the manifest, and the origin of each field."""

from __future__ import annotations

from tjgen.gitops.sync.site import Site
from tjgen.trees.fields.managed import Origin, Owners
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.manifests.manifest import SYNC, Manifest
from tjgen.trees.typing import Any, NamedTuple

GITOPS: FieldPath = ("spec", "gitops")


class Said(NamedTuple):
    """A value that a field of the project file asked for."""

    value: Any
    because: FieldPath


class Made(NamedTuple):
    """An object for the tool, and where it lies below the folder of such objects."""

    manifest: Manifest
    file: str
    note: str = ""
    """Comment lines in front of it."""


def made(tree: Tree, tool: str, *, file: str = "", note: str = "") -> Made:
    """The object that `tree` describes. What no value says comes from a rule of ours for `tool`."""
    owners: Owners = {(): (Origin(f"gitops:{tool}", "tjgen"),)}
    plain = _plain(tree, (), owners)
    name = file or f"{plain['kind'].lower()}-{plain['metadata']['name']}.yaml"
    return Made(Manifest(plain, owners, SYNC), name, note)


def name_of(site: Site, suffix: str = "") -> Said:
    """The name of one of a site's objects."""
    return Said(f"{site.name}{suffix}", ("metadata", "name"))


def namespace_of(site: Site) -> Said:
    """The namespace of a site's objects."""
    return Said(site.namespace, (*GITOPS, "namespace"))


def repository_of(site: Site) -> Said:
    """The URL of the repository."""
    return Said(site.repository, (*GITOPS, "repository"))


def revision_of(site: Site) -> Said:
    """The branch."""
    return Said(site.revision, (*GITOPS, "revision"))


def path_of(site: Site, text: str) -> Said:
    """A folder in the repository."""
    return Said(text, site.path_said_at)


def _plain(tree: Any, path: FieldPath, owners: Owners) -> Tree:
    if isinstance(tree, Said):
        owners[path] = (Origin("project", "project", tree.because),)
        return tree.value
    if tree.__class__ is dict:
        return {key: _plain(value, (*path, key), owners) for key, value in tree.items()}
    if tree.__class__ is list:
        return [_plain(value, (*path, position), owners) for position, value in enumerate(tree)]
    return tree
