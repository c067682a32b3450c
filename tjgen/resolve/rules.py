"""A merged experiment of the right shape -> what its fields say that does not go together."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.diagnostics.model import ERROR, Diagnostic
from tjgen.fields.path import FieldPath, Tree, render
from tjgen.k8s.nearest import nearest
from tjgen.spec.compact import EXPERIMENT_FORM
from tjgen.spec.forms import Form, below, distinctive

_SPEC: FieldPath = ("spec",)
_NEEDED: tuple[tuple[str, ...], ...] = (
    ("env", "*"),
    ("envFrom", "*"),
    ("roles", "*", "env", "*"),
    ("roles", "*", "envFrom", "*"),
    ("initializer", "*", "env", "*"),
    ("volumes", "*"),
    ("volumes", "*", "pvc"),
    ("data", "items"),
    ("patches", "*"),
)
"""Places where one of the alternatives has to be chosen."""
_SCHEDULE_OF = {"timeoutSeconds": "coscheduling", "networkTopology": "volcano"}
_OPERANDS = {"add": "value", "replace": "value", "test": "value", "move": "from", "copy": "from"}


def check_rules(experiment: Tree) -> list[Diagnostic]:
    """Every rule over an experiment in long form that `spec.check` has found no fault with."""
    spec = experiment["spec"]
    return [
        *_runtime(spec),
        *_alternatives(spec, _SPEC, EXPERIMENT_FORM.fields["spec"]),
        *_choices(spec),
        *_keys(spec),
        *_volumes(spec),
        *_data(spec),
        *_schedule(spec),
        *_patches(spec),
    ]


def _runtime(spec: Tree) -> Iterator[Diagnostic]:
    if "runtime" not in spec:
        hint = "name one of `tjgen runtimes list`, here or in an overlay"
        yield Diagnostic("TJ120", ERROR, "no runtime is named", path=_SPEC, hint=hint, name="no-runtime")


def _alternatives(tree: Tree, path: FieldPath, form: Form) -> Iterator[Diagnostic]:
    """Two alternatives at one place."""
    if tree.__class__ is not dict or form.verbatim:
        return
    if form.alternatives:
        used = [key for group in form.alternatives for key in distinctive(group, form.alternatives) if key in tree]
        groups = {group for group in form.alternatives for key in used if key in group}
        if len(groups) > 1:
            message = f"{render(path)} has {_both(used)}, which exclude each other"
            yield Diagnostic(
                "TJ121", ERROR, message, path=(*path, used[-1]), hint="keep one of them", name="several-alternatives"
            )
    inner = tree if form.each is not None else form.fields
    for key in inner:
        if key in tree:
            yield from _alternatives(tree[key], (*path, key), below(form, key))


def _choices(spec: Tree) -> Iterator[Diagnostic]:
    """Places without any of their alternatives."""
    for pattern in _NEEDED:
        form = EXPERIMENT_FORM.fields["spec"]
        for step in pattern:
            form = below(form, step)
        for path, tree in _matching(spec, pattern, _SPEC):
            if not any(key in tree for group in form.alternatives for key in distinctive(group, form.alternatives)):
                heads = [group[0] for group in form.alternatives]
                message = f"{render(path)} does not say {'which' if len(heads) > 2 else 'whether'} it is {_either(heads)}"
                yield Diagnostic("TJ122", ERROR, message, path=path, hint="give it one of them", name="no-alternative")


def _matching(tree: Tree, pattern: tuple[str, ...], path: FieldPath) -> Iterator[tuple[FieldPath, Tree]]:
    if not pattern:
        yield path, tree
        return
    for key in tree if pattern[0] == "*" else [pattern[0]]:
        if key in tree:
            yield from _matching(tree[key], pattern[1:], (*path, key))


def _keys(spec: Tree) -> Iterator[Diagnostic]:
    """Variables from a Secret or ConfigMap that do not say which key."""
    for pattern in _NEEDED:
        if pattern[-2] == "env":
            for path, variable in _matching(spec, pattern, _SPEC):
                source = next((word for word in ("secret", "configMap") if word in variable), None)
                if source and "key" not in variable:
                    message = f'{render(path)} does not say which key of {source} "{variable[source]}" it is'
                    yield Diagnostic("TJ123", ERROR, message, path=path, hint="add key", name="no-key")


def _volumes(spec: Tree) -> Iterator[Diagnostic]:
    mounted: dict[tuple[str, str], str] = {}
    for name, volume in spec.get("volumes", {}).items():
        path: FieldPath = (*_SPEC, "volumes", name)
        if "mountPath" not in volume:
            yield Diagnostic(
                "TJ124", ERROR, f'volume "{name}" is mounted nowhere', path=path, hint="add mountPath", name="no-mount-path"
            )
            continue
        if "subPath" in volume and "subPathExpr" in volume:
            message = f'volume "{name}" has subPath and subPathExpr, which exclude each other'
            yield Diagnostic(
                "TJ121", ERROR, message, path=(*path, "subPathExpr"), hint="keep one of them", name="several-alternatives"
            )
        for role in volume.get("roles") or [""]:
            other = mounted.setdefault((role, volume["mountPath"]), name)
            if other != name:
                message = f'volumes "{other}" and "{name}" are both mounted at {volume["mountPath"]}'
                hint = "give each its own mountPath"
                yield Diagnostic("TJ125", ERROR, message, path=(*path, "mountPath"), hint=hint, name="same-mount-path")


def _data(spec: Tree) -> Iterator[Diagnostic]:
    data = spec.get("data")
    if data is None:
        return
    path: FieldPath = (*_SPEC, "data")
    volumes = list(spec.get("volumes", {}))
    if data["volume"] not in volumes:
        near = nearest(data["volume"], volumes)
        hint = f'did you mean "{near}"?' if near else "add it to volumes"
        message = f'there is no volume "{data["volume"]}"'
        yield Diagnostic("TJ126", ERROR, message, path=(*path, "volume"), hint=hint, name="unknown-volume")
    slices = data.get("slices")
    if slices is None:
        return
    if "items" not in data:
        hint = "add items: a list, a glob or a manifest"
        yield Diagnostic("TJ127", ERROR, "data.slices has no items to divide", path=(*path, "slices"), hint=hint, name="no-items")
    by_file = slices.get("deliver") == "configMap"
    if not by_file and "mountPath" in slices:
        message = "data.slices has a mountPath, but its slices are delivered as variables"
        hint = "remove mountPath, or set deliver: configMap"
        yield Diagnostic("TJ128", ERROR, message, path=(*path, "slices", "mountPath"), hint=hint, name="idle-field")


def _schedule(spec: Tree) -> Iterator[Diagnostic]:
    schedule = spec.get("schedule", {})
    system = schedule.get("system")
    for field, needed in _SCHEDULE_OF.items():
        if system is not None and field in schedule and system != needed:
            path: FieldPath = (*_SPEC, "schedule", field)
            message = f"schedule.{field} is for {needed}, but schedule.system is {system}"
            hint = f"remove {field}, or set system: {needed}"
            yield Diagnostic("TJ128", ERROR, message, path=path, hint=hint, name="idle-field")


def _patches(spec: Tree) -> Iterator[Diagnostic]:
    for name, patch in spec.get("patches", {}).items():
        for position, operation in enumerate(patch.get("json", [])):
            path: FieldPath = (*_SPEC, "patches", name, "json", position)
            needed = _OPERANDS.get(operation["op"])
            if needed is not None and needed not in operation:
                message = f'operation {operation["op"]} of patch "{name}" has no {needed}'
                yield Diagnostic("TJ129", ERROR, message, path=path, hint=f"add {needed}", name="incomplete-operation")


def _both(words: list[str]) -> str:
    return ", ".join(words[:-1]) + " and " + words[-1]


def _either(words: list[str]) -> str:
    return ", ".join(words[:-1]) + " or " + words[-1]
