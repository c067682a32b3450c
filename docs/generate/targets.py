"""The targets -> the page that says what each of them applies and who starts the pods."""

from __future__ import annotations

from collections.abc import Iterator

from docs.generate.markdown import NOTICE, code, table
from tjgen.cluster.kinds.table import kinds

INTRODUCTION = """\
`target` of an [experiment](experiment.md) selects the kind of object that is applied to the cluster, in addition to
claims, ConfigMaps and similar objects. For a run of Trainer, the runtime is applied, too. Other targets need no runtime in the
cluster, since tjgen creates their pods from the runtime at build time.
"""


def page() -> str:
    """The page."""
    return "\n".join(["# Targets\n", NOTICE, INTRODUCTION, table(("Target", "Applied", "Pods are started by", "More"), _rows())])


def _rows() -> Iterator[tuple[str, ...]]:
    for kind in kinds():
        if kind.run is not None and kind.run.target:
            yield code(kind.run.target), f"{kind.name} `{kind.api_version}`{kind.run.needs}", kind.run.starter, kind.run.page
