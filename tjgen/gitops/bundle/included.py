"""`manifests` of a Platform -> the objects of the files that it lists, as they are, with the label of tjgen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tjgen.cluster.kinds.table import kind_of
from tjgen.cluster.schema.store import OWN, find
from tjgen.cluster.synctools.table import TRACKING_ANNOTATIONS, TRACKING_LABELS
from tjgen.cluster.validate.check import manifests
from tjgen.language.resolve.files import platform_files
from tjgen.language.resolve.places import source_of
from tjgen.language.resolve.project import LoadedProject, PlatformDocument
from tjgen.trees.diagnostics.model import Diagnostic, Span
from tjgen.trees.fields.managed import Origin
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.k8s.labels import MANAGED_BY
from tjgen.trees.manifests.manifest import PLATFORM, Manifest
from tjgen.trees.source.document import Document
from tjgen.trees.source.reader import KUBERNETES, read
from tjgen.trees.typing import NamedTuple

NAME: FieldPath = ("metadata", "name")
_METADATA = ("name", "namespace", "labels", "annotations", "finalizers")
_MARKS = (("annotations", TRACKING_ANNOTATIONS), ("labels", TRACKING_LABELS))


class Included(NamedTuple):
    """The objects of files, the documents that contain them by the name that origins use, and the errors."""

    manifests: list[Manifest]
    documents: Mapping[str, Document]
    diagnostics: list[Diagnostic]


def objects(project: LoadedProject, platform: PlatformDocument) -> Included:
    """The objects of the files that a Platform lists.

    Errors: TJ797 for a path without files, TJ795 for an object that a Platform cannot include, and those of reading.
    """
    included: list[Manifest] = []
    documents: dict[str, Document] = {}
    diagnostics: list[Diagnostic] = []
    entries = platform.platform.spec.manifests
    schemas = {OWN: project.schemas} if project.schemas is not None else {}
    for file in platform_files(project.sandbox, platform.document, "manifests", entries, "TJ797"):
        if isinstance(file, Diagnostic):
            diagnostics.append(file)
            continue
        name, content = file
        parts, problems = read(content, name, KUBERNETES)
        diagnostics += problems
        for document in parts:
            documents[source_of(document)] = document
            for tree, path in manifests(document.value):
                why = _refusal(tree, schemas)
                if why is None:
                    included.append(_manifest(tree, Origin("platform", source_of(document), path, mirrors=True)))
                elif tree is not None:
                    diagnostics.append(_refused(document, path, *why))
    return Included(included, documents, diagnostics)


def duplicates(created: Sequence[Manifest], included: Included) -> Iterator[Diagnostic]:
    """TJ796 for each included object that a field of the Platform, or an earlier file, creates too."""
    known = {_identity(one) for one in created}
    for one in included.manifests:
        if _identity(one) in known:
            origin = one.origins(NAME)[0]
            hint = "remove it from the file, or remove the field that creates it"
            yield twice(one, "by the Platform", included.documents[origin.source].locate(origin.because), hint)
        known.add(_identity(one))


def twice(manifest: Manifest, owners: str, span: Span | None, hint: str) -> Diagnostic:
    """TJ796 for an object that `owners` create."""
    name = f"{manifest.namespace}/{manifest.name}" if manifest.namespace else manifest.name
    return Diagnostic("TJ796", f"{manifest.kind} {name} is created twice: {owners}", span=span, hint=hint)


def _identity(manifest: Manifest) -> tuple[str, ...]:
    return (manifest.api_version.rpartition("/")[0], manifest.kind, manifest.namespace, manifest.name)


def _manifest(tree: Tree, origin: Origin) -> Manifest:
    metadata = tree["metadata"]
    labels = {MANAGED_BY: "tjgen", **(metadata.get("labels") or {})}
    return Manifest({**tree, "metadata": {**metadata, "labels": labels}}, {(): (origin,)}, PLATFORM)


def _refusal(tree: Tree, schemas: Mapping[str, str]) -> tuple[str, str] | None:
    """Why a Platform cannot include an object, and what to do; None if it can."""
    is_named = all(get(tree, path, None).__class__ is str for path in (("apiVersion",), ("kind",), NAME))
    is_named &= get(tree, ("metadata", "namespace"), None).__class__ in (str, type(None))
    if not is_named or any(get(tree, ("metadata", field), None).__class__ not in (dict, type(None)) for field, _ in _MARKS):
        return "is not a Kubernetes object with a kind and a name", "list only manifests in manifests of the Platform"
    if tree["kind"] == "Secret":
        return "is a Secret, which does not belong in Git", "create it in the cluster, and refer to it by name"
    kind = kind_of(tree)
    if kind is not None and kind.run is not None:
        return "is a run, which only an experiment creates", "import it with tjgen import"
    schema = find(tree["apiVersion"], tree["kind"], versions=schemas)
    if schema is None:
        return (
            f"cannot be validated: {tree['apiVersion']} has no schema",
            "correct kind, or add a schema to the folder schemas of the project",
        )
    metadata = tree["metadata"]
    scope = schema.get("x-tjgen-resource", {}).get("scope")
    if scope == "Namespaced" and not metadata.get("namespace"):
        return "has no namespace", "add metadata.namespace"
    if scope == "Cluster" and metadata.get("namespace"):
        return "has a namespace, but belongs to the whole cluster", "remove metadata.namespace"
    fields = [field for field in metadata if field not in _METADATA]
    fields += [key for field, keys in _MARKS for key in metadata.get(field) or () if key in keys]
    if fields:
        return f"has {', '.join(fields)}, which the cluster or its tools set", "remove what a cluster added to the object"
    return None


def _refused(document: Document, path: FieldPath, why: str, hint: str) -> Diagnostic:
    tree = get(document.value, path)
    name = f"{tree['kind']} {tree['metadata']['name']}" if get(tree, NAME, None) and get(tree, ("kind",), None) else "an entry"
    return Diagnostic("TJ795", f"{name} {why}", span=document.locate(path), hint=hint)
