"""A file, or kubectl on the PATH -> the objects of a cluster that train, and pods, as a list in JSON."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping, Sequence

from tjgen.cli.inputs import text
from tjgen.cluster.kinds.table import kinds
from tjgen.gitops.output.kubectl import LISTING, check_object
from tjgen.trees.diagnostics.model import INFO, CompileError, Diagnostic
from tjgen.trees.fields.path import Tree

SECONDS = 60
"""How long one call of kubectl may take."""
_SAVED = f"use --from FILE with the saved output of {LISTING}"


def read_cluster(source: str | None, namespaces: Sequence[str], context: str | None) -> tuple[str, str]:
    """A list of objects as JSON, and its name for messages: from a file (`-`: standard input), or from kubectl without one.

    Query the kinds of the cluster with kubectl in these namespaces. Raise CompileError: TJ287 if kubectl is missing,
    fails, or does not answer.
    """
    if source is not None:
        content = text(source)
        if isinstance(content, Diagnostic):
            raise CompileError([content])
        return content.decode(errors="replace"), source
    return _list_runs(namespaces, context), "kubectl get"


def read_more(
    resources: Mapping[str, str], namespaces: Sequence[str], context: str | None
) -> tuple[list[Tree], list[Diagnostic]]:
    """The objects of these resources, written as `plural.group`, in these namespaces; each with the selector of its fields.

    Roles often do not permit this, so a failure is a note (TJ287). Resources that the cluster does not serve have no objects.
    """
    chosen = _context(context)
    served = _served(chosen)
    trees: list[Tree] = []
    notes: list[Diagnostic] = []
    for resource, selector in resources.items():
        fields = ["--field-selector", selector] if selector else []
        try:
            for name in namespaces if resource in served else ():
                items = _items([*chosen, "get", resource, "-n", name, *fields, "-o", "json"])
                trees += [check_object(one, "kubectl get") for one in items]
        except CompileError as error:
            notes += [one._replace(severity=INFO) for one in error.diagnostics]
    return trees, notes


def _list_runs(namespaces: Sequence[str], context: str | None) -> str:
    chosen = _context(context)
    served = _served(chosen)
    wanted = [f"{kind.plural}.{kind.group}" for kind in kinds() if kind.run is not None]
    names = [name for name in dict.fromkeys(wanted) if name in served]
    if "pods" not in served:
        raise CompileError(
            [_problem("kubectl api-resources lists no pods: the cluster did not answer", "check kubectl get pods")]
        )
    items: list[Tree] = []
    for namespace in namespaces:
        items += _items([*chosen, "get", ",".join([*names, "pods"]), "-n", namespace, "-o", "json"])
    return json.dumps({"kind": "List", "items": items})


def _context(context: str | None) -> list[str]:
    return ["--context", context] if context is not None else []


def _served(chosen: Sequence[str]) -> set[str]:
    """The kinds that the cluster lists, as `plural.group`."""
    return set(_run([*chosen, "api-resources", "--verbs=list", "-o", "name"], may_fail=True).split())


def _items(words: Sequence[str]) -> list[Tree]:
    try:
        return list(json.loads(_run(words))["items"])
    except (ValueError, KeyError, TypeError):
        raise CompileError([_problem(f"kubectl {' '.join(words)} printed no list", "run the command to see why")]) from None


def _run(words: Sequence[str], *, may_fail: bool = False) -> str:
    """What kubectl prints; with `may_fail`, also what it printed before it failed."""
    program = shutil.which("kubectl")
    if program is None:
        raise CompileError([_problem("kubectl is not on the PATH", f"install kubectl, or {_SAVED}")])
    command_line = f"kubectl {' '.join(words)}"
    try:
        answer = subprocess.run(
            [program, *words, f"--request-timeout={SECONDS // 2}s"], capture_output=True, check=False, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        raise CompileError(
            [_problem(f"{command_line} did not answer within {SECONDS} seconds", "check the context and the network")]
        ) from None
    except OSError as error:
        raise CompileError([_problem(f"kubectl cannot be started: {error.strerror}", _SAVED)]) from None
    out, err = (text.decode(errors="replace") for text in (answer.stdout, answer.stderr))
    if answer.returncode and not (may_fail and out):
        reason = err.strip().splitlines()[-1] if err.strip() else f"exit code {answer.returncode}"
        raise CompileError([_problem(f"{command_line} failed: {reason}", f"fix the access, choose --context, or {_SAVED}")])
    return out


def _problem(message: str, hint: str) -> Diagnostic:
    return Diagnostic("TJ287", message, hint=hint)
