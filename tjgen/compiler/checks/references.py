"""References such as `$(NAME)` in arguments and variables -> those that no variable of the container has."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get, named
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.workload.contribution import EXPERIMENT
from tjgen.trees.workload.workload import PodSet, Workload

_REFERENCE = re.compile(r"\$\$|\$\(([A-Za-z_][-.A-Za-z0-9_]*)\)")
_INJECTED = re.compile(
    r"(PET|JAX|OMPI|VC|VK|DMLC|TJGEN|KUBERNETES|K_MPI|PADDLE)_.*"
    r"|.*_(SERVICE_HOST|SERVICE_PORT|PORT)(_.*)?"
    r"|JOB_COMPLETION_INDEX|MASTER_ADDR|WORLD_SIZE|RANK|TF_CONFIG|PYTHONUNBUFFERED"
)
"""Variables that controllers and the kubelet add to containers."""


def check(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Diagnostic]:
    """TJ140 for each reference of the experiment that the kubelet leaves as text."""
    for podset in workload.podsets:
        main = get(workload.tree.value, podset.main, None) or {}
        if not main.get("envFrom"):  # whose keys nobody knows here
            yield from _of(workload, podset, main)


def _of(workload: Workload, podset: PodSet, main: Tree) -> Iterator[Diagnostic]:
    known = [one["name"] for one in main.get("env") or []]
    texts: list[tuple[str, FieldPath]] = []
    command = [str(word) for word in main.get("command") or []]
    if command[-1:] != ["-c"]:  # a shell reads $(NAME) as a command
        for field in ("command", "args"):
            texts += [(str(word), (*podset.main, field)) for word in main.get(field) or []]
    for one in main.get("env") or []:
        texts.append((str(one.get("value") or ""), (*podset.main, "env", named(one["name"]))))
    for text, path in texts:
        said = next((origin for origin in workload.tree.origins(path) if origin.source == EXPERIMENT), None)
        for found in _REFERENCE.finditer(text) if said is not None and "$(" in text else ():
            name = found[1]
            if name is None or name in known or _INJECTED.fullmatch(name):
                continue
            assert said is not None, "a text of the runtime is not looked at"
            near = nearest(name, known)
            hint = f"did you mean $({near})?" if near else f"add {name} to env; a variable of the image is not replaced"
            message = f"$({name}) names no variable of the container, so the program gets it as text"
            yield Diagnostic("TJ140", message, path=said.because, hint=f"{hint} ($$({name}) is the text itself)")
