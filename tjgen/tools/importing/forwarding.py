"""A built MPIJob, and what it should be -> the latter with the variables that mpirun of the former also forwards to workers."""

from __future__ import annotations

from tjgen.compiler import mpirun
from tjgen.trees.fields.path import FieldPath, Tree, get

_KIND = "MPIJob"
_SPECS: FieldPath = ("spec", "mpiReplicaSpecs")
_POD: FieldPath = ("template", "spec")


def names(built: Tree, wanted: Tree) -> list[str]:
    """The variables that only the built launcher has for the workers, or forwards to them."""
    if built.get("kind") != _KIND:
        return []
    given, main = _main(built, "Launcher"), _main(wanted, "Launcher")
    more = (_names(given) - _names(main)) | (mpirun.forwarded(_words(given)) - mpirun.forwarded(_words(main)))
    return [one["name"] for one in _main(built, "Worker").get("env") or () if one.get("name") in more]


def with_forwarding(built: Tree, wanted: Tree) -> Tree:
    """`wanted` with the command line and the variables of the built launcher, if they differ only in what is forwarded."""
    added = names(built, wanted)
    if not added:
        return wanted
    main, given = _main(wanted, "Launcher"), _main(built, "Launcher")
    options = [name for name in added if name in mpirun.forwarded(_words(given))]
    command, args = main.get("command") or [], main.get("args") or []
    lines = mpirun.forwarding(command, args, options) if options else (command, args)
    if lines is None or lines != (given.get("command") or [], given.get("args") or []):
        return wanted
    known = _names(main)
    env = [
        *(main.get("env") or ()),
        *(one for one in given.get("env") or () if one["name"] in added and one["name"] not in known),
    ]
    fields = {"command": lines[0], "args": lines[1], "env": env}
    changed = {**main, **{field: value for field, value in fields.items() if value}}
    specs = wanted["spec"]["mpiReplicaSpecs"]
    launcher = specs["Launcher"]
    pod = launcher["template"]["spec"]
    template = {**launcher["template"], "spec": {**pod, "containers": [changed, *pod["containers"][1:]]}}
    return {
        **wanted,
        "spec": {**wanted["spec"], "mpiReplicaSpecs": {**specs, "Launcher": {**launcher, "template": template}}},
    }


def _main(tree: Tree, replica_type: str) -> Tree:
    containers = get(tree, (*_SPECS, replica_type, *_POD, "containers"), None) or [{}]
    return containers[0]


def _words(main: Tree) -> list[str]:
    return [str(word) for field in ("command", "args") for word in main.get(field) or ()]


def _names(main: Tree) -> set[str]:
    return {str(one.get("name")) for one in main.get("env") or ()}
