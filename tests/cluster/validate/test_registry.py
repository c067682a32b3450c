"""The registry of facts about objects: every gate that gets an object reports every fact about it.

`facts/<code>.yaml` is an example for a code. A gate reports the code itself, or under another code of `REPORTED_AS`.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

from tests.checkout import list_entries
from tests.gitops.verify.repository import commit, git
from tests.program import tjgen
from tjgen.cluster.validate.registry import CLOSED, OBJECT, RULES, SERVER, TOGETHER, UPDATE
from tjgen.compiler.hops.verdict import wrong
from tjgen.compiler.totals.relations import problems, relations
from tjgen.gitops.diff.compare import compare
from tjgen.gitops.diff.problems import problems as reported
from tjgen.gitops.diff.side import Side
from tjgen.gitops.lint.objects import REPORTED_AS
from tjgen.trees.fields.managed import Owners
from tjgen.trees.manifests.manifest import RUNS, Manifest
from tjgen.trees.session import Session

FACTS = Path(__file__).parent / "facts"
BUILT = Path(__file__).parent / "built"
"""A project, and for each code experiments whose objects show the fact together."""
MADE = {"TJ508": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: {note: %s}}\n" % ("x" * 262_145)}
"""Examples that are too large for a file."""
PHASES = {code: {rule.phase for rule in RULES if code in rule.codes} for rule in RULES for code in rule.codes}
WITHOUT_COMPARISON = sorted(code for code, phases in PHASES.items() if phases & {SERVER, OBJECT, TOGETHER})

NOT_IN_CHECK = {"TJ801": "without --closed, a runtime that is not found is TJ529"}
NOT_IN_LINT = {
    "TJ529": "it states that a TrainJob was not checked completely; TJ609 reports an unknown runtime if others are known",
    "TJ801": "with --closed only",
}
NOT_IN_BUILD = {
    "TJ109": "the hop reports it before the verdict: tests/trees/trust/test_secrets.py",
    "TJ531": "webhooks of Trainer read the runtime, which the hop passes in: tests/compiler",
}
"""Codes of one object -> why `wrong` does not report them for it alone."""
NOT_IN_IMPORT = {"TJ531": "the webhook warns of the reference to the runtime, and the import takes the runtime along"}
NOT_TOGETHER = {
    "TJ528": "a build applies a PodGroup only with as many pods (TJ491); test_a_gang_waits_for_pods_of_other_runs has both",
    "TJ529": "a build refuses a runtime that it does not know",
    "TJ801": "a build refuses a runtime that it does not know",
    "TJ895": "the verdict on one run reports refused created objects, under the code of phase SERVER",
}
"""Codes of objects together -> why a build reports them otherwise."""
NOT_IMPORTED = ("TJ775", "TJ776", "TJ773")
"""Codes for an object that an import leaves out: it names the cause in its message."""


def example(code: str, folder: Path) -> Path:
    file = folder / f"{code}.yaml"
    if code in MADE:
        file.write_text(MADE[code], encoding="utf-8")
    else:
        shutil.copy(FACTS / f"{code}.yaml", file)
    return file


def test_every_code_of_the_registry_has_an_example() -> None:
    known = {path.stem for path in list_entries(FACTS)} | set(MADE)
    needed = {code for code, phases in PHASES.items() if phases != {UPDATE}}
    assert needed - known == set()


@pytest.mark.parametrize("code", [code for code in WITHOUT_COMPARISON if code not in NOT_IN_CHECK])
def test_check_reports_every_fact(code: str, tmp_path: Path) -> None:
    example(code, tmp_path)
    assert f"[{code}]" in tjgen(tmp_path, "check", "--no-cache", f"{code}.yaml").err
    assert f"[{code}]" in tjgen(tmp_path, "check", "--no-cache", "--apply", "client-side", ".").err


@pytest.mark.parametrize("code", sorted(code for code, phases in PHASES.items() if CLOSED in phases))
def test_check_reports_every_fact_about_a_closed_set(code: str, tmp_path: Path) -> None:
    example(code, tmp_path)
    assert f"error[{code}]" in tjgen(tmp_path, "check", "--closed", f"{code}.yaml").err


@pytest.mark.parametrize("code", [code for code in WITHOUT_COMPARISON if code not in NOT_IN_LINT])
def test_lint_reports_every_fact(code: str, tmp_path: Path) -> None:
    example(code, tmp_path)
    assert f"[{REPORTED_AS.get(code, code)}]" in tjgen(tmp_path, "lint", "--gitops", "argocd", f"{code}.yaml").err


@pytest.mark.parametrize(
    "code", sorted(code for code, phases in PHASES.items() if phases & {SERVER, OBJECT} and code not in NOT_IN_IMPORT)
)
def test_import_reports_every_fact_or_leaves_the_object_out(code: str, tmp_path: Path) -> None:
    example(code, tmp_path)
    said = tjgen(tmp_path, "import", f"{code}.yaml").err
    assert any(f"[{one}]" in said for one in (code, *NOT_IMPORTED))


@pytest.mark.parametrize(
    "code", sorted(code for code, phases in PHASES.items() if phases & {SERVER, OBJECT} and code not in NOT_IN_BUILD)
)
def test_a_build_reports_every_fact_about_an_object(code: str, tmp_path: Path) -> None:
    trees = list(yaml.safe_load_all(example(code, tmp_path).read_text(encoding="utf-8")))
    owners: Owners = {}
    names = ("TJ528-own",) if code == "TJ528" else ()
    trees += [yaml.safe_load((FACTS / f"{name}.yaml").read_text(encoding="utf-8")) for name in names]
    found = [one.code for tree in trees for one in wrong(Manifest(tree, owners, RUNS), [], {}, Session())]
    assert code in found


TOGETHER_IN_BUILDS = sorted(code for code, phases in PHASES.items() if TOGETHER in phases and code not in NOT_TOGETHER)


def project(code: str, folder: Path) -> None:
    for name in ("tjgen.yaml", "runtime.yaml", f"{code}.yaml"):
        shutil.copy(BUILT / name, folder)
    # Each experiment has its own file: what a build remembers of one must do for the others.
    documents = (BUILT / f"{code}.yaml").read_text(encoding="utf-8").split("---\n")
    (folder / f"{code}.yaml").unlink()
    (folder / "experiments").mkdir()
    for number, text in enumerate(documents):
        (folder / "experiments" / f"{number}.yaml").write_text(text, encoding="utf-8")


@pytest.mark.parametrize("code", TOGETHER_IN_BUILDS)
def test_a_build_reports_every_fact_about_objects_together(code: str, tmp_path: Path) -> None:
    project(code, tmp_path)
    assert f"[{code}]" in tjgen(tmp_path, "build").err
    # With the cache, and after a change of one experiment only.
    assert f"[{code}]" in tjgen(tmp_path, "build").err
    file = tmp_path / "experiments" / "0.yaml"
    file.write_text(file.read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")
    assert f"[{code}]" in tjgen(tmp_path, "build", "--check").err


@pytest.mark.parametrize("code", TOGETHER_IN_BUILDS)
def test_check_and_lint_report_every_fact_about_experiments_together(code: str, tmp_path: Path) -> None:
    project(code, tmp_path)
    assert f"[{code}]" in tjgen(tmp_path, "check", "experiments").err
    assert f"[{REPORTED_AS.get(code, code)}]" in tjgen(tmp_path, "lint").err


@pytest.mark.parametrize(("pods", "codes"), [(2, ["TJ528"]), (3, [])])
def test_a_gang_waits_for_pods_of_other_runs(pods: int, codes: list[str]) -> None:
    group, job = (Manifest(tree, {}, RUNS) for tree in yaml.safe_load_all((FACTS / "TJ528.yaml").read_text(encoding="utf-8")))
    job.tree["spec"] |= {"parallelism": pods, "completions": pods}
    runs = [*relations("prod", None, [job], []), *relations("prod", None, [group], [])]
    assert [one.code for one in problems(runs)] == codes
    elsewhere = [*relations("dev", None, [job], []), *relations("prod", None, [group], [])]
    assert problems(elsewhere) == []


UPDATES = {
    "claim": "TJ621",
    "configmap": "TJ622",
    "jobset": "TJ618",
    "service": "TJ542",
    "trainjob": "TJ615",
}
"""Example of a refused update -> the code under which lint reports it."""


@pytest.mark.parametrize("kind", UPDATES)
def test_gates_that_compare_report_a_refused_update(kind: str, tmp_path: Path) -> None:
    texts = {}
    for side in ("old", "new"):
        (tmp_path / side).mkdir()
        shutil.copy(FACTS / "TJ540" / side / f"{kind}.yaml", tmp_path / side)
        texts[side] = (tmp_path / side / f"{kind}.yaml").read_text(encoding="utf-8")
    for command, code in (("check", "TJ542"), ("lint", UPDATES[kind])):
        answer = tjgen(tmp_path, command, "new", "--against", "old")
        assert answer.code == 1
        assert f"error[{code}]" in answer.err, answer.err
    # The comparison of diff and verify.
    old, new = (Side(side, {f"runs/ml/digits/digits/{kind}.yaml": text}, {}) for side, text in texts.items())
    assert {one.code for entry in compare(old, new) for one in reported(entry)} == {"TJ540"}


@pytest.mark.parametrize("command", ["diff", "verify"])
def test_gates_of_projects_report_a_refused_update(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    project("TJ865", tmp_path)
    assert tjgen(tmp_path, "build").code == 0
    commit(tmp_path)
    file = tmp_path / "experiments" / "1.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("size: 1Gi", "size: 512Mi"), encoding="utf-8")
    if command == "verify":
        assert tjgen(tmp_path, "build").code == 0
    answer = tjgen(tmp_path, command)
    assert answer.code == 1
    # In verify, the rule of lint reports the change, so that an annotation can accept it.
    code = "TJ621" if command == "verify" else "TJ540"
    assert f"error[{code}]" in answer.err, answer.err
