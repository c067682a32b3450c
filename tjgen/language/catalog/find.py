"""The name of a runtime -> the runtime, from the project's catalogs or those that tjgen brings.

The project's catalogs are searched first, in their order, so that a project can hold its own version of
a bundled runtime. A file that is called as the runtime (`<name>.yaml`, `<namespace>/<name>.yaml`) is
read alone; only when no file is, the rest of the catalogs is read.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tjgen.language.catalog import problems
from tjgen.language.catalog.places import RuntimeSource
from tjgen.language.catalog.runtime import BUNDLED, CLUSTER_KIND, KINDS, PROJECT, CatalogRuntime, is_runtime
from tjgen.trees import data
from tjgen.trees.diagnostics.model import WARNING, Diagnostic, Note, has_errors
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.files.sandbox import Sandbox, around
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.source.document import Document
from tjgen.trees.typing import TypeAlias

Answer: TypeAlias = tuple[CatalogRuntime | None, list[Diagnostic]]

BUNDLED_LABEL = "tjgen:runtimes"
BECAUSE: FieldPath = ("spec", "runtime")


class Catalog:
    """All runtimes that experiments of a project can be built on."""

    __slots__ = ("_answers", "_bundled", "_judged", "_others", "_places", "_versions")

    def __init__(
        self,
        places: Sequence[str] = (),
        root: str = "",
        *,
        versions: Mapping[str, str] | None = None,
        others: Sequence[Mapping[str, str]] = (),
        sandbox: Sandbox | None = None,
    ) -> None:
        """`places` are files and folders of the project, relative to its folder `root`; `versions` chooses schemas.

        A runtime that is valid by the schemas of `others`, those of further environments, is accepted too. `sandbox`
        reads the files; where it is None, they are paths that the caller named.
        """
        self._versions = versions
        self._others = tuple(others)
        paths = [os.path.normpath(os.path.join(root, place)) for place in places]
        reads = around(paths) if sandbox is None else sandbox
        self._places = [RuntimeSource(path, path.replace(os.sep, "/"), PROJECT, reads) for path in paths]
        self._bundled = RuntimeSource(data.path("runtimes"), BUNDLED_LABEL, BUNDLED)
        self._answers: dict[tuple[str, str | None, str, str | None, FieldPath], Answer] = {}
        self._judged: dict[Document, Answer] = {}

    def find(
        self,
        name: str,
        *,
        kind: str | None = None,
        namespace: str = "",
        version: str | None = None,
        because: FieldPath = BECAUSE,
    ) -> Answer:
        """The runtime of this name that a run in `namespace` can refer to, or None and an error at `because`."""
        key = (name, kind, namespace, version, because)
        if key not in self._answers:
            self._answers[key] = self._find(_Wanted(*key))
        return self._answers[key]

    def _find(self, wanted: _Wanted) -> Answer:
        diagnostics: list[Diagnostic] = []
        for place in self._places:
            runtimes = self._in(place, place.called(wanted.name, wanted.namespace), wanted, diagnostics)
            if len(runtimes) == 1:
                _add(diagnostics, list(self._again(runtimes[0])))
            if runtimes:
                return _only(runtimes, wanted, diagnostics)
        runtimes = [one for place in self._places for one in self._in(place, place.files(), wanted, diagnostics)]
        for place in self._places:
            _add(diagnostics, place.problems())
        runtimes = runtimes or self._in(self._bundled, self._bundled.called(wanted.name, wanted.namespace), wanted, diagnostics)
        if not runtimes and not has_errors(diagnostics):
            diagnostics.append(self._unknown(wanted))
        return _only(runtimes, wanted, diagnostics)

    def _again(self, used: CatalogRuntime) -> Iterator[Diagnostic]:
        """TJ253 for each other document with the runtime: only the file that is called as the runtime is read for it."""
        for place in self._places:
            for runtime in self._runtimes(place, iter(place.naming(used.name)), [], used.name):
                if used.document is not None and _key(runtime) == _key(used) and _note(runtime) != _note(used):
                    message = f"{_full(used)} occurs twice in the catalog, and {used.document.file} is used"
                    yield _duplicate(used, runtime)._replace(message=message, severity=WARNING)

    def all(self) -> tuple[list[CatalogRuntime], list[Diagnostic]]:
        """Return every runtime, by name; bundled ones that the project replaces are left out. Also return invalid documents."""
        diagnostics: list[Diagnostic] = []
        by_name: dict[tuple[str, str, str, str], CatalogRuntime] = {}
        for place in [*self._places, self._bundled]:
            for runtime in self._runtimes(place, place.files(), diagnostics):
                before = by_name.setdefault(_key(runtime), runtime)
                if before is not runtime and place is not self._bundled:
                    diagnostics.append(_duplicate(before, runtime))
            diagnostics.extend(place.problems())
            diagnostics.extend(_strangers(place))
        return [by_name[key] for key in sorted(by_name)], diagnostics

    def _in(
        self, place: RuntimeSource, files: Iterator[str], wanted: _Wanted, diagnostics: list[Diagnostic]
    ) -> list[CatalogRuntime]:
        return [one for one in self._runtimes(place, files, diagnostics, wanted.name) if wanted.fits(one)]

    def _runtimes(
        self, place: RuntimeSource, files: Iterator[str], diagnostics: list[Diagnostic], name: str | None = None
    ) -> Iterator[CatalogRuntime]:
        """The runtimes of some files; with `name`, others are not looked into."""
        for file in files:
            documents, problems = place.documents(file)
            _add(diagnostics, problems)
            # A file that was only partly readable may lack documents.
            for document in () if has_errors(problems) else documents:
                if is_runtime(document.value) and name in (None, _name(document)):
                    runtime, problems = self._judge(document, place.origin)
                    _add(diagnostics, problems)
                    if runtime is not None:
                        yield runtime

    def _judge(self, document: Document, origin: str) -> Answer:
        if document not in self._judged:
            # What tjgen brings is judged by its own tests, so that a build over it needs no schema.
            problems = [] if origin == BUNDLED else self._faults(document)
            runtime = None if has_errors(problems) else CatalogRuntime(document.value, document, origin)
            self._judged[document] = (runtime, problems)
        return self._judged[document]

    def _faults(self, document: Document) -> list[Diagnostic]:
        problems = _faults(document, self._versions)
        for versions in self._others if has_errors(problems) else ():
            if not has_errors(again := _faults(document, versions)):
                return again
        return problems

    def _unknown(self, wanted: _Wanted) -> Diagnostic:
        others = [one for place in self._places for one in self._runtimes(place, place.files(), [])]
        same = [one for one in others if one.name == wanted.name]
        if same:
            return Diagnostic(
                problems.UNKNOWN,
                f"the catalog has no runtime {wanted}",
                path=wanted.because,
                related=tuple(_note(one) for one in same),
                hint=f"the catalog has {', '.join(sorted({_full(one) for one in same}))}",
            )
        for document in _others(self._places):
            written = document.value.get("kind") if document.value.__class__ is dict else None
            kind = nearest(written, KINDS) if written.__class__ is str else None
            if kind is not None and _name(document) == wanted.name:
                return Diagnostic(
                    problems.UNKNOWN,
                    f'"{wanted.name}" is not a runtime: its kind is "{written}"',
                    span=document.locate(("kind",)),
                    hint=f"write kind: {kind}",
                )
        bundled = [file.rpartition(".")[0] for file in self._bundled.files()]
        names = sorted({one.name for one in others} | set(bundled))
        near = _nearest_runtime(wanted.name, names)
        return Diagnostic(
            problems.UNKNOWN,
            f'the catalog has no runtime "{wanted.name}"',
            path=wanted.because,
            hint=f'did you mean "{near}"?'
            if near
            else f"use one of {', '.join(names)}, or add its file to the project's catalogs",
        )


def _faults(document: Document, versions: Mapping[str, str] | None) -> list[Diagnostic]:
    from tjgen.language.catalog.shape import faults

    return list(faults(document, versions))


class _Wanted:
    """What a look-up is for."""

    __slots__ = ("because", "kind", "name", "namespace", "version")

    def __init__(self, name: str, kind: str | None, namespace: str, version: str | None, because: FieldPath) -> None:
        self.name = name
        self.kind = kind
        self.namespace = namespace
        self.version = version
        self.because = because

    def __str__(self) -> str:
        of_kind = f" of kind {self.kind}" if self.kind else ""
        of_version = f" with version {self.version}" if self.version else ""
        return f'"{self.name}"{of_kind}{of_version} for namespace {self.namespace or "default"}'

    def fits(self, runtime: CatalogRuntime) -> bool:
        """A namespaced runtime without a namespace fits any, since it is emitted in the run's namespace."""
        return (
            runtime.name == self.name
            and self.kind in (None, runtime.kind)
            and self.version in (None, runtime.version)
            and (runtime.kind == CLUSTER_KIND or runtime.namespace in ("", self.namespace))
        )


def _only(runtimes: list[CatalogRuntime], wanted: _Wanted, diagnostics: list[Diagnostic]) -> Answer:
    if len(runtimes) < 2:
        return (runtimes[0] if runtimes else None), diagnostics
    kinds = {runtime.kind for runtime in runtimes}
    versions = {runtime.version for runtime in runtimes}
    if len(versions) > 1:
        hint = f"write runtime: {{name: {wanted.name}, version: ...}} with one of {', '.join(sorted(filter(None, versions)))}"
    elif len(kinds) > 1:
        hint = f"write runtime: {{name: {wanted.name}, kind: {runtimes[0].kind}}}"
    else:
        hint = "remove one of them"
    code = problems.DUPLICATE if len(versions) == len(kinds) == 1 else problems.AMBIGUOUS
    message = f"{len(runtimes)} runtimes in the catalog match {wanted}"
    notes = tuple(_note(one) for one in runtimes)
    return None, [*diagnostics, Diagnostic(code, message, path=wanted.because, related=notes, hint=hint)]


def _duplicate(before: CatalogRuntime, again: CatalogRuntime) -> Diagnostic:
    return Diagnostic(
        problems.DUPLICATE,
        f"{_full(again)} occurs twice in the catalog",
        span=again.document.locate(("metadata", "name")) if again.document else None,
        related=(_note(before),),
        hint="remove one of them",
    )


def _strangers(place: RuntimeSource) -> Iterator[Diagnostic]:
    for document in _others([place]):
        tree = document.value
        kind = tree.get("kind") if tree.__class__ is dict else None
        what = f"an object of kind {kind}" if kind else "a document without a kind"
        yield Diagnostic(
            problems.STRANGER,
            f"{what} in a catalog is not a runtime",
            span=document.locate(("kind",)),
            hint="move it out of the catalog",
        )


def _others(places: Iterable[RuntimeSource]) -> Iterator[Document]:
    """The documents that are not runtimes."""
    for place in places:
        for file in place.files():
            yield from (document for document in place.documents(file)[0] if not is_runtime(document.value))


def _name(document: Document) -> str | None:
    metadata = document.value.get("metadata")
    return metadata.get("name") if metadata.__class__ is dict else None


def _nearest_runtime(name: str, known: Sequence[str]) -> str | None:
    """The known runtime that was probably meant, also by the name of a framework or of a runtime that Trainer installs."""
    framework = name.removesuffix("-distributed")
    return nearest(name, known) or nearest(f"tjgen-{framework}", known) or nearest(f"tjgen.{framework}", known)


def _key(runtime: CatalogRuntime) -> tuple[str, str, str, str]:
    return (runtime.name, runtime.kind, runtime.namespace, runtime.version)


def _full(runtime: CatalogRuntime) -> str:
    where = f" in namespace {runtime.namespace}" if runtime.namespace else ""
    which = f" with version {runtime.version}" if runtime.version else ""
    return f"{runtime.kind} {runtime.name}{which}{where}"


def _note(runtime: CatalogRuntime) -> Note:
    return Note("a runtime of that name", runtime.document.locate(("metadata", "name")) if runtime.document else None)


def _add(diagnostics: list[Diagnostic], added: list[Diagnostic]) -> None:
    diagnostics.extend(one for one in added if one not in diagnostics)
