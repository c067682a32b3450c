"""The runtimePatches of a TrainJob -> fields of the experiment that a build turns into the same patch, under its own manager.

A patch of one manager is enough: a build writes one. What no field covers, and the name of the manager, is left to a patch of
the experiment. So nothing here needs to be complete.
"""

from __future__ import annotations

from tjgen.tools.importing import pods
from tjgen.tools.importing.changes import changes
from tjgen.tools.importing.residue import residue
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.manifests.canonical_quantities import with_canonical_quantities

_PATCHES = "runtimePatches"
_AT = f"/spec/{_PATCHES}"
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
    """The operations that make the one TrainJob the other: in the patch of a runtime at single fields, if that is shorter."""
    whole = residue(built, wanted)
    own = [one for one in whole if one["path"] == _AT]
    if not own or own[0]["op"] != "replace":
        return whole
    given, patches = ({"spec": {_PATCHES: with_canonical_quantities(tree["spec"][_PATCHES])}} for tree in (built, wanted))
    return [*(one for one in whole if one not in own), *(change.operation for change in changes(given, patches))]
