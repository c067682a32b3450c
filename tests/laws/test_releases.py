"""An experiment means the same in every release of Trainer: the JobSet is equal, or an error says what the release lacks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest

import tjgen
from tests.laws.built import CASES
from tjgen.cluster.trainer.release import NEWEST, RELEASES, Release
from tjgen.trees.diagnostics.model import ERROR

EARLIER = [release for release in RELEASES.values() if release is not NEWEST]
UNORDERED = {"volumes": "name", "volumeMounts": "mountPath"}
"""Lists whose order means nothing: patches put what is new first, a runtime puts it last."""
CAPABILITIES = ("TJ403",)


def experiments(case: Path) -> list[str]:
    return [path.name for path in sorted(case.glob("*.yaml")) if "kind: Experiment" in path.read_text(encoding="utf-8")]


def jobsets(build: tjgen.BuildResult) -> list[Any]:
    return [one.tree["spec"] for run in build.runs for one in run.compiled.previews if one.kind == "JobSet"]


def differences(mine: Any, theirs: Any, path: str = "") -> Iterator[str]:
    if isinstance(mine, dict) and isinstance(theirs, dict):
        for key in sorted({*mine, *theirs}):
            yield from differences(mine.get(key), theirs.get(key), f"{path}.{key}")
    elif isinstance(mine, list) and isinstance(theirs, list) and len(mine) == len(theirs):
        key = UNORDERED.get(path.rpartition(".")[2])
        if key is not None:
            mine, theirs = (sorted(items, key=lambda item: str(item[key])) for items in (mine, theirs))
        for position, pair in enumerate(zip(mine, theirs, strict=True)):
            yield from differences(*pair, f"{path}[{position}]")
    elif mine != theirs:
        yield path


def is_known(path: str, release: Release) -> bool:
    """What a release writes otherwise though nobody asked: MPI's keys without modes, jobs without groups."""
    if path.endswith((".secret.defaultMode", ".mode")) and ".secret." in path:
        return not release.sets_key_modes
    return path.endswith(".groupName") and all(field != "groupName" for field, _ in release.types.entries("ReplicatedJob"))


@pytest.mark.parametrize("release", EARLIER, ids=lambda release: release.name)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_jobset_is_that_of_the_newest_release(case: Path, release: Release) -> None:
    with chdir(case):
        files = experiments(case)
        newest = tjgen.build(files)
        if newest.failed or not files:
            pytest.skip("the case is no build of its experiments alone")
        build = tjgen.build(files, trainer=release.name)
    errors = {one.code for one in build.diagnostics if one.severity == ERROR}
    if errors:
        assert errors <= {*CAPABILITIES, "TJ502"}
        return
    for mine, theirs in zip(jobsets(build), jobsets(newest), strict=True):
        assert [path for path in differences(mine, theirs) if not is_known(path, release)] == []
