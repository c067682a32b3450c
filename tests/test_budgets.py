"""Budgets: what a project sets, and how an exceeded budget is reported."""

from __future__ import annotations

from tjgen.budgets import DEFAULT, Budgets, exceeded
from tjgen.diagnostics.model import ERROR
from tjgen.spec.objects import ProjectSpec


def test_a_project_without_budgets_has_the_defaults() -> None:
    assert Budgets.of(ProjectSpec({}).budgets) == DEFAULT


def test_a_project_changes_the_budgets_that_it_names() -> None:
    spec = ProjectSpec({"budgets": {"points": 5, "fileSize": "2Ki", "totalSize": "1M"}})
    assert Budgets.of(spec.budgets) == DEFAULT._replace(points=5, file_size=2048, total_size=1_000_000)


def test_the_diagnostic_gives_the_number_the_limit_and_how_to_raise_it() -> None:
    found = exceeded("points", 5000, 64, "the sweep")
    assert (found.code, found.severity, found.name) == ("TJ212", ERROR, "too-many-points")
    assert found.message == "the sweep has 5000 points, more than the budget of 64"
    assert found.hint == "reduce it, or write budgets: {points: 5000} below spec in tjgen.yaml"


def test_where_counting_stopped_the_diagnostic_gives_a_lower_bound() -> None:
    found = exceeded("files", 101, 100, "the folder", is_least=True, verb="holds")
    assert found.message == "the folder holds >= 101 files, more than the budget of 100"
    assert found.hint == "reduce it, or write budgets: {files: 200} below spec in tjgen.yaml"
