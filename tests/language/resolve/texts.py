"""YAML texts -> documents, projects and resolved experiments, for the tests of this folder."""

from __future__ import annotations

from textwrap import dedent

from tjgen.language.resolve.layers import present
from tjgen.language.resolve.overlays import Resolved, Surroundings
from tjgen.language.resolve.project import LoadedProject, OverlayDocument, PlatformDocument, Platforms, alone
from tjgen.language.resolve.settings import settings
from tjgen.language.resolve.variants import Variants, variants
from tjgen.language.spec.check import check
from tjgen.language.spec.compact import OVERLAY, OVERLAY_FORM, PLATFORM, PLATFORM_FORM, PROJECT_FORM
from tjgen.language.spec.forms import long_form
from tjgen.language.spec.objects import Overlay, Platform, ProjectSpec
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.source.document import Document
from tjgen.trees.source.reader import CORE, read

HEAD = "apiVersion: tjgen.dev/v1alpha1\nkind: {kind}\nmetadata: {{name: {name}}}\nspec:\n"


def document(text: str, file: str) -> Document:
    """The only document of a text without faults."""
    documents, diagnostics = read(text, file, CORE)
    assert diagnostics == []
    (only,) = documents
    return only


def experiment(spec: str, name: str = "net") -> Document:
    return document(HEAD.format(kind="Experiment", name=name) + _indented(spec), "experiment.yaml")


def overlay(name: str, spec: str) -> OverlayDocument:
    found = document(HEAD.format(kind="Overlay", name=name) + _indented(spec), f"{name}.yaml")
    tree = present(found.value, OVERLAY_FORM)
    assert check(tree, OVERLAY) == []
    return OverlayDocument(found, Overlay(long_form(tree, OVERLAY_FORM)))


def platform(name: str, spec: str) -> PlatformDocument:
    found = document(HEAD.format(kind="Platform", name=name) + _indented(spec), f"{name}.yaml")
    tree = present(found.value, PLATFORM_FORM)
    assert check(tree, PLATFORM) == []
    return PlatformDocument(found, Platform(long_form(tree, PLATFORM_FORM)))


def project(spec: str, *overlays: OverlayDocument, platforms: tuple[PlatformDocument, ...] = ()) -> LoadedProject:
    found = document(HEAD.format(kind="Project", name="p") + _indented(spec), "tjgen.yaml")
    tree = long_form(found.value["spec"] or {}, PROJECT_FORM.fields["spec"])
    return alone()._replace(spec=ProjectSpec(tree), document=found, overlays=overlays, platforms=Platforms(platforms))


def resolve(of: Document, *overlays: OverlayDocument, environment: str | None = None) -> Resolved:
    return Surroundings(alone()._replace(overlays=overlays), environment).resolve(of)


def runs(of: Document, *overlays: OverlayDocument, sets: tuple[str, ...] = ()) -> Variants:
    layers, diagnostics = settings(list(sets))
    assert diagnostics == []
    return variants(of, Surroundings(alone()._replace(overlays=overlays), None, layers))


def told(diagnostics: list[Diagnostic]) -> list[str]:
    """Each diagnostic as `code name line:column message`, as short as it can be compared."""
    return [f"{one.code} {one.name} {_place(one)} {one.message}" for one in diagnostics]


def _place(diagnostic: Diagnostic) -> str:
    span = diagnostic.span
    return f"{span.file}:{span.line}:{span.column}" if span else "-"


def _indented(spec: str) -> str:
    lines = dedent(spec).strip("\n").split("\n")
    return "".join(f"  {line}\n" for line in lines)
