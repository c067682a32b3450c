"""Words of `tjgen explain` -> the experiment to build, and the objects and fields that they select."""

from __future__ import annotations

import os

from tjgen.cli.inputs import sandbox_for
from tjgen.cluster.validate.report import subject_of
from tjgen.compiler.building.plan import make_plan
from tjgen.compiler.building.request import Request
from tjgen.gitops.emit import header
from tjgen.language.resolve.project import LoadedProject, find
from tjgen.language.runs.lock import Lock
from tjgen.language.runs.store import LockKey, Locks
from tjgen.trees import regex
from tjgen.trees.diagnostics.model import CompileError, Diagnostic
from tjgen.trees.explain.written import steps_of
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.files.problems import UNREADABLE
from tjgen.trees.k8s.kindwords import kind_of
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.source.reader import KUBERNETES, read
from tjgen.trees.typing import NamedTuple

_KIND_AND_FIELD = r"(?!template\.)([A-Za-z]+)\.((?:metadata|spec|status|data)(?:[.\[].*)?)\Z"


class ExplainedWords(NamedTuple):
    """The target: `kind` and `name` "" and `namespace` None match any."""

    paths: list[str]
    environments: list[str]
    kind: str
    name: str
    namespace: str | None
    below: FieldPath
    word: str = ""
    """The field as it is written: it may be the name of a variable, a volume or a limit instead of a path."""
    every: bool = False
    """Whether all fields are shown, not a page."""
    output: str = ""
    """The file of an output tree that was named."""
    words: tuple[str, ...] = ()
    """With `output`: the words after it, [KIND] [FIELD]. Without KIND, the object of the file is explained."""
    is_short: bool = False
    """Whether `kind` may be a plural or a short name."""
    kinds: tuple[str, ...] = ()
    """The kinds of the run that was named, for hints."""

    def means(self, manifest: Manifest) -> bool:
        """Whether this is one of the selected objects."""
        is_kind = self.kind.lower() in ("", manifest.kind.lower())
        return (
            (is_kind or (self.is_short and kind_of(self.kind, (manifest.kind,)) is not None))
            and self.name in ("", manifest.name)
            and self.namespace in (None, manifest.namespace)
        )

    def of_run(self) -> ExplainedWords:
        """The selection of the kind of object that `words` begin with, among the objects of the run."""
        kind, _, name = self.words[0].partition("/")
        word = "".join(self.words[1:])
        return self._replace(kind=kind, name=name, below=path_of(word), word=word, is_short=True)


def select(words: list[str], environments: list[str]) -> ExplainedWords:
    """What the words of the command line mean; raises CompileError."""
    words = _split(words)
    file = words[0]
    content = sandbox_for([file]).content(file)
    if isinstance(content, Diagnostic):
        if content.code != UNREADABLE:
            raise CompileError([content])
        return select(_by_name(words, environments, content), environments)
    known = header.read(content)
    if known is None:
        kind, _, name = words[1].partition("/") if len(words) > 1 else ("", "", "")
        word = "".join(words[2:])
        return ExplainedWords([file], environments, kind, name, None, path_of(word), word, is_short=bool(word))
    documents, _ = read(content, file, KUBERNETES)
    subject = subject_of(documents[0].value) if documents else None
    if subject is None:
        hint = "build it again; it was edited by hand"
        raise CompileError([Diagnostic("TJ026", f"{file} contains no object", hint=hint)])
    kind, name, namespace = subject.kind, subject.name, subject.namespace
    word = words[1] if len(words) == 2 else ""
    # A name of a kind may be a field; with a field after it, it is a kind.
    below = path_of(word) if "/" not in word else ()
    if not known.owner:
        # A file that experiments share: any experiment of the project may use it.
        return ExplainedWords([], environments, kind, name, namespace, below, word, words=tuple(words[1:]))
    project = find(file) or find(".")
    source = os.path.normpath(os.path.join(os.path.dirname(project) if project else "", known.source))
    *environment, _, _ = known.owner.split("/")
    return ExplainedWords(
        [source], environments or environment, kind, name, namespace, below, word, output=file, words=tuple(words[1:])
    )


def path_of(text: str) -> FieldPath:
    """The steps of a field path; raises CompileError (TJ024) for other text."""
    try:
        return steps_of(text)
    except ValueError as problem:
        hint = "write it like spec.template.spec.containers[name=node].image"
        raise CompileError([Diagnostic("TJ024", str(problem), hint=hint)]) from None


def _split(words: list[str]) -> list[str]:
    """The same words, with KIND.FIELD, as kubectl explain takes it, as two of them."""
    for position, word in enumerate(words[:2]):
        match = regex.compile(_KIND_AND_FIELD).match(word)
        if match is not None and not os.path.lexists(word):
            return [*words[:position], match.group(1), *words[position + 1 :], match.group(2)]
    return words


def _by_name(words: list[str], environments: list[str], unreadable: Diagnostic) -> list[str]:
    """The same words with a file instead of the name of a run or an experiment; raises CompileError if there is none."""
    from tjgen.language.resolve.project_file import load_current  # few explanations begin with a name

    project, problems = load_current()
    if project.document is None:
        hint = "name an experiment, a run, or a file that tjgen wrote"
        raise CompileError(problems or [unreadable._replace(hint=hint)])
    unknown = [project.unknown_environment(name) for name in environments if name not in project.spec.environments]
    if unknown:
        raise CompileError(unknown)
    first, *rest = words
    orders = [(first, rest)]
    kind, _, name = first.partition("/")
    if name and "/" not in name:
        orders.append((name, [kind, *rest]))  # KIND/RUN, as for kubectl
    if rest:
        orders.append((rest[0], [first, *rest[1:]]))  # KIND RUN
    locks = [*Locks(project.directory).all()]
    chosen = [(place, lock) for place, lock in locks if not environments or place.environment in environments]
    for word, others in orders:
        files = _files_of_run(word, project, chosen) or _experiments(word) if "/" not in word else []
        if len(files) > 1:
            raise CompileError([unreadable._replace(hint=f"name one of {', '.join(files)}")])
        if files:
            return [*files, *others]
    raise CompileError([unreadable._replace(hint=_nearest_name(first, locks))])


def _nearest_name(word: str, locks: list[tuple[LockKey, Lock]]) -> str:
    places = [place.environment for place, lock in locks if word in lock.runs]
    if places:
        return f"this run is in environment {', '.join(sorted({str(one) for one in places}))}"
    files = [file for file in make_plan(Request()).files if os.path.basename(file) == os.path.basename(word)]
    names = {one for place, lock in locks for one in (place.name, *lock.runs)}
    near = next(iter(files), None) or nearest(word.rpartition("/")[2], names)
    return f'did you mean "{near}"?' if near else "name an experiment, a run, or a file that tjgen wrote"


def _files_of_run(name: str, project: LoadedProject, locks: list[tuple[LockKey, Lock]]) -> list[str]:
    """The manifests of the runs with this name in the output tree of the project."""
    from tjgen.gitops.emit import ondisk  # few explanations begin with the name of a run
    from tjgen.gitops.output.layout import folder_of

    directory = project.output
    if directory is None:
        return []
    folders = [folder_of(place, lock.runs[name]) for place, lock in locks if name in lock.runs]
    files = [file.path for folder in folders for file in ondisk.files(directory, folder)]
    return [os.path.relpath(os.path.join(directory, file)) for file in files if file.endswith(f"-{name}.yaml")]


def _experiments(name: str) -> list[str]:
    """The files of the project that contain an experiment with this name."""
    plan = make_plan(Request())
    files = []
    for file in plan.files:
        content = plan.content(file)
        if not isinstance(content, Diagnostic) and name.encode() in content:
            documents, _ = read(content, file, KUBERNETES)
            subjects = [subject_of(one.value) for one in documents]
            if any(one is not None and (one.kind, one.name) == ("Experiment", name) for one in subjects):
                files.append(file)
    return files
