"""The table of kinds -> the API resources that belong to runs, and rules of RBAC for them.

Roles of people, roles of sync tools and Argo CD projects permit the same kinds, and all of them read this module.
"""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.cluster.kinds.protocol import MANAGED, Kind
from tjgen.cluster.kinds.table import kinds
from tjgen.trees.fields.path import Tree

RBAC = "rbac.authorization.k8s.io"
VIEW = ("get", "list", "watch")
EDIT = (*VIEW, "create", "update", "patch", "delete")


def managed() -> list[Kind]:
    """The kinds of objects that tjgen writes for runs. All of them are namespaced."""
    return [kind for kind in kinds() if kind.access == MANAGED]


def rules(verbs: Sequence[str]) -> list[Tree]:
    """Rules of a Role: `verbs` on the objects of runs, one rule for each API group."""
    known = managed()
    return [
        rule(group, [kind.plural for kind in known if kind.group == group], verbs)
        for group in dict.fromkeys(kind.group for kind in known)
    ]


def rule(group: str, plurals: Sequence[str], verbs: Sequence[str]) -> Tree:
    """One rule of a Role."""
    return {"apiGroups": [group], "resources": list(plurals), "verbs": list(verbs)}
