"""An environment whose tool impersonates an account -> the account, and Roles that permit it the objects of runs only.

These objects are in a folder of their own: the platform team applies them, and no sync does.
"""

from __future__ import annotations

from tjgen.cluster.kinds.permissions import EDIT, RBAC, rules
from tjgen.gitops.sync.objects import SyncObject, sync_object
from tjgen.gitops.sync.site import Site
from tjgen.trees.fields.path import Tree
from tjgen.trees.manifests.sourced import Sourced

FOLDER = "access"


def objects(site: Site, tool: str) -> list[SyncObject]:
    """The ServiceAccount, and a Role with its binding in each namespace of the runs; none without an account."""
    account = site.access.account
    if account is None:
        return []
    path = site.access.paths["serviceAccountName"]
    name, namespace = Sourced(account.name, path), Sourced(account.namespace, path)
    created = [_object({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": namespace}}, tool)]
    for place in site.namespaces:
        metadata: Tree = {"name": f"{site.name}-sync", "namespace": place}
        created.append(_object({"apiVersion": f"{RBAC}/v1", "kind": "Role", "metadata": metadata, "rules": rules(EDIT)}, tool))
        binding: Tree = {
            "apiVersion": f"{RBAC}/v1",
            "kind": "RoleBinding",
            "metadata": metadata,
            "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": namespace}],
            "roleRef": {"apiGroup": RBAC, "kind": "Role", "name": f"{site.name}-sync"},
        }
        created.append(_object(binding, tool))
    return created


def _object(tree: Tree, tool: str) -> SyncObject:
    one = sync_object(tree, tool)
    return one._replace(file=f"{FOLDER}/{one.manifest.kind.lower()}-{one.manifest.namespace}-{one.manifest.name}.yaml")
