"""The command line of a run -> references to unknown variables in it, and characters of word processors."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from tjgen.cluster.kinds.protocol import TENSORFLOW
from tjgen.cluster.kinds.table import facts_of
from tjgen.compiler.lower import SPEC
from tjgen.compiler.script import text_of_shell
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees import regex
from tjgen.trees.diagnostics.model import WARNING, Diagnostic
from tjgen.trees.diagnostics.suspected import from_secret, in_env, is_suspicious
from tjgen.trees.fields.path import FieldPath, Tree, get, named
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.workload.contribution import EXPERIMENT
from tjgen.trees.workload.workload import PodSet, Workload

_REFERENCE = regex.compile(r"\$\$|\$\(([A-Za-z_][-.A-Za-z0-9_]*)\)")
INJECTED = frozenset(
    (
        "PET_NNODES", "PET_NPROC_PER_NODE", "PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT", "PET_MAX_RESTARTS",
        "PET_STANDALONE", "PET_RDZV_BACKEND", "PET_RDZV_CONF", "PET_RDZV_ENDPOINT", "PET_RDZV_ID", "MASTER_ADDR",
        "MASTER_PORT", "WORLD_SIZE", "RANK", "PYTHONUNBUFFERED", "JAX_COORDINATOR_ADDRESS", "JAX_NUM_PROCESSES",
        "JAX_PROCESS_ID", "COORDINATOR_ADDRESS", "COORDINATOR_PORT", "NUM_PROCESSES", "PROCESS_ID", "DMLC_NUM_WORKER",
        "DMLC_TASK_ID", "DMLC_TRACKER_PORT", "DMLC_TRACKER_URI", "WORKER_ADDRS", "WORKER_PORT",
        "OMPI_MCA_orte_default_hostfile", "OMPI_MCA_orte_keep_fqdn_hostnames", "OMPI_MCA_orte_set_default_slots",
        "OMPI_MCA_plm_rsh_args", "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS", "I_MPI_HYDRA_HOST_FILE", "I_MPI_PERHOST",
        "HYDRA_HOST_FILE", "HYDRA_LAUNCH_EXTRA_ARGS", "K_MPI_JOB_ROLE", "TF_CONFIG", "PADDLE_JOB_ID", "PADDLE_MASTER",
        "PADDLE_NNODES", "PADDLE_SERVER_NUM", "PADDLE_TRAINER_NUM", "JOB_COMPLETION_INDEX", "VC_TASK_INDEX", "VK_TASK_INDEX",
    )
)  # fmt: skip
"""Variables that controllers add to containers."""
_OF_TRAINER = ("TJGEN_TF_CONFIG",)
"""Variables that targets with a JobSet add if an experiment refers to them."""
_OF_ANY_FORM = regex.compile(r"\$\$|\$(?:\(([^)]*)\)|\{?([A-Za-z_][A-Za-z0-9_]*))")
"""References as Kubernetes has them, and as shells have them."""
_IN_CAPITALS = regex.compile(r"[A-Z][A-Z0-9_]*\Z")
_OF_SERVICE = regex.compile(r".*_(SERVICE_HOST|SERVICE_PORT|PORT)(_.*)?")
"""Variables that the kubelet adds for each Service of the namespace."""


def check(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Diagnostic]:
    """TJ140 for each reference of the experiment that a container does not replace; TJ145 for typographic marks."""
    for podset in workload.podsets:
        main = get(workload.tree.value, podset.main, None) or {}
        yield from _typographic(workload, experiment, podset, main)
        if not main.get("envFrom"):  # whose keys are unknown here
            yield from _of(workload, podset, main, experiment.spec.target)


def _typographic(workload: Workload, experiment: Experiment, podset: PodSet, main: Tree) -> Iterator[Diagnostic]:
    script = experiment.spec.script
    texts = [((*podset.main, field), None, str(word)) for field in ("command", "args") for word in main.get(field) or []]
    for one in main.get("env") or []:
        texts.append(((*podset.main, "env", named(one["name"])), one["name"], str(one.get("value") or "")))
    for path, variable, text in texts:
        if text.isascii():
            continue
        from tjgen.compiler import typographic  # few texts have other characters

        because = next((origin.because for origin in workload.tree.origins(path) if origin.source == EXPERIMENT), None)
        if because is not None:
            whole = script if because == (*SPEC, "script") else None
            if variable is None:
                problem = typographic.of_words(text, whole, because)
            else:
                problem = typographic.of_value(variable, text, because)
            if problem is not None:
                yield problem
                return


def _of(workload: Workload, podset: PodSet, main: Tree, target: str) -> Iterator[Diagnostic]:
    words = [(str(word), (*podset.main, field)) for field in ("command", "args") for word in main.get(field) or []]
    env = [(one["name"], str(one.get("value") or "")) for one in main.get("env") or []]
    texts: list[tuple[str, FieldPath, str | None]] = [(text, path, None) for text, path in words]
    texts += [(value, (*podset.main, "env", named(name)), name) for name, value in env]
    texts = [one for one in texts if "$(" in one[0] or (one[2] is not None and "$" in one[0])]
    if not texts:
        return
    in_shell = text_of_shell([word for word, _ in words])
    known = [name for name, _ in env]
    places = {name: place for place, name in reversed(list(enumerate(known)))}
    available = {*known, *INJECTED, *_of_tasks(workload)}
    for text, path, variable in texts:
        because = next((origin.because for origin in workload.tree.origins(path) if origin.source == EXPERIMENT), None)
        if because is None:
            continue
        if variable is not None:
            yield from _unordered(variable, text, env, places, because)
            yield from _of_shell(variable, text, available, because, in_shell=in_shell is not None)
        for match in _REFERENCE.finditer(text):
            name = match[1]
            if name is None or name in available or _OF_SERVICE.fullmatch(name):
                continue
            near = nearest(name, [*known, *sorted(available.difference(known)), *([] if workload.is_direct else _OF_TRAINER)])
            if variable is None and in_shell is not None:
                if near is None and not _IN_CAPITALS.match(name):
                    continue  # a command that the shell replaces by what it prints
                reader = "the shell starts a command of that name"
                hint = (
                    f"did you mean $({near})?"
                    if near
                    else f"write ${name} for a variable of the shell, or add {in_env(name, name)} to env"
                )
            else:
                reader = "the program receives it as text"
                hint = f"add {in_env(name, name)} to env; a variable of the image is not replaced"
                hint = f"did you mean $({near})?" if near else _of_secret(variable) or hint
                hint += f" ($$({name}) stays literal text)"
                if name in _OF_TRAINER:
                    hint = f"use target: trainjob or jobset, which set {name}"
                    if facts_of(target).framework == TENSORFLOW:
                        hint = "remove the variable: the operator of TFJobs sets TF_CONFIG"
            message = f"$({name}) is not a variable of the container, so {reader}"
            yield Diagnostic("TJ140", message, path=because, hint=hint)


def _unordered(
    variable: str, text: str, env: list[tuple[str, str]], places: Mapping[str, int], because: FieldPath
) -> Iterator[Diagnostic]:
    """A variable that refers to itself, or to one that is set after it: a container replaces earlier ones only."""
    if any(variable in match.groups() for match in _OF_ANY_FORM.finditer(text)):
        message = (
            f"{variable} refers to itself, so the program receives {text} as it is: nothing replaces a variable of the image"
        )
        hint = f"write the whole value, or begin the script with the line #!/bin/sh, and export {variable} there"
        hint = _of_secret(variable) or hint
        yield Diagnostic("TJ140", message, path=because, hint=hint)
        return
    for match in _REFERENCE.finditer(text):
        name = match[1]
        if name in places and places[name] > places[variable]:
            value = env[places[name]][1]
            message = f"$({name}) is set after {variable}, so the program receives it as text"
            hint = f"write {text.replace(match[0], value)}" if value and "$(" not in value else f"write the value of {name}"
            yield Diagnostic("TJ140", message, path=because, hint=hint)


def _of_shell(
    variable: str, text: str, available: Collection[str], because: FieldPath, *, in_shell: bool
) -> Iterator[Diagnostic]:
    """TJ131 for a reference of shells to another variable in the value of a variable, which no shell reads."""
    references = [match for match in _OF_ANY_FORM.finditer(text) if match[2] is not None and _IN_CAPITALS.match(match[2])]
    if not references or any(match[2] == variable for match in references):
        return
    name, reference = references[0][2], references[0][0] + "}" * references[0][0].startswith("${")
    other = (
        f"export {variable} in the script"
        if in_shell
        else f"begin the script with the line #!/bin/sh, and export {variable} there"
    )
    secret = _of_secret(name)
    value = f"{secret}, and write $({name})" if secret is not None else f"write the value of {name}, or {other}"
    value = _of_secret(variable) or value
    hint = f"write $({name})" if name in available else value
    message = f"{variable} has the shell variable {reference}, but no shell reads it: the program receives {text} as it is"
    yield Diagnostic("TJ131", message, path=because, hint=f"{hint} ($${name} stays literal text)", severity=WARNING)


def _of_secret(variable: str | None) -> str | None:
    """The hint for a variable whose name suggests a secret, which no environment of this machine provides to a pod."""
    if variable is None or not is_suspicious(variable):
        return None
    return f"take it from a Secret of the namespace: {from_secret(variable)}"


def _of_tasks(workload: Workload) -> Iterator[str]:
    """The variables that Volcano's plugin svc adds for each task."""
    for podset in workload.podsets:
        task = podset.name.upper().replace("-", "_")
        yield from (f"VC_{task}_HOSTS", f"VC_{task}_NUM")
