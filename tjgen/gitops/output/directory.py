"""Units as they are built -> a directory that tjgen owns, the locks beside it, and a tree of previews.

Runs that exist stay as they are (runs/freeze.py says when), superseded ones stay until they are
pruned, claims until their data is. What a build does not know of, it does not remove.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from hashlib import sha256

from tjgen.compiler.building.run import Built, Run, Unit
from tjgen.gitops.emit.ondisk import below, bodies, conflict
from tjgen.gitops.emit.plan import OutputFile
from tjgen.gitops.emit.problems import in_conflict
from tjgen.gitops.output import problems
from tjgen.gitops.output.done import Counts, Done, Progress
from tjgen.gitops.output.files import Files, images
from tjgen.gitops.output.layout import experiment_folder, preview_files, run_folder, stage_folder
from tjgen.gitops.output.records import Records
from tjgen.gitops.output.wishes import Wanted, Wishes
from tjgen.language.runs import freeze
from tjgen.language.runs.lock import ARCHIVED, SUPERSEDED, Lock, LockedRun
from tjgen.language.runs.lock import path_of as lock_path
from tjgen.language.runs.store import Locks, Place
from tjgen.trees.diagnostics.model import INFO, Diagnostic
from tjgen.trees.fields.path import Tree
from tjgen.trees.manifests.manifest import DATA, RUNS, RUNTIMES, SYNC
from tjgen.trees.source.reader import KUBERNETES, read
from tjgen.trees.source.writer import dump

SEVERAL = 3
"""Runs that would change are named one by one up to this number."""


Renew = Callable[[Run], "Run | None"]


class Directory:
    """One build into one directory. `add` every unit, then `finish`; `diagnostics` collects what is found."""

    def __init__(self, directory: str, tree: Wanted, previews: Wanted | None, locks: Locks, wishes: Wishes) -> None:
        self.diagnostics: list[Diagnostic] = []
        self.counts = Counts()
        self.locks: dict[str, Lock] = {}
        """Key of an experiment -> its lock as it will be, of what was added and what stays behind."""
        self._directory = directory
        self._tree = tree
        self._previews = previews
        self._locks = locks
        self._wishes = wishes
        self._put: dict[str, bytes] = {}
        """Path -> digest of the body that was put there."""
        self._files = Files()
        self._now = Progress()
        self._known: set[str] = set()
        self._uses: set[str] = set()
        self._objects: dict[tuple[str | None, str, str, str, str], tuple[str, str]] = {}
        """Environment and identity of an object -> its path, and the experiment that makes it."""
        self._frozen: list[Diagnostic] = []
        self._records = Records(locks)
        self._repeated: list[tuple[Built, Renew]] = []
        """Units with new runs that repeat archived ones: whether they were renamed is known at the end."""

    def add(self, built: Built, renew: Renew) -> Done | None:
        """Take the runs of a unit. `renew` compiles a run again under its next name, or answers None.

        The answer is what was done, for the next build to remember; None where that would not be the same again.
        """
        self._known.add(built.lock)
        lock = self._locks.of(built.unit)
        if any(run.name not in lock.runs and self._records.twin(run) is not None for run in built.runs):
            self._repeated.append((built, renew))
            return None
        return self._add(built, lock, renew)

    def _add(self, built: Built, lock: Lock, renew: Renew) -> Done | None:
        unit = built.unit
        now = self._now = Progress()
        asked = [self._run(run, lock, renew) for run in built.runs]
        self._strays(unit, {*lock.runs, *[run.name for run in asked]})
        lock = lock.with_runs(asked).superseding([*[run.name for run in asked], *built.beside])
        lock = self._pruned(lock)
        asked_for = {run.name for run in asked}
        for name in lock.runs:
            if name not in asked_for:
                self._count(kept=1)
                self._keep(run_folder(unit, name))
        for run in lock.runs.values():
            self._uses.update(run.uses)
        self._claim(experiment_folder(unit))
        if self._wishes.prune_data:
            self._tree.claim(f"{stage_folder(unit.environment, DATA)}/{unit.namespace}", owner=unit.key)
        self._record(built.lock, lock)
        self.counts = self.counts.plus(now.counts)
        return now.done(path for run in lock.runs.values() for path in run.uses)

    def recall(self, locks: Sequence[str], done: Done) -> None:
        """Take a source as an earlier build left it: its files were looked at and are as they were."""
        self._known.update(locks)
        self._uses.update(done.uses)
        for folder in done.keeps:
            self._keep(folder)
        for path, content in done.shared:
            before = self._put.setdefault(path, content)
            self._tree.keep(path)
            if before != content:
                self.diagnostics.append(problems.made_twice(path, None))
        self.counts = self.counts.plus(done.counts)

    def finish(self, environments: list[str | None], *, whole: bool) -> None:
        """After the last unit: a build of the whole project also clears what no experiment stands behind."""
        for built, renew in self._repeated:
            runs = [self._renamed(run, whole=whole) for run in built.runs]
            self._add(built._replace(runs=runs), self._locks.of(built.unit), renew)
        if whole:
            for path, lock in list(self._locks.others(environments, self._known)):
                self._forget(path, lock)
            for environment in environments:
                self._claim(stage_folder(environment, RUNS))
                self._tree.claim(stage_folder(environment, RUNTIMES))
                self._tree.claim(stage_folder(environment, SYNC))
                if self._wishes.prune_data:
                    self._tree.claim(stage_folder(environment, DATA))
            for path in sorted(self._uses):
                self._tree.keep(path)
        self.diagnostics += self._frozen if len(self._frozen) <= SEVERAL else [problems.would_change(len(self._frozen))]

    def _renamed(self, run: Run, *, whole: bool) -> Run:
        """The run as a record, where it is an archived run of an experiment that has another name now."""
        twin = self._records.twin(run) if run.name not in self._locks.of(run.unit).runs else None
        if twin is None or twin.lock in self._known:
            return run
        self._say(problems.renamed(run, twin) if whole else problems.repeated(run, twin), run)
        return run.archived() if whole else run

    def _pruned(self, lock: Lock) -> Lock:
        """The lock without the superseded runs that need not stay."""
        keep = 0 if self._wishes.prune_runs else self._wishes.keep
        old = lock.superseded(keep=keep) if keep is not None else []
        self._count(removed=len(old))
        return lock.without(old)

    def _forget(self, path: str, lock: Lock) -> None:
        """No experiment stands behind the lock any more: its runs go, but for those that are a record."""
        stays = lock.superseding(()).without([name for name, run in lock.runs.items() if run.standing != ARCHIVED])
        self.counts = self.counts.plus(Counts(kept=len(stays.runs), removed=len(lock.runs) - len(stays.runs)))
        for run in stays.runs.values():
            self._keep(run_folder(Place.of(path, lock), run.name))
            self._uses.update(run.uses)
        self._record(path, stays)

    def _run(self, run: Run, lock: Lock, renew: Renew) -> LockedRun:
        """Decide about one run and put its files; what the lock shall say of it."""
        files = self._files.of(run)
        folder = run_folder(run.unit, run.name)
        self._name(run, files)
        own = {file.path[len(folder) + 1 :]: file.body for file in files if file.path.startswith(folder + "/")}
        content = freeze.content_digest(own)
        settings = freeze.settings_digest(run.unit.document.value, self._wishes.tool)
        locked = lock.runs.get(run.name)
        is_record = run.is_record or run.state == ARCHIVED
        may_change = locked is not None and (self._wishes.again or (content != locked.content and not is_record))
        wanted = renew(run) if may_change else None
        if wanted is not None and wanted.name != run.name:
            return self._run(wanted, lock, lambda _: None)
        problem = problems.name_stays(run) if wanted is not None else None
        if run.fixed and problem is None:
            folder_of_locks = lock_path(run.unit.environment, run.unit.namespace, run.unit.name)
            place = f"{os.path.join(self._locks.folder, folder_of_locks)}/{run.name}.yaml"
            problem = freeze.fixed_name_problem(locked, str(run.identity), place)
        if problem is None and locked is None and not self._wishes.force and not self._is_free(folder, content):
            problem = problems.without_lock(f"{self._directory}/{folder}")
        decision = freeze.decide(
            locked, content=content, settings=settings, standing=lambda: self._standing(folder), force=self._wishes.force
        )
        diagnostic = problem or decision.diagnostic
        if diagnostic is not None and diagnostic.code == "TJ075" and (spoilt := conflict(self._directory, folder)) is not None:
            diagnostic = in_conflict(spoilt)
        # That a record would be built otherwise today is no news.
        self._say(None if is_record and diagnostic is not None and diagnostic.severity == INFO else diagnostic, run)
        if run.is_record and locked is not None and locked.state == SUPERSEDED:
            self._say(problems.asked_for_again(run), run)
        if decision.kind in (freeze.FROZEN, freeze.IN_PLACE):
            assert locked is not None, "only a locked run is frozen"
            self._count(kept=1)
            self._now.steady = False
            for file in files:
                # What runs share is not frozen with them. A runtime has the name of its content, but for annotations.
                if file.path in locked.uses:
                    self._put_once(file, run)
            if decision.kind == freeze.IN_PLACE:
                own = self._carried(folder, own)
                for name, body in own.items():
                    self._tree.put(OutputFile(f"{folder}/{name}", body, run.unit.source, run.unit.key))
                return locked._replace(
                    content=freeze.content_digest(own), settings=settings, state=run.state, promoted_from=run.promoted_from
                )
            self._keep(folder)
            return locked._replace(state=run.state, promoted_from=run.promoted_from)
        self._count(**{"unchanged" if decision.kind == freeze.UNCHANGED else "new": 1})
        self._now.keeps.append(folder)
        for file in files:
            self._put_once(file, run)
        if self._previews is not None:
            for path, body in preview_files(run).items():
                self._previews.put(OutputFile(path, body, run.unit.source, run.unit.key))
                self._now.previews.append(path)
        uses = tuple(sorted(file.path for file in files if not file.path.startswith(folder + "/")))
        return LockedRun(
            name=run.name,
            identity=str(run.identity),
            number=locked.number if locked is not None else lock.next_number,
            state=run.state,
            runtime=run.runtime.name,
            runtime_digest=f"sha256:{run.runtime.digest}",
            content=content,
            settings=settings,
            images=images(run),
            uses=uses,
            renewal=run.renewal,
            archived=run.is_record,
            promoted_from=run.promoted_from,
        )

    def _name(self, run: Run, files: list[OutputFile]) -> None:
        """Note the objects of a run: no other run of its environment may have one of the same kind and name."""
        for manifest, file in zip(run.compiled.manifests, files, strict=True):
            key = (run.unit.environment, manifest.api_version, manifest.kind, manifest.namespace, manifest.name)
            other = self._objects.setdefault(key, (file.path, run.unit.key))
            if other[0] != file.path:
                self._say(problems.same_object(manifest.ref, other[1]), run)
                return
        # Experiments that are not built now have their runs, too; names with a hash cannot meet.
        holder = self._records.holder(run) if run.fixed and run.name not in self._locks.of(run.unit).runs else None
        if holder is not None:
            self._say(problems.same_name(run, holder), run)

    def _is_free(self, folder: str, content: str) -> bool:
        """Whether a new run may be written there: nothing stands there, or the same."""
        standing = self._standing(folder)
        return standing is None or standing == content

    def _strays(self, unit: Unit, known: set[str]) -> None:
        """Report folders of runs that no lock knows: nobody can say whether they are a record or still train."""
        for folder in [] if self._wishes.force else below(self._directory, experiment_folder(unit)):
            if folder.rpartition("/")[2] not in known and bodies(self._directory, folder):
                self.diagnostics.append(problems.without_lock(f"{self._directory}/{folder}"))

    def _put_once(self, file: OutputFile, run: Run) -> None:
        """Put a file that other runs may make too: they have to agree on it."""
        content = sha256(file.body.encode()).digest()[:8]
        before = self._put.get(file.path)
        self._now.files.append(file.path)
        if not file.owner or "/data/" in f"/{file.path}":
            self._now.shared.append((file.path, content))
        if before is None:
            self._put[file.path] = content
            self._tree.put(file)
        elif before != content:
            self.diagnostics.append(problems.made_twice(file.path, run))

    def _record(self, path: str, lock: Lock) -> None:
        self.locks[lock.experiment] = lock
        for file, text in self._locks.changes(path, lock):
            self._tree.record(file, text)

    def _keep(self, folder: str) -> None:
        self._now.keeps.append(folder)
        self._tree.keep(folder)
        if self._previews is not None:
            self._previews.keep(folder)

    def _claim(self, folder: str) -> None:
        self._tree.claim(folder)
        if self._previews is not None:
            self._previews.claim(folder)

    def _standing(self, folder: str) -> str | None:
        """The digest of the files of a run as they stand, None where there are none."""
        standing = bodies(self._directory, folder)
        return freeze.content_digest(standing) if standing else None

    def _carried(self, folder: str, built: dict[str, str]) -> dict[str, str]:
        """The files on disk with what may change in place as it is built now; what is not touched keeps its bytes."""
        standing = bodies(self._directory, folder)
        old, new = _trees(standing), _trees(built)
        carried = freeze.carry_all(old, new)
        return {name: standing[name] if tree == old.get(name) else dump(tree) for name, tree in carried.items()}

    def _say(self, diagnostic: Diagnostic | None, run: Run) -> None:
        if diagnostic is None:
            return
        self._now.steady = False
        span = diagnostic.span or run.unit.document.locate(diagnostic.path or ("metadata", "name"))
        placed = diagnostic._replace(span=span, path=None)
        if diagnostic.severity == INFO:
            self._frozen.append(placed)
        else:
            self.diagnostics.append(placed)

    def _count(self, *, new: int = 0, unchanged: int = 0, kept: int = 0, removed: int = 0) -> None:
        self._now.counts = self._now.counts.plus(Counts(new, unchanged, kept, removed))


def _trees(texts: dict[str, str]) -> dict[str, Tree]:
    return {name: read(text, name, KUBERNETES)[0][0].value for name, text in texts.items()}
