"""What may not change of RoleBindings and ClusterRoleBindings.

Mirrors kubernetes 1.36 `pkg/apis/rbac/validation` (ValidateRoleBindingUpdate, ValidateClusterRoleBindingUpdate).
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import at
from tjgen.cluster.validate.update.shape import printed, same
from tjgen.cluster.validate.wording import GoStruct
from tjgen.trees.typing import Any


def binding(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Fault]:
    """The role that is bound."""
    if not same(new.get("roleRef"), old.get("roleRef"), "RoleRef"):
        shown = printed(new.get("roleRef"), "RoleRef")
        given = GoStruct(APIGroup=shown["apiGroup"], Kind=shown["kind"], Name=shown["name"])
        yield at(("roleRef",)).invalid(given, "cannot change roleRef")
