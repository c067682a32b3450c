"""A value or a field that the language does not accept -> the hint of its diagnostic: text that can be pasted, where it is clear.

Loaded only for an experiment with a mistake. Each suggested value is checked against the schema before it is printed.
"""

from __future__ import annotations

import contextlib
import re
import shlex
from collections.abc import Callable, Iterator, Sequence

from tjgen.cluster.kinds.without_target import instead_of
from tjgen.cluster.schema import store, walk
from tjgen.language.spec import bounds, devicetext, misplaced, rewritten, sections
from tjgen.language.spec.flow import flow
from tjgen.language.spec.foreign import condition_of, field_of, notation_of, number_of, plain, synonym_of
from tjgen.language.spec.slurmtimes import duration_of
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.k8s.names import LABEL_LENGTH
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.k8s.valid_names import SUBDOMAIN_LENGTH, valid_name
from tjgen.trees.typing import Any

Schema = dict[str, Any]

_MEASURE = re.compile(r"([0-9]*\.?[0-9]+)\s*([A-Za-z]*)")
_UNITS = {"b": "", "core": "", "cores": "", "cpu": "", "cpus": "", "vcpu": "", "vcpus": "", "gpu": "", "gpus": ""}
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*")
_BOOLEANS = {"yes": "true", "on": "true", "y": "true", "no": "false", "off": "false", "n": "false"}
_MOST_FIELDS = 20
"""Fields that a hint lists. A longer list is a page of its own."""
_LONGEST_LIST = 100
"""Characters of a list that a hint shows."""
_MATCH: FieldPath = ("spec", "match")
_EXAMPLES = {
    "commit": f"commit: {sections.COMMIT}",
    "directory": "directory: .",
    "driver": "driver: csi.example.com",
    "image": "image: registry.example.com/team/train:1.0",
    "key": "key: token",
    "mountPath": "mountPath: /data",
    "name of configMap": "name: NAME, with the name of an existing ConfigMap",
    "name of metadata": "name: my-experiment",
    "name of secret": "name: NAME, with the name of an existing Secret",
    "path": "path: /data",
    "repository": "repository: https://git.example.com/team/train.git",
    "schedule": 'schedule: "0 3 * * *"',
    "size": "size: 100Gi",
    "volume": "volume: NAME, with the name of an entry of volumes",
}
"""Required fields, of some mappings first -> how to write them."""


def missing(path: FieldPath, schema: Schema) -> str:
    """How to add the required field at `path`, whose schema is `schema`."""
    key = str(path[-1])
    if len(schema.get("enum", ())) == 1:
        return f"add {key}: {schema['enum'][0]}"
    whole = f"{key} of {path[-2]}" if len(path) > 1 else ""
    return f"add {_EXAMPLES.get(whole) or _EXAMPLES.get(key, key)}"


def value(wrong: Tree, schema: Schema, path: FieldPath = ()) -> str | None:
    """`write X`, if an acceptable value is close to a wrong one; None where no such value is known."""
    if path[-1:] == ("gpu",):
        return devicetext.advice(wrong)
    if path[-2:-1] == ("resources",):
        return of_resource(str(path[-1]), wrong)
    of_variable = sections.of_variable(path, wrong)
    if of_variable is not None:
        return of_variable
    time = sections.of_time(path, wrong)
    if time is not None:
        return time
    whole = sections.field_of_word(wrong, schema) or sections.value_of(path, wrong)
    if whole is not None and not walk.check(whole, schema):
        return f"write {flow(whole)}"
    if wrong.__class__ is str and "pvc" in schema.get("properties", {}) and "://" in wrong:
        return f"write {{pvc: NAME}}, and copy the data to the claim with prefetch: {{volume: ..., source: {flow(wrong)}}}"
    fitting = list(dict.fromkeys(flow(one) for one in _candidates(wrong, schema) if not walk.check(one, schema)))
    return f"write {' or '.join(fitting[:2])}" if fitting else None


def as_list(wrong: Tree, path: FieldPath) -> str:
    """How to write a list for a value that is none: a text with spaces is the words of a command line."""
    words = [wrong]
    if wrong.__class__ is str and re.fullmatch(r"[^,()\[\]{} ]+(, *[^,()\[\]{} ]+)+", wrong):
        words = [word.strip() for word in wrong.split(",")]
    elif wrong.__class__ is str and " " in wrong:
        with contextlib.suppress(ValueError):  # a quote without its end
            words = shlex.split(wrong)
    of_sweep = sections.list_of(path, wrong)
    if of_sweep is not None:
        return of_sweep
    line = flow(words)
    return f"make it a list: {line}" if len(line) <= _LONGEST_LIST else "make it a list"


def volume(item: Tree) -> str | None:
    """An element of a list of volumes as an entry of the mapping; None if it is too long or has no name."""
    entry = sections.entry(item)
    line = flow(entry)
    return line if entry is not None and len(line) <= _LONGEST_LIST else None


def other_group(finding: walk.Mismatch) -> str:
    """What to do if the document is an object of another group, such as an Experiment of Katib; else empty."""
    if finding.path != ("apiVersion",) or not any(gvk.startswith(f"{finding.value}/") for gvk in store.kinds()):
        return ""
    return f", or run tjgen check to validate an object of {finding.value}"


def of_resource(name: str, amount: Tree) -> str | None:
    """The hint for an entry of `resources` that is not a resource."""
    return rewritten.of_resource(name, amount, field_of)


def _candidates(wrong: Tree, schema: Schema) -> Iterator[Tree]:
    if wrong.__class__ is list and len(wrong) == 1 and wrong[0].__class__ not in (dict, list):
        yield wrong[0]
    if wrong.__class__ is float:
        whole = int(wrong) if abs(wrong) < 2**31 else 0
        yield from (whole,) if wrong == whole else (whole, whole + 1)
    if wrong.__class__ is not str or len(wrong) > 200:
        return
    if wrong.lower() in _BOOLEANS:
        yield _BOOLEANS[wrong.lower()] == "true"
    if wrong.isascii() and wrong.isdigit() and len(wrong) < 10:
        yield int(wrong)
    measure = _MEASURE.fullmatch(wrong.strip())
    if measure is not None:
        yield from _measured(measure[1], measure[2])
    if "pvc" in schema.get("properties", {}):
        yield {"pvc": wrong}
    if "pattern" in schema.get("properties", {}):
        yield {"pattern": wrong} if "{" in wrong else {"glob": wrong}
    first, colon, second = wrong.partition(":")
    if colon:
        yield f"{second.strip()}:{first.strip()}"
    if schema.get("maxLength") in (LABEL_LENGTH, SUBDOMAIN_LENGTH):
        yield valid_name(wrong)


def _measured(number: str, unit: str) -> Iterator[Tree]:
    """The quantities and durations that a number with a word may mean."""
    letter = unit[:1]
    if unit.lower() in _UNITS:
        yield int(number) if number.isdigit() else number
    elif unit.lower().endswith("ib") or (len(unit) == 2 and unit[1] in "iI"):
        yield f"{number}{letter.upper()}i"
    else:
        for spelled in (f"{letter.upper()}i", letter.upper(), letter.lower()):
            yield number + spelled


def unknown(finding: walk.Mismatch, schema_of: Callable[[FieldPath], Schema]) -> str | None:
    """What to write instead of an unknown field. `schema_of` returns the schema at a path."""
    path, known, key = finding.path, finding.known, str(finding.path[-1])
    below_spec = schema_of(("spec",)).get("properties", {})
    if path[:2] == ("spec", "sweep") and len(path) == 3 and (key.partition(".")[0] in below_spec):
        values = finding.value if finding.value.__class__ is list else [finding.value]
        return f"write matrix: {{{key}: [{', '.join(flow(one) for one in values)}]}}"
    variable = key.upper()
    if (
        path[:2] == ("spec", "sweep")
        and finding.value.__class__ is list
        and not nearest(key, known)
        and _VARIABLE.fullmatch(variable)
    ):
        return f"for a variable of the program, write matrix: {{env.{variable}: [...]}}, with your values"
    if len(path) == 1 and key in below_spec:
        return f"indent {key} with two more spaces, so that it is a field of spec"
    notation = notation_of(key, known)
    if notation is not None:
        return f'did you mean "{notation}"?'
    field = field_of(key)
    if path[:-1] in ((), ("metadata",)) and "image" in below_spec and field is not None:
        moved = finding._replace(path=("spec", key), known=tuple(below_spec))
        return f"{_of_another_tool(field, moved, schema_of(('spec',)))}, in spec"
    condition = _of_match(path, finding.value, schema_of)
    if condition is not None:
        return condition
    if path[-2:-1] == ("gpu",) and "minMemory" in known:
        return devicetext.of_entry(key, finding.value, known)
    section = misplaced.of_security(path, finding.value)
    if section is None and len(path) > 2:
        section = sections.of_field(path, plain(key), finding.value, known)
    if section is not None:
        return section
    number = _of_number(finding, schema_of(path[:-1]))
    if path[0] == "spec" and ("image" in known or path[-2] == "pod"):
        if "image" in known and _VARIABLE.fullmatch(key) and nearest(key, known) is None:
            return f"for an environment variable, write env: {{{key}: {flow(finding.value)}}}"
        known_text = rewritten.rewritten(plain(key), finding.value, field_of) if len(path) == 2 else None
        if known_text is not None:
            return known_text
        if field is not None and (number is None or field.partition(":")[0] in known):
            return _of_another_tool(field, finding, schema_of(path[:-1]))
    bound = bounds.hint(path, {str(path[-2]): finding.value}) if len(path) > 2 else None
    if bound is not None:
        return bound
    translated = _translated(key, finding.value, known)
    if translated is not None:
        return f"write {translated}"
    level = misplaced.unknown(path, finding.value, schema_of)
    near = synonym_of(key, known) or number or (nearest(key, known) if level is None else None)
    if level is not None and near is None:
        return level
    if near:
        return f'did you mean "{near}"?'
    if len(known) > _MOST_FIELDS:
        return "see the fields in the reference of experiments, or run `tjgen schema experiment`"
    return f"use one of {', '.join(known)}" if known else None


def _of_number(finding: walk.Mismatch, schema: Schema) -> str | None:
    """The field of which an unknown field is the singular or the plural; None if there is none that takes such a value."""
    field = number_of(str(finding.path[-1]), finding.known)
    refused = walk.check(finding.value, schema["properties"][field]) if field is not None else ()
    return None if any(one.type == walk.TYPE and not one.path for one in refused) else field


def _of_match(path: FieldPath, given: Tree, schema_of: Callable[[FieldPath], Schema]) -> str | None:
    """The condition of an overlay for a field in `match`, or next to it; None for other fields and values."""
    below = schema_of(_MATCH).get("properties", {})
    in_match = path[:-1] == _MATCH
    if not below or not (in_match or path[:-1] == _MATCH[:-1]):
        return None
    key = str(path[-1])
    field = condition_of(key) or (nearest(key, below) if in_match else None)
    value = given.get("matchLabels", given) if given.__class__ is dict else given
    if field is None and in_match and given.__class__ is str:
        field, value = "labels", {key: given}
    if field not in below:
        return None
    if below[field].get("type") == "array" and value.__class__ is not list:
        value = [value]
    if walk.check(value, below[field]):
        return None
    shape = f"{field}: {flow(value)}"
    return f"write {shape}" if in_match else f"write match: {{{shape}}}"


def replacement(finding: walk.Mismatch) -> str | None:
    """What to use for a target that is a kind without one, or an abbreviated access mode; None for other values and fields."""
    if "accessModes" in finding.path:
        return sections.abbreviated(finding.value)
    return instead_of(str(finding.value)) if finding.path == ("spec", "target") else None


def _of_another_tool(field: str, finding: walk.Mismatch, schema: Schema) -> str:
    own, _, template = field.partition(":")
    if own not in finding.known:
        of_role = sections.of_role(plain(str(finding.path[-1])), finding.value) if "replicas" in finding.known else None
        return of_role or f"write {field}, in spec of the experiment"
    inner = schema["properties"][own]
    is_sound = not walk.check(finding.value, inner)
    if finding.value.__class__ in (dict, list) and is_sound and not template and finding.value:
        return f"write {own} instead of {finding.path[-1]}"
    if own == "deadline" and duration_of(finding.value):
        return f"write deadline: {duration_of(finding.value)}"
    better = value(finding.value, inner.get("x-tjgen-short") or inner, (own,))
    if not is_sound and not template and better is not None:
        return f"write {own}: {better.removeprefix('write ')}"
    fits = finding.value.__class__ not in (dict, list) and is_sound
    if template.strip().isupper() or not template:
        return f"write {own}: {flow(finding.value)}" if fits else f"write {field}"
    name = template.strip(" {}").partition(":")[0]
    inner = schema["properties"][own].get("properties", {}).get(name, {})
    if template.strip(" {}").endswith((": ...", ": N")) and not walk.check(finding.value, inner):
        return f"write {own}: {{{name}: {flow(finding.value)}}}"
    return f"write {field}"


def _translated(key: str, given: Tree, known: Sequence[str]) -> str | None:
    """A source of a variable or a volume in the words of a pod -> the same in the words of the language."""
    if key == "valueFrom" and given.__class__ is dict and len(given) == 1:
        ((key, given),) = given.items()
    inner = given if given.__class__ is dict else {}
    if "configMap" in known and "field" in known:
        source = {"secretKeyRef": "secret", "configMapKeyRef": "configMap"}.get(key)
        if source is not None and inner.get("name") and inner.get("key"):
            return f"{source}: {inner['name']}, key: {inner['key']}"
        if source is not None:
            return f"{source}: NAME, key: KEY"
        if key == "fieldRef":
            return f"field: {inner.get('fieldPath', 'PATH')}"
        if key == "resourceFieldRef":
            return f"resource: {inner.get('resource', 'NAME')}"
    if "pvc" in known:
        if key in ("size", "storage", "capacity"):
            return f"pvc: {{create: {{size: {flow(given)}}}}}"
        if key == "persistentVolumeClaim":
            return f"pvc: {inner.get('claimName', 'NAME')}"
        if key in ("claimName", "claim", "volumeClaim"):
            return f"pvc: {given}" if given.__class__ is str else "pvc: NAME"
    return None
