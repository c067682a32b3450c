"""A program that tjgen runs next to a run -> its pod, and the Job or CronJob that makes the pod: one shape for all of them.

The pods meet Pod Security "restricted" with a read-only root file system if the run itself does. A program that
reads or writes a volume of the run uses the user of the run; a program that touches no such volume never runs as root.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tjgen.compiler.programs.objects import metadata
from tjgen.language.setting import Setting
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.k8s.labels import PROGRAM_LABEL
from tjgen.trees.typing import NamedTuple
from tjgen.trees.workload.workload import PodSet, Workload

UNPRIVILEGED = 65534
TMP = "/tmp"
TMP_VOLUME = "tjgen-tmp"
HOUR = 3600
DEADLINES: Mapping[str, int] = {"cleaner": HOUR}
"""Program -> seconds after which its Job fails, of programs for which the experiment has no field `deadline`."""
RESTRICTED = "restricted"
_OF_POD = ("runAsUser", "runAsGroup", "fsGroup", "fsGroupChangePolicy", "supplementalGroups", "supplementalGroupsPolicy")
_OF_BOTH = ("runAsUser", "runAsGroup")
_FOR_FILES_OF_OTHERS = ("CHOWN", "DAC_OVERRIDE", "FOWNER")
"""Capabilities of a program that runs as root for a run of root."""
_DEFAULT_SECCOMP: Tree = {"seccompProfile": {"type": "RuntimeDefault"}}


class User(NamedTuple):
    """The user and groups of a tool pod."""

    fields: Mapping[str, Tree]
    """Fields of the pod's security context."""
    is_root: bool
    """Whether the program runs as root, or as the user of its image, which may be root."""
    touches_files_of_run: bool = True
    """Whether the program reads or writes a volume of the run."""

    def of_pod(self) -> Tree:
        """The security context of the pod."""
        non_root: Mapping[str, Tree] = {} if self.is_root else {"runAsNonRoot": True}
        # The default policy changes the group of every file each time that a pod starts.
        policy = {"fsGroupChangePolicy": "OnRootMismatch"} if "fsGroup" in self.fields else {}
        return {**non_root, **policy, **self.fields, **_DEFAULT_SECCOMP}

    def of_container(self) -> Tree:
        """The security context of a container in a pod with the context `of_pod`."""
        added = {"add": list(_FOR_FILES_OF_OTHERS)} if self.is_root and self.touches_files_of_run else {}
        return {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"], **added},
            "readOnlyRootFilesystem": True,
        }

    def of_container_of_others(self) -> Tree:
        """The security context of a container with an image that the experiment names, which may write to its root."""
        return {key: value for key, value in self.of_container().items() if key != "readOnlyRootFilesystem"}

    def in_pod_of_run(self) -> Tree:
        """The security context of a container in a pod of the run, whose own pod context stays as it is."""
        own = {key: value for key, value in self.of_pod().items() if key in (*_OF_BOTH, "runAsNonRoot", "seccompProfile")}
        return {**self.of_container(), **own}


UNRELATED = User(
    {"runAsUser": UNPRIVILEGED, "runAsGroup": UNPRIVILEGED, "fsGroup": UNPRIVILEGED}, is_root=False, touches_files_of_run=False
)
"""The user of a program that touches no volume of the run."""


def user_of(workload: Workload, podsets: Iterable[PodSet], setting: Setting) -> User:
    """Return the user that the pods of a run use, so that a program can read and replace their files.

    Without `runAsUser`, the user is 65534 where the run or the namespace requires one that is not root, and else that of
    the program's image.
    """
    non_root = setting.cluster.security_of(setting.namespace) == RESTRICTED
    fields: dict[str, Tree] = {}
    for podset in podsets:
        pod = get(workload.tree.value, (*podset.pod, "securityContext"), None) or {}
        main = get(workload.tree.value, (*podset.main, "securityContext"), None) or {}
        non_root = non_root or main.get("runAsNonRoot", pod.get("runAsNonRoot")) is True
        fields = fields or {
            **{key: pod[key] for key in _OF_POD if key in pod},
            **{key: main[key] for key in _OF_BOTH if key in main},
        }
    if "runAsUser" not in fields and non_root:
        fields = {"runAsUser": UNPRIVILEGED, "runAsGroup": UNPRIVILEGED, **fields}
    return User(fields, is_root=not fields.get("runAsUser"))


def pod(
    containers: Sequence[Tree],
    volumes: Sequence[Tree],
    user: User,
    *,
    first: Sequence[Tree] = (),
    account: str | None = None,
) -> Tree:
    """The spec of a pod. `first` are its init containers; `account` is the ServiceAccount of a program that uses the API.

    Each container becomes `secured`, except those that have a security context of their own.
    """
    api: Tree = {"serviceAccountName": account} if account is not None else {"automountServiceAccountToken": False}
    init: Tree = {"initContainers": [secured(one, user) for one in first]} if first else {}
    return {
        "restartPolicy": "Never",
        **api,
        "securityContext": user.of_pod(),
        **init,
        "containers": [secured(one, user) for one in containers],
        "volumes": [*volumes, tmp_volume()],
    }


def secured(container: Tree, user: User) -> Tree:
    """A container of a tool pod, with its security context and with a folder at /tmp, which is also its HOME.

    The status of the pod shows the last lines that a failed container printed.
    """
    if "securityContext" in container:
        return container
    return _with_tmp({**container, "securityContext": user.of_container()})


def secured_in_run(container: Tree, user: User) -> Tree:
    """A container of ours in a pod of the run; the pod also needs `tmp_volume`."""
    return _with_tmp({**container, "securityContext": user.in_pod_of_run()})


def tmp_volume() -> Tree:
    """The volume behind /tmp."""
    return {"name": TMP_VOLUME, "emptyDir": {}}


def job(name: str, program: str, template: Tree, setting: Setting, *, deadline: int | None = None, **spec: Tree) -> Tree:
    """A Job of a program. `deadline` is in seconds, by default that of `DEADLINES`; `spec` is the rest of its spec."""
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": metadata(name, setting),
        "spec": {**spec, **_ended(program, deadline), "template": _template(name, program, template, setting)},
    }


def cron_job(name: str, program: str, schedule: str, template: Tree, setting: Setting, *, deadline: int | None = None) -> Tree:
    """A CronJob of a program, in UTC, regardless of the controller's time zone; it starts no second Job while one runs."""
    spec = {
        "backoffLimit": 0,
        **_ended(program, deadline),
        "template": _template(name, program, template, setting),
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": metadata(name, setting),
        "spec": {
            "schedule": schedule,
            "timeZone": "Etc/UTC",
            "concurrencyPolicy": "Forbid",
            "successfulJobsHistoryLimit": 1,
            "failedJobsHistoryLimit": 3,
            "jobTemplate": {"spec": spec},
        },
    }


def labels(program: str, setting: Setting) -> dict[str, str]:
    """The labels of a program's pods."""
    return {**metadata("", setting)["labels"], PROGRAM_LABEL: program}


def _ended(program: str, deadline: int | None) -> Tree:
    return {"activeDeadlineSeconds": DEADLINES[program] if deadline is None else deadline}


def _template(name: str, program: str, template: Tree, setting: Setting) -> Tree:
    return {"metadata": {"labels": labels(program, setting)}, "spec": template}


def _with_tmp(container: Tree) -> Tree:
    environment = list(container.get("env") or [])
    if all(one["name"] != "HOME" for one in environment):
        environment.append({"name": "HOME", "value": TMP})
    mounts = list(container.get("volumeMounts") or [])
    if all(one["mountPath"] != TMP for one in mounts):
        mounts.append({"name": TMP_VOLUME, "mountPath": TMP})
    return {
        **container,
        "env": environment,
        "volumeMounts": mounts,
        "terminationMessagePolicy": "FallbackToLogsOnError",
    }
