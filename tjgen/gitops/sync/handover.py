"""The layout of a cluster and the layout of a project -> the steps from one to the other that delete no object.

The steps are the same for every transition: the present owner releases its objects, the tree gets the new layout, and the new
owner adopts the objects. What a release needs depends on the tool alone, so each tool has a `release` (`table.py`).
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from tjgen.cluster.synctools.table import BY_NAME
from tjgen.gitops.sync.ownership import Move
from tjgen.gitops.sync.table import SYNCING
from tjgen.trees.typing import NamedTuple

UIDS = "-o custom-columns=KIND:.kind,NAMESPACE:.metadata.namespace,NAME:.metadata.name,UID:.metadata.uid"


class HandoverStep(NamedTuple):
    """One step of a plan."""

    title: str
    why: str
    commands: tuple[str, ...]


_ADD_ALL = "git add --all"
_COMMIT_ENVIRONMENTS = "git commit -m 'Add environments'"
WRITE, COMMIT = 3, 4
"""Positions in a plan: the step that writes the tree, and the one that commits it."""


def plan(
    moves: Sequence[Move], directory: str, source: str | None = None, *, environment: str | None = None
) -> list[HandoverStep]:
    """All steps, in order. A cluster that is at any step of them loses no object, also if a sync runs at that moment.

    `source` is the folder of the tree, if it is another one than `directory`. `environment` is the environment that gets the
    runs of the project without environments.
    """
    folders = [folder for move in moves for folder in move.stages.values()]
    objects = " ".join(f"-f {shlex.quote(folder)}" for folder in folders)
    later = [directory + folder.removeprefix(source) for folder in folders] if source is not None else folders
    if environment is not None:
        own = f"{directory}/{environment}"
        later = [folder if folder.startswith(f"{own}/") else own + folder.removeprefix(directory) for folder in folders]
    objects_later = " ".join(f"-f {shlex.quote(folder)}" for folder in later)
    created = dict.fromkeys(f"{directory}/{one.path}" for move in moves for one in move.new.objects if one.path)
    marks = [command for move in moves for command in _marks(move)]
    return [
        HandoverStep(
            "List the objects with their UIDs.",
            "An object that keeps its UID was neither deleted nor created again.",
            (f"kubectl get -R {objects} {UIDS} > before.txt",),
        ),
        HandoverStep(
            "Remove the current owners, and keep their objects.",
            "From now on, no tool syncs the tree. Runs continue.",
            tuple(dict.fromkeys(command for move in moves for command in SYNCING[move.old.tool].release(move))),
        ),
        HandoverStep(
            "Remove the marks of the current owners from the objects.",
            "Argo CD prunes only objects with its mark, and refuses objects with the mark of another Application."
            if marks
            else "Not needed here: the marks of the current owners have no effect on the new ones.",
            tuple(marks),
        ),
        HandoverStep(
            "Write the new layout into the tree." if source is None else "Move the tree, and write the new layout into it.",
            "Runs keep their names and their content."
            if environment is None
            else f"Runs keep their names and their content, and their files move to {directory}/{environment}.",
            (*(_move(source, directory) if source is not None else ()), _write(environment)),
        ),
        HandoverStep(
            "Commit and push.",
            "Nothing applies the commit yet.",
            (
                f"git add --all tjgen.yaml tjgen.lock.d {shlex.quote(directory)}" if environment is None else _ADD_ALL,
                "git commit -m 'Change the layout of the sync'" if environment is None else _COMMIT_ENVIRONMENTS,
                "git push",
            ),
        ),
        HandoverStep(
            "Create the new owners.",
            "Their first sync adopts the objects."
            + (" It also creates the new runs of all environments." if environment is not None else "")
            if created
            else "The project sets no repository, so the tree contains no owner: create what applies it.",
            tuple(f"kubectl apply -f {shlex.quote(file)}" for file in created),
        ),
        HandoverStep(
            "Compare the UIDs after the first sync.",
            "The command prints nothing if every object is the same.",
            (f"kubectl get -R {objects_later} {UIDS} | diff before.txt -",),
        ),
    ]


def relocation(source: str, directory: str) -> list[HandoverStep]:
    """The steps to another output folder, for a tree that no known tool applies."""
    return [
        HandoverStep(
            "Stop what applies the tree.",
            f"It would find {source} without its objects, and delete them if it prunes.",
            (),
        ),
        HandoverStep(
            "Move the tree, and build.",
            "Runs keep their names and their content.",
            (*_move(source, directory), "tjgen migrate --write"),
        ),
        HandoverStep(
            "Commit and push.",
            "Nothing applies the commit yet.",
            (f"git add --all tjgen.yaml tjgen.lock.d {shlex.quote(directory)}", "git commit -m 'Move the output'", "git push"),
        ),
        HandoverStep(f"Configure it to apply {directory}.", "The objects are the same, so nothing changes in the cluster.", ()),
    ]


def adoption(directory: str, environment: str) -> list[HandoverStep]:
    """The steps that give the runs of the project without environments to an environment, if no known tool applies the tree."""
    own = f"{directory}/{environment}"
    return [
        HandoverStep("Stop what applies the tree.", "If it prunes, it would delete the objects whose files move.", ()),
        HandoverStep(f"Move the runs to {own}, and build.", "Runs keep their names and their content.", (_write(environment),)),
        HandoverStep("Commit and push.", "Nothing applies the commit yet.", (_ADD_ALL, _COMMIT_ENVIRONMENTS, "git push")),
        HandoverStep(
            f"Configure it to apply {own}, and another one for each other environment.",
            "The objects of the runs are the same, so nothing changes in the cluster.",
            (),
        ),
    ]


def _write(environment: str | None) -> str:
    option = f" --environment {shlex.quote(environment)}" if environment is not None else ""
    return f"tjgen migrate{option} --write"


def _move(source: str, directory: str) -> Iterator[str]:
    above = directory.rpartition("/")[0]
    if above:
        yield f"mkdir -p {shlex.quote(above)}"
    yield f"git mv {shlex.quote(source)} {shlex.quote(directory)}"


def upgrade(runs: Sequence[str], release: str) -> list[HandoverStep]:
    """The steps to a release of Trainer that cannot read the manifests of these runs."""
    return [
        HandoverStep(
            "Wait until these runs have ended, with the earlier release of Trainer.",
            "Their TrainJobs have fields that the new release does not have.",
            (f"kubectl get trainjobs -A | grep -E {shlex.quote('|'.join(runs))}",),
        ),
        HandoverStep(
            "Archive them.",
            "A sync does not apply an archived run, so the release does not matter.",
            (f"tjgen runs archive {' '.join(runs)}",),
        ),
        HandoverStep(
            "Commit and push.", "The sync stops applying them.", ("git add --all", "git commit -m 'Archive runs'", "git push")
        ),
        HandoverStep(
            f"Upgrade Trainer to {release} in the clusters, after that sync.", "No run of the tree needs the earlier release.", ()
        ),
        HandoverStep("Build for the new release.", "Commit and push the result.", ("tjgen build",)),
    ]


def to_cluster(runs: Sequence[str], old: str, new: str, *, builds: bool) -> list[HandoverStep]:
    """The steps of an environment to another cluster; `builds`: whether its owner stays, so that a build writes the tree."""
    steps = [
        HandoverStep(
            f"Wait until these runs have ended in {old}.",
            f"Afterwards, no sync changes or stops them there, and they would start again in {new}.",
            (f"kubectl get trainjobs -A | grep -E {shlex.quote('|'.join(runs))}",),
        ),
        HandoverStep(
            "Archive them.", f"A sync does not create archived runs in {new}.", (f"tjgen runs archive {' '.join(runs)}",)
        ),
    ]
    if not builds:
        return steps
    return [
        *steps,
        HandoverStep("Write the other cluster into the tree.", "Runs keep their names and their content.", ("tjgen build",)),
        HandoverStep(
            "Commit and push.",
            f"The sync creates runtimes and claims in {new}. The new claims are empty.",
            ("git add --all", "git commit -m 'Change the cluster'", "git push"),
        ),
        HandoverStep(
            f"Delete what you no longer need in {old}.",
            "No sync changes it any more: finished runs, runtimes, and claims with their data.",
            (),
        ),
    ]


def _marks(move: Move) -> Iterator[str]:
    """A tool with a list of its objects loses it with its owner, as Flux does; one that marks them keeps the marks."""
    mark = BY_NAME[move.old.tool].owner_mark
    if mark and move.moved:
        folders = " ".join(f"-f {shlex.quote(folder)}" for folder in move.moved)
        yield f"kubectl annotate -R {folders} {mark}-"
