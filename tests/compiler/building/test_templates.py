"""A unit from the template of its file is the unit of the file when it is read as YAML, in every part."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest

from tests.compiler.building.stamping import Count, compare, results
from tests.program import tjgen
from tjgen.compiler.building import compilers
from tjgen.compiler.building.request import Request
from tjgen.compiler.building.segments import ExperimentSegments
from tjgen.compiler.building.shapes import opaque_scalars
from tjgen.compiler.pipeline import COLLAPSED
from tjgen.language.spec import identity
from tjgen.language.spec.opaque import OPAQUE
from tjgen.trees.session import STAMPS
from tjgen.trees.source.reader import CORE, read

PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
metadata: {name: alike}
spec:
  experiments: [experiments]
  overlays: [overlays]
  environments: {west: {}, east: {labels: {stage: production}}}
"""
OVERLAY = """\
apiVersion: tjgen.dev/v1alpha1
kind: Overlay
metadata: {{name: {name}}}
spec:
  match: {match}
  experiment: {experiment}
"""
EXPERIMENT = """\
# The study of a team.
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata:
  name: NAME
  namespace: team
  labels: {study: "LABEL", owner: OWNER}
spec:
  runtime: tjgen-torch
  image: registry.example.com/team/train:TAG
  script: train.py --seed SEED --lr=0.1  # as before
  nodes: 2
  gpu: h100:8
  sharedMemory: 64Gi
  env: {MODEL: 'TEXT', STEPS: COUNT, NCCL_DEBUG: INFO}
  volumes:
    out: {pvc: {create: {size: SIZEGi}}, mountPath: /out}
"""
TEXTS = {
    "NAME": "study-7",
    "LABEL": "12",
    "OWNER": "ada",
    "TAG": "1.7",
    "SEED": "7",
    "TEXT": "res net",
    "COUNT": "300",
    "SIZE": "10",
}
PLAIN = 8
"""Files of a project that differ in all texts."""
ODD = (
    {"NAME": "study-3"},  # the name of another file
    {"NAME": "STUDY"}, {"NAME": "x"}, {"NAME": "true"}, {"NAME": "study-" + "n" * 40}, {"NAME": "study-" + "n" * 60},
    {"NAME": "team"}, {"NAME": "registry"}, {"NAME": '"study-quoted"'},
    {"LABEL": ""}, {"LABEL": "a b"}, {"LABEL": 'a"b'}, {"LABEL": "a\\\\b"}, {"LABEL": "x" * 64}, {"LABEL": "true"},
    {"OWNER": "true"}, {"OWNER": "12"}, {"OWNER": "1e3"}, {"OWNER": "yes"}, {"OWNER": "~"}, {"OWNER": "0b1"},
    {"OWNER": "2001-01-01"}, {"OWNER": '"ada"'}, {"OWNER": "ada}"}, {"OWNER": "ada, lab: ml"},
    {"OWNER": "[ada]"}, {"OWNER": "-"}, {"OWNER": "ada # x"},
    {"TAG": "latest"}, {"TAG": ""}, {"TAG": "1.7 # x"}, {"TAG": "1@sha256:" + "a" * 64},
    {"TAG": "t" * 129},
    {"SEED": "1e-4"}, {"SEED": "-1"}, {"SEED": "7 --nnodes 4"}, {"SEED": "$SEED"}, {"SEED": "$(STEPS)"}, {"SEED": "7 && true"},
    {"SEED": ""}, {"SEED": "7\n  nodes: 3"}, {"SEED": "\u0667"},
    {"TEXT": ""}, {"TEXT": "it''s"}, {"TEXT": "a\\\\b"}, {"TEXT": 'a "b"'}, {"TEXT": "é"}, {"TEXT": "$(STEPS)"},
    {"TEXT": "x" * 101},
    {"TEXT": "a', LEARNING_RATE: '0.1"}, {"TEXT": "hf_abcdefghijklmnopqrstuvwxyz"},
    {"COUNT": "007"}, {"COUNT": "3.0"}, {"COUNT": "1e3"}, {"COUNT": "0x1F"}, {"COUNT": "1_000"}, {"COUNT": '"300"'},
    {"COUNT": "many"}, {"COUNT": ""}, {"COUNT": "null"}, {"COUNT": "9" * 30},
    {"SIZE": "0"}, {"SIZE": "010"}, {"SIZE": "1.5"}, {"SIZE": "1024"}, {"SIZE": "9999999"}, {"SIZE": "-1"},
    {"# as before": "# as ever"}, {"nodes: 2": "nodes: 3"}, {"nodes: 2": "nodes: 2\n  environments: [east]"},
    {"team": "other"}, {"registry.example.com": "mirror.example"},
)  # fmt: skip
"""What one more file of a project has instead of its texts."""


def text_of(number: int, changed: dict[str, str] | None = None) -> str:
    """The text of an experiment; `changed` has what replaces some of its words."""
    texts = {
        key: value if key in ("OWNER", "TEXT") else value.replace("7", str(number)).replace("0", str(number))
        for key, value in TEXTS.items()
    }
    text = EXPERIMENT
    for key, value in {**texts, **(changed or {})}.items():
        text = text.replace(key, value)
    return text


def write_project(folder: Path, texts: Sequence[str], overlays: Sequence[dict[str, str]] = ()) -> None:
    (folder / "experiments").mkdir(parents=True)
    (folder / "overlays").mkdir()
    project = PROJECT if overlays else PROJECT.replace("  overlays: [overlays]\n", "")
    (folder / "tjgen.yaml").write_text(project, encoding="utf-8")
    for number, overlay in enumerate(overlays):
        (folder / f"overlays/{number}.yaml").write_text(OVERLAY.format(name=f"overlay-{number}", **overlay), encoding="utf-8")
    for number, text in enumerate(texts):
        place = folder / f"experiments/{'abc'[number % 3]}/{number:03}.yaml"
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(text.encode())


def compare_project(folder: Path) -> Count:
    with chdir(folder):
        return compare(Request())


@pytest.fixture(autouse=True)
def early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compilers, "SEVERAL", 1)


def test_files_that_differ_in_opaque_texts_are_built_from_templates(tmp_path: Path) -> None:
    write_project(tmp_path / "p", [text_of(number) for number in range(1, PLAIN + 1)])
    count = compare_project(tmp_path / "p")
    # In each environment, two runs are compiled, and the file of a third one is read to prove the template.
    assert count == Count(2 * PLAIN, stamped=2 * (PLAIN - 2), templated=2 * (PLAIN - 3), previewed=2 * (PLAIN - 2))


def test_files_that_list_one_environment_are_built_in_it_alone(tmp_path: Path) -> None:
    write_project(
        tmp_path / "p",
        [
            text_of(number, {"nodes: 2": f"nodes: 2\n  environments: [{'east' if number % 2 else 'west'}]"})
            for number in range(1, 2 * PLAIN + 1)
        ],
    )
    assert compare_project(tmp_path / "p").runs == 2 * PLAIN


@pytest.mark.parametrize("changed", ODD, ids=str)
def test_a_file_with_another_text_is_as_it_is_read(changed: dict[str, str], tmp_path: Path) -> None:
    texts = [text_of(number) for number in range(1, PLAIN + 1)]
    write_project(tmp_path / "p", [*texts[:-1], text_of(9, changed), texts[-1]])
    assert compare_project(tmp_path / "p").templated >= 2 * (PLAIN - 4)


@pytest.mark.parametrize("ends", ["\r\n", "\n\n"])
def test_line_ends_are_part_of_segments(ends: str, tmp_path: Path) -> None:
    texts = [text_of(number).replace("\n", ends) for number in range(1, PLAIN + 1)]
    write_project(tmp_path / "p", [*texts, text_of(9)])
    assert compare_project(tmp_path / "p").templated >= 2 * (PLAIN - 3)


@pytest.mark.parametrize(
    "match",
    ["{names: [study-5]}", "{names: ['study-?']}", "{labels: {owner: ada}}", "{labels: {study: '15'}}", "{environments: [west]}"],
)
def test_overlays_are_matched_for_each_file(match: str, tmp_path: Path) -> None:
    overlay = {"match": match, "experiment": "{env: {MODEL: vit}, image: 'mirror.example/train:1'}"}
    texts = [text_of(number, {"OWNER": "ada" if number % 2 else "bob"}) for number in range(1, 2 * PLAIN)]
    write_project(tmp_path / "p", texts, [overlay])
    # Files that are matched by their name or labels are read.
    assert compare_project(tmp_path / "p").templated >= 4


def test_a_text_that_an_overlay_replaces_is_part_of_a_segment(tmp_path: Path) -> None:
    texts = [text_of(number, {"TEXT": f"net {number}"}) for number in range(1, PLAIN + 1)]
    overlay = {"match": "{environments: [west]}", "experiment": "{env: {MODEL: vit}}"}
    write_project(tmp_path / "p", texts, [overlay])
    # Identities have the text as it is written, so the files of the environment west differ in more than opaque texts.
    assert compare_project(tmp_path / "p").templated == PLAIN - 3


@pytest.fixture
def trees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Path]]:
    """Two copies of a project, for builds with templates and without."""
    monkeypatch.setenv("TJGEN_CACHE", "off")
    write_project(tmp_path / "on", [text_of(number) for number in range(1, PLAIN + 1)])
    shutil.copytree(tmp_path / "on", tmp_path / "off")
    yield [tmp_path / "on", tmp_path / "off"]


def build(trees: Sequence[Path], monkeypatch: pytest.MonkeyPatch, *words: str) -> None:
    """Build both copies, and compare what is printed and written."""
    found = []
    for folder in trees:
        monkeypatch.setenv(STAMPS, folder.name)
        answer = tjgen(folder, *words)
        found.append((answer, {str(one.relative_to(folder)): one.read_bytes() for one in folder.rglob("*") if one.is_file()}))
    assert found[0] == found[1]


def edit(trees: Sequence[Path], number: int, old: str, new: str) -> None:
    for folder in trees:
        file = next((folder / "experiments").rglob(f"{number:03}.yaml"))
        file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def test_locks_are_looked_at_for_each_file(trees: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    build(trees, monkeypatch, "build", "-o", "deploy")
    build(trees, monkeypatch, "build", "-o", "deploy")
    edit(trees, 5, "--lr=0.1", "--lr=0.2")  # another run
    edit(trees, 6, "owner: ada", "owner: bob")  # a change in place
    build(trees, monkeypatch, "build", "-o", "deploy")
    edit(trees, 5, "--lr=0.2", "--lr=0.1")  # the superseded run again
    build(trees, monkeypatch, "build", "-o", "deploy", "--renew", "study-7-*")
    build(trees, monkeypatch, "build", "-o", "deploy", "--prune-runs")
    for folder in trees:
        next((folder / "experiments").rglob("004.yaml")).rename(folder / "experiments/renamed.yaml")
        shutil.rmtree(folder / "deploy/west/runs/team/study-3")
    build(trees, monkeypatch, "build", "-o", "deploy")
    build(trees, monkeypatch, "build", "-o", "deploy", "--check")


def test_an_experiment_that_is_in_two_files_is_an_error(trees: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    edit(trees, 6, "study-7", "study-2")
    build(trees, monkeypatch, "build", "-o", "deploy")
    assert not (trees[0] / "deploy").exists()


def test_a_summary_is_the_same(trees: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    build(trees, monkeypatch, "build", "--summary", "--format", "json")
    build(trees, monkeypatch, "build", "--expanded")


def test_segments_are_those_of_the_text() -> None:
    document = read(text_of(7).encode(), "x.yaml", CORE)[0][0]
    segments = ExperimentSegments.of(document)
    assert segments is not None
    texts = segments.texts(document.text)
    assert texts == ["study-7", "12", "ada", "1.7", "7", "0.1", "res net", "377", "INFO", "17"]
    assert segments.filled(texts) == document.text
    assert segments.without([0, 3], texts).texts(document.text) == [*texts[1:3], *texts[4:]]
    assert segments.texts(text_of(8)) is not None
    assert segments.texts(text_of(8) + "\n") is None
    assert segments.texts(text_of(8).replace("nodes: 2", "nodes: 3")) is None


@pytest.mark.parametrize("words", [("owner: ada", "owner: &who ada"), ("NCCL_DEBUG: INFO", "NCCL_DEBUG: *who")])
def test_a_text_with_anchors_has_no_segments(words: tuple[str, str]) -> None:
    text = text_of(7).replace("labels: {", "labels: {first: &who INFO, ").replace(*words)
    assert ExperimentSegments.of(read(text.encode(), "x.yaml", CORE)[0][0]) is None


def test_short_forms_are_opaque() -> None:
    document = read(text_of(7).encode(), "x.yaml", CORE)[0][0]
    paths = [".".join(map(str, path)) for path, _, _ in opaque_scalars(document.value)]
    assert "spec.env.STEPS" in paths
    assert "spec.volumes.out.pvc.create.size" in paths


def opaque_rules(opaque: Any, rule: identity.Rule) -> Iterator[identity.Rule]:
    """The identity's rules of opaque texts."""
    if isinstance(opaque, str):
        yield rule
        return
    for key, inner in opaque.items():
        yield from opaque_rules(inner, rule[2].get(key) or rule[2].get("*") or (identity.COUNTS, None, {}))


def test_no_opaque_text_has_a_default() -> None:
    """An identity leaves out defaults, so it would have another form for one of the texts."""
    rules = [*opaque_rules(OPAQUE["spec"], identity.SPEC)]
    assert rules
    assert [rule for rule in rules if rule[1] is not None] == []


def test_a_build_without_stamps_has_no_templates(tmp_path: Path) -> None:
    write_project(tmp_path / "p", [text_of(number) for number in range(1, PLAIN + 1)])
    with chdir(tmp_path / "p"):
        assert results(Request(), COLLAPSED, stamps=False)[1].templated == 0
