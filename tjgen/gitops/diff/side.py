"""The files of an output tree and its locks, from any place -> one side of a comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from tjgen.language.runs.lock import Lock
from tjgen.trees.diagnostics.model import ObjectRef, Span
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.manifests.manifest import PLATFORM, RUNS, RUNTIMES, STAGES
from tjgen.trees.source.reader import KUBERNETES, read
from tjgen.trees.typing import NamedTuple


class Attribution(NamedTuple):
    """Return the source of a value as text, with its place."""

    words: str
    span: Span | None = None


AttributeField = Callable[[ObjectRef, FieldPath, Tree], "Attribution | None"]


def no_attribution(ref: ObjectRef, path: FieldPath, value: Tree) -> Attribution | None:
    """The answer where nothing but the files is known."""
    return None


class Side(NamedTuple):
    """An output tree. Bodies are parsed only where the two sides differ."""

    name: str
    """What people call it: a revision, a folder, "this build"."""
    bodies: Mapping[str, str]
    """Path in the tree -> text without header."""
    locks: Mapping[str, Lock]
    """Key of an experiment -> its lock."""
    attribution_of: AttributeField = no_attribution


class TreePlace(NamedTuple):
    """What a path in an output tree is for."""

    stage: str
    environment: str
    namespace: str
    experiment: str = ""
    run: str = ""

    @property
    def key(self) -> str:
        """Key of the experiment, as in its lock."""
        return "/".join(part for part in (self.environment, self.namespace, self.experiment) if part)


def place_of(path: str) -> TreePlace | None:
    """What the file at `path` is for; None for files that are in no stage."""
    parts = path.split("/")
    if parts[0] == PLATFORM and len(parts) in (3, 4):  # platform, its name, perhaps a namespace, file
        return TreePlace(PLATFORM, "", "/".join(parts[1:-1]))
    for start in (0, 1):
        length = len(parts) - start
        if length > 1 and parts[start] in STAGES:
            environment, stage = "/".join(parts[:start]), parts[start]
            if stage == RUNS and length == 5:  # runs, namespace, experiment, run, file
                return TreePlace(stage, environment, *parts[start + 1 : start + 4])
            if stage != RUNS and length == 3:  # stage, namespace, file
                return TreePlace(stage, environment, parts[start + 1])
    return None


def runtime_of(place: TreePlace, tree: Tree) -> str | None:
    """The file of the runtime that a manifest of a run at `place` names; None if it names none."""
    name = get(tree, ("spec", "runtimeRef", "name"), None)
    return "/".join([part for part in (place.environment, RUNTIMES, place.namespace, f"{name}.yaml") if part]) if name else None


def only(bodies: Mapping[str, str], environments: Iterable[str | None]) -> dict[str, str]:
    """The files of these environments, and of all platforms."""
    wanted = {name or "" for name in environments}
    places = ((path, body, place) for path, body in bodies.items() if (place := place_of(path)) is not None)
    return {path: body for path, body, place in places if place.stage == PLATFORM or place.environment in wanted}


def tree_of(body: str, path: str) -> Tree:
    """The manifest in a file: a mapping with metadata that is a mapping; None if the file has none that could be read.

    A merge can leave its markers in a file of an output tree, and an edit by hand anything else.
    """
    documents, _ = read(body, path, KUBERNETES)
    value = documents[0].value if documents else None
    return value if value.__class__ is dict and value.get("metadata").__class__ is dict else None
