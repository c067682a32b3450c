"""The passes, in the order in which they contribute: order is meaning."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tjgen.compiler.passes import (
    backups,
    checkpoints,
    code,
    containers,
    data,
    devices,
    gang,
    images,
    monitor,
    placement,
    policy,
    prefetch,
    prefetched,
    programs,
    ranks,
    reader,
    restart,
    storage,
    target,
    volumes,
)
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.workload.contribution import Contribution
from tjgen.trees.workload.workload import Workload

Pass = Callable[[Workload, Experiment, Setting], Iterator[Contribution | Diagnostic]]

PASSES: tuple[tuple[str, Pass], ...] = (
    ("devices", devices.contribute),
    ("volumes", volumes.contribute),
    # Before all that adds init containers: those that read the data start after the one that waits for it.
    ("prefetch", prefetch.contribute),
    ("data", data.contribute),
    # After all that mounts volumes with data.
    ("prefetched", prefetched.contribute),
    ("code", code.contribute),
    # After the pass that adds the folders of the code to PYTHONPATH.
    ("reader", reader.contribute),
    ("checkpoints", checkpoints.contribute),
    ("backups", backups.contribute),
    # Behind all that adds volumes, mounts, and init containers: these see what the program sees, after them.
    ("containers", containers.contribute),
    # Behind all that adds volumes: it looks at them together.
    ("storage", storage.contribute),
    ("gang", gang.contribute),
    ("target", target.contribute),
    ("restart", restart.contribute),
    # Behind all that sets resources or a scheduler.
    ("placement", placement.contribute),
    # After all passes that place pods: volumes are measured there.
    ("monitor", monitor.contribute),
    # Behind all that adds Jobs and CronJobs.
    ("programs", programs.contribute),
    # Behind all that sets variables or the command of a container.
    ("ranks", ranks.contribute),
    # Behind all that adds containers, so that it reaches the images of everything that was added.
    ("images", images.contribute),
    # It judges what all others have left.
    ("policy", policy.contribute),
)
