"""Diagnostics as programs see them."""

from __future__ import annotations

import json

from tjgen.trees.diagnostics.model import WARNING, Diagnostic, Note, ObjectRef, Span
from tjgen.trees.diagnostics.render.json import render
from tjgen.trees.fields.path import named


def test_no_diagnostics_are_an_empty_array() -> None:
    assert render([]) == "[]\n"


def test_everything_that_a_diagnostic_has() -> None:
    diagnostic = Diagnostic(
        "TJ101",
        'unknown field "é"',
        subject=ObjectRef("v1", "Pod", "ml", "a"),
        path=("spec", "containers", named("main"), "imagee"),
        span=Span("a.yaml", 3, 3, 3, 9),
        related=(Note("first defined here", Span("b.yaml", 1, 2, 1, 4)), Note("by the way")),
        hint="remove it",
    )
    text = render([diagnostic])
    assert text.isascii()
    assert text.endswith("]\n")
    assert json.loads(text) == [
        {
            "code": "TJ101",
            "name": "unknown-field",
            "severity": "error",
            "message": 'unknown field "é"',
            "hint": "remove it",
            "place": {"file": "a.yaml", "line": 3, "column": 3, "endLine": 3, "endColumn": 9},
            "path": "spec.containers[name=main].imagee",
            "subject": {"apiVersion": "v1", "kind": "Pod", "namespace": "ml", "name": "a"},
            "related": [
                {
                    "message": "first defined here",
                    "place": {"file": "b.yaml", "line": 1, "column": 2, "endLine": 1, "endColumn": 4},
                },
                {"message": "by the way", "place": None},
            ],
        }
    ]


def test_what_it_does_not_have_is_null_and_the_order_is_kept() -> None:
    found = json.loads(render([Diagnostic("TJ002", "b", severity=WARNING), Diagnostic("TJ001", "a")]))
    assert [entry["code"] for entry in found] == ["TJ002", "TJ001"]
    assert found[0] == {
        "code": "TJ002",
        "name": "unreadable-text",
        "severity": "warning",
        "message": "b",
        "hint": None,
        "place": None,
        "path": None,
        "subject": None,
        "related": [],
    }
