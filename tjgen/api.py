"""The library: what the command line does, as functions over paths and parsed objects.

`tjgen` exports these names and loads this module when one of them is used.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext

from tjgen.cluster.releases import DEFAULT_TRAINER
from tjgen.cluster.trainer.inputs import expanded, opened
from tjgen.cluster.trainer.release import chosen
from tjgen.cluster.validate.admit import admit
from tjgen.compiler.building.compile import build as build_plan
from tjgen.compiler.building.plan import Plan, make_plan
from tjgen.compiler.building.request import Request
from tjgen.compiler.building.run import Result, Run
from tjgen.gitops.diff.compare import DiffEntry, compare
from tjgen.gitops.diff.effect import UNCHANGED
from tjgen.language.catalog.find import Catalog
from tjgen.language.resolve.caller import CallerSettings
from tjgen.language.resolve.policy import judged
from tjgen.language.spec.objects import Policy
from tjgen.trees import trust
from tjgen.trees.diagnostics.model import CompileError, Diagnostic, has_errors
from tjgen.trees.fields.path import Tree
from tjgen.trees.manifests.manifest import STAGES, Manifest
from tjgen.trees.session import Session
from tjgen.trees.source.writer import dump_all
from tjgen.trees.typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from tjgen.language.spec.authored import Authored
    from tjgen.language.spec.models.experiment import Experiment

__all__ = ["BuildResult", "Diff", "admit", "build", "expand"]


class Diff(NamedTuple):
    """Result of `BuildResult.diff`: the effect on each run.

    `str` returns the text of `tjgen diff`; a notebook shows it as a page.
    """

    entries: list[DiffEntry]

    @property
    def is_empty(self) -> bool:
        """Whether nothing differs."""
        return all(one.kind == UNCHANGED for one in self.entries)

    def __str__(self) -> str:
        from tjgen.gitops.diff.text import render_text

        return render_text(self.entries)

    def _repr_html_(self) -> str:
        from tjgen.tools.report.content import Changes
        from tjgen.tools.report.frame import changes_page, framed

        return framed(changes_page(Changes("the earlier build", self.entries)), "Changes")


class BuildResult(NamedTuple):
    """Result of `build`. If `diagnostics` contains errors, runs may be missing. A notebook shows it as a report."""

    runs: list[Run]
    diagnostics: list[Diagnostic]
    plan: Plan | None = None
    """The input of the build; None if the project or the request is wrong."""
    results: tuple[Result, ...] = ()
    """Results by experiment and environment, then the findings about all of them."""
    documents: tuple[Authored, ...] = ()
    """The documents of the calling program."""

    @property
    def manifests(self) -> list[Manifest]:
        """The objects of all runs, each once; `tree` is the object, and `origins(path)` returns the origins of a field."""
        seen: dict[Any, Manifest] = {}
        for run in self.runs:
            for manifest in run.compiled.manifests:
                seen.setdefault(manifest.ref, manifest)
        return list(seen.values())

    @property
    def failed(self) -> bool:
        """Whether there was an error."""
        return has_errors(self.diagnostics)

    @property
    def problems(self) -> str:
        """The diagnostics as text, each with the line that it is about, as commands print them."""
        from tjgen.trees.diagnostics.render.text import render

        return render(self.diagnostics, self._text)

    def to_yaml(self) -> str:
        """The objects to apply, as one stream of YAML in the order to apply them. Raises CompileError if the build failed."""
        if self.failed:
            raise CompileError(self.diagnostics)
        return dump_all([one.tree for stage in STAGES for one in self.manifests if one.stage == stage])

    def diff(self, earlier: BuildResult) -> Diff:
        """Return the effect on each run of an earlier build if this one is applied. Raise CompileError if either failed."""
        from tjgen.tools.report.gather import side_of

        for one in (earlier, self):
            if one.failed:
                raise CompileError(one.diagnostics)
        return Diff(compare(side_of(earlier.runs)._replace(name="the earlier build"), side_of(self.runs)))

    def __repr__(self) -> str:
        from tjgen.tools.report.words import counted
        from tjgen.trees.diagnostics.render.text import summary

        text = summary(self.diagnostics) or "no findings"
        return f"<BuildResult: {counted(len(self.runs), 'run')}, {counted(len(self.manifests), 'object')}, {text}>"

    def _repr_html_(self) -> str:
        from tjgen.tools.report.content import Report
        from tjgen.tools.report.frame import framed
        from tjgen.tools.report.gather import ReportOptions, of_build
        from tjgen.tools.report.page import page

        if self.plan is None:
            report = Report("Training runs", "not built", (), {}, (), (), {}, self.diagnostics)
        else:
            report = of_build(self.plan, ReportOptions(None, None, expanded=False), results=self.results)
        return framed(page(report._replace(diagnostics=self.diagnostics)), "Report of the build")

    def _text(self, file: str) -> str | None:
        if self.documents:
            from tjgen.language.spec.authored import text_of

            known = text_of(file, self.documents)
            if known is not None:
                return known
        from tjgen.trees.source.ondisk import text_of as text_on_disk

        return text_on_disk(file)


def build(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    *,
    documents: Sequence[Experiment | Mapping[str, Any]] | None = None,
    environments: str | Sequence[str] = (),
    set_values: str | Sequence[str] = (),
    overlays: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    project: str | None = None,
    trainer: str | None = None,
    trusted: bool = False,
) -> BuildResult:
    """Compile experiments, or the whole project of the working directory. Writes nothing.

    `documents` are experiments of the calling program: `tjgen.Experiment`, or mappings in the words of the language. Diagnostics
    about them have places in the program.
    `overlays` are files of overlays in addition to those of the project. The project is searched at `project`, or else
    at `paths`. `trainer` is the release of Trainer to build for; the default is that of the project. If `trusted`, Python of
    the project, such as slicers, may run; otherwise, it is an error (TJ208). The input never causes an exception: `diagnostics`
    of the result has its errors. The limits and policies of TJGEN_SETTINGS apply. A string or path counts as
    a list of one. Raises ValueError if the file of TJGEN_SETTINGS cannot be read, or if it does not allow `trusted`, and
    TypeError for paths, names and documents of another type.
    """
    settings = CallerSettings.of_environment()
    with settings.applied(trusted=trusted, remedy="remove trusted"), trust.granted() if trusted else nullcontext():
        request = Request(
            _texts(paths, "paths"),
            environments=_texts(environments, "environments"),
            set_values=_texts(set_values, "set_values"),
            overlays=_texts(overlays, "overlays"),
            project=project,
            trainer=trainer,
        )
        built = _build(request, documents)
    return built._replace(diagnostics=judged(built.diagnostics, Policy({"strict": settings.is_strict})))


def _texts(given: object, name: str) -> tuple[str, ...]:
    """The strings and paths of an argument, as strings. Raises TypeError for anything else."""
    values: tuple[object, ...] = (given,)
    if isinstance(given, Iterable) and not isinstance(given, (str, Mapping)):
        values = tuple(given)
    wrong = [one for one in values if not isinstance(one, (str, os.PathLike))]
    if wrong:
        hint = "; for experiments and mappings, write documents=[...]" if name == "paths" else ""
        raise TypeError(f"{name} must be strings or paths, but one is of type {type(wrong[0]).__name__}{hint}")
    return tuple(str(os.fspath(one)) for one in values if isinstance(one, (str, os.PathLike)))


def _build(request: Request, documents: Sequence[Experiment | Mapping[str, Any]] | None) -> BuildResult:
    diagnostics: list[Diagnostic] = []
    authored: tuple[Authored, ...] = ()
    if documents is not None:
        from tjgen.language.spec.authored import authored_by, programs  # few programs create experiments

        authored = authored_by(documents)
        known, diagnostics = programs(authored)
        if has_errors(diagnostics) or not (authored or request.paths):
            return BuildResult([], diagnostics, documents=authored)
        request = request._replace(given={file: one.content for file, one in known.items()}, programs=known)
    plan: Plan | None = None
    results: list[Result] = []
    try:
        plan = make_plan(request)
        results += build_plan(plan, Session())
    except CompileError as error:
        diagnostics += error.diagnostics
    diagnostics = [*[one for result in results for one in result.diagnostics], *diagnostics]
    runs = [run for result in results for run in result.runs]
    return BuildResult(runs, list(dict.fromkeys(diagnostics)), plan, tuple(results), authored)


def expand(
    documents: Sequence[Tree], *, trainer: str = DEFAULT_TRAINER.name, catalog: Sequence[str] = (), pods: bool = False
) -> list[dict[str, Any]]:
    """Return the objects that the Trainer controller creates for the TrainJobs among `documents` (parsed objects of one input).

    With `pods`, continue with what other controllers create from these objects and from other jobs among the documents: Jobs,
    Services, ConfigMaps, and each pod.

    Runtimes are looked for among the documents, then in `catalog` (files and folders) and among the bundled
    ones. Raises CompileError with the diagnostics where the controller would create nothing, and for a release
    that is not mirrored (TJ290), and TypeError for documents that are not a list.
    """
    if isinstance(documents, (str, Mapping)) or not isinstance(documents, Iterable):
        raise TypeError(f"documents must be a list of objects, but is of type {type(documents).__name__}; write [...]")
    release = chosen(trainer)
    known = Catalog(list(catalog), versions=release.versions)

    def look_up(kind: str, namespace: str, name: str) -> Tree | None:
        runtime, _ = known.find(name, kind=kind, namespace=namespace)
        return runtime.tree if runtime is not None else None

    applied = opened(documents)
    expansions = expanded(applied, look_up, release=release)
    diagnostics = [problem for one in expansions for problem in one.expansion.diagnostics]
    objects = [created.tree for one in expansions for created in one.expansion.objects]
    if pods and not has_errors(diagnostics):
        from tjgen.cluster.validate.followed import follow_all  # the Trainer controller alone needs no schemas

        followed = list(follow_all(applied, expansions, versions=release.versions, every=True))
        diagnostics += [problem for one in followed for problem in (*one.own, *one.below)]
        objects = [manifest.tree for one in followed for manifest in one.objects]
    if has_errors(diagnostics):
        raise CompileError(diagnostics)
    return objects
