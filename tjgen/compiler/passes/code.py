"""`code` -> the program in the pods: mounted, packed, fetched or built, as programs/coding delivers it."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.files.sandbox import Sandbox
from tjgen.trees.workload.contribution import Contribution
from tjgen.trees.workload.workload import Workload


def contribute(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Contribution | Diagnostic]:
    """Nothing where the experiment has no `code`: then it is in the image."""
    if experiment.spec.code is not None:
        # Loaded only if the field is set, as for data.
        from tjgen.compiler.programs.coding import ways

        yield from ways.deliver(workload, experiment, setting)


def local_files(experiment: Experiment, document: str, sandbox: Sandbox) -> dict[str, str]:
    """What the code of the experiment, in the file `document`, is on this machine: what it is called -> its digest."""
    if experiment.spec.code is None:
        return {}
    from tjgen.compiler.programs.coding import ways

    return ways.local_files(experiment.spec.code, document, sandbox)
