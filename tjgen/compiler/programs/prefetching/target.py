"""`prefetch.volume` -> what brings data to it, once for all runs that share it, and the pods that wait for it."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.lower import SPEC
from tjgen.compiler.programs import pods
from tjgen.compiler.programs.containers import image_in_run, script, shell
from tjgen.compiler.programs.prefetching import job, problems
from tjgen.compiler.volumes.claims import access_modes, own_folder
from tjgen.compiler.volumes.mounts import places, users_of
from tjgen.compiler.volumes.protocol import DATA_LOAD, NOTHING
from tjgen.compiler.volumes.pvc import new_claim
from tjgen.compiler.volumes.table import pod_source, source_of
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment, Prefetch, Volume
from tjgen.trees.diagnostics.model import Diagnostic, has_errors
from tjgen.trees.fields.path import FieldPath, Tree, named
from tjgen.trees.k8s import duration
from tjgen.trees.workload.contribution import Contribution, Contributions
from tjgen.trees.workload.roles import members
from tjgen.trees.workload.workload import Workload

AT: FieldPath = (*SPEC, "prefetch")
MARKS = "/tjgen/marks"
PAUSE_SECONDS = 10


def brought(workload: Workload, experiment: Experiment, setting: Setting) -> Contributions:
    """The Job, and an init container in every pod that mounts the volume."""
    prefetch = experiment.spec.prefetch
    assert prefetch is not None, "called only with a prefetch"
    wrong = list(_problems(prefetch, experiment))
    yield from wrong
    if prefetch.volume is None or has_errors(wrong):
        return
    volume = experiment.spec.volumes[prefetch.volume]
    if source_of(volume).filled_by == DATA_LOAD:
        from tjgen.compiler.programs.prefetching import dataload  # few clusters have Fluid

        yield from dataload.loaded(prefetch, volume, setting, AT)
        return
    yield from _warnings(prefetch, volume, setting)
    writable = writable_source(prefetch.volume, volume, setting)
    users = [podset for podset, _ in users_of(workload, prefetch.volume, volume)]
    user = pods.user_of(workload, users or members(workload), setting)
    name, tree = job.job(prefetch, experiment, writable, user, setting)
    yield Contribution(("ahead", f"Job/{name}"), tree, AT)
    if not prefetch.wait:
        return
    variables = {
        "STATE": f"{MARKS}/{job.state_folder(prefetch)}",
        "JOB_NAME": name,
        "ATTEMPTS": str(job.attempts(prefetch)),
        "TIMEOUT": str(duration.seconds(prefetch.wait_timeout)),
        "PAUSE": str(PAUSE_SECONDS),
    }
    for podset in users:
        # The whole volume: the main container sees only the data.
        mount = {"name": prefetch.volume, "mountPath": MARKS, "readOnly": True}
        container = shell(job.WAIT, image_in_run("shell", setting), script("marks.sh") + script("wait.sh"), variables, [mount])
        safe = pods.secured_in_run(container, pods.user_of(workload, [podset], setting))
        yield Contribution((*podset.pod, "initContainers", named(job.WAIT)), safe, AT)
        yield Contribution((*podset.pod, "volumes", named(pods.TMP_VOLUME)), pods.tmp_volume(), AT)


def writable_source(name: str, volume: Volume, setting: Setting) -> Tree:
    """The volume's source as the program that fills it mounts it, also if the runs only read it."""
    (kind, fields) = next(iter(pod_source(name, volume, setting).items()))
    return {kind: {key: value for key, value in fields.items() if key != "readOnly"}}


def _problems(prefetch: Prefetch, experiment: Experiment) -> Iterator[Diagnostic]:
    known = experiment.spec.volumes
    if prefetch.volume is None:
        if prefetch.source is not None or prefetch.command or prefetch.cache is None:
            message = "prefetch names no volume for the data"
            yield Diagnostic(problems.NOTHING, message, path=AT, hint="add volume, or leave all but cache out")
        return
    for name, at in (
        (prefetch.volume, (*AT, "volume")),
        (prefetch.source.volume if prefetch.source else None, (*AT, "source", "volume")),
    ):
        if name is not None and name not in known:
            message = f'the experiment has no volume "{name}"'
            yield Diagnostic(
                problems.VOLUME, message, path=at, hint=f"use one of {', '.join(known)}" if known else "add it to volumes"
            )
            return
    volume = known[prefetch.volume]
    if source_of(volume).filled_by == DATA_LOAD:
        return
    if source_of(volume).filled_by == NOTHING:
        message = f'volume "{prefetch.volume}" is filled by a pod of its own, which cannot reach it'
        hint = "use pvc or nfs, or cache for what each node has of its own"
        yield Diagnostic(problems.NODES, message, path=(*AT, "volume"), hint=hint)
    if prefetch.source is None and not prefetch.command:
        message = "prefetch sets no source of the data"
        yield Diagnostic(problems.NOTHING, message, path=AT, hint="add source, or an image and a command that know")
    elif (
        prefetch.source is not None
        and prefetch.source.uri is not None
        and not prefetch.command
        and job.remote(prefetch.source.uri) is None
    ):
        message = f'nothing is known that reads "{prefetch.source.uri}"'
        hint = "use s3://, gs://, https:// or hf://, or set image and command"
        yield Diagnostic(problems.SOURCE, message, path=(*AT, "source"), hint=hint)
    if prefetch.source is not None and prefetch.source.volume == prefetch.volume:
        message = f'volume "{prefetch.volume}" is brought to itself'
        yield Diagnostic(problems.SOURCE, message, path=(*AT, "source", "volume"), hint="name another volume")
    paths = ((prefetch.path, (*AT, "path")), (prefetch.source.path if prefetch.source else None, (*AT, "source", "path")))
    for path, at in paths:
        if path is not None and (path.startswith("/") or ".." in path.split("/")):
            message = f"path {path} leads out of the volume"
            yield Diagnostic(problems.PATH, message, path=at, hint="name a folder of the volume")


def _warnings(prefetch: Prefetch, volume: Volume, setting: Setting) -> Iterator[Diagnostic]:
    create = new_claim(volume)
    for place in places(volume, (*SPEC, "volumes", str(prefetch.volume))):
        if own_folder(create, shared=volume.shared, read_only=place.read_only, setting=setting) is not None:
            message = f'the runs see only their own folder of volume "{prefetch.volume}", to which nothing is copied'
            yield Diagnostic(problems.UNSEEN, message, path=place.because, hint="add readOnly: true, or shared: true")
            return
    if create is not None and prefetch.workers > 1:
        modes = set(access_modes(create, prefetch.workers, setting, read_only=volume.read_only))
        if modes <= {"ReadWriteOnce", "ReadWriteOncePod"}:
            claim = f'the claim of volume "{prefetch.volume}" is {", ".join(sorted(modes))}'
            message = f"{claim}, which {prefetch.workers} workers write to"
            hint = "use ReadWriteMany, or workers: 1"
            yield Diagnostic(problems.ONE_NODE, message, path=(*AT, "workers"), hint=hint)
