"""The targets -> the page that says what each of them applies and who starts the pods."""

from __future__ import annotations

from collections.abc import Iterator

from docs.generate.markdown import NOTICE, code, table
from tjgen.cluster.kinds.table import kinds

INTRODUCTION = """\
`target` of an [experiment](experiment.md) says which kind of object is applied to the cluster, beside claims, ConfigMaps and
the like. Of a run for Trainer its runtime is applied too; the others need none in the cluster, since their pods are made of the
runtime when tjgen builds.
"""


def page() -> str:
    """The page."""
    return "\n".join(["# Targets\n", NOTICE, INTRODUCTION, table(("Target", "Applied", "Pods are started by", "More"), _rows())])


def _rows() -> Iterator[tuple[str, ...]]:
    for kind in kinds():
        if kind.run is not None and kind.run.target:
            yield code(kind.run.target), f"{kind.name} `{kind.api_version}`{kind.run.needs}", kind.run.starter, kind.run.page
