"""A role with a program that the runtime does not have -> a job of its own; and the addresses of roles.

The job is a copy of the one that trains, without its program, its resources, and its step of a TrainJob: the controller
sets image, command, environment, and number of nodes only in jobs with a step (Trainer v2.3.0, plugins/jobset builder.go).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.compiler.lower import SPEC, sizes
from tjgen.compiler.passes import tf_config
from tjgen.language.spec.objects import ExperimentSpec, Role
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.managed import Managed, Origin
from tjgen.trees.fields.path import FieldPath, Tree, get, named
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.k8s.references import NUMBER, references
from tjgen.trees.workload.contribution import EXPERIMENT, Contribution, contribute
from tjgen.trees.workload.roles import at_once, members, programs
from tjgen.trees.workload.workload import ANCESTOR, INITIALIZERS, JOBS, PodSet, Workload, podsets

AT: FieldPath = (*SPEC, "roles")
RUN = "TJGEN_RUN"
HOSTS = "TJGEN_HOSTS_"
_LABEL = {"fieldPath": "metadata.labels['jobset.sigs.k8s.io/jobset-name']"}
_MANAGER = "pass:roles"
_JOBSET: FieldPath = ("runtime", "template", "spec")
_SUCCESS: FieldPath = (*_JOBSET, "successPolicy")
_OF_PROGRAM = ("command", "args", "resources", "ports", "livenessProbe", "readinessProbe", "startupProbe", "lifecycle")
"""Fields of the container that belong to the program of the job that is copied."""


def with_roles(workload: Workload, spec: ExperimentSpec) -> tuple[Workload, list[Diagnostic]]:
    """`workload` with a job for each new role, and the addresses of roles that variables and command lines refer to."""
    known = [podset.name for podset in workload.podsets]
    added = [name for name, role in spec.roles.items() if name not in known and _has_program(name, role, known)]
    trainers = programs(workload)
    problems: list[Diagnostic] = []
    if added and trainers:
        workload = _appended(workload, trainers[0], added)
        workload, problems = contribute(workload, _MANAGER, _success(workload, (*AT, added[0])))
    sized, _ = contribute(workload, EXPERIMENT, sizes(workload, spec))
    workload, more = contribute(workload, _MANAGER, _addresses(sized, spec))
    return workload, [*problems, *more]


def _has_program(name: str, role: Role, known: Sequence[str]) -> bool:
    """Whether a role is meant as a job of its own, and not as one of the runtime's with a misspelled name."""
    return name not in INITIALIZERS and bool(role.command or (role.image is not None and nearest(name, list(known)) is None))


def _appended(workload: Workload, trainer: PodSet, added: Sequence[str]) -> Workload:
    """Return `workload` with a job for each added role, after its own: a job can only depend on jobs before it."""
    tree, owners = workload.tree.value, workload.tree.owners
    source = get(tree, trainer.path)
    template = tree["runtime"]["template"]
    jobs = [*template["spec"]["replicatedJobs"], *(_job(name, source, trainer.container) for name in added)]
    runtime = {**tree["runtime"], "template": {**template, "spec": {**template["spec"], "replicatedJobs": jobs}}}
    origins = {(*JOBS, named(name)): (Origin(_MANAGER, EXPERIMENT, (*AT, name)),) for name in added}
    return workload._replace(tree=Managed({**tree, "runtime": runtime}, {**owners, **origins}), podsets=podsets(runtime))


def _job(name: str, source: Tree, container: str) -> Tree:
    template = source["template"]
    metadata = dict(template.get("metadata") or {})
    metadata["labels"] = {key: value for key, value in (metadata.get("labels") or {}).items() if key != ANCESTOR}
    job = {key: value for key, value in template["spec"].items() if key not in ("parallelism", "completions")}
    pod = job["template"]["spec"]
    containers = [_without_program(one) if one["name"] == container else one for one in pod["containers"]]
    job["template"] = {**job["template"], "spec": {**pod, "containers": containers}}
    kept = {key: value for key, value in metadata.items() if value}
    copy = {key: value for key, value in source.items() if key != "replicas"}
    return {**copy, "name": name, "template": {**({"metadata": kept} if kept else {}), "spec": job}}


def _without_program(container: Tree) -> Tree:
    return {key: value for key, value in container.items() if key not in _OF_PROGRAM}


def _success(workload: Workload, because: FieldPath) -> Iterator[Contribution]:
    """The run has succeeded with the jobs that train: a server never ends."""
    if get(workload.tree.value, (*_SUCCESS, "targetReplicatedJobs"), None) is None:
        policy = {"operator": "All", "targetReplicatedJobs": [podset.name for podset in programs(workload)]}
        yield Contribution(_SUCCESS, policy, because)


def _addresses(workload: Workload, spec: ExperimentSpec) -> Iterator[Contribution]:
    """In each pod, before all variables that can refer to them, the host names of the roles that its settings refer to."""
    everyone = members(workload)
    because = AT if spec.roles else SPEC
    variables = {HOSTS + podset.name.upper().replace("-", "_"): podset for podset in everyone}
    for podset in everyone:
        used = set(_references(spec, podset in programs(workload)))
        used.update(_references(spec.roles[podset.name], of_program=True) if podset.name in spec.roles else ())
        used.difference_update(spec.env)
        wanted = [name for name in variables if name in used]
        if wanted or used & {RUN, tf_config.NAME}:
            yield Contribution((*podset.main, "env", named(RUN)), {"name": RUN, "valueFrom": {"fieldRef": _LABEL}}, because)
        for name in wanted:
            hosts = ",".join(_hosts(workload, variables[name]))
            yield Contribution((*podset.main, "env", named(name)), {"name": name, "value": hosts}, because)
        if tf_config.NAME in used:
            yield from _tf_config(workload, podset, because)


def _tf_config(workload: Workload, podset: PodSet, because: FieldPath) -> Iterator[Contribution]:
    hosts = {one.name: list(_hosts(workload, one)) for one in members(workload)}
    value = tf_config.config(workload, podset, hosts)
    variables: tuple[tuple[str, Tree], ...] = (
        (NUMBER, workload.number(podset) or {}),
        (tf_config.NAME, {"value": value}),
    )
    for name, variable in variables:
        yield Contribution((*podset.main, "env", named(name)), {"name": name, **variable}, because)


def _references(container: ExperimentSpec | Role, of_program: bool) -> Iterator[str]:
    """The variables that values of variables refer to, and the program's command line."""
    for variable in container.env.values():
        yield from references(variable.value)
    for text in (*container.command, *container.args, getattr(container, "script", None)) if of_program else ():
        yield from references(text)


def _hosts(workload: Workload, podset: PodSet) -> Iterator[str]:
    """The host names of a role's pods, as JobSet creates them. They depend on the name of the run, and runtimes are shared."""
    replicas = int(get(workload.tree.value, (*podset.path, "replicas"), 1))
    subdomain = get(workload.tree.value, (*_JOBSET, "network", "subdomain"), None) or f"$({RUN})"
    for job in range(replicas):
        for index in range(at_once(workload, [podset]) // replicas):
            yield f"$({RUN})-{podset.name}-{job}-{index}.{subdomain}"
