"""The entrypoint of a RayJob as a shell reads it, against the words that Kubernetes starts without Ray."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest
import yaml

from tests.checkout import ROOT
from tjgen.cluster.controllers.creation import create_pods
from tjgen.compiler.targets.rayjob import LONGEST_NAME, _overridden, in_shell, line
from tjgen.trees.manifests.manifest import Manifest

VARIABLES = {"RATE": "0.1 $HOME `a`", "NAME": "it's"}
WORDS = {
    "plain": ("--lr=0.1", "--lr=0.1"),
    "empty": ("", ""),
    "space": ("one run", "one run"),
    "variable": ("$(RATE)", VARIABLES["RATE"]),
    "variable in a text": ("a $(RATE)/$(NAME)\"'b", f"a {VARIABLES['RATE']}/it's\"'b"),
    "unknown variable": ("$(OTHER) x", "$(OTHER) x"),
    "escaped reference": ("$$(RATE)", "$(RATE)"),
    "dollars": ("$$ $HOME ${HOME}", "$ $HOME ${HOME}"),
    "quotes": ("""it's "so" \\ `ls` $(ls)""", """it's "so" \\ `ls` $(ls)"""),
    "operators": ("a;b|c&d>e<f*?[a]{b}~#!", "a;b|c&d>e<f*?[a]{b}~#!"),
    "lines": ("one\ntwo\t", "one\ntwo\t"),
}


@pytest.mark.parametrize(("word", "expected"), WORDS.values(), ids=WORDS)
def test_a_shell_reads_the_word_that_kubernetes_would_pass(word: str, expected: str) -> None:
    program = f"printf %s {in_shell(word, list(VARIABLES))}"
    done = subprocess.run(["sh", "-c", program], capture_output=True, text=True, check=True, env=VARIABLES)
    assert done.stdout == expected


def test_the_line_of_a_shell_is_the_entrypoint() -> None:
    assert line(["sh", "-c", "a $(RATE) $(ls) $$x"], ["RATE"]) == "a ${RATE} $(ls) $x"
    assert line(["sh", "-c", "a b", "c"], []) == "sh -c 'a b' c"
    assert line(["python", "train.py", "a b"], []) == "python train.py 'a b'"


def built(case: str) -> Any:
    text = (ROOT / "tests/cases" / case / "expected/applied.yaml").read_text(encoding="utf-8")
    return next(one for one in yaml.safe_load_all(text) if one["kind"] == "RayJob")


def test_the_head_has_no_devices_and_every_node_is_a_worker() -> None:
    head, *workers = list(create_pods(built("ray-job")))
    assert (head.number, [one.number for one in workers]) == (1, [4])
    assert "nvidia.com/gpu" not in head.build(0)["spec"]["containers"][0]["resources"]["limits"]
    assert workers[0].build(0)["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] == "2"


def test_only_the_entrypoint_has_the_command() -> None:
    job = built("ray-job")
    assert job["spec"]["entrypoint"].startswith("python tune.py")
    for series in create_pods(job):
        [container] = series.build(0)["spec"]["containers"]
        assert "tune.py" not in container["args"][0]
        assert "ray start" in container["args"][0]


def test_names_of_runs_leave_room_for_the_names_of_services() -> None:
    assert LONGEST_NAME + len("-abcde-serve-svc") == 63


def test_a_variable_that_the_operator_sets_has_no_effect() -> None:
    job = built("ray-job")
    job["spec"]["rayClusterSpec"]["headGroupSpec"]["template"]["spec"]["containers"][0]["env"] += [
        {"name": "RAY_IP", "value": "a"}
    ]
    [found] = _overridden(Manifest(job, {}))
    assert found.code == "TJ432"
    assert found.path is not None
    assert found.path[-1] == (("name", "RAY_IP"),)
