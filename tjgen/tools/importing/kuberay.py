"""A RayJob -> an experiment in the fields of the language: the head and the groups of workers become roles.

The entrypoint is the command of the program, if its words are written in the same way again, and otherwise a line for a shell.
"""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Iterator

from tjgen.cluster.kinds.ray import CLUSTER, HEAD, TARGET, WORKERS
from tjgen.cluster.schema.defaults import with_defaults
from tjgen.cluster.schema.store import find
from tjgen.compiler.targets.rayjob import line
from tjgen.language.runs.lock import SUSPENDED
from tjgen.tools.importing import pods
from tjgen.tools.importing.frameworks import BARE
from tjgen.tools.importing.residue import stated
from tjgen.tools.importing.trainjob import bare as named
from tjgen.trees.fields.path import Tree, get


def experiment(tree: Tree) -> Tree:
    """The experiment, with the name of the RayJob as that of its run."""
    spec = tree.get("spec") or {}
    cluster = get(tree, CLUSTER, None) or {}
    groups = {str(group.get("groupName")): group for group in cluster.get(WORKERS) or [] if group.__class__ is dict}
    templates = {HEAD: get(cluster, ("headGroupSpec", "template"), None) or {}}
    templates |= {name: group.get("template") or {} for name, group in groups.items()}
    shared, own = pods.fields_of({name: _without_command(template) for name, template in templates.items()}, aside=(HEAD,))
    roles: Tree = {HEAD: own[HEAD]} if own[HEAD] else {}
    roles |= {name: {"replicas": group.get("replicas") or 0, **own[name]} for name, group in groups.items()}
    words: Tree = {"runtime": BARE, "target": TARGET, "naming": "fixed", **shared, "command": _command(spec.get("entrypoint"))}
    return {**named(tree), "spec": {**words, **({"roles": roles} if roles else {}), **dict(_policies(spec))}}


def filled(tree: Tree) -> Tree:
    """The RayJob as a cluster stores it."""
    schema = find(tree["apiVersion"], tree["kind"])
    job = stated(tree)
    return job if schema is None else with_defaults(job, schema)


def _without_command(template: Tree) -> Tree:
    """The template without the command of its first container, which the operator runs before it starts Ray."""
    containers = get(template, ("spec", "containers"), None)
    if not containers or containers[0].__class__ is not dict:
        return template
    main = {key: value for key, value in containers[0].items() if key not in ("command", "args")}
    return {**template, "spec": {**template["spec"], "containers": [main, *containers[1:]]}}


def _command(entrypoint: Tree) -> list[str]:
    text = str(entrypoint or "")
    with contextlib.suppress(ValueError):
        words = shlex.split(text)
        if line(words, []) == text:
            return words
    return ["sh", "-c", text.replace("$$", "$$$$")]


def _policies(spec: Tree) -> Iterator[tuple[str, Tree]]:
    cleanup: Tree = {} if spec.get("shutdownAfterJobFinishes") else {"pods": "None"}
    if spec.get("ttlSecondsAfterFinished"):
        cleanup["ttlSeconds"] = spec["ttlSecondsAfterFinished"]
    if cleanup:
        yield "cleanup", cleanup
    if spec.get("backoffLimit"):
        yield "restart", {"limit": spec["backoffLimit"]}
    if spec.get("activeDeadlineSeconds"):
        yield "deadline", spec["activeDeadlineSeconds"]
    if spec.get("suspend") is True:
        yield "state", SUSPENDED
