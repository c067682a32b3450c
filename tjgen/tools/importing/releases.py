"""TrainJobs and runtimes of one cluster -> the release of Trainer that they are for, and what its API server refuses."""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.cluster.trainer.release import RELEASES, Release
from tjgen.cluster.validate import report
from tjgen.cluster.validate.judge import judge
from tjgen.tools.convert.shape import source_of
from tjgen.trees.fields.path import Tree


def release_for(jobs: Sequence[Tree], runtimes: Sequence[Tree], assumed: Release) -> Release:
    """The release that the fields of the TrainJobs are of, and that accepts all runtimes; `assumed` if it fits."""
    source = next(filter(None, (source_of(tree) for tree in jobs if tree.get("spec").__class__ is dict)), None)
    release = source if source is not None and source.entry.overrides != assumed.entry.overrides else assumed
    others = (one for one in RELEASES.values() if source is None or one.entry.overrides == source.entry.overrides)
    return next((one for one in (release, *others) if not any(refusal(tree, one) for tree in runtimes)), release)


def refusal(tree: Tree, release: Release) -> str | None:
    """Why the API server and the webhooks of a release refuse an object; None if they accept it."""
    verdict = judge(tree, versions=release.versions, webhooks=True)
    return next((one.message for one in report.diagnostics(tree, verdict)), None)
