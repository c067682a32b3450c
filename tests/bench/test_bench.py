"""The benchmark's inputs are what they claim to be, and its table renders; nothing here is timed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from bench import equals, peers, project
from bench.__main__ import PARTS
from bench.process import FailedError, Task, measure, run
from bench.report import Figure, Part, exponent, failed_part, render
from bench.setting import TJGEN, Setting, ratio, seconds
from tjgen.cluster.schema import walk
from tjgen.language.spec import compact

SCHEMAS = Path(__file__).parents[2] / "schemas"
JOBSET: dict[str, Any] = {
    "apiVersion": "jobset.x-k8s.io/v1alpha2",
    "kind": "JobSet",
    "metadata": {"name": "study-00000-1a2b"},
    "spec": {
        "replicatedJobs": [{"name": "node", "template": {"spec": {"template": {"spec": {"containers": [{"image": "mine:1"}]}}}}}]
    },
}
CLAIM: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "study-00000-checkpoints"},
    "spec": {"resources": {"requests": {"storage": "100Gi"}}},
}


def test_experiments_differ_and_agree_with_the_language(tmp_path: Path) -> None:
    project.write(str(tmp_path), 12)
    trees = [yaml.safe_load((tmp_path / project.path_of(number)).read_text()) for number in range(12)]
    assert [walk.check(tree, compact.EXPERIMENT) for tree in trees] == [[]] * 12
    assert len({tree["spec"]["image"] for tree in trees}) == 12
    assert len({tree["spec"]["volumes"]["checkpoints"]["pvc"]["create"]["size"] for tree in trees}) == 12
    assert {tree["spec"]["runtime"] for tree in trees} == set(project.RUNTIMES)


def test_projects_differ_as_much_as_they_are_named(tmp_path: Path) -> None:
    shapes = {}
    for kind in (project.MIXED, project.ALIKE, project.DIFFERENT):
        project.write(str(tmp_path / kind), 1000, kind)
        trees = [yaml.load((tmp_path / kind / project.path_of(number)).read_text(), yaml.CSafeLoader) for number in range(1000)]
        assert [walk.check(tree, compact.EXPERIMENT) for tree in trees[:12]] == [[]] * 12
        for tree in trees:
            del (
                tree["metadata"]["name"],
                tree["metadata"]["labels"],
                tree["spec"]["image"],
                tree["spec"]["script"],
                tree["spec"]["env"],
            )
            del tree["spec"]["volumes"]["checkpoints"]
        shapes[kind] = len({str(tree) for tree in trees})
    assert shapes == {project.MIXED: 924, project.ALIKE: 12, project.DIFFERENT: 1000}


def test_the_project_and_its_overlays_agree_with_the_language(tmp_path: Path) -> None:
    project.write(str(tmp_path), 0)
    overlays = [yaml.safe_load(path.read_text()) for path in sorted((tmp_path / "overlays").iterdir())]
    assert len(overlays) == 2
    assert [walk.check(tree, compact.OVERLAY) for tree in overlays] == [[], []]
    assert walk.check(yaml.safe_load((tmp_path / "tjgen.yaml").read_text()), compact.PROJECT) == []


@pytest.mark.skipif(not os.access(TJGEN, os.X_OK), reason="tjgen is not installed next to this Python")
@pytest.mark.parametrize("measured", PARTS, ids=lambda part: part.__name__)
def test_every_command_of_a_table_succeeds(measured: Callable[[Setting], Part], tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    setting = Setting(
        str(tmp_path), str(SCHEMAS), times=1, experiments=3, items=10, sizes=(2, 3, 4), peers={}, environment=environment
    )
    figures = measured(setting).figures
    assert [figure.failure for figure in figures if figure.failure] == []
    # The exponent of growth between so few experiments is noise of either sign.
    assert all(figure.value > 0 for figure in figures if figure.unit != "s" and figure.name != "exponent")


def test_the_same_number_gives_the_same_text() -> None:
    assert project.experiment(7) == project.experiment(7) != project.experiment(8)


def test_an_overlay_puts_back_what_its_base_has_otherwise(tmp_path: Path) -> None:
    equals.write_overlay(str(tmp_path), [JOBSET, CLAIM])
    base = yaml.safe_load((tmp_path / "base/jobset.yaml").read_text())
    overlay = yaml.safe_load((tmp_path / "overlay/kustomization.yaml").read_text())
    assert "mine:1" not in str(base)
    assert [yaml.safe_load(patch["patch"])[0]["value"] for patch in overlay["patches"]] == ["mine:1", "100Gi"]
    assert base["spec"]["replicatedJobs"][0]["name"] == "node"
    assert JOBSET["metadata"] == base["metadata"]


def test_a_chart_has_a_hole_for_each_value_that_differs(tmp_path: Path) -> None:
    equals.write_chart(str(tmp_path), [CLAIM], "study-00000", project.values(2))
    template = (tmp_path / "templates/persistentvolumeclaim.yaml").read_text()
    values = yaml.safe_load((tmp_path / "values.yaml").read_text())["experiments"]
    assert "name: {{ .name }}-checkpoints\n" in template
    assert "storage: {{ .size }}\n" in template
    assert [value["size"] for value in values] == ["100Gi", "101Gi"]


def test_only_objects_of_one_experiment_are_compared() -> None:
    shared: dict[str, Any] = {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainingRuntime"}
    assert equals.parse("---\n".join(map(equals.text, [JOBSET, shared, CLAIM]))) == [JOBSET, CLAIM]


def test_schemas_are_found_by_kind(tmp_path: Path) -> None:
    pattern = peers.copy_schemas(str(SCHEMAS), str(tmp_path / "schemas"))
    assert os.path.isfile(pattern.replace("{{.ResourceKind}}", "trainjob"))


def test_tools_that_are_not_installed_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    helm = tmp_path / "helm"
    helm.write_text("#!/bin/sh\n")
    helm.chmod(0o755)
    assert peers.find([]) == {"helm": str(helm)}


def test_every_run_is_prepared_and_counted(tmp_path: Path) -> None:
    prepared: list[int] = []
    task = Task("noop", (sys.executable, "-c", "pass"), str(tmp_path), lambda: prepared.append(1))
    sample = measure([task], 2, os.environ)["noop"]
    assert len(prepared) == 3
    assert len(sample.costs) == 2
    assert 0 < sample.least <= sample.median
    assert sample.memory > 1


def test_a_command_that_fails_is_told_with_what_it_said(tmp_path: Path) -> None:
    task = Task("bad", (sys.executable, "-c", "import sys; sys.exit('no such thing')"), str(tmp_path))
    with pytest.raises(FailedError, match="no such thing"):
        run(task, os.environ)


def test_a_command_that_fails_is_a_row_without_a_figure_and_the_others_are_measured(tmp_path: Path) -> None:
    runs: list[int] = []
    bad = Task("bad", (sys.executable, "-c", "import sys; sys.exit('no such thing')"), str(tmp_path), lambda: runs.append(1))
    good = Task("good", (sys.executable, "-c", "pass"), str(tmp_path))
    samples = measure([bad, good], 2, os.environ)
    assert len(runs) == 1
    figures = [*seconds(samples), *ratio(samples, "bad", "good", 0.5), *ratio(samples, "good", "bad", 0.5)]
    assert [figure.verdict for figure in figures] == ["failed", "", "failed", "failed"]
    assert [name for name, sample in samples.items() if "no such thing" in sample.failure] == ["bad"]
    assert "\n  bad" in render([Part("small", figures)])


def test_a_part_that_cannot_be_prepared_is_a_failed_row() -> None:
    part = failed_part("many_documents", "tjgen build ended with 1")
    assert render([part]) == "many_documents\n  preparation  -      failed\n"


def test_the_exponent_of_a_power_is_its_power() -> None:
    assert exponent({size: 0.3 * size**1.5 for size in (10, 20, 80)}) == pytest.approx(1.5)


def test_the_table_lines_up() -> None:
    parts = [
        Part("small", [Figure("tjgen build", 0.0512, "s", "median 0.060", 0.06), Figure("ratio", 1.5, "x", "", 0.7)]),
        Part("large", [Figure("memory with 5000", 1234.5, "MiB")]),
    ]
    assert render(parts) == (
        "small\n"
        "  tjgen build       0.051  s    <= 0.060  met     median 0.060\n"
        "  ratio              1.50  x    <= 0.700  missed\n"
        "\n"
        "large\n"
        "  memory with 5000   1234  MiB\n"
    )
