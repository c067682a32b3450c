"""`backup` of claims -> a CronJob for each that takes snapshots, as programs/keeping makes it for checkpoints."""

from __future__ import annotations

from tjgen.compiler.lower import SPEC
from tjgen.compiler.volumes.pvc import backup_name, claim_of
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.workload.contribution import Contributions
from tjgen.trees.workload.workload import Workload


def contribute(workload: Workload, experiment: Experiment, setting: Setting) -> Contributions:
    """Nothing if no claim has `backup`."""
    spec = experiment.spec
    backups: dict[str, str] = {}
    names: set[str] = set()
    checkpoints = spec.checkpoints
    if checkpoints is not None and checkpoints.backup is not None:
        volume = spec.volumes.get(checkpoints.volume)
        saved = claim_of(checkpoints.volume, volume, setting) if volume is not None else None
        backups = {saved: "checkpoints.backup"} if saved is not None else {}
        names = {backup_name(setting.storage), backup_name(setting.run)}
    for name, volume in spec.volumes.items():
        wanted = volume.pvc.backup if volume.pvc is not None else None
        claim = claim_of(name, volume, setting)
        if wanted is None or claim is None:
            continue
        at: FieldPath = (*SPEC, "volumes", name, "pvc", "backup")
        if claim in backups:
            message = f"claim {claim} has two backups: this one and {backups[claim]}"
            yield Diagnostic("TJ165", message, path=at, hint="remove one of them")
            continue
        if backup_name(claim) in names:
            message = f"the backup of claim {claim} and that of the checkpoints are both called {backup_name(claim)}"
            yield Diagnostic("TJ165", message, path=at, hint="remove one of them")
            continue
        backups[claim] = f"volumes.{name}.pvc.backup"
        from tjgen.compiler.programs.keeping import backup  # few claims have backups

        yield from backup.scheduled(wanted, claim, backup_name(claim), at, setting)
