"""A Platform -> what its objects would not do together (TJ915 to TJ920). What the API server refuses is found by judging them."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.synctools.table import BY_NAME
from tjgen.gitops.bundle import volcano
from tjgen.gitops.bundle.kueue import shares
from tjgen.gitops.bundle.manifest import SPEC
from tjgen.language.spec.objects import PlatformSpec, Queue
from tjgen.trees.diagnostics.model import ERROR, INFO, WARNING, Diagnostic
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.k8s.quantity import Quantity, parse
from tjgen.trees.source.document import Document


def of_platform(spec: PlatformSpec, tool: str, document: Document) -> Iterator[Diagnostic]:
    """All of it."""
    for name, queue in spec.queues.items():
        yield from _kueue(spec, name, queue)
        if BY_NAME[tool].dry_runs_all and volcano.depth(spec, name) > 1:
            yield _in_one_stage(name, queue)
    yield from _defaults(spec)
    yield from _quotas(spec, document)


def _kueue(spec: PlatformSpec, name: str, queue: Queue) -> Iterator[Diagnostic]:
    create = queue.create.kueue if queue.create is not None else None
    if create is None:
        return
    at: FieldPath = (*SPEC, "queues", name)
    if not create.flavors and not queue.capability:
        message = f'queue "{name}" has neither a capability nor flavors, so it admits nothing'
        hint = "set capability, the resources of all its runs together"
        yield Diagnostic("TJ920", message, path=at, hint=hint)
        return
    namespaces: FieldPath = (*at, "create", "kueue", "namespaces")
    if not create.namespaces:
        message = f'queue "{name}" has no namespace, so no run can use it'
        hint = "add a namespace"
        yield Diagnostic("TJ920", message, path=namespaces, hint=hint)
    for position, namespace in enumerate(create.namespaces if spec.namespaces else ()):
        if namespace not in spec.namespaces:
            message = f'queue "{name}" is for namespace "{namespace}", which the Platform does not have'
            yield Diagnostic("TJ245", message, path=(*namespaces, position), hint=_known_namespace(namespace, spec))
    for position, flavor in enumerate(one.name for one in create.flavors):
        if flavor not in spec.flavors:
            near = nearest(flavor, spec.flavors)
            hint = (
                f'did you mean "{near}"?'
                if near
                else f"add flavors: {{{flavor}: {{}}}}, or {{{flavor}: {{exists: true}}}} if the cluster has it"
            )
            message = f'the Platform has no flavor "{flavor}"'
            path: FieldPath = (*at, "create", "kueue", "flavors", position, "name")
            yield Diagnostic("TJ915", message, path=path, hint=hint)
    yield from _sums(name, queue, at) if create.flavors and queue.capability else ()


def _sums(name: str, queue: Queue, at: FieldPath) -> Iterator[Diagnostic]:
    """Duplicate settings of the queue: its capability, and its share of each flavor."""
    for resource, capacity in queue.capability.items():
        have = sum(parse(amounts[resource]).nanos for _, amounts in shares(name, queue) if resource in amounts)
        allowed = parse(capacity)
        if have != allowed.nanos:
            total = Quantity(have, allowed.format)
            message = f'queue "{name}" has {capacity} of {resource}, but its flavors have {total} in total'
            hint = "make them equal: tjgen compares runs with the capability, but Kueue admits runs by the flavors"
            yield Diagnostic("TJ916", message, path=(*at, "capability", resource), hint=hint)


def _in_one_stage(name: str, queue: Queue) -> Diagnostic:
    parent = queue.create.volcano.parent if queue.create is not None and queue.create.volcano is not None else None
    message = f'Flux validates queue "{name}" before its parent {parent} exists, so it applies neither'
    hint = "apply the parent once manually, or create it in a separate Platform"
    path: FieldPath = (*SPEC, "queues", name, "create", "volcano", "parent")
    return Diagnostic("TJ918", message, path=path, hint=hint)


def _defaults(spec: PlatformSpec) -> Iterator[Diagnostic]:
    classes = [name for name, one in spec.storage_classes.items() if one.create is not None and one.create.default]
    for name in classes[1:]:
        message = f"storage classes {classes[0]} and {name} are both the default, so claims get the newer one"
        path: FieldPath = (*SPEC, "storageClasses", name, "create", "default")
        yield Diagnostic("TJ919", message, path=path, hint="keep one of them")
    priorities = [name for name, one in spec.priority_classes.items() if one.global_default]
    for name in priorities[1:]:
        message = f"priority classes {priorities[0]} and {name} are both the default, but the server accepts only one"
        path = (*SPEC, "priorityClasses", name, "globalDefault")
        yield Diagnostic("TJ919", message, path=path, hint="keep one of them", severity=ERROR)


def _quotas(spec: PlatformSpec, document: Document) -> Iterator[Diagnostic]:
    """TJ917 for each quota of a namespace that a Platform with namespaces does not have."""
    for name in spec.quotas if spec.namespaces else ():
        if name not in spec.namespaces:
            message = f"the Platform does not create namespace {name}, so builds check its quota, but the cluster does not"
            severity = WARNING if nearest(name, spec.namespaces) else INFO
            span = document.locate((*SPEC, "quotas", name), key=True)
            yield Diagnostic("TJ917", message, span=span, hint=_known_namespace(name, spec), severity=severity)


def _known_namespace(name: str, spec: PlatformSpec) -> str:
    near = nearest(name, spec.namespaces)
    return f'did you mean "{near}"?' if near else f"add namespaces: {{{name}: {{exists: true}}}}"
