"""What repeats for one cause is shown once to people; formats for programs list everything."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.program import tjgen
from tjgen.trees.diagnostics.model import Diagnostic, Note, ObjectRef, Span
from tjgen.trees.diagnostics.render.grouped import grouped


def _problem(file: str, message: str, *, line: int = 1, hint: str = "h", subject: ObjectRef | None = None) -> Diagnostic:
    return Diagnostic("TJ349", message, subject, None, Span(file, line, 1, line, 2), (), hint)


def _shown(*diagnostics: Diagnostic) -> list[tuple[str, str]]:
    """The place, and the note of each diagnostic that is shown."""
    return [(str(one.span), one.related[-1].message if one.related else "") for one in grouped(diagnostics)]


def test_equal_messages_are_one_and_the_note_lists_three_places() -> None:
    found = [_problem(f"{name}.yaml", "no queue is set") for name in "abcdef"]
    assert _shown(*found) == [("a.yaml:1:1", "5 more like it: b.yaml:1:1, c.yaml:1:1, d.yaml:1:1, and 2 others")]
    assert _shown(*found[:5]) == [("a.yaml:1:1", "4 more like it: b.yaml:1:1, c.yaml:1:1, d.yaml:1:1, and 1 other")]
    assert _shown(*found[:2]) == [("a.yaml:1:1", "1 more like it: b.yaml:1:1")]
    assert grouped(found[:1]) == found[:1]


def test_three_are_shown_if_names_differ() -> None:
    found = [_problem(f"{name}.yaml", f'volume "{name}" is of run {name}-4t6fg8b7') for name in "abcde"]
    assert _shown(*found) == [
        ("a.yaml:1:1", ""),
        ("b.yaml:1:1", ""),
        ("c.yaml:1:1", "2 more like it: d.yaml:1:1, e.yaml:1:1"),
    ]


def test_runs_that_one_line_of_a_platform_refuses_are_one_group() -> None:
    found = [_problem("platform.yaml", f"run a-{number} exceeds the quota", line=7) for number in range(1000)]
    assert [note for _, note in _shown(*found)] == ["", "", "997 more like it: platform.yaml:7:1, and 996 others"]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(_problem("a.yaml", 'unknown field "b"', line=2), id="at another place of the file"),
        pytest.param(_problem("b.yaml", 'unknown field "b"', hint="other"), id="with another hint"),
        pytest.param(_problem("b.yaml", 'unknown key "b"'), id="with other words"),
    ],
)
def test_other_problems_stay_apart(other: Diagnostic) -> None:
    found = [_problem("a.yaml", 'unknown field "a"'), other]
    assert grouped(found) == found


def test_different_problems_of_one_file_are_all_shown() -> None:
    found = [_problem("a.yaml", f'unknown field "{name}"', line=line) for line, name in enumerate("abcdefgh", 1)]
    assert grouped(found) == found


def test_the_object_is_no_part_of_the_cause() -> None:
    refs = [ObjectRef("v1", "Pod", "n", name) for name in "ab"]
    found = [Diagnostic("TJ664", f"{ref}: newest image", ref, hint="h") for ref in refs]
    assert grouped(found) == [found[0]._replace(related=(Note("1 more like it: Pod/b"),))]


EXPERIMENT = """
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: %s}
spec: {runtime: tjgen-plain, naming: fixed, command: [count]}
"""
PROJECT = """
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec:
  experiments: [experiments]
  environments: {dev: {}, prod: {}}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "experiments").mkdir()
    (tmp_path / "tjgen.yaml").write_text(PROJECT)
    for name in "abc":
        (tmp_path / f"experiments/{name}.yaml").write_text(EXPERIMENT % name)
    return tmp_path


def test_a_namespace_that_is_left_out_is_reported_once_for_each_environment(project: Path) -> None:
    answer = tjgen(project, "build", "-o", "deploy")
    assert answer.code == 0
    lines = [line for line in answer.err.splitlines() if "TJ766" in line or "more like it" in line]
    first = "info[TJ766] experiments/a.yaml:4:1: the experiment has no namespace: its objects go to default"
    note = "  note: 2 more like it: experiments/b.yaml:4:1, experiments/c.yaml:4:1"
    assert lines == [first, note, first, note]


@pytest.mark.parametrize("output_format", ["json", "sarif", "github", "gitlab"])
def test_formats_for_programs_list_each_of_them(project: Path, output_format: str) -> None:
    text = tjgen(project, "build", "-o", "deploy", "--format", output_format).err
    assert "more like it" not in text
    assert sum(f"experiments/{name}.yaml" in text for name in "abc") == 3
    if output_format == "json":
        assert len(json.loads(text)) == 6
