"""Models of the language -> a reference page for each kind of document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from docs.generate.markdown import NOTICE, anchor, code, table
from tjgen.language.spec import inheritance
from tjgen.language.spec.generate.shapes import Field, Kind, Leaf, Map, Ref, Sequence, Sugar, fields, own_fields, parent
from tjgen.language.spec.models.shape import Shape

INTRODUCTIONS = {
    "Experiment": """\
An experiment describes the program to train, its image, and its resources.
The smallest one has a runtime, an image and a script.
""",
    "Overlay": """\
A partial experiment that is put under or over others: by environment, cluster, team or name.
Maps merge by key, lists of things with a `name` merge by it, other lists are replaced, and null removes.
""",
    "Platform": """\
A description of a cluster by its administrator, so that experiments stay short:
device classes, storage, queues, images.
""",
    "Project": """\
`tjgen.yaml`: where things are and what they are built for.
It is optional: `tjgen build experiment.yaml` works alone.
""",
    "Settings": """\
The file that the variable `TJGEN_SETTINGS` names. The owner of a pipeline or plugin sets limits there that no project exceeds:
see [the threat model](../explanation/threat-model.md#settings-of-the-caller).
""",
}
_INHERITANCE = """## Inheritance

A project that a [workspace](../how-to/workspaces.md) lists inherits its settings. A field that the table does not list is
inherited as the field that contains it. `*` is the name of an environment.

"""
TYPES = {"string": "text", "boolean": "`true` or `false`", "number": "number", "integer": "whole number", "object": "mapping"}
HEADER = ("Field", "Value", "Default", "Meaning")


def pages(kinds: list[type[Shape]]) -> dict[str, str]:
    """File name -> page; a model is described on the first page that needs it, the others link there."""
    homes: dict[type[Shape], str] = {}
    return {f"{kind.__name__.lower()}.md": _page(kind, homes) for kind in kinds}


def _page(kind: type[Shape], homes: dict[type[Shape], str]) -> str:
    page = f"{kind.__name__.lower()}.md"
    shown = _shown(kind, homes)
    homes.update(dict.fromkeys(shown, page))
    parts = [f"# {kind.__name__}\n", NOTICE, INTRODUCTIONS[kind.__name__]]
    for model in shown:
        if model is not kind:
            parts.append(f"## {title(model)}\n\n{_sentence(model.__doc__)}\n")
        parts += _rules(model, homes, page)
        parts.append(table(HEADER, (_row(model, field, homes, page) for field in _own(model, homes))))
    parts += [_INHERITANCE + table(("Field of `spec`", "In a workspace"), _ways())] if kind.__name__ == "Project" else []
    return "\n".join(parts)


def _ways() -> Iterator[tuple[str, str]]:
    for way, meaning in inheritance.MEANINGS.items():
        yield ", ".join(code(pattern) for pattern, own in inheritance.WAYS.items() if own == way), meaning


def _shown(model: type[Shape], homes: dict[type[Shape], str], found: tuple[type[Shape], ...] = ()) -> tuple[type[Shape], ...]:
    """The models to describe on a page, each before those that it needs."""
    if model in homes or model in found:
        return found
    found = (*found, model)
    for field in _own(model, homes):
        for needed in _models(field.kind):
            found = _shown(needed, homes, found)
    return found


def _own(model: type[Shape], homes: dict[type[Shape], str]) -> tuple[Field, ...]:
    return own_fields(model) if parent(model) in homes else fields(model)


def _models(kind: Kind) -> list[type[Shape]]:
    match kind:
        case Ref(model):
            return [model]
        case Map(inner) | Sequence(inner, _) | Sugar(inner, _):
            return _models(inner)
        case _:
            return []


def _rules(model: type[Shape], homes: dict[type[Shape], str], page: str) -> list[str]:
    said = []
    if parent(model) in homes:
        nothing_required = ", of which none is required" if model.partial else ""
        said.append(f"All fields of {_link(parent(model), homes, page)}{nothing_required}, and:\n")
    if model.short:
        said.append(f"Short form: a plain value sets {code(':'.join(model.short))}.\n")
    groups = [_group(*map(code, group)) for group in model.alternatives]
    if groups and parent(model) not in homes:
        how_many = "Exactly one" if model.needed and not model.partial else "At most one"
        said.append(f"{how_many} of: {'; '.join(groups)}.\n")
    return said


def _group(first: str, *rest: str) -> str:
    return f"{first} (with {', '.join(rest)})" if rest else first


def _row(model: type[Shape], field: Field, homes: dict[type[Shape], str], page: str) -> tuple[str, ...]:
    required = field.required and not model.partial
    described = model.model_fields[field.name].description
    return (
        code(field.key),
        _words(field.kind, homes, page),
        "required" if required else _default(field.default),
        _sentence(described),
    )


def _default(value: Any) -> str:
    if value is None or value in ([], {}) or isinstance(value, Shape):
        return ""
    return code(str(value).lower() if isinstance(value, bool) else str(value))


def _words(kind: Kind, homes: dict[type[Shape], str], page: str) -> str:
    match kind:
        case Ref(model):
            return _link(model, homes, page)
        case Map(value):
            return f"by name: {_words(value, homes, page)}"
        case Sequence(item, _):
            return f"list: {_words(item, homes, page)}"
        case Sugar(long, short):
            return f"{_scalar(short)}; or {_words(long, homes, page)}"
        case Leaf():
            return _scalar(kind)


def _scalar(leaf: Leaf) -> str:
    schema = leaf.schema
    if "enum" in schema:
        return ", ".join(code(value or '""') for value in schema["enum"])
    if "x-kubernetes-preserve-unknown-fields" in schema:
        return "mapping, as in Kubernetes"
    if "quantity" in schema.get("x-tjgen-expects", ""):
        return "quantity"
    types = schema.get("type", [])
    if not isinstance(types, str):
        return ", ".join(TYPES[name] for name in types) or "anything"
    least = schema.get("minimum")
    return TYPES[types] + (f", at least {least}" if types == "integer" and least else "")


def _link(model: type[Shape], homes: dict[type[Shape], str], page: str) -> str:
    home = homes[model]
    return f"[{title(model)}]({'' if home == page else home}{anchor(title(model))})"


def title(model: type[Shape]) -> str:
    """`NewClaim` -> "New claim"."""
    first, *rest = re.findall(r"[A-Z][a-z0-9]*", model.__name__)
    return " ".join([first, *(word.lower() for word in rest)])


def _sentence(text: str | None) -> str:
    return " ".join((text or "").split())
