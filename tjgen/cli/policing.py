"""Manifests, and the policies that apply to them -> a function that judges an object.

Policies come from the caller, from the Platform of the project, and from the manifests themselves: a sync applies them, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tjgen.cluster.policies.table import BINDING, POLICIES, engine_of, is_policy
from tjgen.cluster.trainer.placed import Placed
from tjgen.trees import enforced
from tjgen.trees.budgets import DEFAULT, CommandBudgets
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import get
from tjgen.trees.k8s.labels import POD_SECURITY
from tjgen.trees.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tjgen.cluster.policies.judgment import Judge
    from tjgen.language.resolve.project import LoadedProject

_KINDS = ("Namespace", *POLICIES, BINDING)


def judge_for(
    accepted: Sequence[Placed],
    project: LoadedProject | None,
    versions: Mapping[str, str] | None,
    budgets: CommandBudgets = DEFAULT,
) -> tuple[Judge | None, list[Diagnostic]]:
    """The function, None if nothing is to judge by, and what is wrong with the policies."""
    own = [one for one in accepted if one.tree.get("kind") in _KINDS]
    platforms = project.platforms if project is not None else ()
    if not own and not enforced.files() and not platforms:
        return None, []
    from tjgen.cluster.policies.documents import policies_of  # most manifests have no policies
    from tjgen.cluster.policies.judgment import judge_of
    from tjgen.compiler.building.policies import sources

    given = sources(project, platforms, versions or {})
    has_levels = any(key.startswith(POD_SECURITY) for one in own for key in get(one.tree, ("metadata", "labels"), None) or ())
    has_given = given.objects or given.namespaces or given.defaults
    if not has_given and not has_levels and not any(is_policy(one.tree) or engine_of(one.tree) is not None for one in own):
        return None, given.diagnostics
    policies, wrong = policies_of(
        [*given.objects, *accepted], namespaces=given.namespaces, defaults=given.defaults, versions=versions
    )
    return judge_of(policies._replace(seconds=budgets.seconds), versions), [*given.diagnostics, *wrong]
