"""A ResourceList -> the ResourceList with what its experiments become, and with what was found as results.

Kubernetes Resource Model functions, specification v1: kustomize and kpt hand a list of objects over on standard input, with
the configuration of the function, and take the list back. Running it on its own answer gives the same answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tjgen.diagnostics.model import ERROR, Diagnostic, has_errors
from tjgen.fields.path import Tree, get, render
from tjgen.hosts.items import API, Item, Items, is_source
from tjgen.hosts.rendering import Asked, Rendered, rendered
from tjgen.source.reader import KUBERNETES, read
from tjgen.source.writer import dump
from tjgen.typing import NamedTuple
from tjgen.validate.check import check

LIST = "ResourceList"
VERSIONS = ("config.kubernetes.io/v1", "config.kubernetes.io/v1beta1", "config.kubernetes.io/v1alpha1")
FUNCTION = "Function"
_MARKS = (
    "internal.config.kubernetes.io/",
    "config.kubernetes.io/",
    "config.k8s.io/",
    "kustomize.config.k8s.io/",
    "internal.kpt.dev/",
)
"""Annotations of the program that runs functions: they say nothing of the object."""
_PATHS = ("internal.config.kubernetes.io/path", "config.kubernetes.io/path")
_INDEXES = ("internal.config.kubernetes.io/index", "config.kubernetes.io/index")
_SHAPES: dict[str, type] = {
    "experiments": list,
    "environment": str,
    "set": dict,
    "trainer": str,
    "namespace": str,
    "check": bool,
    "strict": bool,
}
"""What a configuration of kind Function can say in its spec, and the data of a ConfigMap as text."""


class Answer(NamedTuple):
    """The list to give back, and the diagnostics that its results come from, for people."""

    tree: Tree
    diagnostics: list[Diagnostic]

    @property
    def failed(self) -> bool:
        return has_errors(self.diagnostics)


def answered(text: str | bytes) -> Answer | list[Diagnostic]:
    """The answer to a list, or what is wrong with the text (TJ761)."""
    documents, found = read(text, "<stdin>", KUBERNETES)
    if has_errors(found):
        return found
    tree = documents[0].value if len(documents) == 1 else None
    if tree.__class__ is not dict or tree.get("kind") != LIST or tree.get("apiVersion") not in VERSIONS:
        return [_no_list(f"standard input is no {LIST} of {VERSIONS[0]}")]
    items = tree.get("items") or []
    if items.__class__ is not list or not all(one.__class__ is dict for one in items):
        return [_no_list(f"items of the {LIST} is no list of objects")]
    return _answer(tree, items)


def _answer(tree: Tree, objects: list[Tree]) -> Answer:
    configuration = tree.get("functionConfig")
    said, problems = _configuration(configuration)
    items = [_item(one) for one in objects]
    # kustomize hands the configuration of a generator over among the items, too.
    if is_source(configuration) and _identity(configuration) not in [_identity(one) for one in objects]:
        items.append(_item(configuration))
    sources = [item._replace(tree=_bare(item.tree), standing=item.tree) for item in items]
    with Items(sources) as opened:
        made = Rendered([], problems) if problems else _built(said, opened)
        results = [_result(one, opened.item(one)) for one in made.diagnostics]
        diagnostics = [opened.named(one) for one in made.diagnostics]
    failed = has_errors(diagnostics)
    out = objects if failed else _merged([one for one in objects if not is_source(one)], made.objects)
    if said.get("check", True) and not failed:
        for item in (_item(one) for one in out if one not in made.objects):
            found = check(dump(_bare(item.tree)), item.name, strict=bool(said.get("strict")))
            diagnostics += found
            results += [_result(one, item) for one in found]
    if said.get("strict"):
        diagnostics = [one._replace(severity=ERROR) if one.severity == "warning" else one for one in diagnostics]
        results = [{**one, "severity": "error"} if one["severity"] == "warning" else one for one in results]
    answer = {**tree, "items": out}
    answer.pop("results", None)
    return Answer({**answer, "results": results} if results else answer, diagnostics)


def _built(said: Mapping[str, Tree], opened: Items) -> Rendered:
    paths = said.get("experiments", [])
    if not paths and not opened.given:
        return Rendered([], [])
    return rendered(
        Asked(
            paths=paths,
            given=opened.given,
            overlays=opened.overlays,
            catalogs=opened.catalogs,
            environment=said.get("environment"),
            set_values=[f"{path}={value}" for path, value in said.get("set", {}).items()],
            trainer=said.get("trainer"),
            namespace=said.get("namespace", "default"),
            choose_environment="say environment in the configuration of the function",
        )
    )


def _merged(standing: Sequence[Tree], made: Sequence[Tree]) -> list[Tree]:
    """The objects, those that an earlier answer had in their places, and new ones behind."""
    fresh = {_identity(one): one for one in made}
    merged = []
    for one in standing:
        again = fresh.pop(_identity(one), None)
        merged.append(one if again is None else _with_marks(again, one))
    return [*merged, *fresh.values()]


def _identity(tree: Tree) -> tuple[str, ...]:
    group = str(tree.get("apiVersion")).rpartition("/")[0]
    return (group, str(tree.get("kind")), *(str(get(tree, ("metadata", key), None) or "") for key in ("namespace", "name")))


def _with_marks(tree: Tree, before: Tree) -> Tree:
    """The object with the annotations by which the program that runs functions knows the one before it."""
    marks = {key: value for key, value in _annotations(before).items() if key.startswith(_MARKS)}
    if not marks:
        return tree
    annotations = {**_annotations(tree), **marks}
    return {**tree, "metadata": {**tree["metadata"], "annotations": annotations}}


def _bare(tree: Tree) -> Tree:
    """The object as its author wrote it. What has no namespace gets one from kustomize all the same."""
    annotations = _annotations(tree)
    kept = {key: value for key, value in annotations.items() if not key.startswith(_MARKS)}
    left_out = ["annotations"] if not kept and annotations else []
    if is_source(tree) and tree["kind"] != "Experiment":
        left_out.append("namespace")
    metadata = get(tree, ("metadata",), None)
    if metadata.__class__ is not dict or (kept == annotations and not left_out):
        return tree
    metadata = {key: kept if key == "annotations" else value for key, value in metadata.items() if key not in left_out}
    return {**tree, "metadata": metadata}


def _annotations(tree: Tree) -> dict[str, str]:
    found = get(tree, ("metadata", "annotations"), None)
    return found if found.__class__ is dict else {}


def _item(tree: Tree) -> Item:
    annotations = _annotations(tree)
    file = next((annotations[key] for key in _PATHS if key in annotations), None)
    # Without a folder in it: files that an experiment names are looked for where the function runs.
    return Item(str(file) if file else f"{tree.get('kind')} {get(tree, ('metadata', 'name'), '')}".replace("/", " "), tree)


def _configuration(tree: Tree) -> tuple[dict[str, Tree], list[Diagnostic]]:
    """What the configuration asks for; TJ762 for what it cannot say."""
    if tree is None or is_source(tree):
        return {}, []
    kind = tree.get("kind") if tree.__class__ is dict else None
    if kind == FUNCTION and tree.get("apiVersion") == API:
        said = tree.get("spec") or {}
    elif kind == "ConfigMap":
        said, problems = _of_text(tree.get("data") or {})
        if problems:
            return {}, problems
    else:
        message = f"functionConfig is of kind {kind}"
        return {}, [_wrong(message, f"use an Experiment or a {FUNCTION} of {API}, or a ConfigMap")]
    if said.__class__ is not dict:
        return {}, [_wrong("spec of functionConfig is no mapping", "see docs/how-to/kustomize.md")]
    return said, list(_misfits(said))


def _misfits(said: Mapping[str, Tree]) -> Iterator[Diagnostic]:
    for key, value in said.items():
        shape = _SHAPES.get(key)
        if shape is None:
            yield _wrong(f"functionConfig cannot say {key}", f"use {', '.join(_SHAPES)}")
        elif value.__class__ is not shape or (isinstance(value, list) and not all(one.__class__ is str for one in value)):
            yield _wrong(f"{key} of functionConfig is {value!r}", f"give a {_WORDS[shape]}")


_WORDS: dict[type, str] = {list: "list of files", str: "text", dict: "mapping of fields", bool: "true or false"}


def _of_text(data: Mapping[str, str]) -> tuple[dict[str, Tree], list[Diagnostic]]:
    """The data of a ConfigMap, which holds text alone: a line for each entry of a list or mapping."""
    said: dict[str, Tree] = {}
    problems = []
    for key, text in data.items():
        shape = _SHAPES.get(key)
        lines = [line.strip() for line in str(text).splitlines() if line.strip()]
        if shape is list:
            said[key] = lines
        elif shape is dict:
            said[key] = {path.strip(): value.strip() for path, _, value in (line.partition("=") for line in lines)}
        elif shape is bool and str(text) in ("true", "false"):
            said[key] = str(text) == "true"
        elif shape is bool:
            problems.append(_wrong(f"{key} of functionConfig is {text!r}", "give true or false"))
        else:
            said[key] = str(text)
    return said, problems


def _result(diagnostic: Diagnostic, item: Item | None) -> Tree:
    """A diagnostic in the words of the specification."""
    result: Tree = {"message": diagnostic.message, "severity": diagnostic.severity}
    if item is not None:
        tree = item.standing or item.tree
        reference = {"apiVersion": tree.get("apiVersion"), "kind": tree.get("kind")}
        for key in ("namespace", "name"):
            value = get(tree, ("metadata", key), None)
            if value:
                reference[key] = value
        result["resourceRef"] = reference
        file = _file(tree)
        if file:
            result["file"] = file
    elif diagnostic.span is not None:
        result["file"] = {"path": diagnostic.span.file}
    if diagnostic.path:
        result["field"] = {"path": render(diagnostic.path)}
    tags = {"code": diagnostic.code, "rule": diagnostic.name}
    if diagnostic.hint:
        tags["hint"] = diagnostic.hint
    return {**result, "tags": tags}


def _file(tree: Tree) -> Tree:
    annotations = _annotations(tree)
    path = next((annotations[key] for key in _PATHS if key in annotations), None)
    index = next((annotations[key] for key in _INDEXES if key in annotations), None)
    if path is None:
        return None
    return {"path": path, "index": int(index)} if index is not None and str(index).isdigit() else {"path": path}


def _no_list(message: str) -> Diagnostic:
    hint = "let kustomize or kpt run the function, or give the list that they would give"
    return Diagnostic("TJ761", ERROR, message, hint=hint, name="no-resource-list")


def _wrong(message: str, hint: str) -> Diagnostic:
    return Diagnostic("TJ762", ERROR, message, hint=hint, name="wrong-function-config")
