"""Every manifest of every case, built in this process, with what it takes to ask for origins."""

from __future__ import annotations

from contextlib import chdir, nullcontext
from pathlib import Path
from typing import NamedTuple

from tests.program import arguments, cases
from tjgen.cli.build import COMMAND
from tjgen.cli.command import parse
from tjgen.compiler.building.compile import build
from tjgen.compiler.building.plan import make_plan
from tjgen.compiler.building.request import Request
from tjgen.trees import trust
from tjgen.trees.explain.provenance import Sources
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.session import Session


class Made(NamedTuple):
    """A manifest to apply, or a preview, and the trees that its origins point into."""

    manifest: Manifest
    sources: Sources


def made(case: Path) -> list[Made]:
    """The manifests and previews of a case."""
    words = parse(COMMAND, arguments(case))
    assert words is not None
    with chdir(case), trust.granted() if words["trusted"] else nullcontext():
        plan = make_plan(Request(words["paths"], environments=words["env"], set_values=words["set"]))
        runs = [run.compiled for built in build(plan, Session()) for run in built.runs]
    return [Made(manifest, run.sources) for run in runs for manifest in (*run.manifests, *run.down_to_pods(every=True))]


CASES = cases("cases")
"""The folders of all cases, for `parametrize`."""
