"""The names that other tools give to fields -> the page that lists them."""

from __future__ import annotations

from docs.generate.markdown import NOTICE, code, table
from tjgen.language.spec.foreign import words

INTRODUCTION = """\
If an [experiment](experiment.md) contains a field of another tool, the hint of the diagnostic names the field of tjgen.
Case, `-` and `_` do not matter: `numnodes` also means `num_nodes`, `num-nodes` and `numNodes`.
[Coming from Slurm, SkyPilot, torchx or plain Kubernetes](../how-to/other-tools.md) shows a whole example.
"""


def page() -> str:
    """The page."""
    rows = ((code(field), ", ".join(map(code, names))) for field, names in words().items())
    return "\n".join(["# Words of other tools\n", NOTICE, INTRODUCTION, table(("Field", "In other tools"), rows)])
