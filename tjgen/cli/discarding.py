"""`tjgen runs discard`: runs that no commit has go, without a tombstone."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase

from tjgen.cli.command import Arguments
from tjgen.cli.confirmation import report_names
from tjgen.cli.reporting import Reporter
from tjgen.gitops.diff.reference import chosen
from tjgen.gitops.diff.renamed import folder_at
from tjgen.gitops.diff.revision import Repository
from tjgen.gitops.emit.tree import OutputTree
from tjgen.gitops.output import interrupted
from tjgen.gitops.output.discard import discard
from tjgen.gitops.output.inventory import entries, matching
from tjgen.gitops.verify.state import StoredLocks
from tjgen.language.runs.store import Locks


def discard_runs(patterns: list[str], arguments: Arguments, locks: Locks, directory: str, reporter: Reporter) -> None:
    """Discard the runs that the base lacks, or those of `patterns` among them. Raises CompileError (TJ093, TJ095)."""

    def selected(name: str) -> bool:
        return not patterns or any(fnmatchcase(name, pattern) for pattern in patterns)

    others = [name for place, lock in locks.all() for name in (place.key, *lock.pruned)]
    reporter.add(matching(entries(locks), patterns, others)[1])
    if reporter.failed:
        return
    repository = Repository.around(directory)
    base = arguments["base"]
    commit = repository.resolved("HEAD") if base is None else chosen(repository, base).commit
    with OutputTree(directory, force=arguments["force"], records=locks.folder, history=interrupted.still_wanted) as tree:
        reporter.add(tree.notes)
        root = os.path.dirname(locks.folder)
        # A sync may have applied what the default branch of the remote has.
        branch = repository.default_branch()
        commits = {one: folder_at(repository, one, root or ".") for one in (commit, branch) if one is not None}
        records = repository.path_of(locks.folder)
        texts = repository.files(commit, commits[commit].path(records)) if commit is not None else {}
        before = StoredLocks(root, texts)
        done = discard(locks, tree, directory, repository, commits, selected, before)
        tree.commit()
    known = " or ".join([base or "HEAD", *([branch.removeprefix("refs/remotes/")] if branch is not None else [])])
    after = "build again with tjgen build" if done else f"{known} has all of them"
    reporter.print_line(f"runs: {len(done)} discarded; {after}")
    report_names("discarded", done, reporter)
