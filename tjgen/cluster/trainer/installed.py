"""The name of a runtime -> the runtime that a release of Trainer installs, and the release."""

from __future__ import annotations

from tjgen.cluster.releases import TRAINER_RELEASES, TrainerRelease
from tjgen.cluster.schema.store import runtimes_of_trainer
from tjgen.cluster.trainer.release import Release
from tjgen.trees.fields.path import Tree


def find_installed(name: str, release: Release) -> tuple[Tree, TrainerRelease]:
    """The runtime of `release`, or of the newest other release that installs one of this name; None without any."""
    releases = (release.entry, *(one for one in TRAINER_RELEASES if one is not release.entry))
    matches = ((tree, one) for one in releases for tree in runtimes_of_trainer(one.version) if tree["metadata"]["name"] == name)
    return next(matches, (None, release.entry))
