"""Manifests that were written by hand -> experiments and a catalog that give the same, and what is different.

The runtimes come into the catalog as the cluster's, so that what is built refers to them as the TrainJobs did: a TrainJob whose
`runtimeRef` changed would be refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from tjgen.cluster.kinds.table import group_and_kind, kind_of
from tjgen.cluster.kinds.without_target import WITHOUT_TARGET
from tjgen.cluster.trainer.framework import expand
from tjgen.cluster.trainer.inputs import is_kind
from tjgen.cluster.trainer.installed import find_installed
from tjgen.cluster.trainer.release import NEWEST, Release
from tjgen.cluster.validate import report
from tjgen.cluster.validate.check import manifests
from tjgen.cluster.validate.judge import judge
from tjgen.language.catalog.find import Catalog
from tjgen.language.catalog.importer import cleaned
from tjgen.language.catalog.runtime import NAMESPACED_KIND, is_runtime
from tjgen.tools.convert.proof import differences
from tjgen.tools.importing import imported, mpijob_v1, trainjob
from tjgen.tools.importing.imported import Imported, ImportedObject
from tjgen.tools.importing.job import read_job
from tjgen.tools.importing.kinds import importer
from tjgen.tools.importing.order import in_order_of
from tjgen.tools.importing.queue_label import with_queue
from tjgen.tools.importing.references import added_to, keys_of, reference_of, runtime_of
from tjgen.tools.importing.releases import refusal, release_for
from tjgen.tools.importing.remaining import ObjectIdentity
from tjgen.tools.importing.residue import residue
from tjgen.tools.importing.trainjob_shortest import attempts
from tjgen.tools.importing.trial import TrialBuilder, TrialResult
from tjgen.trees.diagnostics.model import ERROR, Diagnostic, has_errors
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.manifests.generated_names import prefix_of
from tjgen.trees.source.reader import KUBERNETES, read
from tjgen.trees.source.writer import dump
from tjgen.trees.typing import NamedTuple

_PREFIX: FieldPath = ("metadata", "generateName")
_MOST = 5
"""The number of differences that are listed."""
_LONGEST = 60
_TWICE = "give one of them another name"
_LABELS = ("app.kubernetes.io/managed-by", "tjgen.dev/experiment")
"""What a build adds to every object."""


class Import(NamedTuple):
    """Experiments, and files to write below folders of the catalog and of the Platform; with errors there are none."""

    imported: Sequence[Imported]
    catalog: dict[str, str]
    release: Release
    diagnostics: list[Diagnostic]
    subjects: Sequence[ImportedObject] = ()
    """All objects of the files."""
    built: frozenset[ObjectIdentity] = frozenset()
    """The objects that builds of the experiments apply."""
    platform: Mapping[str, str] = {}
    """Files of the Platform and of the manifests that it includes."""
    included: frozenset[ObjectIdentity] = frozenset()
    """The objects that a build of the Platform applies."""

    @property
    def experiments(self) -> dict[str, str]:
        """The files of the experiments."""
        return {one.file: one.text for one in self.imported}

    def files(self, experiments: str) -> dict[str, str]:
        """All files to write: those of experiments below a folder with this prefix, `catalog` and `platform` next to it."""
        files = {f"{experiments}{name}": text for name, text in self.experiments.items()}
        files |= {f"catalog/{name}": text for name, text in self.catalog.items()}
        return files | {f"platform/{name}": text for name, text in self.platform.items()}


def read_folder(
    folder: str, files: Iterable[tuple[str, bytes]], catalog: Sequence[str] = (), assumed: Release = NEWEST
) -> Import:
    """Import what the files of a folder hold. `catalog`: more places to look for runtimes.

    `assumed`: the release of Trainer, unless fields of the TrainJobs are those of another one.

    Errors TJ776, and what keeps a file from being read. Warnings and notes TJ773 to TJ775, and TJ791, for what is left out, built
    otherwise, or assumed. Objects that are neither jobs nor runtimes are only in `subjects`.
    """
    diagnostics: list[Diagnostic] = []
    subjects: list[ImportedObject] = []
    for name, content in files:
        documents, problems = read(content, name, KUBERNETES)
        diagnostics += problems
        subjects += [
            ImportedObject(_under_prefix(tree), document, path)
            for document in documents
            for tree, path in manifests(document.value)
            if tree.__class__ is dict and tree
        ]
    unserved = [one for one in subjects if not _is_job(one.tree) and _is_unserved(one.tree)]
    jobs = [one for one in subjects if is_kind(one.tree, trainjob.KIND) and one not in unserved]
    others = [one for one in subjects if _is_job(one.tree)]
    runtimes = [one for one in subjects if is_runtime(one.tree)]
    diagnostics += map(_of_another_version, unserved)
    if not jobs and not others and not runtimes and not diagnostics:
        diagnostics.append(imported.nothing(folder))
    if has_errors(diagnostics):
        return Import((), {}, NEWEST, diagnostics)
    diagnostics += [
        imported.different(one, "the server no longer generates its name", "each run gets its own name", _PREFIX)
        for one in (*jobs, *others)
        if prefix_of(get(one.document.value, one.path))
    ]
    release = release_for([one.tree for one in jobs], [one.tree for one in runtimes], assumed)
    refused: set[tuple[str, str, str]] = set()
    files_of_catalog: dict[str, str] = {}
    known: dict[tuple[str, str, str], Tree] = {}
    for one in runtimes:
        why = refusal(one.tree, release)
        if why is not None:
            refused.add((str(one.tree["kind"]), one.namespace, one.name))
            diagnostics.append(imported.not_importable(one, why))
            continue
        diagnostics += imported.find_warnings(one, release)
        tree = cleaned(one.tree)
        path = f"{one.namespace}/{one.name}.yaml" if one.namespace else f"{one.name}.yaml"
        if path in files_of_catalog:
            diagnostics.append(imported.not_importable(one, "a runtime of that name was imported before", _TWICE))
        else:
            files_of_catalog[path] = dump(tree)
            known[str(tree["kind"]), one.namespace, one.name] = tree
    elsewhere = Catalog(catalog, versions=release.versions)
    experiments: dict[str, Imported] = {}
    for one in jobs:
        why = refusal(one.tree, release)
        if why is not None:
            diagnostics.append(imported.not_importable(one, why))
            continue
        diagnostics += imported.find_warnings(one, release)
        runtime = runtime_of(one, known, elsewhere)
        if runtime is None and not refused.isdisjoint(keys_of(one)):
            diagnostics.append(imported.without_refused_runtime(one, reference_of(one.tree)[1]))
            continue
        if runtime is None and reference_of(one.tree)[0] != NAMESPACED_KIND:
            runtime, installing = find_installed(reference_of(one.tree)[1], release)
            if runtime is not None:
                diagnostics.append(imported.of_release(one, runtime["metadata"]["name"], installing))
        if runtime is None:
            diagnostics.append(imported.without_runtime(one, *reference_of(one.tree)))
            continue
        path = f"{one.namespace}/{one.name}.yaml" if one.namespace else f"{one.name}.yaml"
        if path in experiments:
            diagnostics.append(imported.not_importable(one, "a TrainJob of that name was imported before", _TWICE))
            continue
        files_of_catalog.update(added_to(runtime, known))
        with TrialBuilder(files_of_catalog, release.name) as trial:
            answer = _experiment(one, runtime, trial, release)
            if not isinstance(answer, Diagnostic):
                result, suspended = with_queue(answer[0], trial)
                answer = (result, [*answer[1], *suspended])
        if isinstance(answer, Diagnostic):
            diagnostics.append(answer)
            continue
        result, problems = answer
        diagnostics += problems
        experiments[result.file] = result
    for one in others:
        diagnostics += _of_another_kind(one, experiments, release)
    results = tuple(experiments.values())
    built = frozenset(ObjectIdentity.of(tree) for result in results for tree in result.objects)
    return Import(results, files_of_catalog, release, diagnostics, subjects, built)


def _under_prefix(tree: Tree) -> Tree:
    """A job whose name the server generates, under the prefix of that name."""
    prefix = prefix_of(tree).rstrip("-.")
    return {**tree, "metadata": {**tree["metadata"], "name": prefix}} if prefix else tree


def _of_another_kind(job: ImportedObject, experiments: dict[str, Imported], release: Release) -> list[Diagnostic]:
    """Add the experiment of a job that no Trainer starts; what is wrong or different."""
    without = WITHOUT_TARGET.get(group_and_kind(job.tree))
    if without is not None:
        return [imported.not_importable(job, *without)]
    wrong = next(report.diagnostics(job.tree, judge(job.tree, versions=release.versions, webhooks=True)), None)
    different = []
    if wrong is None and mpijob_v1.is_of_v1(job.tree):
        different = [imported.different(job, *one) for one in mpijob_v1.differences(job.tree)]
        job = job._replace(tree=mpijob_v1.successor(job.tree))
    if wrong is None:
        verdict = judge(job.tree, versions=release.versions, webhooks=True, context=())
        wrong = next((one for one in report.diagnostics(job.tree, verdict) if one.severity == ERROR), None)
    if wrong is not None:
        return [imported.not_importable(job, wrong.message)]
    file = Imported(job, {}, ()).file
    if file in experiments:
        return [imported.not_importable(job, f"an experiment {file} was written before", _TWICE)]
    reader = importer(job.tree)
    assert reader is not None, "the caller selects kinds with an importer"
    answer = read_job(job, reader, release)
    if isinstance(answer, Diagnostic):
        return [answer]
    result, problems = answer
    experiments[result.file] = result
    return [*different, *imported.find_warnings(job, release), *problems]


def _is_job(tree: Tree) -> bool:
    """A job that is imported without a runtime, or reported as left out."""
    return importer(tree) is not None or mpijob_v1.is_of_v1(tree) or group_and_kind(tree) in WITHOUT_TARGET


def _is_unserved(tree: Tree) -> bool:
    """A job in a version of its API that no supported release serves."""
    kind = kind_of(tree)
    return kind is not None and kind.run is not None and tree.get("apiVersion") != kind.api_version


def _of_another_version(one: ImportedObject) -> Diagnostic:
    kind, version = kind_of(one.tree), one.tree.get("apiVersion")
    assert kind is not None, "a job is of a kind"
    hint = f"write apiVersion: {kind.api_version}, and import again"
    return imported.not_importable(one, f"no supported release serves {version}", hint)


def _experiment(
    job: ImportedObject, runtime: Tree, trial: TrialBuilder, release: Release
) -> tuple[Imported, list[Diagnostic]] | Diagnostic:
    """The experiment that gives this TrainJob, in the words of the language as far as that gives the same; what is different."""
    why = ""
    best: tuple[Imported, list[Diagnostic]] | None = None
    for attempt in attempts(job.tree, trial):
        trial_result = attempt.result
        if attempt.cost[0]:
            why = why or (trial_result.errors[0].message if trial_result.errors else "no object is built from it")
            continue
        findings = list(_differences(job, runtime, trial_result, release))
        if best is None or len(findings) < len(best[1]):
            best = (Imported(job, attempt.patched, trial_result.objects), findings)
        if not findings:
            break
    return best or imported.not_importable(job, why)


def _differences(job: ImportedObject, runtime: Tree, trial_result: TrialResult, release: Release) -> Iterator[Diagnostic]:
    """The differences in the TrainJob, and in the objects that controllers create from it."""
    (built,) = trial_result.of_kind(trainjob.KIND)
    if reference_of(built) != reference_of(job.tree):
        name = reference_of(built)[1]
        yield imported.different(job, f"it refers to runtime {name}", "give it another name: a server refuses the change")
    wanted = in_order_of(job.tree, built)
    for operation in residue(built, wanted):
        yield imported.different(job, f"the TrainJob at {operation['path']}", "set it in the experiment manually")
    if not expand(wanted, runtime, release=release).objects:
        return
    before, after = [wanted, runtime], [built, *trial_result.objects]
    differences_of_job = differences(wanted, before, release, built, after, release, lambda *_: runtime)
    if differences_of_job is None:
        yield imported.different(job, "the controller no longer creates anything for it", "run tjgen expand on it")
        return
    shown = [one for one in differences_of_job if not one.place.endswith(_LABELS)]
    for one in shown[:_MOST]:
        where = f"{one.object.partition(' ')[0]} at {one.place or 'all of it'}"
        what = f"{where} was {_short(one.before)}, is {_short(one.after)}"
        yield imported.different(job, what, "check whether the difference is acceptable")
    if len(shown) > _MOST:
        yield imported.different(job, f"in {len(shown) - _MOST} more places", "compare tjgen expand of both")


def _short(value: Tree) -> str:
    text = "absent" if value is None else str(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
