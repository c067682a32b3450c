"""The fixture `tjgen_snapshot`, in test runs of users: the example's, and some that go wrong."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from tests.checkout import ROOT, copy_tree
from tests.test_settings_of_caller import POLICY

EXAMPLE = ROOT / "examples/catalog"
EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: mnist, namespace: vision}
spec: {runtime: tjgen-torch, image: registry.example/mnist:1, script: train.py}
"""


def run(folder: Path, *words: str, syrupy: bool = True) -> tuple[int, str]:
    """Exit code and output of pytest, with the plugin and nothing else that happens to be installed."""
    plugins = [*(["-p", "syrupy"] if syrupy else []), "-p", "tjgen.testing.plugin", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", "-q", *plugins, *words]
    # Where CI is set, pytest repeats the whole message of a failure in its summary. A worker of xdist reports to its session.
    others = ("CI", "BUILD_NUMBER", "PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT")
    ours = {name: value for name, value in os.environ.items() if name not in others}
    environment = {**ours, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    answer = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return answer.returncode, answer.stdout + answer.stderr


@pytest.fixture
def catalog(tmp_path: Path) -> Path:
    """The example, to be changed."""
    copy_tree(EXAMPLE, tmp_path / "catalog")
    return tmp_path / "catalog"


def write(folder: Path, body: str) -> None:
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    (folder / "experiment.yaml").write_text(EXPERIMENT, encoding="utf-8")
    (folder / "test_it.py").write_text(body, encoding="utf-8")


def test_the_example_passes_wherever_pytest_is_started(catalog: Path) -> None:
    for folder in (catalog, catalog / "tests"):
        code, said = run(folder)
        assert code == 0, said
        assert "5 snapshots passed" in said
    code, said = run(catalog.parent, "--rootdir", str(catalog), str(catalog / "tests"))
    assert code == 0, said


def test_the_settings_of_the_caller_apply(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "def test_it(tjgen_snapshot):\n    tjgen_snapshot('experiment.yaml')\n")
    settings = tmp_path / "settings.yaml"
    settings.write_text("apiVersion: tjgen.dev/v1alpha1\nkind: Settings\nspec: {policies: [policies.yaml]}\n")
    (tmp_path / "policies.yaml").write_text(POLICY)
    monkeypatch.setenv("TJGEN_SETTINGS", str(settings))
    code, output = run(tmp_path, "--snapshot-update")
    assert code == 1
    assert "error[TJ550]" in output
    (tmp_path / "policies.yaml").write_text(POLICY.replace("registry.example.com", "registry.example"))
    code, output = run(tmp_path, "--snapshot-update")
    assert code == 0, output


def test_a_change_is_shown_and_can_be_accepted(catalog: Path) -> None:
    overlay = catalog / "overlays/lab.yaml"
    overlay.write_text(overlay.read_text(encoding="utf-8").replace("debug", "info"), encoding="utf-8")
    code, said = run(catalog)
    assert code == 1
    assert "1 failed, 4 passed" in said
    assert "test_trial[lab]" in said
    changed = [line.split() for line in said.splitlines() if line.startswith(("E       -", "E       +"))]
    assert changed[2:] == [["E", "-", "value:", "debug"], ["E", "+", "value:", "info"]]
    assert "tjgen/testing" not in said, "the fixture's own lines are no help"
    code, said = run(catalog, "--snapshot-update")
    assert (code, "1 snapshot updated" in said) == (0, True)
    assert "value: info" in (catalog / "tests/__snapshots__/test_catalog/test_trial[lab].yaml").read_text(encoding="utf-8")
    assert run(catalog)[0] == 0


def test_a_new_snapshot_is_no_success(catalog: Path) -> None:
    (catalog / "tests/__snapshots__/test_catalog/test_trial[lab].yaml").unlink()
    code, said = run(catalog)
    assert (code, "1 failed, 4 passed" in said) == (1, True)
    assert "there is no tests/__snapshots__/test_catalog/test_trial[lab].yaml yet: run pytest with --snapshot-update" in said


def test_a_snapshot_that_no_test_asks_for_is_noticed(catalog: Path) -> None:
    stray = catalog / "tests/__snapshots__/test_catalog/test_gone.yaml"
    stray.write_text("a: 1\n", encoding="utf-8")
    assert run(catalog)[0] == 1
    assert run(catalog, "--snapshot-update")[0] == 0
    assert not stray.exists()


def test_a_checkout_with_other_line_ends(catalog: Path) -> None:
    for file in catalog.rglob("__snapshots__/**/*.yaml"):
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    code, said = run(catalog)
    assert code == 0, said


def test_errors_are_those_of_the_compiler(tmp_path: Path) -> None:
    write(
        tmp_path,
        "from pathlib import Path\n"
        "TEXT = Path(__file__).with_name('experiment.yaml').read_text()\n"
        "def test_field(tjgen_snapshot): tjgen_snapshot(TEXT.replace('image', 'imagee'))\n"
        "def test_file(tjgen_snapshot): tjgen_snapshot('nosuch.yaml')\n"
        "def test_env(tjgen_snapshot): tjgen_snapshot('experiment.yaml', env='prod')\n"
        "def test_set(tjgen_snapshot): tjgen_snapshot('experiment.yaml', set={'spec.nodez': 1})\n"
        "def test_overlay(tjgen_snapshot): tjgen_snapshot('experiment.yaml', overlays=['experiment.yaml'])\n"
        "def test_no_overlay(tjgen_snapshot): tjgen_snapshot('experiment.yaml', overlays=['nosuch.yaml'])\n",
    )
    code, said = run(tmp_path, "--snapshot-update")
    assert code == 1
    assert "6 failed" in said
    for words in (
        'error[TJ101] experiment:4:30: unknown field "imagee"',
        "nosuch.yaml cannot be read",
        'error[TJ262] there is no environment "prod"',
        'error[TJ222] "spec.nodez" is not a field of an experiment',
        "error[TJ701] experiment.yaml contains no Overlay document",
    ):
        assert words in said
    assert said.count("nosuch.yaml cannot be read") == 2
    assert not (tmp_path / "__snapshots__").exists()


def test_values_that_are_set_keep_their_types(tmp_path: Path) -> None:
    write(
        tmp_path,
        "def test_it(tjgen_snapshot):\n"
        "    values = {'spec.nodes': 2, 'spec.script': 'a: b #c', 'spec.env': {'A': 'yes', 'B': '1'}, 'spec.args': ['x', '2']}\n"
        "    tjgen_snapshot('experiment.yaml', set=values, name='set')\n"
        "    tjgen_snapshot('experiment.yaml')\n",
    )
    code, said = run(tmp_path, "--snapshot-update")
    assert code == 0, said
    assert sorted(path.name for path in tmp_path.rglob("*.yaml")) == ["experiment.yaml", "test_it.1.yaml", "test_it[set].yaml"]
    text = (tmp_path / "__snapshots__/test_it/test_it[set].yaml").read_text(encoding="utf-8")
    assert "numNodes: 2\n" in text
    assert 'value: "yes"\n' in text


def test_several_environments_at_once_are_refused(catalog: Path) -> None:
    (catalog / "tests/test_catalog.py").write_text(
        "def test_it(tjgen_snapshot): tjgen_snapshot('experiments/trial.yaml')\n", encoding="utf-8"
    )
    code, said = run(catalog)
    assert (code, "the project has several environments: set env to one of lab, prod" in said) == (1, True)


def test_a_warning_of_the_compiler_is_one_of_python(tmp_path: Path) -> None:
    write(tmp_path, "def test_it(tjgen_snapshot):\n    tjgen_snapshot('experiment.yaml')\n")
    (tmp_path / "experiment.yaml").write_text(EXPERIMENT.replace("mnist, ", "mnist, labels: {a: no}, "), encoding="utf-8")
    code, said = run(tmp_path, "--snapshot-update")
    assert code == 0, said
    assert "test_it.py:2: TjgenWarning: warning[TJ004] experiment.yaml:3:" in said
    assert run(tmp_path, "-W", "error")[0] == 1


def test_without_syrupy_only_its_users_fail(tmp_path: Path) -> None:
    write(tmp_path, "def test_it(tjgen_snapshot): tjgen_snapshot('experiment.yaml')\ndef test_other(): pass\n")
    code, said = run(tmp_path, syrupy=False)
    assert code == 1
    assert "tjgen_snapshot needs syrupy: pip install 'tjgen[pytest]'" in said
    assert "1 passed, 1 error" in said


@pytest.mark.parametrize("syrupy", [True, False])
def test_the_plugin_costs_others_nothing(tmp_path: Path, *, syrupy: bool) -> None:
    write(
        tmp_path,
        "import sys\ndef test_other(): assert not {name for name in sys.modules if name.startswith('tjgen.')} - ALLOWED\n",
    )
    testing = {f"tjgen.testing{module}" for module in ("", ".plugin", ".absent", ".snapshot")}
    allowed = sorted({*testing, "tjgen.trees", "tjgen.trees.typing"})
    (tmp_path / "test_it.py").write_text(
        f"ALLOWED = set({allowed})\n" + (tmp_path / "test_it.py").read_text(encoding="utf-8"), encoding="utf-8"
    )
    code, said = run(tmp_path, syrupy=syrupy)
    assert code == 0, said


def test_the_plugin_is_what_the_package_says() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (module,) = project["entry-points"]["pytest11"].values()
    assert import_module(module).pytest_configure
    assert any(one.startswith("syrupy") for one in project["optional-dependencies"]["pytest"])
