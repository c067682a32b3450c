"""Whatever a Workload wants arrives through the TrainJob and its runtime, unchanged, in the JobSet.

The Workload's own runtime spec is what is wanted. It is expanded under a TrainJob that says only the
counts and initializers, and the result is compared with what the emitted pair expands to. Lists whose
order means nothing (volumes, mounts, pull secrets) are compared by key; env, command, args and
containers in order.
"""

from __future__ import annotations

from contextlib import chdir, nullcontext
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.laws.built import CASES
from tests.program import arguments
from tjgen.cli.build import COMMAND
from tjgen.cli.command import parse
from tjgen.cluster.kinds.pods import pods_of, starts_pods
from tjgen.cluster.trainer.framework import expand
from tjgen.compiler.building.compile import build
from tjgen.compiler.building.plan import make_plan
from tjgen.compiler.building.request import Request
from tjgen.compiler.building.run import Run
from tjgen.compiler.targets import trainjob
from tjgen.language.catalog.find import Catalog
from tjgen.language.catalog.runtime import CatalogRuntime
from tjgen.trees import trust
from tjgen.trees.fields.path import get, named
from tjgen.trees.k8s.labels import MULTI_KUEUE
from tjgen.trees.session import Session
from tjgen.trees.workload.contribution import Contribution, contribute
from tjgen.trees.workload.workload import Workload, over

BUNDLED = Catalog().all()[0]
ADDED = ("PET_", "JAX_", "DMLC_", "OMPI_")
UNORDERED = {"volumes": "name", "volumeMounts": "mountPath", "imagePullSecrets": "name"}


def wanted(workload: Workload) -> Any:
    """The JobSet of the wanted spec itself."""
    tree = workload.tree.value
    runtime = {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainingRuntime",
        # The torchtune plugin reads the model from the runtime's name.
        "metadata": {"name": trainjob.lower(workload, _base(workload), Session()).runtime.name, "namespace": workload.namespace},
        "spec": tree["runtime"],
    }
    job = {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": workload.name, "namespace": workload.namespace},
        "spec": {
            "runtimeRef": {"kind": "TrainingRuntime", "name": runtime["metadata"]["name"]},
            "trainer": {**tree.get("trainer", {}), **_told_to_torchtune(workload)},
            **({"initializer": tree["initializer"]} if "initializer" in tree else {}),
            **tree.get("run", {}),
        },
    }
    return _jobset(job, runtime)


def _told_to_torchtune(workload: Workload) -> dict[str, Any]:
    """The torchtune plugin looks at the TrainJob alone: there is no other way to say its command and resources."""
    if "torchtune" not in trainjob.lower(workload, _base(workload), Session()).runtime.name:
        return {}
    said = trainjob.lower(workload, _base(workload), Session()).trainjob.tree["spec"]["trainer"]
    return {field: said[field] for field in ("command", "args", "resourcesPerNode") if field in said}


def carried(workload: Workload) -> Any:
    """The JobSet of the TrainJob and runtime that the target makes."""
    lowered = trainjob.lower(workload, _base(workload), Session())
    return _jobset(lowered.trainjob.tree, lowered.runtime.tree)


BASES: dict[int, CatalogRuntime] = {}


def _base(workload: Workload) -> CatalogRuntime:
    return BASES[id(workload)]


def _jobset(job: Any, runtime: Any) -> Any:
    # Where Kueue sends it to another cluster, the controller there sees it without Kueue's mark.
    spec = {key: value for key, value in job["spec"].items() if (key, value) != ("managedBy", MULTI_KUEUE)}
    expansion = expand({**job, "spec": spec}, runtime)
    found = [made.tree for made in expansion.objects if made.tree["kind"] == "JobSet"]
    assert found, expansion.diagnostics
    return _comparable({"metadata": found[0]["metadata"], "spec": found[0]["spec"]})


def _comparable(tree: Any, field: str = "") -> Any:
    if isinstance(tree, dict):
        # The controller writes an empty containerName into what it copies from a TrainJob; it means the same as none.
        return {key: _comparable(value, key) for key, value in tree.items() if (key, value) != ("containerName", "")}
    if isinstance(tree, list):
        items = [_comparable(item) for item in tree]
        if field == "env":
            # What a plugin adds is no part of the Workload, and with JAX it stands before the TrainJob's variables.
            added = [item for item in items if item["name"].startswith(ADDED)]
            return [item for item in items if item not in added] + sorted(added, key=lambda item: item["name"])
        return sorted(items, key=lambda item: item[UNORDERED[field]]) if field in UNORDERED else items
    return tree


def _runs(case: Path) -> list[Run]:
    words = parse(COMMAND, arguments(case))
    assert words is not None
    with chdir(case), trust.granted() if words["trusted"] else nullcontext():
        plan = make_plan(Request(words["paths"], environments=words["env"], set_values=words["set"]))
        return [run for built in build(plan, Session()) for run in built.runs]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_case_arrives(case: Path) -> None:
    for run in _runs(case):
        workload = run.compiled.workload
        if workload.is_direct:
            assert pods(run) == workload.tree.value["counts"]
            continue
        BASES[id(workload)] = run.runtime
        assert carried(workload) == wanted(workload)


def pods(run: Run) -> dict[str, int]:
    """Role -> its pods, in the object of a run that no Trainer starts."""
    [job] = [manifest for manifest in run.compiled.manifests if starts_pods(manifest)]
    # An MPIJob calls Trainer's nodes its workers.
    names = {"worker": "node"} if "node" in run.compiled.workload.tree.value["counts"] else {}
    return {names.get(one.role, one.role): one.number for one in pods_of(job)}


TEXTS = st.sampled_from(["a", "b", "x/y:1", "0"])
NAMES = st.sampled_from(["n1", "n2", "n3"])
QUANTITIES = st.sampled_from(["1", "500m", "2Gi", "1024Mi"])


@st.composite
def contributions(draw: st.DrawFn, workload: Workload) -> list[Contribution]:
    """Writes that an experiment or a pass could make, on any pod set."""
    found: list[Contribution] = []
    for _ in range(draw(st.integers(0, 7))):
        podset = draw(st.sampled_from(workload.podsets))
        name, text = draw(NAMES), draw(TEXTS)
        containers = get(workload.tree.value, (*podset.pod, "containers"), [])
        container = (*podset.pod, "containers", named(draw(st.sampled_from([one["name"] for one in containers]))))
        path, value = draw(
            st.sampled_from(
                [
                    ((*container, "image"), text),
                    ((*container, "command"), [text, "c"]),
                    ((*container, "args"), [text]),
                    ((*container, "workingDir"), "/" + text),
                    ((*container, "env", named(name)), {"name": name, "value": text}),
                    ((*container, "env", named(name)), {"name": name, "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}),
                    ((*container, "resources", "limits", "cpu"), draw(QUANTITIES)),
                    ((*container, "resources", "requests", "memory"), draw(QUANTITIES)),
                    ((*container, "volumeMounts", (("mountPath", "/" + name),)), {"name": text[0], "mountPath": "/" + name}),
                    ((*container, "securityContext", "runAsUser"), draw(st.sampled_from([0, 1000]))),
                    ((*podset.pod, "volumes", named(name)), {"name": name, "emptyDir": {}}),
                    ((*podset.pod, "volumes", named(name)), {"name": name, "configMap": {"name": text[0]}}),
                    ((*podset.pod, "nodeSelector", name), text[0]),
                    ((*podset.pod, "tolerations"), [{"key": name, "operator": "Exists"}]),
                    ((*podset.pod, "serviceAccountName"), name),
                    ((*podset.pod, "priorityClassName"), name),
                    ((*podset.pod, "schedulerName"), name),
                    ((*podset.pod, "terminationGracePeriodSeconds"), draw(st.sampled_from([0, 30]))),
                    ((*podset.pod, "imagePullSecrets", named(name)), {"name": name}),
                    ((*podset.pod, "securityContext", "fsGroup"), 1),
                    ((*podset.pod_metadata, "labels", name), text[0]),
                    ((*podset.pod_metadata, "annotations", name), text),
                    (("runtime", "template", "metadata", "annotations", name), text),
                    (("trainer", "numNodes"), draw(st.integers(1, 4))),
                    (("runtime", "podGroupPolicy"), None),
                ]
            )
        )
        # A variable that a second contribution changes moves behind the others in a TrainJob, and no pass does that.
        if path[-2] != "env" or all(path != one.path for one in found):
            found.append(Contribution(path, value, ("spec",)))
    return found


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.data())
def test_whatever_is_contributed_arrives(data: st.DataObject) -> None:
    runtime = data.draw(st.sampled_from([one for one in BUNDLED if "torchtune" not in one.name]), label="runtime")
    bare = over(runtime.tree["spec"], name="run", namespace="space")
    workload, _ = contribute(bare, "pass:any", data.draw(contributions(bare)))
    BASES[id(workload)] = runtime
    assert carried(workload) == wanted(workload)
