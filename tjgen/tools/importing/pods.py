"""Pod templates by role -> the experiment's settings for all of them, and for single ones.

What has no word in the language is left out: it becomes a patch. So nothing here needs to be complete.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tjgen.compiler.volumes.protocol import ALSO_IN_SOURCE
from tjgen.compiler.volumes.table import with_pod_field
from tjgen.tools.importing.program import program_fields
from tjgen.tools.importing.side_containers import side_containers
from tjgen.trees.fields.path import Tree, get

_POD = (
    "nodeSelector",
    "tolerations",
    "affinity",
    "securityContext",
    "terminationGracePeriodSeconds",
    "hostNetwork",
    "hostIPC",
    "dnsPolicy",
    "schedulerName",
    "runtimeClassName",
    "topologySpreadConstraints",
)
_RESTARTS = ("Never", "OnFailure")
_BY_ENTRY = ("env", "envFrom", "resources", "ports")
"""Fields in which a role may set only its own values."""
_OF_COMPUTING = ("cpu", "memory", "ephemeralStorage", "gpu", "resources")
"""Fields of the experiment for the roles that train."""
_MOUNT = ("readOnly", "subPath", "subPathExpr")


def fields_of(
    templates: Mapping[str, Tree], main: str = "", aside: Sequence[str] = ()
) -> tuple[dict[str, Tree], dict[str, dict[str, Tree]]]:
    """Fields of all roles, and those that only one role has.

    `main` is the name that the container that trains must have. Without it, the first one trains, and its name is a field.
    `aside`: roles that do not train, which get no resources of the experiment.
    """
    by_role = {role: dict(_fields(template, main)) for role, template in templates.items()}
    shared = _shared(list(by_role.values()))
    own = {role: dict(_own(fields, shared)) for role, fields in by_role.items()}
    for role in aside:
        if role in own:
            own[role] |= {field: by_role[role][field] for field in _OF_COMPUTING if field in by_role[role]}
    mounted = dict(_volumes(templates, main))
    if mounted:
        shared["volumes"] = mounted
    shared.update(_of_run(list(templates.values())))
    return shared, own


def container(template: Tree, main: str) -> Tree:
    """The container that trains; an empty one if there is none."""
    containers = [one for one in get(template, ("spec", "containers"), None) or [] if one.__class__ is dict]
    return next((one for one in containers if one.get("name") == main), containers[0] if containers else {})


def _fields(template: Tree, main: str) -> Iterator[tuple[str, Tree]]:
    trains = container(template, main)
    if not main and trains.get("name"):
        yield "containerName", trains["name"]
    yield from program_fields(trains)
    yield from side_containers(template, trains)
    pod = {field: value for field in _POD if (value := get(template, ("spec", field), None)) not in (None, {}, [])}
    for field in ("labels", "annotations"):
        if get(template, ("metadata", field), None):
            pod[field] = template["metadata"][field]
    if get(template, ("spec", "restartPolicy"), None) in _RESTARTS:
        pod["restartPolicy"] = template["spec"]["restartPolicy"]
    if trains.get("securityContext"):
        pod["containerSecurityContext"] = trains["securityContext"]
    if pod:
        yield "pod", pod


def _shared(roles: Sequence[dict[str, Tree]]) -> dict[str, Tree]:
    """Return the settings that all roles share."""
    first, *others = roles
    shared: dict[str, Tree] = {}
    for field, value in first.items():
        if field in _BY_ENTRY:
            same = {
                key: one
                for key, one in value.items()
                if all(key in (o.get(field) or {}) and o[field][key] == one for o in others)
            }
            if same:
                shared[field] = same
        elif all(other.get(field) == value for other in others):
            shared[field] = value
    return shared


def _own(fields: dict[str, Tree], shared: dict[str, Tree]) -> Iterator[tuple[str, Tree]]:
    for field, value in fields.items():
        mine = value
        if field in _BY_ENTRY:
            mine = {key: one for key, one in value.items() if key not in shared.get(field, {})}
        if mine and (field in _BY_ENTRY or field not in shared):
            yield field, mine


def _of_run(templates: Sequence[Tree]) -> Iterator[tuple[str, Tree]]:
    """Return the settings that an experiment can only have for all its pods."""
    accounts = [get(template, ("spec", "serviceAccountName"), None) for template in templates]
    if accounts[0] and all(account == accounts[0] for account in accounts):
        yield "serviceAccountName", accounts[0]
    secrets = [get(template, ("spec", "imagePullSecrets"), None) for template in templates]
    if secrets[0] and all(some == secrets[0] for some in secrets):
        yield "imagePullSecrets", [secret.get("name") for secret in secrets[0]]


def _volumes(templates: Mapping[str, Tree], main: str) -> Iterator[tuple[str, Tree]]:
    """Return the volumes that training mounts, if every role that has one has the same settings."""
    known: dict[str, Tree] = {}
    roles: dict[str, list[str]] = {}
    for role, template in templates.items():
        mounts = get(container(template, main), ("volumeMounts",), None) or []
        for volume in get(template, ("spec", "volumes"), None) or []:
            name = volume.get("name")
            mounts_of_volume = [mount for mount in mounts if mount.get("name") == name]
            words = _volume(volume, mounts_of_volume)
            if words is None or known.setdefault(name, words) != words:
                continue
            roles.setdefault(name, []).append(role)
    for name, words in known.items():
        yield name, words if len(roles[name]) == len(templates) else {**words, "roles": roles[name]}


def _volume(volume: Tree, mounts: Sequence[Tree]) -> Tree | None:
    source = _source(volume)
    if source is None or not mounts:
        return None
    fields_of_mounts = [
        (mount.get("mountPath"), {field: mount[field] for field in _MOUNT if mount.get(field)}) for mount in mounts
    ]
    path, fields = fields_of_mounts[0]
    if fields.get("readOnly") and _is_writable(volume):
        # `readOnly` of the volume would change the volume of the pod, too.
        return {**source, "mounts": dict(fields_of_mounts)}
    more = dict(fields_of_mounts[1:])
    words = {**source, "mountPath": path, **fields}
    return {**words, "mounts": more} if more else words


def _is_writable(volume: Tree) -> bool:
    """Whether a volume has a field `readOnly` for all of its mounts, which is not set."""
    ((field, value),) = ((field, value) for field, value in volume.items() if field != "name")
    source = with_pod_field(field)
    return source is not None and source.read_only == ALSO_IN_SOURCE and not value.get("readOnly")


def _source(volume: Tree) -> Tree | None:
    """The source of a volume in the words of the language; None if the language cannot express it."""
    field, value = next(((field, value) for field, value in volume.items() if field != "name"), ("", None))
    source = with_pod_field(field)
    if value.__class__ is not dict or source is None or source.imported is None:
        return None
    words = source.imported(value)
    return {source.field: words} if words is not None else None
