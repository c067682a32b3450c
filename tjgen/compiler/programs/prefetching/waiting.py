"""A Job that prefetches data -> the container that waits for it, in pods that train and in Jobs of a lower priority."""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.compiler.programs.containers import TINY, image_in_run, image_of_program, script, shell
from tjgen.compiler.programs.prefetching import job
from tjgen.compiler.programs.prefetching.sections import PrefetchSection
from tjgen.compiler.volumes.table import pod_source
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees.fields.path import Tree
from tjgen.trees.k8s import duration
from tjgen.trees.typing import NamedTuple

MARKS = "/tjgen/marks"
AFTER = "after"
"""The init container of a Job that waits for a Job with a higher priority."""
PAUSE_SECONDS = 10


class Filling(NamedTuple):
    """A Job that fills the volume of a prefetch."""

    section: PrefetchSection
    job_name: str
    ends: int
    """Seconds after which the Job fails, with the time that it waits for others."""


def in_run(filling: Filling, setting: Setting) -> Tree:
    """The init container of a pod that trains."""
    section = filling.section
    variables = _variables(filling, duration.seconds(section.fields.wait_timeout))
    # The whole volume: the main container sees only the data.
    mounts = [{"name": section.volume, "mountPath": MARKS, "readOnly": True}]
    return shell(section.named(job.WAIT), image_in_run("shell", setting), _script(), variables, mounts)


def in_job(ahead: Sequence[Filling], section: PrefetchSection, experiment: Experiment, setting: Setting) -> job.Start:
    """The init containers of a Job that starts to copy when the Jobs `ahead` have ended, and the volumes that they need."""
    volumes, containers = [], []
    for filling in ahead:
        name = filling.section.named(AFTER)
        shared = filling.section.volume == section.volume
        if not shared:
            volume = experiment.spec.volumes[filling.section.volume]
            volumes.append({"name": name, **pod_source(filling.section.volume, volume, setting)})
        mounts: list[Tree] = [
            {"name": "target", "mountPath": job.TARGET},
            {"name": "target" if shared else name, "mountPath": MARKS, "readOnly": True},
        ]
        variables = {"OWN_STATE": f"{job.TARGET}/{job.state_folder(section.fields)}", **_variables(filling, filling.ends)}
        text = script("report.sh") + _script()
        resources = {"requests": TINY, "limits": TINY}
        container = shell(name, image_of_program("shell", setting), text, variables, mounts, resources=resources)
        containers.append({**container, "env": [*job.variables_of_pod(JOB_NAME="OWN_JOB_NAME"), *container["env"]]})
    return job.Start(containers, volumes, max((filling.ends for filling in ahead), default=0))


def _script() -> str:
    return script("marks.sh") + script("wait.sh")


def _variables(filling: Filling, timeout: int) -> dict[str, str]:
    """What the script reads; `timeout` is in seconds."""
    fields = filling.section.fields
    return {
        "STATE": f"{MARKS}/{job.state_folder(fields)}",
        "JOB_NAME": filling.job_name,
        "ATTEMPTS": str(job.attempts(fields)),
        "TIMEOUT": str(timeout),
        "PAUSE": str(PAUSE_SECONDS),
    }
