"""Unexpected effects of the controller on containers, variables and ports."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.trainer.info import DATASET_INITIALIZER, LAUNCHER, MODEL_INITIALIZER, NODE, TRAINER, PodSet
from tjgen.cluster.trainer.plugins import mpi, torch
from tjgen.cluster.trainer.plugins.rendezvous import PORT
from tjgen.cluster.trainer.ports import are_confused, settled
from tjgen.cluster.trainer.warnings.subject import ExpandedTrainJob, in_runtime
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, named
from tjgen.trees.typing import Any

_ENV: FieldPath = ("spec", "trainer", "env")
_ADDRESSES = {
    "torch": "PET_MASTER_ADDR",
    "jax": "JAX_COORDINATOR_ADDRESS",
    "xgboost": "DMLC_TRACKER_URI",
    "flux": "the broker's address",
}
_PLAIN_PORT = (("containerPort", PORT), ("protocol", "TCP"))
_JAX = ("JAX_NUM_PROCESSES", "JAX_PROCESS_ID", "JAX_COORDINATOR_ADDRESS")


def trainer_without_container(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """builder.go `Trainer`: only containers named node of jobs with the trainer label are written."""
    if not subject.job.trainer or subject.info.trainer_container() is not None or subject.info.policy("mpi") is not None:
        return
    fields = sorted(set(subject.job.trainer) - {"numNodes", "numProcPerNode"})
    if fields:
        yield subject.of_trainjob(
            "TJ830",
            f"runtime {subject.runtime.name} has no container node in a trainer job"
            f" that takes spec.trainer's {', '.join(fields)}",
            "name the container node, and label its job template as the trainer's",
            ("spec", "trainer", fields[0]),
        )


def initializer_without_container(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """builder.go `Initializer`: goes by the label of the job and the name of the container."""
    for kind, name in (("dataset", DATASET_INITIALIZER), ("model", MODEL_INITIALIZER)):
        if kind not in subject.job.spec.get("initializer", {}):
            continue
        podset = subject.info.podset_of_ancestor(name)
        if podset is None or podset.container(name) is None:
            yield subject.of_trainjob(
                "TJ831",
                f"initializer.{kind} has no effect: no job labelled {name} has a container {name}",
                "label the job template and name the container so",
                ("spec", "initializer", kind),
            )


def dead_address(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """The address of the first pod consists of the word node and the TrainJob's name."""
    podset = subject.info.podset_of_ancestor(TRAINER)
    if podset is None or not _looks_for_first_pod(subject, podset):
        return
    network = subject.info.spec.get("network") or {}
    subdomain = network.get("subdomain") or subject.job.name
    policy, address = next((policy, address) for policy, address in _ADDRESSES.items() if subject.info.policy(policy) is not None)
    if podset.name != NODE and policy != "flux":
        yield subject.of_runtime(
            "TJ832",
            f"{address} names a pod of job node, but the trainer job is called {podset.name}",
            "call the job node",
            in_runtime((*podset.shape.path, "name")),
        )
    elif subdomain != subject.job.name:
        yield subject.of_runtime(
            "TJ832",
            f"{address} ends in the TrainJob's name, but the pods' subdomain is {subdomain}",
            "remove network.subdomain",
            in_runtime(("spec", "network", "subdomain")),
        )


def no_host_names(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """JobSet v0.12.0 `createHeadlessSvcIfNecessary`: without enableDNSHostnames no pod has a name that others could find."""
    network = subject.info.spec.get("network") or {}
    policy = next((policy for policy in (*_ADDRESSES, "mpi") if subject.info.policy(policy) is not None), None)
    pods = sum(podset.count for podset in subject.info.podsets if podset.ancestor == TRAINER or podset.name in (NODE, LAUNCHER))
    if network.get("enableDNSHostnames") is False and policy is not None and pods > 1:
        yield subject.of_runtime(
            "TJ881",
            f"enableDNSHostnames is false, but the {policy} policy lets {pods} pods find each other by host name",
            "remove enableDNSHostnames",
            in_runtime(("spec", "network", "enableDNSHostnames")),
        )


def _looks_for_first_pod(subject: ExpandedTrainJob, podset: PodSet) -> bool:
    if subject.job.trainer is not None and podset.container(NODE) is not None:
        return True
    return "envInjection" in (subject.info.policy("torch") or {})


def job_named_node(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """mpi and flux `EnforceMLPolicy` go by the names of jobs and containers."""
    info = subject.info
    for policy, names in (("mpi", (NODE, LAUNCHER)), ("flux", (NODE,))):
        if info.policy(policy) is None:
            continue
        for name in names:
            podset = info.podset(name)
            if podset is None and name == NODE:
                missing = "no job named node"
            elif podset is not None and podset.container(NODE) is None:
                missing = f"no container named node in job {name}"
            else:
                continue
            yield subject.of_runtime(
                "TJ833",
                f"the {policy} policy finds {missing} and sets nothing up there",
                "name jobs and containers as the policy expects them",
                ("spec", "mlPolicy", policy),
            )


def lost_sources(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """pkg/apply `EnvVar` copies four kinds of sources; a fileKeyRef is none of them."""
    lists: list[tuple[FieldPath, Any]] = [(_ENV, subject.job.trainer_field("env"))]
    if "initializer" in subject.job.spec:
        for kind, section in subject.job.spec["initializer"].items():
            lists.append((("spec", "initializer", kind, "env"), section.get("env")))
    for path, env in lists:
        for variable in env or ():
            if "valueFrom" in variable and "fileKeyRef" in variable["valueFrom"]:
                yield subject.of_trainjob(
                    "TJ834",
                    f"{variable['name']} loses its fileKeyRef on the way to the pod, which then cannot start",
                    "put the variable into the runtime",
                    (*path, named(variable["name"])),
                )


def overruled_variables(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """builder.go `Trainer` upserts spec.trainer.env last; not every policy of every release has a check against it."""
    release, policies = subject.job.release, subject.info.ml_policy or {}
    names: tuple[str, ...] = _JAX if "jax" in policies else ()
    if "mpi" in policies and not release.checks_mpi_variables:
        names += mpi.RESERVED
    if "torch" in policies and not release.checks_torch_always and subject.job.trainer_field("numProcPerNode") is None:
        names += torch.RESERVED
    for variable in subject.job.env:
        if variable["name"] in names:
            yield _overruled(subject, variable["name"], (*_ENV, named(variable["name"])))


def overruled_storage(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """builder.go `Initializer` upserts the initializer's env after STORAGE_URI."""
    for kind, section in subject.job.spec["initializer"].items():
        if "storageUri" in section and any(variable["name"] == "STORAGE_URI" for variable in section.get("env", ())):
            yield _overruled(subject, "STORAGE_URI", ("spec", "initializer", kind, "env", named("STORAGE_URI")))


def _overruled(subject: ExpandedTrainJob, name: str, path: FieldPath) -> Diagnostic:
    message = f"{name} replaces the value that the controller computes"
    return subject.of_trainjob("TJ835", message, "remove it", path)


def swallowed_ports(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """pkg/apply `UpsertPort` takes two ports without a name for one."""
    init = subject.job.release.writes_init_containers
    podsets = subject.info.podsets
    for container in subject.info.all_containers() if init else [one for podset in podsets for one in podset.containers]:
        ports = container.tree.get("ports")
        if not ports or (not container.added_ports and not container.is_irregular):
            continue
        after = {port["containerPort"] for port in settled(ports, container.added_ports)}
        lost = [port["containerPort"] for port in ports if port["containerPort"] not in after]
        if lost or are_confused(ports):
            what = f"port {lost[0]} is lost" if lost else "ports are repeated, which the API server refuses"
            yield subject.of_runtime(
                "TJ836",
                f"{what}: the controller takes ports with one number, and ports without a name, for the same port",
                "give every port a name",
                in_runtime((*container.path, "ports")),
            )


def stripped_port(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """The plugins add {containerPort: 29500}, which replaces all fields of a port with that number."""
    for container in subject.info.all_containers():
        for position, port in enumerate(container.tree.get("ports") or () if container.added_ports else ()):
            lost = sorted(field for field, value in port.items() if (field, value) not in _PLAIN_PORT)
            if port["containerPort"] == PORT and lost:
                yield subject.of_runtime(
                    "TJ880",
                    f"the controller writes port {PORT} itself, without {', '.join(lost)}",
                    "use another number",
                    in_runtime((*container.path, "ports", position)),
                )


def random_variables(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """The framework walks its plugins in the order of a Go map, and two of them write this list."""
    if subject.job.env and subject.info.trainer_container() is not None:
        yield subject.of_trainjob(
            "TJ837",
            "the order of the TrainJob's variables and the DMLC_* variables changes from one reconcile to the next",
            "do not refer from one to the other with $(NAME)",
            _ENV,
        )
