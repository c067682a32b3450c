"""`trainers` and `viewers` of namespaces -> Roles, and RoleBindings that give them.

Trainers make and remove what tjgen writes; controllers have roles of their own, which need nothing from here. No role
gives access to Secrets, pods to run by hand, or roles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.cluster.kinds.permissions import EDIT, RBAC, VIEW, rule, rules
from tjgen.gitops.bundle.manifest import SPEC, manifest
from tjgen.language.spec.objects import PlatformSpec, Subject
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.manifests.sourced import Sourced

_BEHIND: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("", ("pods", "pods/log", "events", "resourcequotas", "limitranges")),
    ("kueue.x-k8s.io", ("localqueues", "workloads")),
)
"""API group -> objects that controllers create from the objects of runs, and objects that delay them."""


def objects(spec: PlatformSpec) -> Iterator[Manifest]:
    """A Role and its binding for each of the two, if the Platform names subjects for it."""
    for name, one in spec.namespaces.items():
        at: FieldPath = (*SPEC, "namespaces", name)
        for field, subjects, verbs in (("trainers", one.trainers, EDIT), ("viewers", one.viewers, VIEW)):
            if subjects:
                yield from _role(name, field, subjects, verbs, (*at, field))


def _role(namespace: str, field: str, subjects: Sequence[Subject], verbs: Sequence[str], at: FieldPath) -> Iterator[Manifest]:
    name = f"tjgen-{field}"
    metadata = {"name": name, "namespace": namespace}
    granted = [*rules(verbs), *(rule(group, plurals, VIEW) for group, plurals in _BEHIND)]
    yield manifest(f"{RBAC}/v1", "Role", metadata, {"rules": granted}, at)
    named = [Sourced(_subject(one, namespace), (*at, position)) for position, one in enumerate(subjects)]
    reference = {"apiGroup": RBAC, "kind": "Role", "name": name}
    yield manifest(f"{RBAC}/v1", "RoleBinding", metadata, {"subjects": named, "roleRef": reference}, at)


def _subject(one: Subject, namespace: str) -> Tree:
    if one.service_account is not None:
        *elsewhere, account = one.service_account.split("/", 1)
        return {"kind": "ServiceAccount", "name": account, "namespace": elsewhere[0] if elsewhere else namespace}
    kind, name = ("Group", one.group) if one.group is not None else ("User", one.user)
    return {"apiGroup": RBAC, "kind": kind, "name": name}
