"""The runs of one experiment -> the texts of their locks, which are committed and make them stay what they are.

    tjgen.lock.d/<environment or default>/<namespace>/<experiment>/<run>.yaml

One file a run, so that branches that add runs merge without a conflict. In a file the state stands away
from what archiving changes, so that a branch that supersedes a run and one that archives it merge too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tjgen.language.runs.identity import Identity, RunContent
from tjgen.trees.fields.path import Tree
from tjgen.trees.source.writer import dump
from tjgen.trees.typing import NamedTuple

DIRECTORY = "tjgen.lock.d"
API_VERSION = "tjgen.dev/v1alpha1"
KIND = "LockedRun"
COMMENT = "# Written by tjgen: a run that exists, and what it is made of. Commit it; a run without its file is new.\n"

ACTIVE = "active"
CURRENT = "current"
"""What people call an active run."""
SUSPENDED = "suspended"
ARCHIVED = "archived"
SUPERSEDED = "superseded"
STATES = (ACTIVE, SUSPENDED, ARCHIVED, SUPERSEDED)


class LockedRun(NamedTuple):
    """A run that was built. Digests are written `sha256:` and 64 hexadecimal digits."""

    name: str
    identity: str
    """Version of the form and digest, as `str(Identity)` gives them, before any renewal."""
    number: int
    """The how-manieth run of the experiment it is; runs of branches that were merged may share one."""
    state: str
    """What the experiment says of it, or SUPERSEDED when the experiment asks for it no more."""
    runtime: str
    """Name of the runtime in the catalog."""
    runtime_digest: str
    content: str
    """Digest of its emitted files: see `freeze.content_digest`."""
    settings: str
    """Digest of what the experiment says of it that can be changed in place."""
    images: tuple[str, ...] = ()
    """Images as they are emitted, in order."""
    uses: tuple[str, ...] = ()
    """Files that it shares with other runs, by path in the output tree: they stay as long as a lock names them."""
    renewal: int = 0
    """How often the run was made anew on purpose, without a change of the experiment."""
    promoted_from: str = ""
    """Key of the experiment and name of the run that it was promoted from: see output/promote.py."""
    archived: bool = False
    """Whether it was archived by itself, whatever its experiment says (see `archive`)."""

    @property
    def standing(self) -> str:
        """What people call it: archived before superseded, since nothing runs it any more; else its state."""
        return ARCHIVED if self.archived else CURRENT if self.state == ACTIVE else self.state


class Lock(NamedTuple):
    """All runs of one experiment that exist, those superseded too."""

    experiment: str
    """Key of the experiment: `environment/namespace/name`, or `namespace/name`."""
    runs: Mapping[str, LockedRun]

    def current(self, identity: Identity) -> LockedRun | None:
        """The run with this identity that was renewed last."""
        return self.by_identity().get(str(identity))

    def by_identity(self) -> dict[str, LockedRun]:
        """Identity -> the run with it that was renewed last."""
        found: dict[str, LockedRun] = {}
        for run in self.runs.values():
            known = found.get(run.identity)
            if known is None or run.renewal > known.renewal:
                found[run.identity] = run
        return found

    def with_runs(self, runs: Iterable[LockedRun]) -> Lock:
        """The lock with these runs, those that it had under their names replaced."""
        return self._replace(runs={**self.runs, **{run.name: run for run in runs}})

    def superseding(self, asked: Iterable[str]) -> Lock:
        """The lock in which all runs but those asked for are superseded; archived ones stay archived."""
        names = set(asked)
        return self._replace(runs={name: run if name in names else _superseded(run) for name, run in self.runs.items()})

    def without(self, names: Iterable[str]) -> Lock:
        """The lock without these runs."""
        gone = set(names)
        return self._replace(runs={name: run for name, run in self.runs.items() if name not in gone})

    def superseded(self, *, keep: int = 0) -> list[str]:
        """Names of the superseded runs in order of age, without the last `keep`; archived ones are a record, not history."""
        found = [run for run in self.runs.values() if run.standing == SUPERSEDED]
        old = sorted(found, key=lambda run: (run.number, run.name))
        return [run.name for run in old[: max(0, len(old) - keep)]]

    @property
    def next_number(self) -> int:
        """The number of the next run."""
        return max([run.number for run in self.runs.values()], default=0) + 1


def known(locked: Mapping[str, LockedRun], content: RunContent) -> tuple[Identity, LockedRun | None]:
    """The identity by which a lock has the run, by the newest or the first rules, and the run; None for a new one.

    `locked` is `Lock.by_identity()`.
    """
    identity = content.identity()
    run = locked.get(str(identity))
    if run is None and locked:
        first = content.first_identity()
        run = locked.get(str(first))
        identity = identity if run is None else first
    return identity, run


def path_of(environment: str | None, namespace: str, experiment: str) -> str:
    """Folder of an experiment's locks, below DIRECTORY."""
    return f"{environment or 'default'}/{namespace}/{experiment}"


def write(experiment: str, run: LockedRun) -> str:
    """The text of a run's lock file; `experiment` is the key of its experiment."""
    text: Tree = {"apiVersion": API_VERSION, "kind": KIND, "experiment": experiment, "run": run.name, "identity": run.identity}
    if run.renewal:
        text["renewal"] = run.renewal
    if run.promoted_from:
        text["promotedFrom"] = run.promoted_from
    text |= {"number": run.number, "state": run.state, "runtime": run.runtime, "runtimeDigest": run.runtime_digest}
    text["settings"] = run.settings
    if run.images:
        text["images"] = list(run.images)
    if run.uses:
        text["uses"] = list(run.uses)
    text["content"] = run.content
    if run.archived:
        text["archived"] = True
    return COMMENT + dump(text)


def _superseded(run: LockedRun) -> LockedRun:
    return run._replace(state=SUPERSEDED, archived=run.archived or run.state == ARCHIVED)
