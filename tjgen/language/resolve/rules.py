"""A valid merged experiment -> conflicts between its fields."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.schema.patterns import search
from tjgen.language.resolve import amounts
from tjgen.language.spec.compact import ENV_SOURCE, ENV_VAR_FORM, EXPERIMENT_FORM, PLATFORM_FORM, PROJECT_FORM
from tjgen.language.spec.compact import LABEL as _LABEL
from tjgen.language.spec.forms import PLAIN, Form, chosen
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get, render
from tjgen.trees.k8s.names import LABEL_LENGTH

_SPEC: FieldPath = ("spec",)
_SCHEDULE_OF = {
    "timeoutSeconds": "coscheduling",
    "networkTopology": "volcano",
    "workloadPriority": "kueue",
    "multiKueue": "kueue",
}
_OBJECT_NAME = ENV_SOURCE["properties"]["secret"]["pattern"]
_EXTRA = ("sidecars", "initContainers")
_OPERANDS = {"add": "value", "replace": "value", "move": "from", "copy": "from"}


def check_rules(experiment: Tree) -> list[Diagnostic]:
    """Every rule over an experiment in long form that `spec.check` has found no fault with."""
    spec = experiment["spec"]
    return [
        *_runtime(spec),
        *_alternatives({key: spec[key] for key in spec if key != "tasks"}, _SPEC, EXPERIMENT_FORM.fields["spec"]),
        *(_tasks(spec["tasks"]) if "tasks" in spec else ()),
        *_names(spec),
        *_volumes(spec),
        *_paths(spec),
        *_new_claims(spec),
        *_new_data_sets(spec),
        *amounts.check(spec),
        *(_data(spec) if "data" in spec else ()),
        *(_prefetch(spec) if "prefetch" in spec else ()),
        *_schedule(spec),
        *_patches(spec),
    ]


def check_platform(platform: Tree) -> list[Diagnostic]:
    """Conflicts between fields of a Platform in long form; its `defaults` are part of experiments, which are checked whole."""
    spec = {key: value for key, value in (platform.get("spec") or {}).items() if key != "defaults"}
    return [*_alternatives(spec, _SPEC, PLATFORM_FORM.fields["spec"]), *_patches(spec)]


def check_project(project: Tree) -> list[Diagnostic]:
    """The alternatives that a project file in long form chooses."""
    return list(_alternatives(project.get("spec") or {}, _SPEC, PROJECT_FORM.fields["spec"]))


def _runtime(spec: Tree) -> Iterator[Diagnostic]:
    if "runtime" not in spec:
        hint = "add runtime: tjgen-torch, or another one that `tjgen runtimes list` prints"
        yield Diagnostic("TJ120", "spec.runtime is missing", path=_SPEC, hint=hint)


def _alternatives(tree: Tree, path: FieldPath, form: Form) -> Iterator[Diagnostic]:
    """Places that choose two alternatives, or none where one is needed."""
    if tree.__class__ is not dict or form.verbatim:
        return
    if form.alternatives:
        yield from _choice(tree, path, form)
    if form.each is not None:
        if form.each is not PLAIN:
            for key, value in tree.items():
                yield from _alternatives(value, (*path, key), form.each)
        return
    for key, inner in form.fields.items():
        if key in tree and tree[key].__class__ is dict:
            yield from _alternatives(tree[key], (*path, key), inner)


def _tasks(tasks: Tree) -> Iterator[Diagnostic]:
    """A task contains a part of an experiment: it may leave a choice open, but not make conflicting choices."""
    form = EXPERIMENT_FORM.fields["spec"].fields["tasks"]
    for one in _alternatives(tasks, (*_SPEC, "tasks"), form):
        if one.name == "several-alternatives":
            yield one


def _with_key(source: str, name: str) -> str:
    secret, slash, key = name.partition("/")
    return f"write {source}: {secret}, key: {key}" if slash and key else f"add key: KEY, with a key of {name}"


def _choice(tree: Tree, path: FieldPath, form: Form) -> Iterator[Diagnostic]:
    keys = list(chosen(tree, form).values())
    if len(keys) > 1:
        message = f"{render(path)} has {_listed(keys, 'and')}, which are mutually exclusive"
        yield Diagnostic("TJ121", message, path=(*path, keys[-1]), hint="keep one of them")
    elif not keys and form.needed:
        heads = [group[0] for group in form.alternatives]
        hint = f"add {_listed(heads, 'or')}"
        yield Diagnostic("TJ122", f"{render(path)} has no source or value", path=path, hint=hint)
    elif keys in (["secret"], ["configMap"]) and form is ENV_VAR_FORM and "key" not in tree:
        message = f'{render(path)} names {keys[0]} "{tree[keys[0]]}" without a key'
        yield Diagnostic("TJ123", message, path=path, hint=_with_key(keys[0], tree[keys[0]]))
    elif keys in (["secret"], ["configMap"]) and form is ENV_VAR_FORM and not search(_OBJECT_NAME)(tree[keys[0]]):
        from tjgen.trees.k8s.valid_names import valid_name  # only for an experiment with a mistake

        source, name = keys[0], tree[keys[0]]
        hint = _with_key(source, name) if "/" in name else f"write {valid_name(name)}; use lowercase letters, digits, '-' and '.'"
        message = f'{render((*path, source))} is "{name}", which is not valid'
        yield Diagnostic("TJ105", message, path=(*path, source), hint=hint)


def _names(spec: Tree) -> Iterator[Diagnostic]:
    """Names of volumes that Kubernetes refuses, and of variables that shells do not read."""
    for name in spec.get("volumes", {}):
        if not search(_LABEL["pattern"])(name) or len(name) > LABEL_LENGTH:
            from tjgen.trees.k8s.valid_names import valid_name  # only for an experiment with a mistake

            better = valid_name(name)
            rule = f"at most {LABEL_LENGTH} lowercase letters, digits and '-'"
            hint = f"write {better}: a volume name has {rule}" if better else f"use {rule}"
            yield Diagnostic("TJ112", f'"{name}" is not a valid volume name', path=(*_SPEC, "volumes", name), hint=hint)
    for name in spec.get("env", {}):
        if not (name.isascii() and name.isidentifier()):
            better = "".join([letter if letter.isascii() and letter.isalnum() else "_" for letter in name])
            hint = f"write {'_' * better[:1].isdigit()}{better}: use letters, digits and '_'"
            message = f'variable name "{name}" cannot be read in a shell'
            yield Diagnostic("TJ113", message, path=(*_SPEC, "env", name), hint=hint)


def _mounted_by_others(spec: Tree) -> set[str]:
    """Yield the volumes that a section of the experiment mounts, each with its place."""
    sections = [("code", "workspace"), ("prefetch", "source"), ("initializer",)]
    sections += [("prefetch", "sets", name, "source") for name in get(spec, ("prefetch", "sets"), None) or {}]
    named = {get(spec, (*section, "volume"), None) or "" for section in sections}
    holders = [spec, *spec.get("roles", {}).values()]
    extra = [one for holder in holders for kind in _EXTRA for one in holder.get(kind, {}).values()]
    return named.union(*(one.get("mounts", {}) for one in extra))


def _volumes(spec: Tree) -> Iterator[Diagnostic]:
    mounted: dict[tuple[str, str], str] = {}
    for name, volume in spec.get("volumes", {}).items():
        path: FieldPath = (*_SPEC, "volumes", name)
        mounts = volume.get("mounts", {})
        if "mountPath" not in volume and not mounts:
            if name in _mounted_by_others(spec):
                continue
            yield Diagnostic("TJ124", f'volume "{name}" has no mountPath', path=path, hint=f"add mountPath: /{name}")
            continue
        for place, at in ((volume, path), *((mount, (*path, "mounts", where)) for where, mount in mounts.items())):
            yield from _sub_path(name, volume, place, at)
        places = [(volume["mountPath"], volume, (*path, "mountPath"))] if "mountPath" in volume else []
        places += [(where, mount, (*path, "mounts", where)) for where, mount in mounts.items()]
        for where, mount, at in places:
            if not where.startswith("/"):
                message = f'mountPath {where} of volume "{name}" is relative: the kubelet mounts it at /{where.lstrip("./")}'
                yield _relative("TJ143", message, where, at)
            for role in mount.get("roles") or volume.get("roles") or [""]:
                key = (role, where.rstrip("/"))
                other = mounted.get(key)
                mounted.setdefault(key, name)
                if other is not None:
                    both = (
                        f'volumes "{other}" and "{name}" are both mounted'
                        if other != name
                        else f'volume "{name}" is mounted twice'
                    )
                    message = f"{both} at {where}"
                    outer = where.rstrip("/")
                    # A container cannot create the folder of a mount below one that is read-only (TJ239).
                    is_below = other == name or not spec["volumes"][other].get("readOnly")
                    folder = outer if is_below else outer.rpartition("/")[0]
                    hint = f"give each its own path, such as {folder}/{name}"
                    yield Diagnostic("TJ125", message, path=at, hint=hint)


def _paths(spec: Tree) -> Iterator[Diagnostic]:
    """Paths of containers and of nodes that do not begin at `/`."""
    holders: list[FieldPath] = [(), *(("roles", role) for role in spec.get("roles", {}))]
    extra = [(*holder, kind, name) for holder in holders for kind in _EXTRA for name in get(spec, (*holder, kind), None) or {}]
    for holder in (*holders, *extra):
        container = get(spec, holder)
        folder = container.get("workingDir")
        if folder is not None and not folder.startswith("/"):
            message = f"workingDir {folder} is relative: a container requires an absolute path"
            yield _relative("TJ148", message, folder, (*_SPEC, *holder, "workingDir"))
        for volume, mount in container.get("mounts", {}).items() if holder in extra else ():
            where = mount["mountPath"]
            if not where.startswith("/"):
                message = f'mountPath {where} of volume "{volume}" is relative: the kubelet mounts it at /{where.lstrip("./")}'
                yield _relative("TJ143", message, where, (*_SPEC, *holder, "mounts", volume, "mountPath"))
    for name, volume in spec.get("volumes", {}).items():
        path = get(volume, ("hostPath", "path"), None)
        if path is not None and not path.startswith("/"):
            message = f'hostPath {path} of volume "{name}" is relative: a path on a node must be absolute'
            yield _relative("TJ148", message, path, (*_SPEC, "volumes", name, "hostPath", "path"))


def _relative(code: str, message: str, path: str, at: FieldPath) -> Diagnostic:
    return Diagnostic(code, message, path=at, hint=f"write /{path.lstrip('~./') or 'data'}")


def _new_claims(spec: Tree) -> Iterator[Diagnostic]:
    """Claims without a size: neither the experiment nor the Platform sets one."""
    for name, volume in spec.get("volumes", {}).items():
        create = get(volume, ("pvc", "create"), None)
        if create is not None and "size" not in create:
            profile = create.get("profile")
            where = f"profile {profile}" if profile is not None else "newClaims"
            at: FieldPath = (*_SPEC, "volumes", name, "pvc", "create")
            hint = f"add size: 100Gi, or set a size in {where} of the Platform"
            yield Diagnostic("TJ163", f'the claim of volume "{name}" has no size', path=at, hint=hint)


def _new_data_sets(spec: Tree) -> Iterator[Diagnostic]:
    """Data sets to create whose cache has no size."""
    for name, volume in spec.get("volumes", {}).items():
        create = get(volume, ("dataset", "create"), None)
        if create is not None and "quota" not in create and not create.get("levels"):
            at: FieldPath = (*_SPEC, "volumes", name, "dataset", "create", "quota")
            yield Diagnostic("TJ102", f"{render(at)} is missing", path=at, hint="add quota: 100Gi, or levels for several media")


def _sub_path(name: str, volume: Tree, place: Tree, at: FieldPath) -> Iterator[Diagnostic]:
    """The settings for the folder in one place of a volume."""
    written = [field for field in ("subPath", "subPathExpr") if field in place]
    if len(written) == 2:
        message = f'volume "{name}" has subPath and subPathExpr, which are mutually exclusive'
        yield Diagnostic("TJ121", message, path=(*at, written[1]), hint="keep one of them")
    if written and place is volume and "mountPath" not in volume:
        message = f'volume "{name}" has a {written[0]}, but no mountPath that it applies to'
        hint = f"set {written[0]} in each of mounts, or add mountPath"
        yield Diagnostic("TJ128", message, path=(*at, written[0]), hint=hint)
    if written and volume.get("pvc", {}).get("create", {}).get("volumeMode") == "Block":
        message = f'volume "{name}" has a {written[0]}, but a raw device (volumeMode Block) has no folders'
        yield Diagnostic("TJ128", message, path=(*at, written[0]), hint=f"remove {written[0]}, or volumeMode")


def _data(spec: Tree) -> Iterator[Diagnostic]:
    from tjgen.language.resolve import data_rules  # loaded only for those who have data

    return data_rules.check(spec)


def _prefetch(spec: Tree) -> Iterator[Diagnostic]:
    from tjgen.language.resolve import prefetch_rules  # few experiments have a prefetch

    return prefetch_rules.check(spec["prefetch"])


def _schedule(spec: Tree) -> Iterator[Diagnostic]:
    schedule = spec.get("schedule", {})
    system = schedule.get("system")
    for field, needed in _SCHEDULE_OF.items():
        if system is not None and field in schedule and system != needed:
            path: FieldPath = (*_SPEC, "schedule", field)
            message = f"schedule.{field} is for {needed}, but schedule.system is {system}"
            hint = f"remove {field}, or set system: {needed}"
            yield Diagnostic("TJ128", message, path=path, hint=hint)


def _patches(spec: Tree) -> Iterator[Diagnostic]:
    for name, patch in spec.get("patches", {}).items():
        for position, operation in enumerate(patch.get("json", [])):
            path: FieldPath = (*_SPEC, "patches", name, "json", position)
            needed = _OPERANDS.get(operation["op"])
            if needed is not None and needed not in operation:
                message = f'operation {operation["op"]} of patch "{name}" has no {needed}'
                yield Diagnostic("TJ129", message, path=path, hint=f"add {needed}")


def _listed(words: list[str], last: str) -> str:
    return f"{', '.join(words[:-1])} {last} {words[-1]}"
