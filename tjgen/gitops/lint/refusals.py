"""An object before and after -> what the API server and its webhooks refuse of the change."""

from __future__ import annotations

from tjgen.gitops.diff.update import Refusal, of_default_class, refusals
from tjgen.gitops.lint.kinds import RUNTIMES
from tjgen.gitops.lint.scene import ItemPair, Scene
from tjgen.gitops.lint.sync import is_record


def refused(scene: Scene, pair: ItemPair) -> list[Refusal]:
    """Return the errors when the object is applied over the stored one; none for objects that no tool applies."""
    if scene.leaves(pair.new, is_record):
        return []
    context = [item.tree for item in scene.of(*RUNTIMES)]
    return [*refusals(pair.old.tree, pair.new.tree, context), *of_default_class(pair.old.tree, pair.new.tree)]
