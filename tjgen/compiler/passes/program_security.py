"""Pods of programs next to a run -> what of them the namespace refuses, and where the user of their files is not known."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.lower import SPEC
from tjgen.compiler.programs import pods
from tjgen.language.setting import Setting
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.k8s.labels import PROGRAM_LABEL
from tjgen.trees.typing import TYPE_CHECKING
from tjgen.trees.workload.workload import Workload

if TYPE_CHECKING:
    from tjgen.cluster.policies.pod_view import Violation

_ON_FILES = ("prefetch", "cleaner")
"""Programs that read, write or remove files of the run."""


def problems(workload: Workload, setting: Setting) -> Iterator[Diagnostic]:
    """TJ386 for each program that the level of the namespace refuses, TJ387 for those that run as 65534 on files of the run."""
    level = setting.cluster.security_of(setting.namespace)
    unknown: list[str] = []
    for kind in ("objects", "ahead"):
        for key, tree in (workload.tree.value.get(kind) or {}).items():
            template = _template(tree)
            if template is None:
                continue
            program = template["metadata"]["labels"].get(PROGRAM_LABEL, "")
            because = workload.tree.origins((kind, key))[0].because
            violations = _violations(template, level)
            if violations:
                message = (
                    f"namespace {setting.namespace} enforces Pod Security {level}, which refuses the pods of {key}: "
                    f"{', '.join(map(str, violations))}"
                )
                hint = _hint(program, violations, str(level))
                at: FieldPath = (*because, "builder") if program == "build" else because
                yield Diagnostic("TJ386", message, path=at, hint=hint)
            user = get(template, ("spec", "securityContext", "runAsUser"), None)
            if program in _ON_FILES and user == pods.UNPRIVILEGED and not _names_user(workload):
                unknown.append(key)
    if unknown:
        cause = "because they must not run as root and the run has no runAsUser"
        message = f"the pods of {', '.join(unknown)} run as user {pods.UNPRIVILEGED}, {cause}"
        hint = "set pod.securityContext.runAsUser to the user that the image trains as"
        yield Diagnostic("TJ387", message, path=(*SPEC, "pod"), hint=hint)


def _template(tree: Tree) -> Tree | None:
    if tree["kind"] == "CronJob":
        return tree["spec"]["jobTemplate"]["spec"]["template"]
    return tree["spec"]["template"] if tree["kind"] == "Job" else None


def _violations(template: Tree, level: str | None) -> list[Violation]:
    if level is None:
        return []
    from tjgen.cluster.policies.pod_security import Standard, violations  # most Platforms set no level

    return violations(template, Standard(level))


def _names_user(workload: Workload) -> bool:
    paths = [path for podset in workload.podsets for path in (podset.pod, podset.main)]
    return any(get(workload.tree.value, (*path, "securityContext", "runAsUser"), None) is not None for path in paths)


def _hint(program: str, violations: list[Violation], level: str) -> str:
    if program == "build" and level == "baseline":
        return "use builder: kaniko, which needs no Unconfined profile, or build the image outside of the cluster"
    if program == "build":
        return "build the image outside of the cluster (code.use: image), or in a namespace that allows it"
    if any(one.path[1] == "volumes" for one in violations):
        return "use a claim instead of the volume, or a namespace that allows it"
    return "use a namespace that allows it, or set pod.securityContext as the level requires"
