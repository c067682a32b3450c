"""Claims of the output tree that a build does not write, and the tool that syncs the tree -> the same with its protection.

A claim outlives the runs that use it, and a project may change its tool after that. No sync of the new tool deletes such a claim.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from tjgen.cluster.synctools.protocol import Annotations
from tjgen.cluster.synctools.table import BY_NAME
from tjgen.gitops.emit.plan import OutputFile
from tjgen.gitops.output.disk import OnDisk
from tjgen.gitops.output.layout import stage_folder
from tjgen.gitops.output.options import TreeOptions
from tjgen.trees.fields.path import get
from tjgen.trees.manifests.manifest import DATA
from tjgen.trees.source.reader import KUBERNETES, read
from tjgen.trees.source.writer import dump

_CLAIM = "persistentvolumeclaim-"


def protect(
    tree: TreeOptions,
    on_disk: OnDisk,
    environment: str | None,
    tool: str,
    *,
    written: Container[str],
    stays: Container[str] | None,
) -> None:
    """Write the claims of the environment that are not `written` with the protection of `tool` (BuildOptions.tool).

    `stays`: the claims that the build does not remove; None if it removes none.
    """
    for file in _protected(on_disk, environment, BY_NAME[tool.partition(" ")[0]].kept, written):
        if stays is None or file.path in stays:
            tree.put(file)


def _protected(on_disk: OnDisk, environment: str | None, kept: Annotations, written: Container[str]) -> Iterator[OutputFile]:
    for namespace in on_disk.folders(stage_folder(environment, DATA)):
        for file in on_disk.files_except(namespace, written):
            if file.path.rpartition("/")[2].startswith(_CLAIM) and not all(key in file.body for key in kept):
                tree = read(file.body, file.path, KUBERNETES)[0][0].value
                annotations = {**kept, **(get(tree, ("metadata", "annotations"), None) or {})}
                yield file._replace(body=dump({**tree, "metadata": {**tree["metadata"], "annotations": annotations}}))
