"""The revision that a user names, or none -> the commit that a tree is verified against."""

from __future__ import annotations

from tjgen.gitops.diff.revision import Repository
from tjgen.trees.diagnostics.model import ERROR, INFO, CompileError, Diagnostic
from tjgen.trees.typing import NamedTuple

_EMPTY = "an empty tree"
"""The name of a base without a commit."""


class Base(NamedTuple):
    """What a tree is verified against."""

    commit: str | None
    """None before the first commit: the base has no runs."""
    name: str
    """As messages name it."""
    notes: tuple[Diagnostic, ...] = ()


def chosen(repository: Repository, revision: str | None) -> Base:
    """The commit at which HEAD and `revision` part, or the revision itself if the clone does not show that commit.

    Without a revision, the default branch of the remote is meant; without a remote, HEAD. If that leads to HEAD and the
    folder is as committed, it is the parent of HEAD. A revision that is empty, or Git's ID of no commit, is none: forges
    pass it for a new branch. Raises CompileError (TJ093, TJ297).
    """
    head = repository.resolved("HEAD")
    if revision is not None and revision.strip("0"):
        commit = repository.commit(revision)
        base = repository.merge_base(commit, head) if head is not None else None
        is_itself = base in (None, commit) and revision != commit
        return Base(base or commit, revision if is_itself else _short(base or commit))
    if head is None:
        return Base(None, _EMPTY, (_compared_with(_EMPTY, "the repository has no commits yet"),))
    branch = repository.default_branch()
    if branch is not None:
        name = branch.removeprefix("refs/remotes/")
        base = repository.merge_base(repository.commit(branch), head)
        if base is None and repository.is_shallow():
            raise CompileError([_no_merge_base(name)])
        if base is not None and base != head:
            return Base(base, _short(base), (_compared_with(_short(base), f"HEAD and {name} diverge there"),))
    if repository.uncommitted(""):
        return Base(head, "HEAD", (_compared_with("HEAD", "the folder has changes that are not committed"),))
    parent = repository.resolved("HEAD^")
    if parent is not None:
        return Base(parent, "HEAD^", (_compared_with("HEAD^", "HEAD is on the default branch"),))
    if repository.is_shallow():
        raise CompileError([_no_merge_base("its parent")])
    return Base(None, _EMPTY, (_compared_with(_EMPTY, "HEAD is the first commit"),))


def _short(commit: str | None) -> str:
    return (commit or "")[:12]


def _no_merge_base(base: str) -> Diagnostic:
    """TJ297: the clone is shallow, so that the commit at which the branch began is not known."""
    message = f"the clone is shallow and does not contain the commit at which HEAD and {base} diverge"
    hint = "fetch the history with git fetch --unshallow (fetch-depth: 0 in GitHub Actions, GIT_DEPTH: 0 in GitLab CI)"
    return Diagnostic("TJ297", message, hint=hint, severity=ERROR)


def _compared_with(base: str, reason: str) -> Diagnostic:
    """TJ299: what the tree is compared with, if no base is given."""
    return Diagnostic("TJ299", f"compared with {base}: {reason}", hint="pass another base with --base", severity=INFO)
