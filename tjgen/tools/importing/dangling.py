"""Command lines and variables of a run, and another target -> the names in them that the pods of that target do not have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tjgen.cluster.kinds.pods import pods_of
from tjgen.cluster.kinds.protocol import Pods
from tjgen.cluster.kinds.table import OF_TRAINER
from tjgen.cluster.kinds.volcano_job import TARGET as VOLCANO
from tjgen.tools.importing.comparison import Difference
from tjgen.tools.importing.variables import texts_of, variables_of
from tjgen.trees import regex
from tjgen.trees.manifests.manifest import Manifest

_OF_VOLCANO = regex.compile(r"\b(?:VC|VK)_[A-Z0-9_]+")
_OF_JOBS = regex.compile(r"\bJOB_COMPLETION_INDEX\b")
_HINT_OF_VOLCANO = (
    "write JOB_COMPLETION_INDEX for the index of a pod in its task, and the host names of the new pods for lists of hosts"
)


def dangling(former: str, target: str, before: Iterable[Manifest], after: Iterable[Manifest]) -> Iterator[Difference]:
    """Variables and host names that the programs refer to, and that only pods of target `former` have."""
    if former == target or {former, target} <= set(OF_TRAINER):
        return
    old = [(one, pods) for one in before for pods in pods_of(one) if pods.number]
    new = [pods for one in after for pods in pods_of(one) if pods.number]
    texts = list(dict.fromkeys(text for _, pods in old for text in texts_of([pods])))
    names, setter, hint = _indexes(former, target, "\n".join(texts))
    lacking = sorted(name for name in names if not new or not all(name in variables_of(one) for one in new))
    if lacking:
        yield Difference(f"the program refers to {', '.join(lacking)}, which {setter} sets, and target {target} does not", hint)
    host = next((host for one, pods in old for host in _hosts(one, pods) if any(host in text for text in texts)), None)
    if host is not None:
        why = f"the program refers to the host {host}, and pods of target {target} have other host names"
        yield Difference(why, "read the host names with tjgen build --expanded, and change them in the experiment")


def _indexes(former: str, target: str, text: str) -> tuple[set[str], str, str]:
    """The variables in a text that only the former target sets, who sets them, and what to do."""
    if former == VOLCANO:
        return set(_OF_VOLCANO.findall(text)), "Volcano", _HINT_OF_VOLCANO
    if former in OF_TRAINER and target != VOLCANO:
        hint = "let the program read the rank that the target sets, such as RANK"
        return set(_OF_JOBS.findall(text)), "the Job controller", hint
    return set(), "", ""


def _hosts(manifest: Manifest, pods: Pods) -> Iterator[str]:
    """The first host of a set of pods, as programs write it."""
    yield f"{manifest.name}-{pods.role}-0"
