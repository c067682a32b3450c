"""An object before and after -> what the API server and its webhooks refuse of the change, asked once for all rules."""

from __future__ import annotations

from tjgen.diff.update import Refusal, refusals
from tjgen.lint.kinds import RUNTIMES
from tjgen.lint.scene import Pair, Scene


def refused(scene: Scene, pair: Pair) -> list[Refusal]:
    """What is refused when the object is applied over what is there."""
    context = [item.tree for item in scene.of(*RUNTIMES)]
    return refusals(pair.old.tree, pair.new.tree, context)
