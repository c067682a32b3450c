"""Programs next to a run -> a NetworkPolicy for each: no ingress, and egress only to what the program needs.

Volumes need no egress: the node mounts them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.compiler.programs.objects import metadata
from tjgen.compiler.volumes.protocol import JOB
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.k8s.labels import EXPERIMENT_LABEL, PROGRAM_LABEL
from tjgen.trees.workload.contribution import Contribution
from tjgen.trees.workload.workload import Workload

NOTHING, API_SERVER, STORES = "nothing", "API server", "stores"
_API_PORTS = (443, 6443)
_DNS: Tree = {"ports": [{"protocol": "UDP", "port": 53}, {"protocol": "TCP", "port": 53}]}


def policies(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Contribution]:
    """A policy for each program that the experiment has; nothing where the Platform requires none."""
    if setting.cluster.networks is None:
        return
    policies_of = {}
    objects = [(kind, *item) for kind in ("ahead", "objects") for item in (workload.tree.value.get(kind) or {}).items()]
    for kind, key, object_tree in objects:
        labels = get(object_tree, ("spec", "jobTemplate", "spec", "template", "metadata", "labels"), None)
        labels = labels or get(object_tree, ("spec", "template", "metadata", "labels"), None) or {}
        if PROGRAM_LABEL in labels:
            policies_of[labels[PROGRAM_LABEL]] = workload.tree.origins((kind, key))[0].because
    for program, because in policies_of.items():
        tree = _policy(program, reached_by(program, experiment), setting)
        yield Contribution(("ahead", f"NetworkPolicy/{tree['metadata']['name']}"), tree, because)


def reached_by(program: str, experiment: Experiment) -> str:
    """What a program reaches over the network."""
    if program == "prefetch":
        from tjgen.compiler.programs.prefetching.sections import filled_by, prefetch_sections

        jobs = [one.fields for one in prefetch_sections(experiment) if filled_by(one, experiment) == JOB]
        copies = all(one.source is not None and one.source.volume is not None and not one.command for one in jobs)
        return NOTHING if copies else STORES
    return {"backup": API_SERVER, "build": STORES}.get(program, NOTHING)


def _policy(program: str, reached: str, setting: Setting) -> Tree:
    networks = setting.cluster.networks
    assert networks is not None, "asked only where there are policies"
    egress: list[Tree] = []
    if reached == API_SERVER:
        egress = [{**_to(networks.api_server), "ports": [{"protocol": "TCP", "port": port} for port in _API_PORTS]}, _DNS]
    elif reached == STORES:
        egress = [_to(networks.stores), _DNS] if networks.stores else [{}]
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": metadata(f"{setting.family}-{program}", setting),
        "spec": {
            "podSelector": {"matchLabels": {EXPERIMENT_LABEL: setting.family, PROGRAM_LABEL: program}},
            "policyTypes": ["Ingress", "Egress"],
            **({"egress": egress} if egress else {}),
        },
    }


def _to(ranges: Sequence[str]) -> dict[str, Tree]:
    return {"to": [{"ipBlock": {"cidr": one}} for one in ranges]} if ranges else {}
