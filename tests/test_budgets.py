"""Budgets: what a project sets, and the diagnostic of each that is exceeded, with its line and the way to raise it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.program import tjgen
from tests.scaling.inputs import Files, configmap, document, dumped, experiment, project
from tjgen.language.spec.objects import ProjectSpec
from tjgen.trees.budgets import DEFAULT, Clock, CommandBudgets, exceeded
from tjgen.trees.diagnostics.model import ERROR, CompileError
from tjgen.trees.source.reader import KUBERNETES, read


def test_a_project_without_budgets_has_the_defaults() -> None:
    assert CommandBudgets.of(ProjectSpec({}).budgets) == DEFAULT


def test_a_project_changes_the_budgets_that_it_names() -> None:
    spec = ProjectSpec({"budgets": {"points": 5, "fileSize": "2Ki", "totalSize": "1M"}})
    assert CommandBudgets.of(spec.budgets) == DEFAULT._replace(points=5, file_size=2048, total_size=1_000_000)


def test_the_diagnostic_gives_the_number_the_limit_and_how_to_raise_it() -> None:
    found = exceeded("points", 5000, 64, "the sweep")
    assert (found.code, found.severity, found.name) == ("TJ212", ERROR, "too-many-points")
    assert found.message == "the sweep has 5000 points, more than the budget of 64"
    assert found.hint == "reduce it, or write budgets: {points: 5000} below spec in tjgen.yaml"


def test_where_counting_stopped_the_diagnostic_gives_a_lower_bound() -> None:
    found = exceeded("files", 101, 100, "the folder", is_least=True, verb="holds")
    assert found.message == "the folder holds >= 101 files, more than the budget of 100"
    assert found.hint == "reduce it, or write budgets: {files: 200} below spec in tjgen.yaml"


def test_a_build_has_its_seconds() -> None:
    Clock(1000).check()
    with pytest.raises(CompileError) as caught:
        Clock(0).check()
    (found,) = caught.value.diagnostics
    assert (found.code, found.message) == ("TJ217", "the command takes >= 0 seconds of CPU time, more than the budget of 0")


def write(folder: Path, files: Files) -> None:
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


SWEPT = experiment("a", sweep={"matrix": {"env.A": list(range(6))}})
INCLUDED = experiment("a", sweep={"include": [{"env.A": number} for number in range(6)]})
TASKS = experiment("a", tasks={f"task-{number}": {} for number in range(6)})
SWEPT_TASKS = experiment("a", tasks={"left": {}, "right": {}}, sweep={"matrix": {"env.A": [1, 2, 3]}})
EXCEEDED: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "points of a matrix": (SWEPT, {"points": 5}, "TJ212|experiments/a.yaml:10:3|6 points, more than the budget of 5|points: 6"),
    "points of include": (INCLUDED, {"points": 5}, "TJ212|experiments/a.yaml:10:3|6 points, more than the budget of 5|points: 6"),
    "tasks": (TASKS, {"tasks": 5}, "TJ213|experiments/a.yaml:10:3|6 tasks, more than the budget of 5|tasks: 6"),
    "runs": (SWEPT_TASKS, {"runs": 5}, "TJ214|experiments/a.yaml:10:3|6 runs, more than the budget of 5|runs: 6"),
    "values": (SWEPT, {"values": 30}, "TJ216|experiments/a.yaml:18:9|>= 31 values, more than the budget of 30|values: 60"),
}


@pytest.mark.parametrize("name", EXCEEDED)
def test_an_experiment_that_exceeds_a_budget_is_not_built(name: str, tmp_path: Path) -> None:
    tree, budgets, wanted = EXCEEDED[name]
    write(tmp_path, project({"budgets": budgets}, tree))
    answer = tjgen(tmp_path, "build", "-o", "out")
    code, place, message, key = wanted.split("|")
    assert answer.code == 1
    assert f"error[{code}] {place}: " in answer.err
    assert message in answer.err
    assert f"budgets: {{{key}}}" in answer.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", EXCEEDED)
def test_the_number_in_the_hint_is_enough(name: str, tmp_path: Path) -> None:
    tree, _, wanted = EXCEEDED[name]
    key, number = wanted.rpartition("|")[2].split(": ")
    write(tmp_path, project({"budgets": {key: int(number)}}, tree))
    answer = tjgen(tmp_path, "build", "-o", "out")
    assert (answer.code, "TJ21" in answer.err) == (0, False)


def test_documents_of_one_file(tmp_path: Path) -> None:
    write(tmp_path, project({"budgets": {"documents": 2}}, experiment("a")))
    (tmp_path / "experiments" / "a.yaml").write_text(dumped(*[experiment(name) for name in "abc"]), encoding="utf-8")
    answer = tjgen(tmp_path, "build", "-o", "out")
    assert answer.code == 1
    assert "error[TJ215] experiments/a.yaml:20:1: the file has >= 3 documents, more than the budget of 2" in answer.err
    assert not (tmp_path / "out").exists()


def test_a_project_below_the_root_does_not_raise_budgets(tmp_path: Path) -> None:
    inner = project({"budgets": {"points": 20_000}}, experiment("a", sweep={"matrix": {"env.A": [0] * 10_001}, "max": 20_000}))
    write(tmp_path, {"tjgen.yaml": dumped(document("Project", "outer", {}))})
    write(tmp_path, {f"inner/{name}": text for name, text in inner.items()})
    answer = tjgen(tmp_path, "build", "inner/experiments")
    assert answer.code == 1
    assert "the sweep has 10001 points, more than the budget of 10000" in answer.err


def test_a_slow_build_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, project({"budgets": {"seconds": 3}}, *[experiment(f"e-{number}") for number in range(4)]))
    times = iter(range(100))
    monkeypatch.setattr("tjgen.trees.budgets.cpu_seconds", lambda: next(times))
    answer = tjgen(tmp_path, "build", "-o", "out")
    assert answer.code == 1
    assert "error[TJ217]" in answer.err
    assert "the command takes >= 3 seconds of CPU time, more than the budget of 3" in answer.err
    assert not (tmp_path / "out").exists()


MANIFESTS = (("check", "--no-cache"), ("lint", "--gitops", "argocd"), ("expand",))


@pytest.mark.parametrize("words", MANIFESTS, ids=lambda words: words[0])
def test_manifests_have_the_budgets_of_the_project_that_the_command_runs_in(words: tuple[str, ...], tmp_path: Path) -> None:
    write(tmp_path, {"tjgen.yaml": dumped(document("Project", "a", {"budgets": {"documents": 2}}))})
    write(tmp_path, {"manifests.yaml": dumped(*[configmap(name) for name in "abc"])})
    answer = tjgen(tmp_path, words[0], "manifests.yaml", *words[1:])
    assert answer.code == 1
    assert "error[TJ215] manifests.yaml:16:1: the file has >= 3 documents, more than the budget of 2" in answer.err


@pytest.mark.parametrize("words", MANIFESTS, ids=lambda words: words[0])
def test_no_command_reads_on_once_its_time_is_up(words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"tjgen.yaml": dumped(document("Project", "a", {"budgets": {"seconds": 7}}))})
    write(tmp_path, {f"manifests/{name}.yaml": dumped(configmap(name)) for name in "abcdefghijkl"})
    times = count()
    monkeypatch.setattr("tjgen.trees.budgets.cpu_seconds", lambda: next(times))
    answer = tjgen(tmp_path, words[0], "manifests", *words[1:])
    assert answer.code == 1
    assert answer.err.count("error[TJ217]") == 1
    assert "the command takes >= 7 seconds of CPU time, more than the budget of 7" in answer.err
    assert answer.out == ""


@pytest.mark.parametrize("is_list", [False, True], ids=["a stream", "a List"])
def test_check_stops_inside_a_file(is_list: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"tjgen.yaml": dumped(document("Project", "a", {"budgets": {"seconds": 7}}))})
    objects = [configmap(f"c-{number}") for number in range(40)]
    text = dumped({"apiVersion": "v1", "kind": "List", "items": objects}) if is_list else dumped(*objects)
    write(tmp_path, {"manifests.yaml": text})
    times = count()
    monkeypatch.setattr("tjgen.trees.budgets.cpu_seconds", lambda: next(times))
    answer = tjgen(tmp_path, "check", "manifests.yaml", "--no-cache")
    assert (answer.code, answer.err.count("error[TJ217] manifests.yaml:")) == (1, 1), answer.err
    assert "the command takes >= 7 seconds of CPU time" in answer.err
    lines = [int(part.split(":")[1]) for part in answer.err.split() if part.startswith("manifests.yaml:")]
    assert 1 < lines[0] < len(text.splitlines()) // 2


def test_the_load_of_the_machine_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.monotonic", lambda: 1e9)
    clock = Clock(1)
    time.sleep(1.1)
    clock.check()


def test_work_of_this_process_and_of_its_children_counts() -> None:
    clock = Clock(1)
    subprocess.run([sys.executable, "-c", "while True:\n    import time\n    if time.process_time() > 1.2: break"], check=True)
    with pytest.raises(CompileError):
        clock.check()


def test_a_build_of_more_runs_has_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    spent = 0.0
    monkeypatch.setattr("tjgen.trees.budgets.cpu_seconds", lambda: spent)
    clock = Clock(10)
    for runs, limit in ((0, 10), (999, 10), (1, 20), (1500, 30)):
        clock.count(runs)
        spent = limit - 0.1
        clock.check()
        spent = limit
        with pytest.raises(CompileError) as caught:
            clock.check()
        (found,) = caught.value.diagnostics
        assert found.message == f"the command takes >= {limit} seconds of CPU time, more than the budget of {limit}"
        assert found.hint == "reduce it, or write budgets: {seconds: 20} below spec in tjgen.yaml"
        spent = 0.0


def test_a_worker_has_the_budget_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter((500.0, 9.0, 10.0))
    monkeypatch.setattr("tjgen.trees.budgets.cpu_seconds", lambda: next(times))
    clock = Clock(10)
    monkeypatch.setattr("os.getpid", lambda: -1)  # in the process of a worker, time begins at 0
    clock.check()
    with pytest.raises(CompileError):
        clock.check()


@pytest.mark.parametrize("separator", ["---\n", ""], ids=["YAML", "JSON objects"])
def test_the_values_of_documents_are_counted_one_by_one(separator: str) -> None:
    one = '{"a": [1, 2, 3]}\n'  # 6 values
    budgets = DEFAULT._replace(values=7)
    documents, problems = read((separator + one) * 4, "m.yaml", KUBERNETES, budgets)
    assert (len(documents), problems) == (4, [])
    larger = one.replace("3", "3, 4, 5")
    documents, (problem,) = read((separator + one) * 2 + separator + larger, "m.yaml", KUBERNETES, budgets)
    assert (len(documents), problem.code) == (2, "TJ216")
    assert problem.message == "an object of the file has >= 8 values, more than the budget of 7"
    assert problem.hint == "reduce it, or write budgets: {values: 14} below spec in tjgen.yaml"
    documents, (problem,) = read((separator + one) * 5, "m.yaml", KUBERNETES, budgets)
    assert (len(documents), problem.code) == (4, "TJ216")
    assert problem.message == "the file has >= 29 values, more than the budget of 28"
    assert problem.hint == "reduce it, or write budgets: {values: 14} below spec in tjgen.yaml"


@pytest.mark.parametrize("dumps", [json.dumps, lambda tree: dumped(json.loads(json.dumps(tree)))], ids=["JSON", "YAML"])
def test_the_values_of_the_items_of_a_list_are_counted_one_by_one(dumps: Callable[[Any], str]) -> None:
    """`kubectl get -o json` prints the kind after the items."""
    item = {"kind": "A", "data": [1, 2, 3]}  # 8 values
    budgets = DEFAULT._replace(values=12)
    documents, problems = read(dumps({"apiVersion": "v1", "items": [item] * 4, "kind": "List"}), "m.json", KUBERNETES, budgets)
    assert (len(documents), problems) == (1, [])
    larger = {"kind": "A", "data": [1, 2, 3, 4, 5, 6, 7, 8]}
    documents, (problem,) = read(dumps({"apiVersion": "v1", "items": [item, larger]}), "m.json", KUBERNETES, budgets)
    assert (documents, problem.code) == ([], "TJ216")
    assert problem.message == "an object of the file has >= 13 values, more than the budget of 12"
    _, (problem,) = read(dumps({"apiVersion": "v1", "items": [item] * 6}), "m.json", KUBERNETES, budgets)
    assert problem.message == "the file has >= 49 values, more than the budget of 48"
    _, (problem,) = read(dumps({"apiVersion": "v1", "data": {"items": [item] * 4}}), "m.json", KUBERNETES, budgets)
    assert problem.message == "an object of the file has >= 13 values, more than the budget of 12"


def test_the_output_of_a_large_chart_is_within_the_budgets() -> None:
    labels = "".join(f"    label-{number}: value\n" for number in range(90))
    one = f"---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels:\n{labels}data: {{}}\n"
    documents, problems = read(one * 4100, "chart.yaml", KUBERNETES)
    assert (len(documents), problems) == (4100, [])
    assert DEFAULT.values < 4100 * 190


def test_check_accepts_the_output_of_a_large_chart(tmp_path: Path) -> None:
    """Recognized documents count one by one, too."""
    labels = "".join(f"    label-{number}: value\n" for number in range(40))
    text = "".join(
        f"---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a-{number}\n  labels:\n{labels}data: {{}}\n"
        for number in range(60)
    )
    budgets = "apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec: {budgets: {values: 1400}}\n"  # 60 documents of 92 values
    (tmp_path / "tjgen.yaml").write_text(budgets, encoding="utf-8")
    (tmp_path / "chart.yaml").write_text(text, encoding="utf-8")
    answer = tjgen(tmp_path, "check", "chart.yaml", "--no-cache")
    assert (answer.code, "60 objects, 0 problems" in answer.err) == (0, True), answer.err
