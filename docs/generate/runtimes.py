"""The bundled runtimes -> the page that lists them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from docs.generate.markdown import NOTICE, code, table
from tests.checkout import list_entries
from tjgen.language.catalog.runtime import BUNDLED, CatalogRuntime
from tjgen.trees import data
from tjgen.trees.source.reader import KUBERNETES, read

INTRODUCTION = """\
`ClusterTrainingRuntime` objects, each in a file of [runtimes/](../../runtimes). An experiment names one in `spec.runtime`.
`tjgen build` emits the runtime with the run, named by its content, so that the cluster does not need it before. A project can
add its own with `catalogs` in [tjgen.yaml](project.md), or import those of a cluster with [`tjgen runtimes import`](cli.md).
"""


def page() -> str:
    """The page."""
    header = ("Runtime", "What it is", "Roles", "A script starts with")
    return "\n".join(["# Bundled runtimes\n", NOTICE, INTRODUCTION, table(header, _rows())])


def _rows() -> Iterator[tuple[str, ...]]:
    for file in list_entries(Path(data.path("runtimes"))):
        (document,), _ = read(file.read_bytes(), file.name, KUBERNETES)
        runtime = CatalogRuntime(document.value, document, BUNDLED)
        jobs = runtime.tree["spec"]["template"]["spec"]["replicatedJobs"]
        roles = ", ".join(code(job["name"]) for job in jobs)
        yield code(runtime.name), runtime.description, roles, code(" ".join(runtime.launcher))
