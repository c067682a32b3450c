"""The objects next to imported jobs -> claims of the experiments, fields of a Platform, and manifests that it includes.

A Secret is never taken: its content would be in Git again, in the output tree.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from tjgen.cluster.kinds.table import group_and_kind, kind_of
from tjgen.cluster.kinds.without_target import WITHOUT_TARGET
from tjgen.cluster.schema.store import find
from tjgen.cluster.trainer.release import Release
from tjgen.cluster.validate import report
from tjgen.cluster.validate.judge import judge
from tjgen.compiler.building.request import NAMESPACE
from tjgen.language.catalog.runtime import is_runtime
from tjgen.tools.importing import imported
from tjgen.tools.importing.claims import with_claims
from tjgen.tools.importing.folder import Import
from tjgen.tools.importing.imported import Imported, ImportedObject
from tjgen.tools.importing.platform import FILE, file_of, platform_files, queues_of
from tjgen.tools.importing.remaining import ObjectIdentity
from tjgen.tools.importing.residue import stated
from tjgen.tools.importing.trainjob import NOT_THEIRS
from tjgen.tools.importing.trial import TrialBuilder
from tjgen.trees.diagnostics.model import ERROR, CompileError, Diagnostic
from tjgen.trees.fields.path import Tree, get

CLAIM = "PersistentVolumeClaim"
_KUEUE = "kueue.x-k8s.io"
_NAMESPACED = (("", CLAIM), ("", "ConfigMap"), ("", "Service"), (_KUEUE, "LocalQueue"))
_TAKEN = (*_NAMESPACED, ("scheduling.volcano.sh", "Queue"), (_KUEUE, "ClusterQueue"), (_KUEUE, "ResourceFlavor"))
"""API group and kind of objects that an import takes."""
_OF_CLUSTER = (("ConfigMap", "kube-root-ca.crt"), ("ConfigMap", "openshift-service-ca.crt"), ("Service", "kubernetes"))
"""Kind and name of objects that each cluster creates."""
_OF_SERVER = ("pv.kubernetes.io/", "volume.kubernetes.io/", "volume.beta.kubernetes.io/")
"""Prefixes of annotations that controllers of claims write."""
_METADATA = ("name", "namespace", "labels", "annotations")


def with_neighbors(imports: Import) -> Import:
    """The import with the objects next to its jobs, and a note for what was taken (TJ799) and for what was not (TJ772).

    Warning TJ775 for an object that the API server would refuse, or that occurs twice.
    """
    taken: dict[ObjectIdentity, ImportedObject] = {}
    left: list[ImportedObject] = []
    diagnostics: list[Diagnostic] = []
    for one in neighbors(imports.subjects):
        if not _is_taken(one.tree):
            left.append(one)
            continue
        cleaned = one._replace(tree=_cleaned(one.tree))
        identity = ObjectIdentity.of(cleaned.tree)
        problem = "an object of that name was imported before" if identity in taken else _refusal(cleaned.tree, imports.release)
        if problem is None:
            taken[identity] = cleaned
        else:
            diagnostics.append(imported.not_importable(one, problem))
    if not taken:
        return imports._replace(diagnostics=[*imports.diagnostics, *diagnostics, *imported.left_out(left)])
    claims = [one for identity, one in taken.items() if identity.kind == CLAIM]
    with TrialBuilder(imports.catalog, imports.release.name) as trial:
        experiments, places = with_claims(imports.imported, claims, trial)
    rest = [one for identity, one in taken.items() if identity not in places]
    files, problems = _platform(imports, experiments, rest) if rest else ({}, [])
    included = {ObjectIdentity.of(one.tree): file if (file := file_of(one.tree)) in files else FILE for one in rest}
    notes = imported.taken([(one, {**places, **included}[identity]) for identity, one in taken.items()])
    built = frozenset(ObjectIdentity.of(tree) for one in experiments for tree in one.objects)
    return imports._replace(
        imported=experiments,
        platform=files,
        built=built,
        included=frozenset(included),
        diagnostics=[*imports.diagnostics, *diagnostics, *problems, *notes, *imported.left_out(left)],
    )


def neighbors(subjects: Sequence[ImportedObject]) -> Iterator[ImportedObject]:
    """The objects that are neither jobs nor runtimes."""
    for one in subjects:
        kind = kind_of(one.tree)
        if not is_runtime(one.tree) and (kind is None or kind.run is None) and group_and_kind(one.tree) not in WITHOUT_TARGET:
            yield one


def _is_taken(tree: Tree) -> bool:
    """Whether an import takes an object: its kind is known, and users created it rather than a controller."""
    identity = ObjectIdentity.of(tree)
    return (
        identity[:2] in _TAKEN
        and find(str(tree.get("apiVersion")), identity.kind) is not None
        and not get(tree, ("metadata", "ownerReferences"), None)
        and (identity.kind, identity.name) not in _OF_CLUSTER
    )


def _cleaned(tree: Tree) -> Tree:
    """An object without what the cluster sets, and with its namespace."""
    tree = stated({key: value for key, value in tree.items() if key != "status"})
    metadata = {key: tree["metadata"][key] for key in _METADATA if get(tree, ("metadata", key), None)}
    if ObjectIdentity.of(tree)[:2] in _NAMESPACED:
        metadata = {"name": metadata.pop("name", ""), "namespace": NAMESPACE, **metadata}
    else:
        metadata.pop("namespace", None)
    for field in ("labels", "annotations"):
        values = metadata.pop(field, {})
        if values.__class__ is dict:
            values = {key: value for key, value in values.items() if key not in NOT_THEIRS and not key.startswith(_OF_SERVER)}
        if values:
            metadata[field] = values
    return {**tree, "metadata": metadata}


def _refusal(tree: Tree, release: Release) -> str | None:
    """What the API server refuses about an object."""
    verdict = judge(tree, versions=release.versions, webhooks=True)
    return next((one.message for one in report.diagnostics(tree, verdict) if one.severity == ERROR), None)


def _platform(
    imports: Import, experiments: Sequence[Imported], rest: Sequence[ImportedObject]
) -> tuple[dict[str, str], list[Diagnostic]]:
    """The files of the Platform: with its fields, or with manifests alone if experiments are built otherwise with the fields."""
    queues = queues_of([one.experiment for one in experiments])
    files = platform_files([one.tree for one in rest], queues)
    if not _builds_the_same(imports, experiments, files):
        files = platform_files([one.tree for one in rest], queues, has_fields=False)
    with TrialBuilder(imports.catalog, imports.release.name, files) as trial:
        return files, trial.platform().errors


def _builds_the_same(imports: Import, experiments: Collection[Imported], files: dict[str, str]) -> bool:
    """Whether the Platform is valid, and each experiment has the same objects with it."""
    try:
        with TrialBuilder(imports.catalog, imports.release.name, files) as trial:
            results = [(one, trial.build(one.experiment)) for one in experiments]
            return not trial.platform().errors and all(
                not result.errors and result.objects == list(one.objects) for one, result in results
            )
    except CompileError:
        return False
