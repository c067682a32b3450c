"""The sources of volumes -> the page that compares what each of them can do."""

from __future__ import annotations

from collections.abc import Iterator

from docs.generate.markdown import NOTICE, code, table
from tjgen.compiler.volumes.table import sources

INTRODUCTION = """\
A volume of an [experiment](experiment.md#volume) has one source. The columns show what depends on it:
[prefetch](../how-to/prefetch.md),
[checkpoints](../how-to/checkpoints.md), which need a volume that survives the pod, `tjgen diagnose`, and `tjgen import`.
"""
HEADER = ("Source", "In the pod", "Reached by", "Survives the pod", "Read-only", "Prefetched by", "Measured", "Imported")


def page() -> str:
    """The page."""
    return "\n".join(["# Sources of volumes\n", NOTICE, INTRODUCTION, table(HEADER, _rows())])


def _rows() -> Iterator[tuple[str, ...]]:
    for source in sources():
        yield (
            code(source.field),
            code(source.pod_field),
            source.reach,
            _yes(source.survives_pod),
            source.read_only,
            source.filled_by,
            _yes(source.driver is not None),
            _yes(source.imported is not None),
        )


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "no"
