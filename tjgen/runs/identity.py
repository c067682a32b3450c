"""An experiment as it is written, and a point of its sweep -> the identity of a run, and its name.

The identity covers what the user of the experiment says and what reaches parts of objects that cannot
be changed in place: with it the name changes, and a training starts again. It does not cover what
overlays, platforms, the catalog or a release of tjgen bring, so that none of those restarts anything;
what they would change is held back by the lock of the run (see `freeze`).

Form v1: the `spec` in long form without what EXCLUDED names, with amounts as numbers and without what
equals DEFAULTS, together with the environment, the point, the task and the digests of local files that
the experiment names; as JSON with sorted keys and no spaces, in ASCII; SHA-256 of that. Once released,
the same input has the same identity for ever: another form gets another version.
"""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.canonical import json_text, sha256_hex
from tjgen.diagnostics.model import ERROR, Diagnostic
from tjgen.fields.path import Tree, get, parse
from tjgen.k8s import quantity
from tjgen.spec.compact import EXPERIMENT_FORM
from tjgen.spec.forms import PLAIN, Form, below, form_at, long_form
from tjgen.typing import Any, NamedTuple

FORM = "v1"

_Pattern = tuple[str, ...]
_ANY = "*"

EXCLUDED: tuple[_Pattern, ...] = (
    # What says which runs there are, how they are called and whether they run now.
    ("naming",),
    ("state",),
    ("sweep",),
    ("tasks",),
    # What is made beside the runs.
    ("history",),
    ("monitor",),
    ("checkpoints", "keep"),
    ("checkpoints", "files"),
    ("checkpoints", "expectedSize"),
    ("checkpoints", "backup"),
    # How much data is brought at a time, and by whose leave; what it is reaches the pods that wait for it.
    ("prefetch", "workers"),
    ("prefetch", "secret"),
    # What a claim is like; only who shares it, which decides its name, reaches the pods.
    ("volumes", _ANY, "pvc", "create", "size"),
    ("volumes", _ANY, "pvc", "create", "storageClassName"),
    ("volumes", _ANY, "pvc", "create", "accessModes"),
    ("volumes", _ANY, "pvc", "create", "volumeMode"),
    ("volumes", _ANY, "pvc", "create", "labels"),
    ("volumes", _ANY, "pvc", "create", "annotations"),
    ("volumes", _ANY, "pvc", "create", "keep"),
    # How an image is built, and who may push it; what is in it decides its tag.
    ("code", "build", "builder"),
    ("code", "build", "cache"),
    ("code", "build", "secret"),
    ("code", "build", "provided"),
    ("code", "build", "cpu"),
    ("code", "build", "memory"),
    # How data is cached; which data it is counts.
    *[("volumes", _ANY, "dataset", "create", field) for field in ("quota", "medium", "path", "replicas")],
)
"""Paths below `spec` that are no part of the identity; nothing of `metadata` is."""

AMOUNTS: tuple[_Pattern, ...] = (
    *[(*place, field) for place in ((), ("roles", _ANY)) for field in ("cpu", "memory", "ephemeralStorage")],
    ("resources", _ANY),
    ("roles", _ANY, "resources", _ANY),
    ("sharedMemory",),
    ("schedule", "minResources", _ANY),
    *[(*place, "gpu", *field) for place in ((), ("roles", _ANY)) for field in (("share", "memory"), ("minMemory",))],
    ("volumes", _ANY, "ephemeral", "size"),
    ("volumes", _ANY, "emptyDir", "sizeLimit"),
    ("data", "items", "list", _ANY, "size"),
    ("env", _ANY, "divisor"),
    ("roles", _ANY, "env", _ANY, "divisor"),
    ("initializer", _ANY, "env", _ANY, "divisor"),
    ("initializer", _ANY, "cpu"),
    ("initializer", _ANY, "memory"),
    ("prefetch", "cache", _ANY, "size"),
    ("prefetch", "env", _ANY, "divisor"),
)
"""Quantities: `8`, `8.0` and `8000m` are one amount."""

DEFAULTS: tuple[tuple[_Pattern, Tree], ...] = (
    (("attempt",), 1),
    (("target",), "trainjob"),
    (("rdma",), False),
    (("gpu", "count"), 1),
    (("roles", _ANY, "gpu", "count"), 1),
    (("volumes", _ANY, "readOnly"), False),
    (("volumes", _ANY, "shared"), False),
    (("volumes", _ANY, "mounts", _ANY, "readOnly"), False),
    (("volumes", _ANY, "pvc", "create", "scope"), "family"),
    (("volumes", _ANY, "dataset", "create", "scope"), "family"),
    (("data", "slices", "by"), "contiguous"),
    (("data", "slices", "over"), "nodes"),
    (("data", "slices", "remainder"), "keep"),
    (("data", "slices", "deliver"), "env"),
    (("data", "slices", "within"), "nodes"),
    (("data", "slices", "workers"), 1),
    (("data", "slices", "covering"), True),
    (("data", "shared"), False),
    (("schedule", "networkTopology", "mode"), "hard"),
    (("schedule", "multiKueue"), False),
    (("prefetch", "wait"), True),
    (("checkpoints", "scope"), "run"),
    (("checkpoints", "name"), "step-"),
    (("checkpoints", "marker"), "_SUCCESS"),
    (("checkpoints", "mark"), "program"),
    (("code", "git", "depth"), 1),
    (("code", "git", "submodules"), False),
    (("code", "build", "context"), "configMap"),
)
"""Values that say no more than their absence. The table belongs to the form: a default of the language may change, this not."""

TELLING: tuple[_Pattern, ...] = (
    ("volumes", _ANY, "mounts", _ANY),
    ("prefetch", "cache", _ANY),
    ("volcano", "plugins", _ANY),
)
"""Maps that say something by being there, though nothing is in them. Elsewhere an empty map is as good as none."""

_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
"""The letters of generated Kubernetes names: they make no words and are not taken for each other."""
_SUFFIX = 8
_LONGEST_LABEL = 63


class Identity(NamedTuple):
    """What makes a run the run that it is."""

    digest: str
    """SHA-256 of the canonical form, in hexadecimal."""
    attempt: int = 1
    form: str = FORM

    def __str__(self) -> str:
        return f"{self.form}:{self.digest}"

    def renewed(self, times: int) -> Identity:
        """The identity that names the run after it was renewed so many times on purpose; itself for 0."""
        if times == 0:
            return self
        return self._replace(digest=sha256_hex(f"{self}\nrenewal {times}"))

    def run_name(self, experiment: str, label: str = "", *, fixed: bool = False) -> str:
        """`experiment[-label]-xxxxxxxx`; with `fixed` the attempt from the second on, in place of the eight characters."""
        last = (str(self.attempt) if self.attempt > 1 else "") if fixed else suffix(self.digest)
        return "-".join([part for part in (experiment, label, last) if part])


class Written(NamedTuple):
    """What an experiment says, ready to identify each of its runs; `written` makes one."""

    spec: Tree
    """In long form, without its sweep and tasks."""
    tasks: Mapping[str, Tree]
    names: list[str]
    """Names of the tasks, sorted."""


def written(experiment: Tree) -> Written:
    """The content of `experiment`, a document as it is written, before overlays."""
    spec = long_form(experiment, EXPERIMENT_FORM).get("spec") or {}
    tasks = spec.get("tasks") or {}
    return Written({key: value for key, value in spec.items() if key not in ("sweep", "tasks")}, tasks, sorted(tasks))


def identify(
    experiment: Tree | Written,
    *,
    environment: str | None = None,
    point: Mapping[str, Tree] | None = None,
    task: str = "",
    files: Mapping[str, str] | None = None,
) -> Identity:
    """The identity of one run of `experiment`, a document as it is written, before overlays, or `written` of one.

    `point` maps field paths to the values of a sweep's point, `files` the local files that the
    experiment names to the digests of their content.
    """
    content_of = experiment if isinstance(experiment, Written) else written(experiment)
    point = point or {}
    spec = content_of.spec
    for path, value in point.items():
        steps = parse(path)
        if steps[0] == "spec":
            spec = _merged(spec, steps[1:], long_form(value, form_at(EXPERIMENT_FORM, steps)))
    content = {
        "environment": environment or "",
        "files": dict(files or {}),
        "point": {path: _point_value(path, value) for path, value in point.items()},
        "spec": _canonical(spec, _SPEC, _RULES),
        "task": _task(content_of, spec, task) if task else [],
    }
    return Identity(sha256_hex(f"{FORM}\n{json_text(content)}"), _attempt(spec))


def suffix(digest: str) -> str:
    """Eight characters of the digest that may end any Kubernetes name."""
    number = int(digest, 16)
    letters = []
    for _ in range(_SUFFIX):
        number, position = divmod(number, len(_ALPHABET))
        letters.append(_ALPHABET[position])
    return "".join(letters)


def name_problem(name: str, *, budget: int = _LONGEST_LABEL) -> Diagnostic | None:
    """What keeps `name` from being the name of a run: TJ072 over its budget, TJ073 no RFC 1035 label. Nothing is cut off."""
    budget = min(budget, _LONGEST_LABEL)
    if len(name) > budget:
        return Diagnostic(
            "TJ072",
            ERROR,
            f'run name "{name}" has {len(name)} characters, and what is made from it leaves room for {budget}',
            path=("metadata", "name"),
            hint=f"shorten the name of the experiment, or what its sweep sets, by {len(name) - budget} characters",
            name="run-name-too-long",
        )
    if not (name[:1].isalpha() and name[-1:] != "-" and name.islower() and name.isascii() and name.replace("-", "").isalnum()):
        return Diagnostic(
            "TJ073",
            ERROR,
            f'run name "{name}" is no RFC 1035 label',
            path=("metadata", "name"),
            hint="use lower-case letters, digits and '-', begin with a letter and end with a letter or digit",
            name="run-name-invalid",
        )
    return None


class _Rule:
    """What the tables say about a place, and about those below it."""

    __slots__ = ("amount", "below", "default", "excluded", "telling")

    def __init__(self) -> None:
        self.below: dict[str, _Rule] = {}
        self.amount = False
        self.excluded = False
        self.default: Any = None
        self.telling = False

    def at(self, key: str) -> _Rule:
        return self.below.get(key) or self.below.get(_ANY) or _NO_RULE

    def grown(self, pattern: _Pattern) -> _Rule:
        rule = self
        for key in pattern:
            rule = rule.below.setdefault(key, _Rule())
        return rule


def _rules() -> _Rule:
    root = _Rule()
    for pattern in EXCLUDED:
        root.grown(pattern).excluded = True
    for pattern in AMOUNTS:
        root.grown(pattern).amount = True
    for pattern, value in DEFAULTS:
        root.grown(pattern).default = value
    for pattern in TELLING:
        root.grown(pattern).telling = True
    return root


_NO_RULE = _Rule()
_RULES = _rules()
_SPEC = EXPERIMENT_FORM.fields.get("spec", PLAIN)


def _canonical(tree: Tree, form: Form, rule: _Rule) -> Tree:
    """The tree without what is excluded, default or empty, its amounts as numbers."""
    if form.verbatim:
        return tree
    if tree.__class__ is dict:
        kept = {}
        for key, old in tree.items():
            inner = rule.at(key)
            if old is None or inner.excluded:
                continue
            value = _canonical(old, below(form, key), inner)
            is_default = value.__class__ is inner.default.__class__ and value == inner.default
            if not is_default and (inner.telling or not _says_nothing(key, value, form)):
                kept[key] = value
        return kept
    if tree.__class__ is list:
        return [_canonical(item, below(form, 0), rule.at(_ANY)) for item in tree]
    return _amount(tree) if rule.amount else tree


def _task(content_of: Written, spec: Tree, name: str) -> list[Tree]:
    """A task's name and what it says; and where tasks share the items, the others, on whom its part depends."""
    said = content_of.tasks.get(name)
    over = [get(one, ("data", "slices", "over"), None) for one in (said, spec)]
    others = [content_of.names] if "tasks" in over[: 1 if over[0] is not None else 2] else []
    return [name, _canonical(said, _SPEC, _RULES), *others]


def _says_nothing(key: str, value: Tree, form: Form) -> bool:
    """Whether it is an empty list, or an empty map that is not the chosen one of several, as `emptyDir: {}` is."""
    if value.__class__ is dict:
        return not value and not any(key in group for group in form.alternatives)
    return value.__class__ is list and not value


def _amount(value: Tree) -> Tree:
    """The quantity in billionths; a value that is none stays, for the check of the language to report."""
    if value.__class__ not in (str, int, float):
        return value
    try:
        return {"nanos": quantity.parse(value).nanos}
    except ValueError:
        return value


def _point_value(path: str, value: Tree) -> Tree:
    steps = parse(path)
    form = form_at(EXPERIMENT_FORM, steps)
    rule = _NO_RULE
    if steps[0] == "spec":
        rule = _RULES
        for step in steps[1:]:
            rule = rule.at(str(step))
    return _canonical(long_form(value, form), form, rule)


def _merged(base: Tree, steps: tuple[Any, ...], value: Tree) -> Tree:
    """`base` with `value` merged at `steps`: maps by key, all else replaced."""
    if steps:
        fields = base if base.__class__ is dict else {}
        return {**fields, steps[0]: _merged(fields.get(steps[0]), steps[1:], value)}
    if base.__class__ is dict and value.__class__ is dict:
        return {**base, **{key: _merged(base.get(key), (), item) for key, item in value.items()}}
    return value


def _attempt(spec: Tree) -> int:
    attempt = spec.get("attempt")
    return attempt if attempt.__class__ is int else 1
