"""An output tree in a Git repository -> the files that the current commit does not have, or has in another form."""

from __future__ import annotations

from tjgen.gitops.diff.revision import Repository
from tjgen.gitops.emit import header, ondisk
from tjgen.gitops.emit.plan import OutputFile
from tjgen.trees.diagnostics.model import CompileError


def committed_files(directory: str, folder: str) -> dict[str, OutputFile]:
    """Path in the tree -> the file of tjgen at HEAD, for each file below `folder` that builds changed since; none without Git."""
    try:
        repository = Repository.around(directory)
        commit = repository.resolved("HEAD")
        top = repository.path_of(f"{directory}/{folder}")
        contents = repository.contents(repository.differing(commit, top), "HEAD") if commit is not None else {}
    except CompileError:  # no repository, or a clone without the file
        return {}
    files = {}
    for place, content in contents.items():
        path, known = folder + place[len(top) :], header.read(content)
        if known is not None and not ondisk.was_edited(directory, path):
            body = content[known.length :].replace(b"\r\n", b"\n").decode(errors="replace")
            files[path] = OutputFile(path, body, known.source, known.owner)
    return files


def is_new(directory: str, path: str) -> bool:
    """Whether the tree is in a Git repository whose current commit lacks the file; also before the first commit."""
    try:
        repository = Repository.around(directory)
        commit = repository.resolved("HEAD")
        folder, _, name = repository.path_of(f"{directory}/{path}").rpartition("/")
        return commit is None or name not in repository.entries(commit, folder)
    except CompileError:  # no repository
        return False
