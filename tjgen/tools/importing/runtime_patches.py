"""The runtimePatches of a TrainJob -> fields of the experiment that a build turns into the same patch, under its own manager.

A patch of one manager is enough: a build writes one. What no field covers, and the name of the manager, is left to a patch of
the experiment. So nothing here needs to be complete.
"""

from __future__ import annotations

from tjgen.tools.importing import pods
from tjgen.tools.importing.changes import changes
from tjgen.tools.importing.residue import residue
from tjgen.trees.fields.patch import grow
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.manifests.canonical_quantities import with_canonical_quantities

_PATCHES = "runtimePatches"
_LISTS: dict[str, FieldPath] = {f"/spec/{_PATCHES}": ("spec", _PATCHES), "/spec/trainer/env": ("spec", "trainer", "env")}
"""Lists of a TrainJob whose items a patch can change one by one."""
_JOBS: FieldPath = ("trainingRuntimeSpec", "template", "spec", "replicatedJobs")
_MAIN = "node"
"""The job and the container of the program in a runtime."""
_OF_ROLE = ("env", "envFrom", "ports", "probes", "workingDir", "pod")
"""Fields that a role can have and that a build writes into the patch of its job."""


def fields(tree: Tree) -> Tree:
    """The fields for the pods of the job that trains, and so for those of all such jobs."""
    template = _templates(tree).get(_MAIN)
    return pods.fields_of({_MAIN: template}, _MAIN)[0] if template is not None else {}


def fields_of_roles(tree: Tree) -> Tree:
    """The fields for the pods of each job."""
    of_roles = {
        name: {field: value for field, value in pods.fields_of({name: template}, _MAIN)[0].items() if field in _OF_ROLE}
        for name, template in _templates(tree).items()
    }
    roles = {name: role for name, role in of_roles.items() if role}
    return {"roles": roles} if roles else {}


def _templates(tree: Tree) -> dict[str, Tree]:
    """The patch of the pods of each job, with no container but the one of the program; none of several managers."""
    items = get(tree, ("spec", _PATCHES), None)
    jobs = get(items[0], _JOBS, None) if items.__class__ is list and len(items) == 1 else None
    templates: dict[str, Tree] = {}
    for job in jobs if jobs.__class__ is list else ():
        template = get(job, ("template", "spec", "template"), None)
        if template.__class__ is dict:
            containers = get(template, ("spec", "containers"), None)
            main = [one for one in containers if get(one, ("name",), None) == _MAIN] if containers.__class__ is list else None
            templates[job["name"]] = (
                {**template, "spec": {**template["spec"], "containers": main}} if main is not None else template
            )
    return templates


def operations(built: Tree, wanted: Tree) -> list[Tree]:
    """The operations that make the one TrainJob the other: at single items of its lists, if that is shorter."""
    return [each for one in residue(built, wanted) for each in _of_items(one, built, wanted)]


def _of_items(operation: Tree, built: Tree, wanted: Tree) -> list[Tree]:
    """The operations on the items of a list instead of one that replaces the list."""
    path = _LISTS.get(operation["path"])
    if path is None or operation["op"] != "replace":
        return [operation]
    given, lists = (grow(path, with_canonical_quantities(get(tree, path)), {}) for tree in (built, wanted))
    return [change.operation for change in changes(given, lists)]
