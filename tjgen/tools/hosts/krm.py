"""A ResourceList -> the ResourceList with what its experiments become, and with what was found as results.

Kubernetes Resource Model functions, specification v1: kustomize and kpt hand a list of objects over on standard input, with
the configuration of the function, and take the list back. Running it on its own answer gives the same answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tjgen.cluster.validate.check import check
from tjgen.compiler.building.request import NAMESPACE
from tjgen.tools.hosts.configuration import settings_of
from tjgen.tools.hosts.items import HostItem, HostItems, is_source
from tjgen.tools.hosts.rendering import Rendered, RenderRequest, rendered
from tjgen.tools.hosts.results import annotations_of, file_of, result_of
from tjgen.trees.diagnostics.model import ERROR, Diagnostic, has_errors
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.source.reader import KUBERNETES, read
from tjgen.trees.source.writer import dump
from tjgen.trees.typing import NamedTuple

LIST = "ResourceList"
VERSIONS = ("config.kubernetes.io/v1", "config.kubernetes.io/v1beta1", "config.kubernetes.io/v1alpha1")
_MARKS = (
    "internal.config.kubernetes.io/",
    "config.kubernetes.io/",
    "config.k8s.io/",
    "kustomize.config.k8s.io/",
    "internal.kpt.dev/",
)
"""Annotations of the program that runs functions: they do not belong to the object."""
_LOCAL = "config.kubernetes.io/local-config"
"""Marks what is not applied."""


class FunctionResult(NamedTuple):
    """The list to give back, and the diagnostics that its results come from, for people."""

    tree: Tree
    diagnostics: list[Diagnostic]

    @property
    def failed(self) -> bool:
        return has_errors(self.diagnostics)


def answered(text: str | bytes) -> FunctionResult | list[Diagnostic]:
    """The answer to a list, or what is wrong with the text (TJ761)."""
    documents, problems = read(text, "<stdin>", KUBERNETES)
    if has_errors(problems):
        return problems
    tree = documents[0].value if len(documents) == 1 else None
    if tree.__class__ is not dict or tree.get("kind") != LIST or tree.get("apiVersion") not in VERSIONS:
        return [_no_list(f"standard input is not a {LIST} of {VERSIONS[0]}")]
    items = tree.get("items") or []
    if items.__class__ is not list or not all(one.__class__ is dict for one in items):
        return [_no_list(f"items of the {LIST} is not a list of objects")]
    return _answer(tree, items)


def _answer(tree: Tree, objects: list[Tree]) -> FunctionResult:
    configuration = tree.get("functionConfig")
    settings, problems = settings_of(configuration)
    items = [_item(one) for one in objects]
    # kustomize hands the configuration of a generator over among the items, too.
    if is_source(configuration) and _identity(configuration) not in [_identity(one) for one in objects]:
        items.append(_item(configuration))
    sources = [item._replace(tree=_bare(item.tree), original=item.tree) for item in items]
    with HostItems(sources) as opened:
        result = Rendered([], problems) if problems else _built(settings, opened)
        results = [result_of(one, opened.item(one)) for one in result.diagnostics]
        diagnostics = [opened.named(one) for one in result.diagnostics]
    failed = has_errors(diagnostics)
    out = objects if failed else _merged(list(_passed_on(objects)), result.objects)
    if settings.get("check", True) and not failed:
        for item in (_item(one) for one in out if one not in result.objects and not _is_ours(one)):
            diagnostics_of_item = check(dump(_bare(item.tree)), item.name, strict=bool(settings.get("strict")))
            diagnostics += diagnostics_of_item
            results += [result_of(one, item) for one in diagnostics_of_item]
    if settings.get("strict"):
        diagnostics = [one._replace(severity=ERROR) if one.severity == "warning" else one for one in diagnostics]
        results = [{**one, "severity": "error"} if one["severity"] == "warning" else one for one in results]
    answer = {**tree, "items": out}
    answer.pop("results", None)
    return FunctionResult({**answer, "results": results} if results else answer, diagnostics)


def _built(settings: Mapping[str, Tree], opened: HostItems) -> Rendered:
    paths = settings.get("experiments", [])
    if not paths and not opened.given:
        return Rendered([], [])
    return rendered(
        RenderRequest(
            paths=paths,
            given=opened.given,
            overlays=opened.overlays,
            catalogs=opened.catalogs,
            environment=settings.get("environment"),
            set_values=[f"{path}={value}" for path, value in settings.get("set", {}).items()],
            trainer=settings.get("trainer"),
            namespace=settings.get("namespace", NAMESPACE),
            choose_environment="set environment in the configuration of the function",
        )
    )


def _passed_on(objects: Sequence[Tree]) -> Iterator[Tree]:
    """The objects that go on: not what is for tjgen alone, unless that would remove it from a file of the user.

    A function that works on a folder in place names the file of each object, and what is marked as local is not applied.
    """
    for tree in objects:
        if not is_source(tree):
            yield tree
        elif file_of(tree):
            marked = {**annotations_of(tree), _LOCAL: "true"}
            yield {**tree, "metadata": {**tree["metadata"], "annotations": marked}}


def _is_ours(tree: Tree) -> bool:
    return str(tree.get("apiVersion")).startswith("tjgen.dev/")


def _merged(passed_on: Sequence[Tree], created: Sequence[Tree]) -> list[Tree]:
    """The objects, those that an earlier answer had in their places, and new ones behind."""
    fresh = {_identity(one): one for one in created}
    merged = []
    for one in passed_on:
        again = fresh.pop(_identity(one), None)
        merged.append(one if again is None else _with_marks(again, one))
    return [*merged, *fresh.values()]


def _identity(tree: Tree) -> tuple[str, ...]:
    group = str(tree.get("apiVersion")).rpartition("/")[0]
    return (group, str(tree.get("kind")), *(str(get(tree, ("metadata", key), None) or "") for key in ("namespace", "name")))


def _with_marks(tree: Tree, before: Tree) -> Tree:
    """Return the object with the annotations by which the program that runs functions identifies the original."""
    marks = {key: value for key, value in annotations_of(before).items() if key.startswith(_MARKS)}
    if not marks:
        return tree
    return {**tree, "metadata": {**tree["metadata"], "annotations": {**annotations_of(tree), **marks}}}


def _bare(tree: Tree) -> Tree:
    """The object as its author wrote it. What has no namespace gets one from kustomize all the same."""
    annotations = annotations_of(tree)
    kept = {key: value for key, value in annotations.items() if not key.startswith(_MARKS)}
    left_out = ["annotations"] if annotations and not kept else []
    if is_source(tree) and tree["kind"] != "Experiment":
        left_out.append("namespace")
    metadata = get(tree, ("metadata",), None)
    if metadata.__class__ is not dict or (kept == annotations and not left_out):
        return tree
    metadata = {key: kept if key == "annotations" else value for key, value in metadata.items() if key not in left_out}
    return {**tree, "metadata": metadata}


def _item(tree: Tree) -> HostItem:
    # Without a folder in it: files that an experiment names are looked for where the function runs.
    name = f"{tree.get('kind')} {get(tree, ('metadata', 'name'), '')}".replace("/", " ")
    file = file_of(tree)
    return HostItem(str(file["path"]) if file else name, tree)


def _no_list(message: str) -> Diagnostic:
    hint = "run the function through kustomize or kpt, or pass a list of the same form"
    return Diagnostic("TJ761", message, hint=hint)
