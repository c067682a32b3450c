"""A pod, and a level of Pod Security -> what the level refuses of the pod, in the words of the API server.

Mirrors k8s.io/pod-security-admission 0.36 `policy`. The checks run in the order of `_BASELINE` and
`_RESTRICTED`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from tjgen.cluster.policies import baseline, restricted
from tjgen.cluster.policies.pod_view import LATEST, PodView, Violation
from tjgen.trees.fields.path import Tree
from tjgen.trees.k8s.labels import POD_SECURITY
from tjgen.trees.typing import NamedTuple

PRIVILEGED, BASELINE, RESTRICTED = LEVELS = ("privileged", "baseline", "restricted")

Check = Callable[[PodView], Iterator[Violation]]


class Standard(NamedTuple):
    """A level of Pod Security and its version."""

    level: str
    minor: int = LATEST

    def __str__(self) -> str:
        return f"{self.level}:{'latest' if self.minor == LATEST else f'v1.{self.minor}'}"


def of_labels(labels: Mapping[str, str], mode: str) -> Standard:
    """The standard that a namespace with these labels has for `enforce`, `warn` or `audit`."""
    # A namespace that enforces a level warns of it, too.
    source = "enforce" if mode == "warn" and f"{POD_SECURITY}warn" not in labels and f"{POD_SECURITY}enforce" in labels else mode
    level = labels.get(f"{POD_SECURITY}{source}", PRIVILEGED)
    version = labels.get(f"{POD_SECURITY}{mode}-version") or labels.get(f"{POD_SECURITY}{source}-version", "latest")
    minor = version.removeprefix("v1.")
    return Standard(level if level in LEVELS else RESTRICTED, int(minor) if minor.isdigit() else LATEST)


def violations(pod: Tree, standard: Standard) -> list[Violation]:
    """What a standard refuses of a pod or a pod template, which has the defaults of the server."""
    if standard.level == PRIVILEGED or not pod.get("spec"):
        return []
    one = PodView(pod.get("metadata") or {}, pod["spec"], standard.minor)
    checks: tuple[Check, ...] = _BASELINE
    if standard.level == RESTRICTED:
        replaced = {baseline.host_path_volumes}
        if one.minor >= 22:
            replaced.add(baseline.capabilities_baseline)
        if one.minor >= 19:
            replaced.add(baseline.seccomp_baseline)
        checks = (*(check for check in _BASELINE if check not in replaced), *_RESTRICTED)
    return [violation for check in checks for violation in check(one)]


_BASELINE: tuple[Check, ...] = (
    baseline.app_armor,
    baseline.capabilities_baseline,
    baseline.host_namespaces,
    baseline.host_path_volumes,
    baseline.host_ports,
    baseline.host_probes,
    baseline.privileged,
    baseline.proc_mount_baseline,
    baseline.selinux,
    baseline.seccomp_baseline,
    baseline.sysctls,
    baseline.host_process,
)
_RESTRICTED: tuple[Check, ...] = (
    restricted.privilege_escalation,
    restricted.capabilities_restricted,
    restricted.proc_mount_restricted,
    restricted.restricted_volumes,
    restricted.run_as_non_root,
    restricted.run_as_user,
    restricted.seccomp_restricted,
)
