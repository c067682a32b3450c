"""`backup` of a claim or of checkpoints -> a CronJob that makes VolumeSnapshots of the claim, and what it may do in the cluster.

The kind VolumeSnapshot is not part of Kubernetes itself; the cluster needs its controller (snapshot.storage.k8s.io/v1).
"""

from __future__ import annotations

from tjgen.compiler.programs import pods
from tjgen.compiler.programs.containers import TINY, image_of_program, script, shell
from tjgen.compiler.programs.objects import metadata
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Backup
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.k8s import duration
from tjgen.trees.workload.contribution import Contribution, Contributions

_SPARE = 2
"""Names of snapshots beyond those that stay: for the new one, and for one whose deletion takes long."""
_PAUSE_SECONDS = 10
_REPORTING_SECONDS = 120
"""The program stops waiting so long before its Job is ended, so that it can report why."""


def scheduled(backup: Backup, claim: str, name: str, at: FieldPath, setting: Setting) -> Contributions:
    """ServiceAccount, Role and RoleBinding for snapshots in the namespace, and the CronJob, all called `name`."""
    slots = [f"{name}-{number}" for number in range(backup.keep + _SPARE)]
    group = {"apiGroups": ["snapshot.storage.k8s.io"], "resources": ["volumesnapshots"]}
    rules = [
        # RBAC cannot restrict creation to a name: the API server does not know the name when it authorizes.
        {**group, "verbs": ["create"]},
        {**group, "resourceNames": slots, "verbs": ["get", "delete"]},
    ]
    subject = {"kind": "ServiceAccount", "name": name, "namespace": setting.namespace}
    rbac = "rbac.authorization.k8s.io"
    deadline = duration.seconds(backup.deadline)
    variables = {
        "BACKUP": name,
        "CLAIM": claim,
        "KEEP": str(backup.keep),
        "SLOTS": " ".join(slots),
        "WAIT": str(max(deadline - _REPORTING_SECONDS, deadline // 2)),
        "PAUSE": str(_PAUSE_SECONDS),
    }
    if backup.snapshot_class_name is not None:
        variables["CLASS"] = backup.snapshot_class_name
    container = shell(
        "backup",
        image_of_program("kubectl", setting),
        script("backup.sh"),
        variables,
        [],
        resources={"requests": TINY, "limits": TINY},
    )
    pod = pods.pod([container], [], pods.UNRELATED, account=name)
    for tree in (
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata(name, setting)},
        {"apiVersion": f"{rbac}/v1", "kind": "Role", "metadata": metadata(name, setting), "rules": rules},
        {
            "apiVersion": f"{rbac}/v1",
            "kind": "RoleBinding",
            "metadata": metadata(name, setting),
            "roleRef": {"apiGroup": rbac, "kind": "Role", "name": name},
            "subjects": [subject],
        },
        pods.cron_job(name, "backup", backup.schedule, pod, setting, deadline=deadline),
    ):
        yield Contribution(("ahead", f"{tree['kind']}/{name}"), tree, at)
