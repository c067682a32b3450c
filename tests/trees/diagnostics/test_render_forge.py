"""Diagnostics as forges read them: SARIF, workflow commands of GitHub, Code Quality of GitLab.

`SARIF_SCHEMA=<sarif-schema-2.1.0.json> .ci/test tests/trees/diagnostics` also asks the schema of the standard.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.program import arguments, cases, tjgen
from tjgen.trees.diagnostics.codes import ACTIVE, load_codes
from tjgen.trees.diagnostics.model import ERROR, INFO, WARNING, Diagnostic, Note, ObjectRef, Span
from tjgen.trees.diagnostics.render import github, gitlab, sarif

SCHEMA = os.environ.get("SARIF_SCHEMA", "")
EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: bad, namespace: vision}
spec: {runtime: tjgen-torch, imagee: a, script: a.py}
"""
FULL = Diagnostic(
    "TJ003",
    'key "é, {0} [a](b)" exists twice: 100%\nreally',
    subject=ObjectRef("v1", "Pod", "ml", "a"),
    path=("spec", "containers"),
    span=Span("a b,c.yaml", 3, 3, 3, 9),
    related=(Note("first defined here", Span("b.yaml", 1, 2, 1, 4)), Note("by the way")),
    hint="remove it",
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in a working tree of Git, where the test runs."""
    (tmp_path / "top" / ".git").mkdir(parents=True)
    place = tmp_path / "top" / "training jobs"
    place.mkdir()
    monkeypatch.chdir(place)
    return place


def log(*diagnostics: Diagnostic) -> dict[str, Any]:
    """The run of a SARIF log, whose shape is checked."""
    text = sarif.render(diagnostics)
    assert text.isascii()
    return checked(json.loads(text))


def checked(found: dict[str, Any]) -> dict[str, Any]:
    assert sorted(found) == ["$schema", "runs", "version"]
    assert found["version"] == "2.1.0"
    (run,) = found["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == sorted(set(rules))
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        assert result["message"]["text"]
        for location in [*result["locations"], *result.get("relatedLocations", [])]:
            physical = location["physicalLocation"]
            assert not physical["artifactLocation"]["uri"].startswith("/")
            assert all(number >= 1 for number in physical.get("region", {}).values())
    fingerprints = [str(result["partialFingerprints"]) for result in run["results"]]
    assert len(set(fingerprints)) == len(fingerprints)
    return dict(run)


def test_a_sarif_result_has_what_the_diagnostic_has(folder: Path) -> None:
    (folder / "a b,c.yaml").touch()
    run = log(FULL)
    assert run["columnKind"] == "unicodeCodePoints"
    (rule,) = run["tool"]["driver"]["rules"]
    entry = next(entry for entry in load_codes() if entry.code == "TJ003")
    assert (rule["id"], rule["name"], rule["defaultConfiguration"]) == ("TJ003", "duplicate-key", {"level": "error"})
    assert rule["fullDescription"]["text"] == entry.meaning
    assert "docs/reference/diagnostics.md#tj003" in rule["help"]["text"]
    (result,) = run["results"]
    assert result["message"]["text"] == 'key "é, {{0}} \\[a\\](b)" exists twice: 100%\nreally\nHint: remove it'
    assert result["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "training%20jobs/a%20b%2Cc.yaml", "uriBaseId": "%SRCROOT%"},
                "region": {"startLine": 3, "startColumn": 3, "endLine": 3, "endColumn": 9},
            },
            "logicalLocations": [{"fullyQualifiedName": "Pod/a spec.containers", "kind": "resource"}],
        }
    ]
    (related,) = result["relatedLocations"]
    assert related["message"] == {"text": "first defined here"}


def test_every_code_has_its_rule() -> None:
    active = [entry for entry in load_codes() if entry.status == ACTIVE]
    run = log(*[Diagnostic(entry.code, "a") for entry in active])
    assert [(rule["id"], rule["name"]) for rule in run["tool"]["driver"]["rules"]] == [(one.code, one.name) for one in active]


def test_what_is_in_no_file_is_in_the_project() -> None:
    (result,) = log(Diagnostic("TJ262", "no such environment"))["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "tjgen.yaml"
    (entry,) = json.loads(gitlab.render([Diagnostic("TJ262", "no such environment")]))
    assert entry["location"] == {"path": "tjgen.yaml", "lines": {"begin": 1}}
    assert github.render([Diagnostic("TJ262", "no such")]) == "::error title=TJ262 unknown-environment::no such\n"


def test_github_takes_no_character_of_ours_for_its_own(folder: Path) -> None:
    (folder / "a b,c.yaml").touch()
    assert github.render([FULL]) == (
        "::error file=training jobs/a b%2Cc.yaml,line=3,col=3,endLine=3,endColumn=9,title=TJ003 duplicate-key::"
        'key "é, {0} [a](b)" exists twice: 100%25%0Areally%0AHint: remove it%0Afirst defined here: b.yaml:1:2%0Aby the way\n'
    )
    hostile = Diagnostic("TJ001", "a\r\n::error::b\x1b[31m", span=Span("a:b", 1, 2, 3, 4), severity=INFO)
    (line,) = github.render([hostile]).splitlines()
    assert line == "::notice file=a%3Ab,line=1,endLine=3,title=TJ001 yaml-syntax::a%0A\\x3a:error::b\\x1b[31m"


def test_severities() -> None:
    three = [Diagnostic("TJ001", "a", severity=severity) for severity in (ERROR, WARNING, INFO)]
    assert [line.split(" ")[0] for line in github.render(three).splitlines()] == ["::error", "::warning", "::notice"]
    assert [one["severity"] for one in json.loads(gitlab.render(three))] == ["critical", "minor", "info"]
    assert [one["level"] for one in log(*three)["results"]] == ["error", "warning", "note"]


def test_files_are_named_from_the_top_of_the_working_tree(folder: Path, tmp_path: Path) -> None:
    (folder / "deep").mkdir()
    inside = {
        "deep/a.yaml": "training%20jobs/deep/a.yaml",
        "../b.yaml": "b.yaml",
        str(folder / "c.yaml"): "training%20jobs/c.yaml",
    }
    for name in inside:
        (folder / name).touch()
    (tmp_path / "outside.yaml").touch()
    others = {
        "<stdin>": "%3Cstdin%3E",
        "HEAD:a.yaml": "HEAD%3Aa.yaml",
        str(tmp_path / "outside.yaml"): f"file://{tmp_path}/outside.yaml",
    }
    for name, uri in {**inside, **others}.items():
        (result,) = log(Diagnostic("TJ001", "a", span=Span(name, 1, 1, 1, 2)))["results"]
        assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


def test_without_a_repository_files_keep_their_names(folder: Path) -> None:
    (folder.parent / ".git").rmdir()
    (folder / "a.yaml").touch()
    assert "file=a.yaml," in github.render([Diagnostic("TJ001", "a", span=Span("a.yaml", 1, 1, 1, 2))])


def test_a_fingerprint_stays_where_lines_move_and_tells_twins_apart() -> None:
    def known(*diagnostics: Diagnostic) -> list[str]:
        return [one["fingerprint"] for one in json.loads(gitlab.render(diagnostics))]

    moved = FULL._replace(span=Span("a b,c.yaml", 30, 3, 30, 9))
    assert known(FULL) == known(moved)
    assert len(set(known(FULL, moved, FULL._replace(message="b"), FULL._replace(code="TJ004")))) == 4


@pytest.mark.parametrize(("name", "read"), [("sarif", json.loads), ("gitlab", json.loads), ("github", str.splitlines)])
def test_every_command_writes_them(name: str, read: Callable[[str], Any], folder: Path) -> None:
    (folder / "experiment.yaml").write_text(EXPERIMENT, encoding="utf-8")
    (folder / "bad.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndataa: {}\n", encoding="utf-8")
    for words in (
        ["build", "experiment.yaml"],
        ["build", "experiment.yaml", "-o", "deploy"],
        ["check", "bad.yaml"],
        ["expand", "bad.yaml"],
        ["explain", "experiment.yaml"],
        ["diff", "nosuch", "-o", "deploy"],
    ):
        answer = tjgen(folder, *words, "--format", name)
        assert (answer.code, answer.out) == (1, ""), words
        assert read(answer.err), words
    good = EXPERIMENT.replace("imagee", "image")
    (folder / "experiment.yaml").write_text(good, encoding="utf-8")
    answer = tjgen(folder, "build", "experiment.yaml", "--format", name)
    assert (answer.code, answer.out[:11]) == (0, "apiVersion:")
    if name == "sarif":
        assert checked(json.loads(answer.err))["results"] == []
    else:
        assert not read(answer.err)


@pytest.mark.skipif(not SCHEMA, reason="set SARIF_SCHEMA to the schema of SARIF 2.1.0")
def test_the_schema_of_the_standard_agrees() -> None:
    schema = json.loads(Path(SCHEMA).read_text(encoding="utf-8"))
    judge = jsonschema.validators.validator_for(schema)(schema, format_checker=jsonschema.Draft7Validator.FORMAT_CHECKER)
    texts = [sarif.render([]), sarif.render([FULL, FULL, Diagnostic("TJ345", "a")])]
    texts += [tjgen(case, "build", *arguments(case), "--format", "sarif").err for case in cases("rejects")]
    for text in texts:
        judge.validate(json.loads(text))
        checked(json.loads(text))
