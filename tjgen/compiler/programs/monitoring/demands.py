"""The profile of a new claim -> what `diagnose.sh` must measure on the volume, as the variable DEMANDS.

A word for each measurement: `sequentialRead:500000000:20` demands at least 500000000 bytes per second, and a mean of at most 20
milliseconds. Either number can be empty.
"""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.compiler.volumes.pvc import new_claim
from tjgen.language.platform.profiles import profile
from tjgen.language.setting import Setting
from tjgen.language.spec.forms import text
from tjgen.language.spec.objects import Volume
from tjgen.trees.k8s.quantity import parse
from tjgen.trees.typing import NamedTuple


class _Judged(NamedTuple):
    """The measurements by which volumes are judged."""

    throughput: tuple[str, ...]
    latency: str


_MIXED = _Judged(("sequentialRead",), "randomRead")
_BY_PATTERN: Mapping[str, _Judged] = {
    "sequential": _Judged(("sequentialRead",), "sequentialRead"),
    "random": _Judged(("randomRead",), "randomRead"),
    "mixed": _MIXED,
}
_CHECKPOINTS = _Judged(("checkpointWrite", "checkpointRead"), "checkpointRead")


def demands(volume: Volume, setting: Setting, *, has_checkpoints: bool) -> str:
    """The words, separated by blanks; "" if the profile demands nothing."""
    create = new_claim(volume)
    wanted = profile(create.profile or "", setting.cluster.profiles) if create is not None else None
    if wanted is None:
        return ""
    judged = _CHECKPOINTS if has_checkpoints else _BY_PATTERN.get(wanted.read_pattern or "", _MIXED)
    least = {name: str(parse(wanted.throughput).value) for name in judged.throughput} if wanted.throughput is not None else {}
    most = {judged.latency: text(wanted.latency)} if wanted.latency is not None else {}
    return " ".join([f"{name}:{least.get(name, '')}:{most.get(name, '')}" for name in dict.fromkeys([*least, *most])])
