"""Which modules a command may load: most of a short run is start-up.

The program is run without the start-up files of the environment (`-S`), which load modules of their own.
A module that is missing in the list below is a decision: is it worth its time in every run?
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.checkout import ROOT

PROGRAM = """
import os, sys
before = set(sys.modules)
from tjgen.trees import bytecode
modules = bytecode.load()
from tjgen.cli.program import run
code = run(sys.argv[1:])
loaded = sorted(set(sys.modules) - before)
modules.keep()
import json
print("\\n" + json.dumps([code, loaded]), file=sys.stderr)
"""
CASE = "tests/cases/volcano-gang-with-new-claim"
LIBYAML = {
    # PyYAML's binding to libyaml, and the modules of PyYAML that it needs: not its readers and writers in Python.
    "_cython_3_1_4",
    "cython_runtime",
    "yaml",
    "yaml._yaml",
    "yaml.error",
    "yaml.events",
}
STANDARD = {
    "__future__",
    "_bisect",
    "_collections",
    "_contextvars",
    "_functools",
    "_json",  # to write canonical JSON, which names are created from
    "_sha2",
    "_sha256",
    "_sre",
    "bisect",
    "collections",  # deferred: the modules that it imports are not loaded
    "collections.abc",
    "contextvars",
    "errno",
    "itertools",
    "_sha1",
}
FAST = {
    "build": ["build", f"{CASE}/experiment.yaml"],
    "build --expanded": ["build", f"{CASE}/experiment.yaml", "--expanded"],
    "check": ["check", f"{CASE}/expected/applied.yaml"],
    "expand": ["expand", f"{CASE}/expected/applied.yaml"],
}


def loaded(words: list[str]) -> set[str]:
    libraries = str(Path(yaml.__file__).parent.parent)
    command = [sys.executable, "-S", "-c", PROGRAM, *words]
    environment = {"PYTHONPATH": f"{ROOT}:{libraries}"}
    for _ in range(2):  # the first start writes the compiled patterns for the second one
        answer = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    code, modules = json.loads(answer.stderr.splitlines()[-1])
    assert code == 0, answer.stderr
    return set(modules)


@pytest.mark.parametrize("words", FAST.values(), ids=FAST)
def test_a_fast_command_loads_nothing_that_it_does_not_need(words: list[str]) -> None:
    others = {module for module in loaded(words) if not module.startswith("tjgen")}
    others = {module for module in others if not module.startswith("_cython")}
    assert sorted(others - STANDARD - LIBYAML) == []


@pytest.mark.parametrize("words", FAST.values(), ids=FAST)
def test_a_fast_command_loads_no_model_and_no_click(words: list[str]) -> None:
    modules = loaded(words)
    assert not {"pydantic", "click", "jsonschema", "typing", "yaml.constructor", "yaml.representer"} & modules
    assert not {module for module in modules if module.startswith("tjgen.language.spec.models")}


def test_manifests_are_judged_without_the_language_of_experiments() -> None:
    packages = {module.split(".")[1] for module in loaded(FAST["check"]) if module.startswith("tjgen.")}
    assert not {"language", "compiler", "gitops", "tools"} & packages


def test_help_is_where_click_comes_in() -> None:
    assert "click" in loaded(["build", "--help"])


def test_a_command_loads_no_other_command() -> None:
    others = {module for module in loaded(FAST["check"]) if module.startswith("tjgen.cli.")}
    names = ("check", "command", "counts", "folders", "inputs", "program", "releases", "reporting", "runtime_files")
    assert others <= {f"tjgen.cli.{name}" for name in names}
