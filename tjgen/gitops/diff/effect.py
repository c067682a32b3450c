"""A change that the server accepts -> what it does to the object that exists, which may be nothing."""

from __future__ import annotations

from tjgen.cluster.kinds.protocol import IN_PLACE, SILENT, Effect
from tjgen.cluster.kinds.table import kind_of
from tjgen.gitops.diff.fields import Changed
from tjgen.trees.fields.path import Tree

UNCHANGED = "unchanged"
REFUSED = "refused"
WORST = (UNCHANGED, IN_PLACE, SILENT, REFUSED)
"""The outcomes of a change, the worst last."""


def effect(tree: Tree, change: Changed) -> Effect:
    """The effect of an accepted change on the object of a manifest; in place for kinds that tjgen does not describe."""
    kind = kind_of(tree)
    effect_of_kind = kind.effect(*change) if kind is not None else None
    return effect_of_kind or Effect(IN_PLACE)
