"""The command line of a run -> references to unknown variables in it, and characters of word processors."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.lower import SPEC
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees import regex
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get, named
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.workload.contribution import EXPERIMENT
from tjgen.trees.workload.workload import PodSet, Workload

_REFERENCE = regex.compile(r"\$\$|\$\(([A-Za-z_][-.A-Za-z0-9_]*)\)")
_TYPOGRAPHIC = regex.compile(
    r"(?:(?<=\s)|(?<=\A)|(?<==))[\u201c\u201d\u201e\u2018\u2019\u201a](?=\S)|(?:(?<=\s)|(?<=\A))[\u2013\u2014](?=[A-Za-z])"
)
"""Quotation marks at the start of a word, and dashes instead of an option's hyphens."""
_PLAIN = str.maketrans(
    {
        **dict.fromkeys("\u201c\u201d\u201e", '"'),
        **dict.fromkeys("\u2018\u2019\u201a", "'"),
        **dict.fromkeys("\u2013\u2014", "--"),
    }
)
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
_OF_SERVICE = regex.compile(r".*_(SERVICE_HOST|SERVICE_PORT|PORT)(_.*)?")
"""Variables that the kubelet adds for each Service of the namespace."""


def check(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Diagnostic]:
    """TJ140 for each reference of the experiment that the kubelet leaves as text; TJ145 for typographic marks."""
    for podset in workload.podsets:
        main = get(workload.tree.value, podset.main, None) or {}
        yield from _typographic(workload, experiment, podset, main)
        if not main.get("envFrom"):  # whose keys are unknown here
            yield from _of(workload, podset, main)


def _typographic(workload: Workload, experiment: Experiment, podset: PodSet, main: Tree) -> Iterator[Diagnostic]:
    for field in ("command", "args"):
        path: FieldPath = (*podset.main, field)
        of_experiment = next((origin for origin in workload.tree.origins(path) if origin.source == EXPERIMENT), None)
        for word in main.get(field) or [] if of_experiment is not None else ():
            lines = [line for line in str(word).splitlines() if not line.lstrip().startswith("#")]
            mark = next((one[0] for line in lines if (one := _TYPOGRAPHIC.search(line))), None)
            if mark is not None:
                assert of_experiment is not None, "a text of the runtime is not looked at"
                plain = "--" if mark in "\u2013\u2014" else "'" if mark in "\u2018\u2019\u201a" else '"'
                message = f"the command line has {mark} (U+{ord(mark):04X}), which shells and programs do not read as {plain}"
                script = experiment.spec.script if of_experiment.because == (*SPEC, "script") else None
                hint = f"write {plain}" if script is None or "\n" in script else f"write {script.translate(_PLAIN)}"
                yield Diagnostic("TJ145", message, path=of_experiment.because, hint=hint)
                return


def _of(workload: Workload, podset: PodSet, main: Tree) -> Iterator[Diagnostic]:
    texts: list[tuple[str, FieldPath]] = []
    command = [str(word) for word in main.get("command") or []]
    if command[-1:] != ["-c"]:  # a shell reads $(NAME) as a command
        for field in ("command", "args"):
            texts += [(str(word), (*podset.main, field)) for word in main.get(field) or []]
    for one in main.get("env") or []:
        texts.append((str(one.get("value") or ""), (*podset.main, "env", named(one["name"]))))
    texts = [(text, path) for text, path in texts if "$(" in text]
    if not texts:
        return
    known = [one["name"] for one in main.get("env") or []]
    available = {*known, *INJECTED, *_of_tasks(workload)}
    for text, path in texts:
        of_experiment = next((origin for origin in workload.tree.origins(path) if origin.source == EXPERIMENT), None)
        for match in _REFERENCE.finditer(text) if of_experiment is not None else ():
            name = match[1]
            if name is None or name in available or _OF_SERVICE.fullmatch(name):
                continue
            assert of_experiment is not None, "a text of the runtime is not looked at"
            near = nearest(name, [*known, *sorted(available.difference(known))])
            hint = f"did you mean $({near})?" if near else f"add {name} to env; a variable of the image is not replaced"
            message = f"$({name}) is not a variable of the container, so the program receives it as text"
            yield Diagnostic("TJ140", message, path=of_experiment.because, hint=f"{hint} ($$({name}) stays literal text)")


def _of_tasks(workload: Workload) -> Iterator[str]:
    """The variables that Volcano's plugin svc adds for each task."""
    for podset in workload.podsets:
        task = podset.name.upper().replace("-", "_")
        yield from (f"VC_{task}_HOSTS", f"VC_{task}_NUM")
