"""`tjgen check`: experiments and manifests -> what the compiler, the API server and its webhooks report, with the line."""

from __future__ import annotations

import os

from tjgen.cli.command import CATALOG, COMMON, KUBERNETES, POLICY, TRAINER, TRUSTED, VALUE, Arguments, Command, Option
from tjgen.cli.counts import CheckCounts
from tjgen.cli.inputs import Listed, absent, good, listed, sandbox_for, texts
from tjgen.cli.releases import kubernetes_for, release_for
from tjgen.cli.reporting import Reporter
from tjgen.cluster.policies.table import POLICIES
from tjgen.cluster.schema.store import OWN
from tjgen.cluster.trainer.placed import Placed
from tjgen.cluster.validate.check import examine
from tjgen.cluster.validate.ways import SERVER_SIDE, WAYS
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.files.problems import is_problem
from tjgen.trees.files.repository import PROJECT_FILE
from tjgen.trees.files.sandbox import around
from tjgen.trees.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tjgen.cli.sources import CompiledSources
    from tjgen.cluster.policies.judgment import Judge
    from tjgen.language.resolve.project import LoadedProject
    from tjgen.trees.diagnostics.model import ObjectRef
    from tjgen.trees.fields.path import Tree
    from tjgen.trees.files.sandbox import Sandbox
    from tjgen.trees.source.document import Document

_LANGUAGE = b"tjgen.dev/v1alpha1"
"""Text that every file in the language of tjgen has. Few manifests have it."""
_OF_MANIFESTS = (b"catalogs", b"platforms", b"policy", b"schemas")
"""Fields of a project that manifests are checked by."""
_JUDGES = ("Namespace", *POLICIES)
"""Kinds by which other manifests are judged."""
_TOGETHER = ("PodGroup", "TrainJob")
"""Kinds that are checked together with other objects."""

COMMAND = Command(
    "check",
    "Validate experiments and manifests offline.",
    "Check files and folders (- is standard input). Experiments are compiled as by tjgen build, without writing "
    "anything; with a project file, the whole project. Manifests are validated by the schemas of Kubernetes and of the "
    "custom resources of training jobs, and by the webhooks behind the server. The pods that controllers create from "
    "them are also validated. TrainJobs are expanded with their runtimes, which are in the same files, in --catalog, or "
    "bundled. A kind without a schema, or a TrainJob whose runtime is not found, is a warning; with --strict it is an "
    "error. With --against, show the effect on each object that is already applied: in place, without effect, refused, "
    "or in need of a new name. With --closed, the files and the Platform are the complete set of objects. The last line "
    "states what was checked, and the number of problems. Results are cached (in $XDG_CACHE_HOME or ~/.cache), and "
    "printed again for the same files.",
    "tjgen check deploy/ other.yaml",
    "PATH...",
    (
        Option(("--schemas",), "schemas", "Folder with schemas of the cluster's own kinds.", VALUE, "DIR"),
        CATALOG,
        TRAINER,
        KUBERNETES,
        Option(("--apply",), "apply", "How the manifests are applied; the default is client-side.", VALUE, "WAY", WAYS),
        Option(
            ("--against",),
            "against",
            "The manifests that are applied now: a folder, or a Git revision of the same paths.",
            VALUE,
            "DIR|REV",
        ),
        Option(
            ("--closed",),
            "closed",
            "Treat the files and the Platform as the complete set of objects: report references to other objects.",
        ),
        POLICY,
        TRUSTED,
        Option(("--no-cache",), "no_cache", "Check again, and store no result."),
        *COMMON,
    ),
    least=1,
)


def run(arguments: Arguments) -> int:
    """Check every file, report, and answer with the exit code."""
    reporter = Reporter(arguments)
    reporter.note_refused_cache()
    counts = CheckCounts()
    project = _project(reporter, every=arguments["closed"])
    sandbox = sandbox_for(arguments["paths"])
    folders = listed([path for path in arguments["paths"] if os.path.isdir(path)], sandbox)
    contents = good(texts(arguments["paths"], sandbox, folders), reporter)
    if folders:
        contents = _manifests(contents, folders, sandbox, reporter)
    applied: dict[ObjectRef, Tree] | None = None
    if arguments["against"] is not None:
        from tjgen.cli.against import compare_with

        contents = iter(files := list(contents))
        applied = compare_with(arguments["against"], arguments["paths"], files, arguments, reporter)
    reporter.add(absent(arguments["catalog"]))
    with reporter:
        _check(contents, applied, project, arguments, sandbox, counts, reporter)
    return reporter.close(f"{counts}")


def _check(
    contents: Iterator[tuple[str, bytes]],
    applied: dict[ObjectRef, Tree] | None,
    project: LoadedProject | None,
    arguments: Arguments,
    sandbox: Sandbox,
    counts: CheckCounts,
    reporter: Reporter,
) -> None:
    """Check the files one by one, then all that they hold together. Raises CompileError."""
    folder = arguments["schemas"] or (project.schemas if project is not None else None)
    release = release_for(arguments["trainer"])
    kubernetes = kubernetes_for(arguments["kubernetes"], project.platforms if project is not None else (), reporter)
    versions = {**release.versions, **kubernetes, **({OWN: folder} if folder else {})}
    accepted: list[Placed] = []
    present: list[Placed] = []
    updated: list[Placed] = []
    language: dict[str, tuple[bytes, list[Document]]] = {}
    watch = reporter.watch()
    for number, (file, content) in enumerate(contents):
        if watch is not None:
            watch(number, 0, file)
        is_manifest: Callable[[Tree], bool] = _is_any
        if _LANGUAGE in content:
            from tjgen.cli import sources

            documents, has_others = sources.language_documents(content, file)
            if documents:
                language[file] = content, documents
                if not has_others:
                    continue
                is_manifest = sources.is_manifest
        examined = examine(
            content,
            file,
            versions=versions,
            strict=arguments["strict"],
            server_side=arguments["apply"] == SERVER_SIDE,
            is_applied=(lambda tree: _before(tree, applied) is not None) if applied is not None else None,
            harmless=project.spec.policy.harmless if project is not None and project.sets_limits else (),
            budgets=sandbox.budgets,
            is_manifest=is_manifest,
            clock=sandbox.clock,
        )
        reporter.add(_judged(examined.diagnostics, project))
        accepted += examined.accepted
        present += examined.objects
        if applied is not None:
            updated += [one for one in examined.objects if _before(one.tree, applied) not in (None, one.tree)]
        counts.add([one.tree for one in examined.objects], examined.diagnostics)
    built = None
    if language:
        from tjgen.cli.sources import compiled

        built = compiled(language, arguments["trainer"], reporter)
        counts.runs += built.runs
        counts.add(one.tree for one in built.objects)
    policies = None
    if (accepted or updated) and (arguments["policy"] or project is not None or any(one.kind in _JUDGES for one in accepted)):
        from tjgen.cli.policing import judge_for  # most files are judged by no policies

        policies, problems = judge_for(accepted, project, versions, sandbox.budgets)
        reporter.add(_judged(problems, project))
        if policies is not None:
            for one in updated:
                findings = policies(one.tree, _before(one.tree, applied))
                reporter.add(_judged([one.at(finding) for finding in findings], project))
    kinds = any(one.kind in _TOGETHER for one in accepted)
    if arguments["closed"] or kinds or (built is not None and accepted) or policies is not None:
        reporter.add(_judged(list(_together(accepted, present, built, project, arguments, versions, policies)), project))


def _together(
    accepted: list[Placed],
    present: list[Placed],
    built: CompiledSources | None,
    project: LoadedProject | None,
    arguments: Arguments,
    versions: dict[str, str],
    policies: Judge | None,
) -> Iterator[Diagnostic]:
    """What objects show together; most files need none of this."""
    from tjgen.cli.runtime_files import RuntimeFiles
    from tjgen.cluster.validate.together import together

    catalogs = [*arguments["catalog"], *(project.catalogs if project is not None else ())]
    known = None
    if built is not None:
        catalogs += built.catalogs
    if arguments["closed"]:
        from tjgen.cli.sources import declared

        platforms = [one.platform.spec for one in project.platforms] if project is not None else []
        known = declared([*platforms, *(built.platforms if built is not None else ())])
    yield from together(
        accepted,
        RuntimeFiles(catalogs, versions),
        versions,
        context=built.objects if built is not None else (),
        runs=built.clashing if built is not None else (),
        present=present,
        known=known,
        policies=policies,
    )


def _before(tree: Tree, applied: dict[ObjectRef, Tree] | None) -> Tree:
    """The manifest of the object that is applied already; None if there is none."""
    if not applied or tree.__class__ is not dict:
        return None
    from tjgen.trees.manifests.identity import identity_of

    return applied.get(identity_of(tree))


def _is_any(tree: Tree) -> bool:
    return True


def _manifests(
    contents: Iterator[tuple[str, bytes]], folders: Listed, sandbox: Sandbox, reporter: Reporter
) -> Iterator[tuple[str, bytes]]:
    """The files without those of the folders that kustomize or Helm renders. The reporter gets what was left out."""
    from tjgen.cli.rendered import is_template, rendered, template_note

    skipped = rendered(folders, sandbox)
    reporter.add(skipped.notes)
    prefixes = tuple([os.path.join(folder, "") for folder in folders])
    for file, content in contents:
        is_below = file.startswith(prefixes)
        if is_below and skipped.has(file):
            continue
        if is_below and is_template(content, file):
            reporter.add([template_note(file)])
        else:
            yield file, content


def _judged(diagnostics: list[Diagnostic], project: LoadedProject | None) -> list[Diagnostic]:
    """With the severity that the project's policy gives them."""
    if project is None:
        return diagnostics
    from tjgen.language.resolve.policy import judged

    return judged(diagnostics, project.spec.policy)


def _project(reporter: Reporter, *, every: bool) -> LoadedProject | None:
    """The project of this folder, or of one above it, if it has something that manifests are checked by, or for `every` one."""
    folder = os.getcwd()
    while not os.path.lexists(os.path.join(folder, PROJECT_FILE)):
        if folder == os.path.dirname(folder):
            return None
        folder = os.path.dirname(folder)
    content = around([file := os.path.relpath(os.path.join(folder, PROJECT_FILE))]).content(file)
    # The release of Trainer is read from the same file, and what keeps it from being read is reported there.
    if isinstance(content, Diagnostic):
        return None
    if not every and not any(word in content for word in _OF_MANIFESTS):
        return None
    # Only a project that has one of them pays for the language of projects.
    from tjgen.language.resolve.project_file import load

    project, problems = load(file)
    reporter.add([one for one in problems if is_problem(one)])
    return project
