"""The runs of one experiment -> the texts of their locks, which are committed and make them stay what they are.

    tjgen.lock.d/<environment or default>/<namespace>/<experiment>/<run>.yaml

One file per run, so that branches that add runs merge without a conflict. In a file the state is separate
from the fields that archiving changes, so that a branch that supersedes a run and one that archives it merge too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tjgen.language.runs.identity import Identity, RunContent
from tjgen.trees.fields.path import Tree
from tjgen.trees.manifests.manifest import DATA, RUNTIMES
from tjgen.trees.source.quoting import QUOTED
from tjgen.trees.source.writer import dump
from tjgen.trees.typing import NamedTuple

DIRECTORY = "tjgen.lock.d"
API_VERSION = "tjgen.dev/v1alpha1"
KIND = "LockedRun"
PRUNED_KIND = "PrunedRun"
COMMENT = "# Written by tjgen: the record of a run. Commit it: without this file, a build does not recognize the run.\n"
_OPENING = f"{COMMENT}apiVersion: {API_VERSION}\nkind: {KIND}\n"
EARLIER_COMMENT = "# Written by tjgen: a run that exists, and what it is made of. Commit it; a run without its file is new.\n"
"""What files begin with that an earlier build wrote. They stay as they are until the run changes."""
PRUNED_COMMENT = (
    "# Written by tjgen: a run that was removed. Commit it; the name of the run and its checkpoint folder are never used again.\n"
)

ACTIVE = "active"
CURRENT = "current"
"""The displayed name of an active run."""
SUSPENDED = "suspended"
ARCHIVED = "archived"
SUPERSEDED = "superseded"
ORPHANED = "orphaned"
PRUNED = "pruned"
RENAMED = "renamed"
"""What a tombstone calls a run that another experiment has now."""
REPLACED = "replaced"
"""The same, if the other experiment had an equal run of that name. The tombstone has the folder of that removed run."""
STATES = (ACTIVE, SUSPENDED, ARCHIVED, SUPERSEDED, ORPHANED)
"""What a lock file records. states.py describes what people call these states."""
NOT_REQUESTED = (SUPERSEDED, ORPHANED)
"""The states in which no source requests a run."""
REQUESTING = (CURRENT, SUPERSEDED, ORPHANED)
"""The states in which the pods of a run exist, unless its manifests stop it."""


_CLAIM = "persistentvolumeclaim-"
"""What the names of the files of claims begin with."""


class LockedRun(NamedTuple):
    """A run that was built. Digests are written `sha256:` and 64 hexadecimal digits."""

    name: str
    identity: str
    """Version of the form and digest, as `str(Identity)` gives them, before any renewal."""
    number: int
    """Ordinal of the run within its experiment, from 1. Runs of merged branches can have the same one."""
    state: str
    """What the experiment sets, SUPERSEDED if the experiment no longer requests the run, ORPHANED if there is no experiment."""
    runtime: str
    """Name of the runtime in the catalog."""
    runtime_digest: str
    content: str
    """Digest of its emitted files: see `freeze.content_digest`."""
    settings: str
    """Digest of the experiment's settings that can be changed in place."""
    images: tuple[str, ...] = ()
    """Images as they are emitted, in order."""
    uses: tuple[str, ...] = ()
    """Files that it shares with other runs, by path in the output tree: they stay as long as a lock names them."""
    renewal: int = 0
    """The number of deliberate reruns, without a change of the experiment."""
    promoted_from: str = ""
    """Key of the experiment and name of the run that it was promoted from: see output/promote.py."""
    archived: bool = False
    """Whether it was archived on its own, independent of its experiment (see `archive`)."""
    folder: str = ""
    """Folder of its files in the output tree if another experiment had the run before a rename; see output/rename.py."""
    stopped: bool = False
    """Whether it was suspended when it was superseded (`history.onSupersede: stop`)."""
    kept: bool = False
    """Whether `tjgen runs keep` accepted that the run stays although no source requests it."""
    resumed: bool = False
    """Whether it was suspended once and runs again, so that its manifest sets `suspend: false` (see `freeze.resumed`)."""

    @property
    def was_suspended(self) -> bool:
        """Whether it is suspended or stopped, or was earlier."""
        return self.resumed or self.stopped or self.state == SUSPENDED

    @property
    def is_requested(self) -> bool:
        """Whether a source requests it."""
        return self.state not in NOT_REQUESTED

    @property
    def requests_devices(self) -> bool:
        """Whether its manifests start pods: it may be superseded or orphaned, but is neither stopped, suspended nor archived."""
        return self.lifecycle_state in (CURRENT, *NOT_REQUESTED) and not self.stopped

    def orphaned(self) -> LockedRun:
        """The run without a source; an archived run stays archived."""
        return _left(self, ORPHANED)

    @property
    def lifecycle_state(self) -> str:
        """The name of its state in states.py: archived before superseded or orphaned, since nothing runs it any more."""
        return ARCHIVED if self.archived else CURRENT if self.state == ACTIVE else self.state


class PrunedRun(NamedTuple):
    """A tombstone: what stays of a run that was removed, so that its name is never used again."""

    name: str
    identity: str
    number: int
    was: str
    """The state that it left: SUPERSEDED, ORPHANED or ARCHIVED; RENAMED or REPLACED if another experiment has the run."""
    reason: str
    """The command or setting that removed it."""
    renewal: int = 0
    claims: tuple[str, ...] = ()
    """Claims that it used, by path in the output tree; with REPLACED, those that only the replaced run used."""
    folder: str = ""
    """As for LockedRun."""


class Lock(NamedTuple):
    """All runs of one experiment: those that exist, superseded ones too, and those that were pruned."""

    experiment: str
    """Key of the experiment: `environment/namespace/name`, or `namespace/name`."""
    runs: Mapping[str, LockedRun]
    pruned: Mapping[str, PrunedRun] = {}

    def current(self, identity: Identity) -> LockedRun | None:
        """The run with this identity that was renewed last."""
        return self.by_identity().get(str(identity))

    def by_identity(self) -> dict[str, LockedRun]:
        """Identity -> the run with it: a requested one before others, then the one that was renewed last."""
        latest_runs: dict[str, LockedRun] = {}
        for run in self.runs.values():
            known = latest_runs.get(run.identity)
            if known is None or (run.is_requested, run.renewal) > (known.is_requested, known.renewal):
                latest_runs[run.identity] = run
        return latest_runs

    def with_runs(self, runs: Iterable[LockedRun]) -> Lock:
        """The lock with these runs, those that it had under their names replaced."""
        return self._replace(runs={**self.runs, **{run.name: run for run in runs}})

    def superseding(self, requested: Iterable[str]) -> Lock:
        """The lock in which all runs but the requested ones are superseded; archived ones stay archived."""
        names = set(requested)
        return self._replace(runs={name: run if name in names else _left(run, SUPERSEDED) for name, run in self.runs.items()})

    def orphaning(self) -> Lock:
        """The lock of a removed experiment: its runs are orphaned; archived ones stay archived."""
        return self._replace(runs={name: run.orphaned() for name, run in self.runs.items()})

    def pruning(self, names: Iterable[str], reason: str) -> Lock:
        """The lock with tombstones instead of these runs; `reason` is the command or setting that removes them."""
        pruned_runs = {name: self.runs[name] for name in names}
        return self.without(pruned_runs)._replace(
            pruned={**self.pruned, **{name: tombstone(run, reason) for name, run in pruned_runs.items()}}
        )

    def without(self, names: Iterable[str]) -> Lock:
        """The lock without these runs."""
        removed = set(names)
        return self._replace(runs={name: run for name, run in self.runs.items() if name not in removed})

    def superseded(self, *, keep: int = 0) -> list[str]:
        """Names of the superseded runs in order of age, without the last `keep`; archived ones are a record, not history."""
        superseded_runs = [run for run in self.runs.values() if run.lifecycle_state == SUPERSEDED]
        old = sorted(superseded_runs, key=lambda run: (run.number, run.name))
        return [run.name for run in old[: max(0, len(old) - keep)]]

    @property
    def next_number(self) -> int:
        """The number of the next run."""
        return max([*(run.number for run in self.runs.values()), *(run.number for run in self.pruned.values())], default=0) + 1

    @property
    def storage(self) -> str:
        """The name of the experiment that its claims begin with: the one before a rename, or "" if it was never renamed."""
        folders = {run.folder for run in self.runs.values()} | {run.folder for run in self.pruned.values()}
        names = {folder.rpartition("/")[0].rpartition("/")[2] for folder in folders if folder}
        # Of several, as after a rename to an experiment with claims of its own, none is right for all runs.
        return names.pop() if len(names) == 1 else ""

    def renewals(self) -> dict[str, int]:
        """Identity -> the highest renewal that a run with it had, whether it exists or was pruned."""
        highest_renewals: dict[str, int] = {}
        known = [(run.identity, run.renewal) for run in self.runs.values()]
        known += [(run.identity, run.renewal) for run in self.pruned.values()]
        for identity, renewal in known:
            highest_renewals[identity] = max(renewal, highest_renewals.get(identity, 0))
        return highest_renewals


def known(locked: Mapping[str, LockedRun], content: RunContent) -> tuple[Identity, LockedRun | None]:
    """The identity by which a lock has the run, by the newest or earlier rules, and the run; None for a new one.

    `locked` is `Lock.by_identity()`.
    """
    identity = content.identity()
    run = locked.get(str(identity))
    if run is None and locked:
        for earlier in content.earlier_identities():
            if str(earlier) in locked:
                return earlier, locked[str(earlier)]
    return identity, run


def path_of(environment: str | None, namespace: str, experiment: str) -> str:
    """Folder of an experiment's locks, below DIRECTORY."""
    return f"{environment or 'default'}/{namespace}/{experiment}"


def write(experiment: str, run: LockedRun) -> str:
    """The text of a run's lock file; `experiment` is the key of its experiment."""
    # The writer of YAML writes the same for this mapping. Digests need no quotes.
    lines = [_OPENING, f"experiment: {QUOTED[experiment]}\nrun: {QUOTED[run.name]}\nidentity: {run.identity}\n"]
    if run.renewal:
        lines.append(f"renewal: {run.renewal}\n")
    if run.promoted_from:
        lines.append(f"promotedFrom: {QUOTED[run.promoted_from]}\n")
    lines.append(f"number: {run.number}\nstate: {run.state}\nruntime: {QUOTED[run.runtime]}\n")
    lines.append(f"runtimeDigest: {run.runtime_digest}\nsettings: {run.settings}\n")
    for key, items in (("images", run.images), ("uses", run.uses)):
        if items:
            lines += [f"{key}:\n", *[f"- {QUOTED[item]}\n" for item in items]]
    lines.append(f"content: {run.content}\n")
    if run.folder:
        lines.append(f"folder: {QUOTED[run.folder]}\n")
    for flag, holds in (("archived", run.archived), ("stopped", run.stopped), ("kept", run.kept), ("resumed", run.resumed)):
        if holds:
            lines.append(f"{flag}: true\n")
    return "".join(lines)


def write_pruned(experiment: str, run: PrunedRun) -> str:
    """The text of a tombstone; `experiment` is the key of its experiment."""
    text: Tree = {"apiVersion": API_VERSION, "kind": PRUNED_KIND, "experiment": experiment, "run": run.name}
    text["identity"] = run.identity
    if run.renewal:
        text["renewal"] = run.renewal
    text |= {"number": run.number, "was": run.was, "reason": run.reason}
    if run.claims:
        text["claims"] = list(run.claims)
    if run.folder:
        text["folder"] = run.folder
    return PRUNED_COMMENT + dump(text)


def tombstone(run: LockedRun, reason: str, was: str = "") -> PrunedRun:
    """What stays of a run that is removed."""
    claims = tuple([path for path in run.uses if is_data(path)])
    return PrunedRun(run.name, run.identity, run.number, was or run.lifecycle_state, reason, run.renewal, claims, run.folder)


def is_data(path: str) -> bool:
    """Whether a file of the output tree is that of a claim or another object that outlives runs: `[env/]data/namespace/file`."""
    return _is_of_stage(path, DATA)


def is_claim(path: str) -> bool:
    """Whether a file of the output tree is that of a claim."""
    return is_data(path) and path.rpartition("/")[2].startswith(_CLAIM)


def claims_of(paths: Iterable[str]) -> list[str]:
    """The names of the claims among files of the output tree."""
    return [path.rpartition("/")[2].removeprefix(_CLAIM).removesuffix(".yaml") for path in paths if is_claim(path)]


def is_runtime(path: str) -> bool:
    """Whether a file of the output tree is that of a runtime: `[env/]runtimes/namespace/file`."""
    return _is_of_stage(path, RUNTIMES)


def _is_of_stage(path: str, stage: str) -> bool:
    parts = path.split("/")
    return len(parts) in (3, 4) and parts[-3] == stage


def _left(run: LockedRun, state: str) -> LockedRun:
    """A run that no source requests."""
    archived = run.archived or run.state == ARCHIVED
    return run._replace(state=state, archived=archived, kept=run.kept and run.state == state)
