"""Names of the overlays and Platforms that come with tjgen -> files of a project, to adapt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.trees import data

OVERLAYS = ("dev", "nccl-debug", "prod-volcano", "spot")
PLATFORMS = ("airgap-platform", "amd", "ascend", "gaudi", "neuron", "nvidia", "tpu")
_AMONG_OVERLAYS = (*OVERLAYS, "airgap-platform")
"""The files of the folder `overlays` of tjgen; the others are in `platforms`."""


def files(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Path and content of each file."""
    for name in dict.fromkeys(names):
        folder = "overlays" if name in _AMONG_OVERLAYS else "platforms"
        with open(data.path(folder, f"{name}.yaml"), encoding="utf-8") as file:
            yield f"{_field(name)}/{name}.yaml", file.read()


def next_steps(names: Sequence[str]) -> str:
    """What to do after the files are written."""
    fields = {name: _field(name) for name in names}
    steps = [f"  edit {field}/{name}.yaml, and name it or its folder in {field} of tjgen.yaml" for name, field in fields.items()]
    return "\n".join(["Next:", *steps])


def _field(name: str) -> str:
    """The field of the project file that names such files, and the folder for them."""
    return "overlays" if name in OVERLAYS else "platforms"
