"""The bundled runtimes: each is what its name, its schema and its annotations promise."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.checkout import list_entries
from tjgen.language.catalog.find import Catalog
from tjgen.language.catalog.naming import emitted_name
from tjgen.language.catalog.runtime import BUNDLED, CLUSTER_KIND, CatalogRuntime
from tjgen.language.catalog.shape import faults
from tjgen.trees import data
from tjgen.trees.fields.path import get
from tjgen.trees.workload.workload import INITIALIZERS, podsets

NAMES = [file.stem for file in list_entries(Path(data.path("runtimes")))]


def bundled(name: str) -> CatalogRuntime:
    runtime, diagnostics = Catalog().find(name)
    assert diagnostics == []
    assert runtime is not None
    return runtime


@pytest.mark.parametrize("name", NAMES)
def test_the_file_holds_one_valid_runtime_of_its_name(name: str) -> None:
    runtime = bundled(name)
    assert (runtime.name, runtime.kind, runtime.origin) == (name, CLUSTER_KIND, BUNDLED)
    assert runtime.document is not None
    assert runtime.document.index == 0
    assert list(faults(runtime.document)) == []


@pytest.mark.parametrize("name", NAMES)
def test_the_name_is_not_one_of_upstream(name: str) -> None:
    assert name.startswith(("tjgen-", "tjgen."))


@pytest.mark.parametrize("name", NAMES)
def test_people_are_told_what_it_is_for(name: str) -> None:
    runtime = bundled(name)
    assert runtime.description
    assert runtime.launcher
    assert get(runtime.tree, ("metadata", "labels", "trainer.kubeflow.org/framework"))


@pytest.mark.parametrize("name", NAMES)
def test_every_image_has_a_tag(name: str) -> None:
    for podset in podsets(bundled(name).tree["spec"]):
        job = get({"runtime": bundled(name).tree["spec"]}, podset.pod)
        for container in job["containers"] + job.get("initContainers", []):
            image, _, tag = container["image"].rpartition(":")
            assert image
            assert tag not in ("", "latest")


@pytest.mark.parametrize("name", NAMES)
def test_the_trainer_container_is_called_node(name: str) -> None:
    # The controller writes image, command and variables only to containers of that name, and PET_MASTER_ADDR
    # says that the job is called so as well.
    found = [podset for podset in podsets(bundled(name).tree["spec"]) if podset.ancestor == "trainer"]
    assert [podset.container for podset in found] == ["node"]
    assert [podset.name for podset in found] == ["launcher" if "mpi" in name else "node"]


@pytest.mark.parametrize("name", NAMES)
def test_initializers_mount_the_volume_that_admission_asks_for(name: str) -> None:
    spec = bundled(name).tree["spec"]
    for podset in podsets(spec):
        if podset.ancestor in INITIALIZERS:
            assert podset.name == podset.container == podset.ancestor
            mounts = get({"runtime": spec}, (*podset.main, "volumeMounts"))
            assert [mount["name"] for mount in mounts] == ["initializer"]


@pytest.mark.parametrize("name", NAMES)
def test_a_gang_has_its_scheduler(name: str) -> None:
    spec = bundled(name).tree["spec"]
    policy = next(iter(spec.get("podGroupPolicy") or {}), None)
    scheduler = {"volcano": "volcano", "coscheduling": "scheduler-plugins-scheduler", None: None}[policy]
    for podset in podsets(spec):
        assert get({"runtime": spec}, (*podset.pod, "schedulerName"), None) == scheduler


@pytest.mark.parametrize("name", [name for name in NAMES if "torchtune" in name])
def test_a_torchtune_name_keeps_its_three_parts_when_it_is_emitted(name: str) -> None:
    emitted = emitted_name(name, bundled(name).tree["spec"])
    assert emitted.split("-")[1:] == name.split("-")[1:]
    assert len(emitted.split("-")) == 3


@pytest.mark.parametrize("name", NAMES)
def test_pod_failure_rules_have_pods_that_never_restart(name: str) -> None:
    spec = bundled(name).tree["spec"]
    for job in spec["template"]["spec"]["replicatedJobs"]:
        if "podFailurePolicy" in job["template"]["spec"]:
            assert get(job, ("template", "spec", "template", "spec", "restartPolicy")) == "Never"
