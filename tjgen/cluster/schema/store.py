"""apiVersion and kind -> the structural schema of that kind, loaded from `schemas/` on first use.

A schema is what a CustomResourceDefinition holds (OpenAPI v3 with the x-kubernetes extensions). Its
root also has `x-tjgen-resource`: plural name, scope, whether there is a status subresource, and
the paths of the scale subresource; and `x-tjgen-rules`: the paths of its CEL rules. `metadata` at the
root is just some object: see `object_meta`. Schemas are shared between all callers and never written
into.

A project can add a folder with the schemas of its cluster's own kinds, which `tjgen schemas import` writes:
SOURCE names its files with their checksums.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from tjgen.trees import bytecode, data
from tjgen.trees.diagnostics.model import CompileError, Diagnostic
from tjgen.trees.files.regular import read_regular, read_text
from tjgen.trees.typing import Any, TypeAlias

Schema: TypeAlias = dict[str, Any]

ITEMS = "[]"
VALUES = "{}"
"""The steps of `x-tjgen-rules` that are not properties: into the items of a list, into the values of a map."""

OWN = "schemas"
"""The key of `versions` that names the folder with the schemas of the cluster's own kinds."""
SOURCE = "SOURCE"
"""The file of a schema folder that records its origin."""
BUILT_IN = "kubernetes"

_loaded: dict[str, Schema | None] = {}
_own: dict[str, dict[str, str]] = {}


def find(api_version: str, kind: str, *, versions: Mapping[str, str] | None = None) -> Schema | None:
    """The schema of a kind, or None if there is none.

    `versions` chooses the release of a project (`{"trainer": "v2.1.0"}`); without it the newest
    supported release is used. Under OWN it may name a folder; its schemas take precedence over all
    that is not a kind of Kubernetes itself. Raises CompileError where the folder is damaged.
    """
    project = _index()["kinds"].get(f"{api_version}/{kind}")
    if versions and OWN in versions and project != BUILT_IN:
        name = file_name(api_version, kind)
        if name in own_files(versions[OWN]):
            return own_schema(versions[OWN], name)
    if project is None:
        return None
    version = (versions or {}).get(project) or _index()["newest"][project]
    if project == BUILT_IN and version not in _index()["releases"][BUILT_IN]:
        return _of_minor(file_name(api_version, kind), version)
    return _load(project, version, file_name(api_version, kind))


def _of_minor(name: str, version: str) -> Schema | None:
    """The schema of a built-in kind in another minor of Kubernetes; None if that minor does not have the kind."""
    from tjgen.cluster.schema import minors  # most clusters are judged by the minor of the schemas

    minor = minors.nearest(version)
    key = f"{BUILT_IN}/1.{minor}/{name}"
    if key not in _loaded:
        base = _load(BUILT_IN, _index()["newest"][BUILT_IN], name)
        _loaded[key] = None if base is None else minors.adjusted(base, name, differences_of_minors(), minor)
    return _loaded[key]


def differences_of_minors() -> dict[str, Any]:
    """The fields and kinds in which the minors of Kubernetes differ: `schemas/kubernetes/minors.json`."""
    minors_by_release = _load(BUILT_IN, "minors.json")
    assert minors_by_release is not None, "schemas/kubernetes has minors.json"
    return minors_by_release


def file_name(api_version: str, kind: str) -> str:
    """How the file with the schema of a kind is called."""
    group, _, version = api_version.rpartition("/")
    return f"{group or 'core'}_{version}_{kind.lower()}.json"


def is_built_in(api_version: str, kind: str) -> bool:
    """Whether the kind is one of Kubernetes' own: those are decoded into Go types, the others checked by their schema."""
    return bool(_index()["kinds"].get(f"{api_version}/{kind}") == BUILT_IN)


def object_meta() -> Schema:
    """The schema of the metadata of every object."""
    schema = _load(BUILT_IN, _index()["newest"][BUILT_IN], "meta_v1_objectmeta.json")
    assert schema is not None, "schemas/kubernetes has ObjectMeta"
    return schema


def kinds() -> dict[str, str]:
    """apiVersion/kind -> project, of every kind that tjgen brings a schema for."""
    known_kinds: dict[str, str] = _index()["kinds"]
    return known_kinds


def own_files(folder: str) -> dict[str, str]:
    """Name -> checksum of the schema files in a folder of one's own; raises CompileError if there is no such folder."""
    # A relative path names another folder after the process changes its working directory.
    place = os.path.abspath(folder)
    if place not in _own:
        try:
            lines = [line.split() for line in read_text(f"{folder}/{SOURCE}").splitlines()]
        except (OSError, UnicodeDecodeError):
            hint = "make it with: kubectl get crd -o yaml | tjgen schemas import -"
            raise CompileError([_damaged(f"there are no schemas in {folder}", hint)]) from None
        _own[place] = {line[2]: line[1] for line in lines if len(line) == 3 and line[0] == "sha256"}
    return _own[place]


def own_schema(folder: str, name: str) -> Schema:
    """One of `own_files`; raises CompileError where it is not what was imported."""
    path = f"{folder}/{name}"
    place = os.path.abspath(path)
    if place not in _loaded:
        from hashlib import sha256

        try:
            content = read_regular(path)
        except OSError as error:
            raise CompileError([_damaged(f"{path} cannot be read: {error.strerror}", "import it again")]) from None
        if sha256(content).hexdigest() != own_files(folder)[name]:
            raise CompileError([_damaged(f"{path} is not what was imported", "import it again; do not edit it")])
        _loaded[place] = read_json(content.decode("utf-8"))
    schema = _loaded[place]
    assert schema is not None, "just read"
    return schema


def _damaged(message: str, hint: str) -> Diagnostic:
    return Diagnostic("TJ524", message, hint=hint)


def releases(project: str) -> tuple[str, ...]:
    """The releases of a project that there are schemas for, oldest first; empty for an unknown project."""
    return tuple(_index()["releases"].get(project, ()))


def listed(project: str, name: str) -> frozenset[str]:
    """The lines of a list that goes with the schemas of a project's newest release."""
    with open(data.path("schemas", project, _index()["newest"][project], f"{name}.txt"), encoding="utf-8") as file:
        return frozenset(file.read().split())


def runtimes_of_trainer(version: str) -> list[Any]:
    """The ClusterTrainingRuntimes that a version of Trainer installs, by name."""
    listing = _load("trainer", version, "runtimes.json")
    return [] if listing is None else list(listing["items"])


def _index() -> dict[str, Any]:
    index = _load("index.json")
    assert index is not None, "schemas/index.json exists"
    return index


def _load(*parts: str) -> Schema | None:
    name = "/".join(parts)
    if name not in _loaded:
        try:
            _loaded[name] = bytecode.value(data.path("schemas", *parts), f"schemas/{name}", read_json)
        except FileNotFoundError:
            _loaded[name] = None
    return _loaded[name]


# JSON text of ours -> its value, without the price of importing json (a tenth of a whole check).
#
# `json` is Python around a scanner in C that CPython keeps in `_json`. Our own files need nothing of that Python: they are
# known to be right. If there is no such scanner, `json` does it.


class _Plain:
    """Options of the scanner: no hooks, strict strings, plain numbers."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


def read_json(text: str) -> Any:
    """The value of the text. The scanner is loaded here: most values come from the file of compiled modules."""
    try:
        from _json import make_scanner
    except ImportError:
        from json import loads

        return loads(text)
    scan = make_scanner(_Plain)  # type: ignore[arg-type]  # it accepts any object with these attributes
    return scan(text, 0)[0]
