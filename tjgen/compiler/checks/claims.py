"""The StorageClasses that new claims of a run name -> those whose names are probably misspelled."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.lower import SPEC
from tjgen.compiler.volumes.pvc import new_claim
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.workload.workload import Workload

_FIELD = "storageClassName"


def check(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Diagnostic]:
    """TJ248 for each class whose name is near to one of `storageClasses` of the Platform. Another class can be in the cluster."""
    known = setting.cluster.storage_classes
    for name, volume in experiment.spec.volumes.items() if known else ():
        create, ephemeral = new_claim(volume), volume.ephemeral
        named: tuple[tuple[str | None, FieldPath], ...] = (
            (create.storage_class_name if create is not None else None, ("pvc", "create")),
            (ephemeral.storage_class_name if ephemeral is not None else None, ("ephemeral",)),
        )
        for given, field in named:
            near = nearest(given, known) if given and given not in known else None
            if near is not None:
                message = f"the Platform has no StorageClass {given}: without it in the cluster, the claim stays pending"
                hint = f"did you mean {near}? If the cluster has {given}, add it to storageClasses of the Platform"
                yield Diagnostic("TJ248", message, path=(*SPEC, "volumes", name, *field, _FIELD), hint=hint)
