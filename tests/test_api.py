"""The library: lazy, and the same as the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import tjgen
from tests.checkout import ROOT
from tests.program import tjgen as program

EXAMPLE = ROOT / "examples/resnet50.yaml"


def objects(*words: str) -> list[Any]:
    """What a command line prints."""
    return list(yaml.safe_load_all(program(ROOT, *words).out))


def test_importing_tjgen_loads_nothing_else() -> None:
    code = "import sys, tjgen; print(sorted(name for name in sys.modules if name.startswith('tjgen')))"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed == "['tjgen', 'tjgen.trees', 'tjgen.trees.typing']\n"


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        tjgen.nothing  # type: ignore[attr-defined]  # noqa: B018  # the look-up is what is tested


def test_build_gives_what_the_command_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    build = tjgen.build([str(EXAMPLE.relative_to(ROOT))])
    assert not build.failed
    assert [manifest.tree for manifest in build.manifests] == objects("build", "examples/resnet50.yaml")
    (run,) = build.runs
    previews = objects("build", "examples/resnet50.yaml", "--expanded")
    assert [manifest.tree for manifest in run.compiled.down_to_pods()] == previews


def test_build_says_what_is_wrong_and_does_not_raise(tmp_path: Path) -> None:
    build = tjgen.build([str(tmp_path / "missing.yaml")])
    assert build.failed
    assert [diagnostic.code for diagnostic in build.diagnostics] == ["TJ020"]


def test_expand_gives_the_objects_of_the_controller() -> None:
    applied = objects("build", "examples/resnet50.yaml")
    kinds = [tree["kind"] for tree in tjgen.expand(applied)]
    assert kinds == ["ConfigMap", "JobSet", "PodGroup"]


def test_expand_continues_to_the_pods(tmp_path: Path) -> None:
    """As --expanded --all-pods, also for jobs that no TrainJob creates."""
    applied = objects("build", "examples/resnet50.yaml")
    file = tmp_path / "applied.yaml"
    file.write_text(yaml.safe_dump_all(applied), encoding="utf-8")
    created = tjgen.expand(applied, pods=True)
    assert created == objects("expand", str(file), "--expanded", "--all-pods")
    assert "spec" not in created[0], "a ConfigMap"
    assert {"JobSet", "PodGroup", "Service", "Job", "Pod"} <= {tree["kind"] for tree in created}
    jobset = next(tree for tree in created if tree["kind"] == "JobSet")
    assert tjgen.expand([jobset]) == []
    pods = [tree for tree in tjgen.expand([jobset], pods=True) if tree["kind"] == "Pod"]
    assert len(pods) == 2


def test_expand_raises_what_the_server_refuses() -> None:
    """A Job that the API server refuses has no pods."""
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "job"},
        "spec": {"template": {"spec": {"containers": []}}},
    }
    assert tjgen.expand([job]) == []
    with pytest.raises(tjgen.CompileError) as caught:
        tjgen.expand([job], pods=True)
    assert caught.value.diagnostics


def test_expand_raises_what_the_controller_refuses() -> None:
    job = {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": "job"},
        "spec": {"runtimeRef": {"name": "nowhere"}},
    }
    with pytest.raises(tjgen.CompileError) as caught:
        tjgen.expand([job])
    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["TJ801"]
    with pytest.raises(tjgen.CompileError) as caught:
        tjgen.expand([job], trainer="1.0")
    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["TJ290"]


CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: b}\n"


@pytest.mark.parametrize("documents", [{"kind": "TrainJob"}, "kind: TrainJob", 3], ids=["a mapping", "a text", "a number"])
def test_expand_refuses_documents_that_are_no_list(documents: Any) -> None:
    with pytest.raises(TypeError, match="documents must be a list of objects, but is of type"):
        tjgen.expand(documents)


def test_admit_accepts_an_object_and_its_text() -> None:
    assert tjgen.admit(CONFIG_MAP).allowed
    verdict = tjgen.admit(yaml.safe_load(CONFIG_MAP))
    assert (verdict.allowed, verdict.stage, verdict.errors, verdict.templates) == (True, "", (), ())


@pytest.mark.parametrize(
    ("text", "stage"),
    [
        (CONFIG_MAP + "dataa: {}\n", "strict"),
        (CONFIG_MAP + "data: {}\n", "strict"),
        (CONFIG_MAP.replace("b}", "[]}"), "decode"),
        (CONFIG_MAP.replace("settings", "Settings"), "validation"),
    ],
    ids=["unknown field", "duplicate key", "wrong type", "bad name"],
)
def test_admit_names_the_stage_that_refuses(text: str, stage: str) -> None:
    verdict = tjgen.admit(text)
    assert not verdict.allowed
    assert verdict.stage == stage
    assert verdict.errors
    assert all(error.detail for error in verdict.errors)


def test_admit_asks_webhooks_unless_told_not_to() -> None:
    trainjob = {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": "job", "namespace": "space"},
        "spec": {
            "runtimeRef": {"name": "torch"},
            "trainer": {"env": [{"name": "PET_NNODES", "value": "2"}]},
        },
    }
    runtime = {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "ClusterTrainingRuntime",
        "metadata": {"name": "torch"},
        "spec": {
            "mlPolicy": {"torch": {}},
            "template": {
                "spec": {
                    "replicatedJobs": [
                        {
                            "name": "node",
                            "template": {
                                "metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}},
                                "spec": {"template": {"spec": {"containers": [{"name": "node", "image": "train"}]}}},
                            },
                        }
                    ]
                }
            },
        },
    }
    verdict = tjgen.admit(trainjob, context=[runtime])
    assert (verdict.allowed, verdict.stage) == (False, "webhook")
    assert "must not have reserved envs" in verdict.errors[0].detail
    assert verdict.errors[0].field == "spec.trainer.env"
    assert tjgen.admit(trainjob, context=[runtime], webhooks=False).allowed


def test_a_kind_without_a_schema_is_not_called_allowed() -> None:
    verdict = tjgen.admit({"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}})
    assert (verdict.allowed, verdict.checked) == (False, False)
