"""Help, and words that click explains. Not compared in full: the layout is click's."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.checkout import ROOT
from tests.program import tjgen
from tjgen import __version__
from tjgen.cli.program import COMMANDS, GROUPS, command_of


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_says_what_its_description_says(name: str, tmp_path: Path) -> None:
    command, _ = command_of(name)
    answer = tjgen(tmp_path, name, "--help")
    assert (answer.code, answer.err) == (0, "")
    said = " ".join(answer.out.split())
    assert command.description.split(".")[0] in said
    assert command.example in said
    for option in command.options:
        assert all(flag in said for flag in option.flags)


def test_help_lists_every_command(tmp_path: Path) -> None:
    answer = tjgen(tmp_path, "--help")
    assert (answer.code, answer.err) == (0, "")
    for name in COMMANDS:
        assert command_of(name)[0].summary in answer.out


@pytest.mark.parametrize("words", [[], ["build"]], ids=["program", "command"])
def test_help_has_a_short_option(tmp_path: Path, words: list[str]) -> None:
    answer = tjgen(tmp_path, *words, "-h")
    assert (answer.code, answer.err, answer.out) == (0, "", tjgen(tmp_path, *words, "--help").out)


def test_help_groups_commands_by_what_users_do(tmp_path: Path) -> None:
    answer = tjgen(tmp_path, "--help")
    headings = [line for line in answer.out.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert headings == ["Options:", *(f"{heading}:" for heading in GROUPS)]
    assert [name for names in GROUPS.values() for name in names] == list(COMMANDS)


@pytest.mark.parametrize(
    ("word", "advice"),
    [
        ("bulid", "did you mean `tjgen build`?"),
        ("zzzz", "tjgen --help lists the commands"),
        ("stop", "set state: suspended in the experiment, then build"),
        ("rollback", "restore the experiment from Git, then build"),
        (
            "undo",
            "restore the experiment from Git, then build: its earlier run becomes current again, and the later one superseded. "
            "For an environment with runs: promoted, then also use tjgen promote NAME --env ENVIRONMENT",
        ),
        ("list", "tjgen runs list lists the runs"),
        ("squeue", "tjgen runs list lists the runs"),
        ("sbatch", "tjgen build writes the manifests of runs"),
        ("run", "tjgen build writes the manifests of runs"),
        ("scancel", "set state: suspended in the experiment, then build"),
        ("rm", "tjgen runs prune NAME removes a run"),
        ("exec", "tjgen does not open shells in pods: use kubectl exec"),
        ("deploy", "did you mean `tjgen build`?"),
        ("version", "tjgen --version prints the release"),
        ("help", "tjgen --help lists the commands, and"),
        ("logs", "tjgen does not read logs: use kubectl logs"),
    ],
)
def test_an_unknown_command_gets_advice(tmp_path: Path, word: str, advice: str) -> None:
    answer = tjgen(tmp_path, word)
    assert (answer.code, answer.out) == (2, "")
    assert f'unknown command "{word}": {advice}' in answer.err


@pytest.mark.parametrize("words", [["stop"], ["runs", "stop", "digits-x"]], ids=" ".join)
@pytest.mark.parametrize(
    "case",
    [
        "- a run in an environment with runs: promoted: set experiment: {state: suspended} in an overlay for that environment",
        "- a superseded or orphaned run: tjgen runs prune NAME",
        "- a run in a queue of Kueue: set active: false in its Workload",
        """To resume the run, use the same command with "suspend":false.""",
    ],
)
def test_the_advice_to_stop_a_run_names_the_step_for_each_kind(words: list[str], case: str, tmp_path: Path) -> None:
    answer = tjgen(tmp_path, *words)
    assert (answer.code, case in answer.err) == (2, True), answer.err


def test_the_version(tmp_path: Path) -> None:
    answer = tjgen(tmp_path, "--version")
    assert (answer.code, answer.err) == (0, "")
    assert __version__ in answer.out


@pytest.mark.parametrize(
    "words",
    [
        pytest.param([], id="no command"),
        pytest.param(["biuld", "experiment.yaml"], id="a command that does not exist"),
        pytest.param(["build", "--enviroment", "dev"], id="an option that does not exist"),
        pytest.param(["build", "experiment.yaml", "--env"], id="an option without its value"),
        pytest.param(["build", "experiment.yaml", "--strict=yes"], id="a value for a flag"),
        pytest.param(["build", "experiment.yaml", "--format", "xml"], id="a value that is no choice"),
        pytest.param(["check"], id="too few words"),
        pytest.param(["schema", "experiment", "overlay"], id="too many words"),
    ],
)
def test_wrong_use_says_nothing_on_standard_output_and_ends_with_2(words: list[str], tmp_path: Path) -> None:
    answer = tjgen(tmp_path, *words)
    assert (answer.code, answer.out) == (2, "")
    assert "Traceback" not in answer.err
    assert "Usage" in answer.err or "Error" in answer.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
def test_a_full_standard_output_is_an_error_and_no_defect() -> None:
    with open("/dev/full", "wb") as full:
        words = [sys.executable, "-m", "tjgen", "build", "examples/resnet50.yaml"]
        answer = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, cwd=ROOT, check=False)
    assert answer.returncode == 1
    assert answer.stderr.startswith("error[TJ056] standard output cannot be written: No space left on device\n")


@pytest.mark.parametrize("command", ["check", "expand", "lint", "convert", "import"])
def test_a_catalog_that_is_not_there_is_an_error(command: str, tmp_path: Path) -> None:
    job = "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: a}\nspec: {runtimeRef: {name: plain}}\n"
    (tmp_path / "job.yaml").write_text(job, encoding="utf-8")
    answer = tjgen(tmp_path, command, "job.yaml", "--catalog", "runtime")
    assert (answer.code, "TJ020" in answer.err + answer.out) == (1, True), answer.err
    assert "runtime cannot be read: No such file or directory" in answer.err + answer.out


def test_an_unknown_option_is_never_corrected_to_one_that_removes_or_overwrites(tmp_path: Path) -> None:
    for words in (["build", "--prune"], ["build", "--prun-runs"], ["build", "--forc"], ["migrate", "--writ"]):
        answer = tjgen(tmp_path, *words)
        assert answer.code == 2, words
        assert not any(option in answer.err for option in ("--prune-runs", "--prune-data", "--force", "--write'")), words
    assert "'--expanded'" in tjgen(tmp_path, "build", "--expande").err


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        (["build", "--dry-run"], "tjgen build does not change a cluster; use tjgen build --check"),
        (["build", "--dry-run=client"], "tjgen build does not change a cluster; use tjgen build --check"),
        (
            ["build", "-n", "vision"],
            "The namespace is metadata.namespace of the experiment, or that of its environment in tjgen.yaml. To select an "
            "environment, use --env.",
        ),
        (["promote", "digits-abc", "--to", "prod"], "To select an environment, use --env."),
        (["get"], "tjgen runs list lists the runs"),
        (["runs", "list", "--namespace", "x"], "to select runs, use --env or patterns of their names"),
        (["build", "--context", "c"], "tjgen build does not read a cluster; tjgen status does."),
        (["status", "--kube-context", "c"], "Use --context."),
        (["fit", "--kubeconfig", "c"], "set KUBECONFIG for tjgen status."),
        (["runs", "list", "-A"], "covers all namespaces"),
        (["runs", "list", "-l", "app=x"], "write their names"),
        (["status", "-w"], "repeat it"),
        (["build", "--values", "v.yaml"], "use --set PATH=VALUE with tjgen build, or write an Overlay."),
        (["explain", "e.yaml", "-o", "json"], "For JSON, use --format json."),
        (["check", "--env", "dev"], "name its folder or its files, such as deploy/prod."),
        (["migrate", "--env", "dev"], "use --environment."),
        (["runtimes", "list", "--env", "dev"], "covers all environments of the project."),
        (
            ["build", "-o", "yaml"],
            "omit it and name an experiment or use --env. To write to a folder of this name, use -o ./yaml",
        ),
        (["build", "-o", "json"], "for JSON, use --format json --summary. To write"),
        (["runs", "list", "-o", "json"], "-o names a file or a folder, not a format: for JSON, use --format json."),
        (["describe", "run"], "tjgen explain shows the origin of each field"),
    ],
)
def test_words_of_kubectl_lead_to_the_words_of_tjgen(words: list[str], advice: str, tmp_path: Path) -> None:
    answer = tjgen(tmp_path, *words)
    assert answer.code == 2
    assert advice in answer.err


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("option", ["--env", "--to", "-n", "--namespace", "-f", "--context", "-o"])
def test_every_command_answers_options_of_other_tools(name: str, option: str, tmp_path: Path) -> None:
    command, _ = command_of(name)
    if any(option in one.flags for one in command.options):
        return
    answer = tjgen(tmp_path, name, option, "x", *["word"] * command.least)
    assert (answer.code, answer.out) == (2, "")
    assert re.search(r"No such option '?-+[a-z]+'?\. [A-Zt][^\n]+\.\n", answer.err), answer.err
    flags = {flag for one in command.options for flag in one.flags}
    assert ("use --env." in answer.err) == (option in ("--to", "-n", "--namespace") and "--env" in flags)


def test_a_folder_with_the_name_of_a_format_is_an_output(tmp_path: Path) -> None:
    experiment = (
        "apiVersion: tjgen.dev/v1alpha1\nkind: Experiment\nmetadata: {name: a, namespace: b}\nspec: {runtime: tjgen-plain}\n"
    )
    (tmp_path / "a.yaml").write_text(experiment, encoding="utf-8")
    refused = tjgen(tmp_path, "build", "a.yaml", "-o", "yaml")
    assert (refused.code, refused.out, (tmp_path / "yaml").exists()) == (2, "", False)
    assert tjgen(tmp_path, "build", "a.yaml", "-o", "./yaml").code == 0
    assert tjgen(tmp_path, "build", "a.yaml", "-o", "yaml").code == 0
    assert tjgen(tmp_path, "build", "a.yaml", "--check", "-o", "yaml").code == 0


def test_a_file_that_does_not_exist_is_reported_before_the_choice_of_an_environment(tmp_path: Path) -> None:
    project = "apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec:\n  environments: {dev: {}, prod: {}}\n"
    (tmp_path / "tjgen.yaml").write_text(project, encoding="utf-8")
    answer = tjgen(tmp_path, "build", "experiments/nope.yaml")
    assert answer.code == 1
    assert "error[TJ020]" in answer.err
    assert "TJ266" not in answer.err
