"""Anatomy and picture of runs: what they show of real runs, in words, and that wide text stays inside."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.checkout import ROOT
from tests.program import cases
from tjgen.language.platform.computing import is_device
from tjgen.tools.report.markup import escape, quoted, slug
from tjgen.tools.report.picture import WIDTH, picture
from tjgen.tools.report.structure import Applied, Structure, StructureGang, StructurePodSet, structure_of
from tjgen.tools.report.svg import document
from tjgen.trees.source.reader import KUBERNETES, read

STAGES = {"TrainingRuntime": "runtimes", "PersistentVolumeClaim": "data"}


def objects(file: Path) -> list[Any]:
    return [document.value for document in read(file.read_bytes(), file.name, KUBERNETES)[0]] if file.exists() else []


def of_case(case: Path) -> Structure:
    applied = [Applied(STAGES.get(tree["kind"], "runs"), tree) for tree in objects(case / "expected/applied.yaml")]
    return structure_of(applied, objects(case / "expected/preview.yaml"))


def words(case: str) -> str:
    return picture(of_case(ROOT / "tests/cases" / case)).words


def test_a_gang_says_what_it_is() -> None:
    assert words("volcano-gang-with-new-claim") == (
        "Applied: TrainingRuntime tjgen-torch-volcano-bc2c19b4, then PersistentVolumeClaim resnet50-checkpoints, then TrainJob. "
        "node: 2 pods with 8 nvidia.com/gpu each. a gang of 2 in queue vision (Volcano). "
        "volume checkpoints: claim resnet50-checkpoints, 200Gi nfs at /checkpoints. "
        "volume imagenet: claim imagenet at /data (read-only)."
    )


def test_an_initializer_goes_before() -> None:
    assert "node: 2 pods, after model-initializer is complete" in words("model-is-fetched-first")


def test_devices_that_are_claimed_count_by_their_class() -> None:
    assert re.search(r"node: \d+ pods? with \d+ gpu\.nvidia\.com each", words("devices-claimed"))


@pytest.mark.parametrize("case", cases("cases"), ids=lambda path: path.name)
def test_every_run_has_a_picture_that_is_well_formed(case: Path) -> None:
    drawn = picture(of_case(case))
    root = ElementTree.fromstring(document(drawn, case.name, caption="a & b <c>"))
    names = {one.get("id") for one in root.iter()}
    for one in root.iter("{http://www.w3.org/2000/svg}use"):
        assert str(one.get("href"))[1:] in names
    for one in root.iter("{http://www.w3.org/2000/svg}rect"):
        assert 0 <= float(one.get("x", "0")) <= WIDTH
        assert float(one.get("x", "0")) + float(one.get("width", "0")) <= WIDTH
    assert drawn.height < 2000


def test_a_thousand_pods_fit() -> None:
    podset = StructurePodSet("node", 1000, (("nvidia.com/gpu", 72),), {}, "", (), is_initializer=False)
    drawn = picture(Structure((), (podset,), StructureGang("Volcano", 1000, "q" * 70, "", ""), "", (), None, suspended=False))
    assert drawn.height < 600
    assert "and 968 more pods, 16 of 72 devices drawn" in drawn.marks
    assert f"{'q' * 70}" in drawn.words


@pytest.mark.parametrize(
    ("resource", "answer"),
    [
        ("nvidia.com/gpu", True),
        ("nvidia.com/mig-1g.10gb", True),
        ("google.com/tpu", True),
        ("example.com/gpu", True),
        ("nvidia.com/gpumem", False),
        ("volcano.sh/vgpu-cores", False),
        ("rdma/hca_shared_devices_a", False),
        ("cpu", False),
    ],
)
def test_what_counts_as_a_device(resource: str, answer: bool) -> None:
    assert is_device(resource) is answer


def test_waves_of_argo_cd_go_before_stages() -> None:
    runtime = {"kind": "TrainingRuntime", "metadata": {"name": "r", "annotations": {"argocd.argoproj.io/sync-wave": "-10"}}}
    job = {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "metadata": {"name": "j"}}
    found = structure_of([Applied("runs", job), Applied("runtimes", runtime)], [])
    assert [(step.label, step.objects) for step in found.steps] == [
        ("wave -10", (("TrainingRuntime", "r"),)),
        ("wave 0", (("TrainJob", ""),)),
    ]


@given(st.text())
def test_escaped_text_is_read_back(text: str) -> None:
    read_back = ElementTree.fromstring(f"<a b={quoted(text)}>{escape(text)}</a>")
    seen = escape(text).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    assert (read_back.text or "") == seen
    # XML makes a space of a line break in an attribute.
    assert (read_back.get("b") or "") == re.sub(r"[\t\n]", " ", seen)


@given(st.text())
def test_a_slug_is_a_name(text: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9-]*", slug(text))
