"""The options of a build, as one value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tjgen.trees.typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tjgen.language.spec.authored import AuthoredProgram

NAMESPACE = "default"
"""The namespace of an experiment that names none, as with kubectl."""


class Digests(NamedTuple):
    """The digests that images get instead of, or before, the pins of the project."""

    given: Mapping[str, str] = {}
    """Long form of an image -> its digest; other images get their pins."""
    every: str = ""
    """The digest of every image with a tag, also of those in `given`."""
    is_listed: bool = False
    """Whether each run lists the images that have a tag (`Run.images`)."""


class Promotion(NamedTuple):
    """A run of another environment to build: a point of the sweep, and a task, of one experiment."""

    file: str
    document: int
    """The position of the experiment among the documents of its file, from 0."""
    point: Mapping[str, object]
    task: str
    origin: str
    """Key of the experiment and name of the run that it is promoted from."""


class Request(NamedTuple):
    """The input of a build, apart from the files that it reads."""

    paths: Sequence[str] = ()
    """Files and folders of experiments; with neither these nor `given` the whole project."""
    environments: Sequence[str] = ()
    """The environments to build; all of the project if none is named."""
    set_values: Sequence[str] = ()
    """Fields to set in every experiment: `spec.nodes=2`."""
    overlays: Sequence[str] = ()
    """Files of overlays and platforms in addition to those of the project."""
    project: str | None = None
    """Where to look for the project; at `paths` if it is None."""
    workspace: str | None = None
    """The file of the workspace that the caller named, if the project is one of several that are built together."""
    trainer: str | None = None
    """The release of Trainer to build for, instead of that of the project."""
    given: Mapping[str, bytes] = {}
    """Texts of experiments that are in no file, by the file names that diagnostics show."""
    programs: Mapping[str, AuthoredProgram] = {}
    """Those of `given` that a Python program wrote: its documents, with their places in it."""
    catalogs: Sequence[str] = ()
    """Files of runtimes that precede those of the project."""
    namespace: str = ""
    """The namespace of experiments that name none. If it is empty, they use NAMESPACE, which is reported."""
    suffix: str = ""
    """What the name of each experiment gets at its end."""
    is_confined: bool = False
    """Whether `paths` must be inside of the repository too, since they come from the input of another program."""
    takes_platforms: bool = False
    """Whether `paths` may name files of Platforms."""
    digests: Digests = Digests()
    promotions: tuple[Promotion, ...] | None = None
    """The only runs to build, each promoted from another environment; all other runs stay as they are."""

    def promotion(self, file: str, document: int, point: Mapping[str, object], task: str) -> Promotion | None:
        """The promotion of one run; None if the request does not promote it."""
        wanted = (file, document, point, task)
        return next((one for one in self.promotions or () if (one.file, one.document, one.point, one.task) == wanted), None)
