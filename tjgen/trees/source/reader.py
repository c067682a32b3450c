"""A file's text -> its documents with positions, and diagnostics: the one door through which YAML comes in."""

from __future__ import annotations

from tjgen.trees.budgets import DEFAULT, CommandBudgets, exceeded
from tjgen.trees.diagnostics.model import CompileError, Diagnostic
from tjgen.trees.source import core, kubernetes, libyaml
from tjgen.trees.source.builder import Builder
from tjgen.trees.source.directives import check_number
from tjgen.trees.source.document import Document
from tjgen.trees.source.encoding import decode, first_unprintable
from tjgen.trees.source.escapes import join_halves
from tjgen.trees.source.text import Text

KUBERNETES = "kubernetes"
"""Read as kubectl reads: for manifests, runtimes, and all else that a cluster gets."""
CORE = "core"
"""Read as YAML 1.2's core schema: for experiments, overlays, platforms and projects."""

PART = "part"
"""Read as kubectl reads the documents of a stream of YAML: a part that starts with `{` is not JSON."""

_DIALECTS = {KUBERNETES: kubernetes.DIALECT, CORE: core.DIALECT, PART: kubernetes.PART}


def read(
    text: str | bytes, file: str, dialect: str, budgets: CommandBudgets = DEFAULT
) -> tuple[list[Document], list[Diagnostic]]:
    """All documents of a stream that could be read, empty ones skipped, and what is wrong with the text.

    `dialect` is KUBERNETES, CORE or PART. `budgets` bounds the size, the documents and the values of the text. Never raises
    because of the text: where reading cannot go on, an error ends the diagnostics and the documents before it are returned.
    """
    if len(text) > budgets.file_size:
        return [], [exceeded("file_size", len(text), budgets.file_size, "the file", span=Text("", file).span(0, 0))]
    content, unreadable = decode(text, file)
    if unreadable is not None:
        return [], [unreadable]
    rules = _DIALECTS[dialect]
    if rules.is_json(content):
        content = join_halves(content)
    source = Text(content, file)
    excess = check_number(source)
    if excess is not None:
        return [], [excess]
    builder = Builder(source, rules, budgets)
    try:
        builder.run(libyaml.parse(content))
    except CompileError as limit:
        return builder.documents, [*builder.findings.in_order(), *limit.diagnostics]
    except libyaml.YAMLError as error:
        if rules.is_json(content):
            objects = _read_objects(content, source, budgets)
            if objects is not None:
                return objects
        from tjgen.trees.source.syntax import explain  # most files are YAML

        problem = explain(error, source) if hasattr(error, "problem_mark") else first_unprintable(source)
        return builder.documents, [*builder.findings.in_order(), problem]
    return builder.documents, builder.findings.in_order()


def _read_objects(content: str, source: Text, budgets: CommandBudgets) -> tuple[list[Document], list[Diagnostic]] | None:
    """The documents of a text of several JSON objects; None where it is not one."""
    from tjgen.trees.source import concatenated  # few files are such texts

    parts = concatenated.objects(content)
    builder = Builder(source, _DIALECTS[KUBERNETES], budgets)
    try:
        if not parts:
            return None
        builder.run(concatenated.PartsParser(content, parts))
    except CompileError as limit:
        return builder.documents, [*builder.findings.in_order(), *limit.diagnostics]
    except libyaml.YAMLError:
        return None
    return builder.documents, builder.findings.in_order()
