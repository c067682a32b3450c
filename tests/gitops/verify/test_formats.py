"""The output formats and the exit codes of `tjgen verify`, for one change with one finding: golden files in `formats`.

    python -m tests.gitops.verify.test_formats

writes the golden files again.
"""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path

import pytest

from tests.checkout import list_entries
from tests.gitops.verify.repository import build, experiment, git, lock_of, runs, start, verify
from tests.program import Answer, tjgen
from tjgen.cli.command import FORMATS

GOLDEN = Path(__file__).parent / "formats"


def change(folder: Path) -> None:
    """A new run, and an edit by hand of the header of a superseded one."""
    start(folder)
    experiment(folder, "letters", "2")
    build(folder)
    run = next(run for run in runs(folder, "digits") if "superseded" in lock_of(folder, run).read_text(encoding="utf-8"))
    (file,) = run.glob("trainjob-*.yaml")
    file.write_text(file.read_text(encoding="utf-8").replace("source: experiments/digits", "source: mine"), encoding="utf-8")


def shown(answer: Answer) -> str:
    """Exit code, standard output and standard error, without the descriptions of rules, which the reference has."""
    out, err = answer.out, answer.err
    if err.startswith("{"):
        data = json.loads(err)
        for run in data["runs"]:
            for rule in run["tool"]["driver"]["rules"]:
                for key in [key for key in rule if key not in ("id", "name")]:
                    del rule[key]
            run["tool"]["driver"].pop("version", None)
        err = json.dumps(data, indent=2) + "\n"
    return f"exit code: {answer.code}\n--- standard output\n{out}--- standard error\n{err}"


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository with the change."""
    folder = tmp_path_factory.mktemp("formats") / "project"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TJGEN_CACHE", "off")
        change(folder)
    return folder


def test_every_format_is_recorded() -> None:
    assert {path.stem for path in list_entries(GOLDEN, "*.txt")} == set(FORMATS)


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_as_recorded(name: str, changed: Path) -> None:
    found = shown(verify(changed, "--base", "base", "--format", name))
    assert found == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")


def test_data_can_be_read(changed: Path) -> None:
    answer = verify(changed, "--base", "base", "--format", "json")
    (summary,) = json.loads(answer.out)["environments"]
    assert set(summary["runs"]) == {"new", "superseded"}
    (one,) = json.loads(answer.err)
    assert (one["code"], one["severity"]) == ("TJ292", "error")
    (entry,) = json.loads(verify(changed, "--base", "base", "--format", "gitlab").err)
    assert entry["location"]["path"] == one["place"]["file"]
    sarif = json.loads(verify(changed, "--base", "base", "--format", "sarif").err)
    (result,) = sarif["runs"][0]["results"]
    assert result["ruleId"] == "TJ292"
    annotation = verify(changed, "--base", "base", "--format", "github").err
    assert re.search(
        rf"^::error file={one['place']['file']},line={one['place']['line']},.*title=TJ292 ", annotation, re.MULTILINE
    )


@pytest.mark.parametrize("name", FORMATS)
def test_no_findings_are_exit_code_0_in_each_format(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TJGEN_CACHE", "off")
    start(tmp_path)
    assert verify(tmp_path, "--base", "base", "--format", name).code == 0


@pytest.mark.parametrize(
    ("words", "code"),
    [
        pytest.param(["--base", "nothing-like-this"], 1, id="a base that does not exist"),
        pytest.param(["--format", "xml"], 2, id="an unknown format"),
        pytest.param(["--bass", "base"], 2, id="an unknown option"),
        pytest.param(["experiments"], 2, id="a path"),
    ],
)
def test_wrong_use_is_exit_code_2_and_a_wrong_base_is_a_finding(words: list[str], code: int, changed: Path) -> None:
    assert verify(changed, *words).code == code


def test_a_revision_without_its_option_names_the_option(changed: Path) -> None:
    answer = tjgen(changed, "verify", "HEAD")
    assert (answer.code, "use tjgen verify --base HEAD" in answer.err) == (2, True)


def test_a_project_without_output_is_wrong_use(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    (tmp_path / "tjgen.yaml").write_text("apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec: {}\n", encoding="utf-8")
    answer = tjgen(tmp_path, "verify")
    assert (answer.code, "there is no output to verify" in answer.err) == (2, True), answer.err


def write_golden_files() -> None:
    """Write the golden files again."""
    with tempfile.TemporaryDirectory() as folder:
        change(Path(folder) / "project")
        for name in FORMATS:
            found = shown(verify(Path(folder) / "project", "--base", "base", "--format", name))
            (GOLDEN / f"{name}.txt").write_text(found, encoding="utf-8")


if __name__ == "__main__":
    write_golden_files()
