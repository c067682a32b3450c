"""Objects of imported manifests and the objects of a new tree -> TJ284 for those that only the manifests contain.

If the Application or Kustomization of the manifests reads the tree instead, a sync that prunes deletes them: the runtime of a
TrainJob, a claim, or a TrainJob that was not imported.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tjgen.cluster.synctools.table import BY_NAME
from tjgen.tools.importing.imported import ImportedObject
from tjgen.trees.diagnostics.model import ERROR, WARNING, Diagnostic
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.typing import NamedTuple

ACCEPT = "--accept-missing"
"""The option that accepts the steps."""


class ObjectIdentity(NamedTuple):
    """What identifies an object in a cluster, in any version of its API."""

    group: str
    kind: str
    namespace: str
    name: str

    @staticmethod
    def of(tree: Tree) -> ObjectIdentity:
        """The identity of an object; parts that it does not have are empty, or the namespace of kubectl."""
        version, kind = str(tree.get("apiVersion") or ""), str(tree.get("kind") or "")
        name = str(get(tree, ("metadata", "name"), None) or "")
        # kubectl applies an object without a namespace to this one. An object of the whole cluster has none anywhere.
        namespace = str(get(tree, ("metadata", "namespace"), None) or "default")
        return ObjectIdentity(version.rpartition("/")[0], kind, namespace, name)


def remaining(
    subjects: Sequence[ImportedObject],
    built: Collection[ObjectIdentity],
    tool: str,
    source: str,
    output: str,
    *,
    included: Collection[ObjectIdentity],
    accepted: bool,
) -> list[Diagnostic]:
    """TJ284 with the names of all objects of `source` that `built`, the objects of `output`, does not contain, and the steps.

    The objects that the Platform includes have an owner of their own, so that the present owner would delete them, too.
    An error, or a warning if the user has `accepted` the steps.
    """
    left = [one for one in subjects if ObjectIdentity.of(one.tree) not in built]
    kept = "; ".join(f"{key}: {value}" for key, value in BY_NAME[tool].kept.items())
    if not left or not kept:
        return []
    owner = BY_NAME[tool].syncing[0][1]
    names = ", ".join(str(one) for one in left)
    message = f"{output} does not contain {names}: if the {owner} of {source} reads {output} instead, a sync deletes them"
    repeat = "" if accepted else f"repeat the command with {ACCEPT}, and "
    hint = (
        f"1. add the annotations {kept} to them in {source}, and commit; 2. wait until they are synced; "
        f"3. {repeat}let the {owner} read {output}; 4. {_last_step(left, included, source, owner)}"
    )
    span = left[0].document.locate((*left[0].path, "metadata", "name"))
    return [Diagnostic("TJ284", message, span=span, hint=hint, severity=WARNING if accepted else ERROR)]


def _last_step(left: Sequence[ImportedObject], included: Collection[ObjectIdentity], source: str, owner: str) -> str:
    """What applies the objects that are left."""
    others = [one for one in left if ObjectIdentity.of(one.tree) not in included]
    if not others:
        return f"the {owner} of the Platform applies them"
    if len(others) == len(left):
        return f"apply them from {source} with another {owner}"
    names = ", ".join(map(str, others))
    return f"apply {names} from {source} with another {owner}; that of the Platform applies the others"
