"""`--set PATH=VALUE` -> a layer over everything else."""

from __future__ import annotations

from tjgen.language.resolve.fieldpaths import field_path
from tjgen.language.resolve.layers import Layer, part
from tjgen.language.spec.compact import EXPERIMENT_FORM
from tjgen.language.spec.forms import form_at
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import Tree
from tjgen.trees.source.reader import CORE, read

MANAGER = "--set"
SOURCE = "command line"


def settings(arguments: list[str]) -> tuple[list[Layer], list[Diagnostic]]:
    """One layer for each argument, in order: a later one wins. Values are YAML; that of a variable is its text."""
    layers, diagnostics = [], []
    for argument in arguments:
        text, equals, value = argument.partition("=")
        path = field_path(text) if equals else _malformed(argument)
        if isinstance(path, Diagnostic):
            diagnostics.append(path)
            continue
        tree, problems = _value(value)
        diagnostics += problems
        short = form_at(EXPERIMENT_FORM, path).short
        if short and short[0][1] == "text" and tree.__class__ in (bool, int, float):
            tree = value.strip()
        layers.append(Layer(MANAGER, SOURCE, (part(path, tree, path),)))
    return layers, diagnostics


def _value(text: str) -> tuple[Tree, list[Diagnostic]]:
    documents, diagnostics = read(text, MANAGER, CORE)
    return (documents[0].value if documents else None), diagnostics


def _malformed(argument: str) -> Diagnostic:
    from shlex import quote  # only for such an argument

    path, _, value = (argument or "PATH").partition(" ")
    hint = f"write --set {quote(path.rstrip(':') + '=' + (value.strip() or 'VALUE'))}"
    return Diagnostic("TJ220", f'--set "{argument}" has no "="', hint=hint)
