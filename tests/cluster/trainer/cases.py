"""Recorded cases: a folder with what went in and what the real controller and admission made of it.

`input.yaml` holds a TrainJob with its runtime, `expanded.yaml` what the controller created, `admit.json`
what admission said, `old.yaml` the stored objects where the case is an update, `live.yaml` the JobSet
as it was stored. The cases of each release are packed in `tests/corpus`; the folder `recorded` holds
more of v2.3.0. Never edited, only recorded again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.corpus.packs import corpora
from tjgen.cluster.trainer.framework import Expansion
from tjgen.cluster.trainer.release import NEWEST, RELEASES
from tjgen.trees.diagnostics.model import ERROR
from tjgen.trees.source.reader import KUBERNETES, read

RECORDED = Path(__file__).parent / "recorded"
CORPUS = corpora() / "expand"


def of_releases() -> list[Any]:
    """A parameter (release, folder) for each case of each release that is recorded."""
    found = []
    for release in RELEASES.values():
        suffix = "" if release is NEWEST else f"-{release.version}"
        for root in (RECORDED, CORPUS) if release is NEWEST else (CORPUS.with_name(f"expand{suffix}"),):
            found += [pytest.param(release, *one.values, id=f"{release.name}-{one.id}") for one in folders(root)]
    return found


def folders(root: Path) -> list[Any]:
    """A parameter for each case below `root`."""
    found = sorted(path.parent for path in root.glob("*/input.yaml"))
    assert found, f"no cases in {root}"
    return [pytest.param(path, id=path.name) for path in found]


def trees(path: Path) -> list[Any]:
    """The documents of a file; nothing may be wrong with it."""
    documents, diagnostics = read(path.read_bytes(), path.name, KUBERNETES)
    assert [diagnostic for diagnostic in diagnostics if diagnostic.severity == ERROR] == []
    return [document.value for document in documents]


def printed(expansions: list[tuple[Any, Expansion]]) -> list[Any]:
    """Expansions as the recorder prints them: objects, or why there are none."""
    result: list[Any] = []
    for trainjob, expansion in expansions:
        stop = [diagnostic for diagnostic in expansion.diagnostics if diagnostic.code in ("TJ803", *REFUSALS)]
        if stop:
            word = "skipped" if stop[0].code == "TJ803" else "error"
            result.append({word: stop[0].message, "trainJob": trainjob["metadata"]["name"]})
        result.extend(made.tree for made in expansion.objects)
    return result


REFUSALS = ("TJ800", "TJ801", "TJ802", "TJ804", "TJ805")
