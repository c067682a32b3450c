"""An experiment as it is written, and a point of its sweep -> the identity of a run, and its name.

The identity covers the settings of the user of the experiment that reach parts of objects that cannot
be changed in place: with it the name changes, and the run is trained again. It does not cover changes of
overlays, platforms, the catalog or tjgen itself, so that none of those restarts anything;
such changes do not apply to a locked run (see `freeze`).

Form v1: the `spec` in long form without excluded fields, with amounts as numbers and without values that equal the default of
their field, together with the environment, the point, the task and the digests of local files that the experiment names; as
JSON with sorted keys and no spaces, in ASCII; SHA-256 of that. `tjgen/language/spec/models` marks what each field means. At first
the form left out fewer defaults, then too many (earlier.py, blocks.py): a run that has such a digest in a lock keeps it, so no
release renames a run. That digest is computed only for a run whose newest digest is not in the lock.
Once released, the same input has the same identity: any other change of the rules needs another form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tjgen.language.runs.names import suffix
from tjgen.language.spec import identity as rules
from tjgen.language.spec.compact import EXPERIMENT_FORM
from tjgen.language.spec.forms import PLAIN, Form, below, form_at, long_form
from tjgen.language.spec.identity import AMOUNT, COUNTS, EXCLUDED, PRESENT, Rule
from tjgen.trees.canonical import json_text, sha256_hex
from tjgen.trees.fields.path import Tree, get, parse
from tjgen.trees.k8s import quantity
from tjgen.trees.typing import Any, NamedTuple

FORM = "v1"

_ANY = "*"
_BOUNDS = ("request", "limit")


class Identity(NamedTuple):
    """The identity of a run."""

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
        """`experiment[-label]-xxxxxxxx`; with `fixed` the attempt from the second on, instead of the eight characters."""
        last = (str(self.attempt) if self.attempt > 1 else "") if fixed else suffix(self.digest)
        return "-".join([part for part in (experiment, label, last) if part])


class Written(NamedTuple):
    """The content of an experiment, from which `run_content` identifies each of its runs; `written` makes one."""

    spec: Tree
    """In long form, without its sweep and tasks."""
    tasks: Mapping[str, Tree]
    names: list[str]
    """Names of the tasks, sorted."""

    def with_values(self, values: Mapping[str, Tree]) -> Written:
        """The same content with `values`, by field path."""
        spec = self.spec
        for path, value in values.items():
            steps = parse(path)
            if steps[0] == "spec":
                spec = _merged(spec, steps[1:], long_form(value, form_at(EXPERIMENT_FORM, steps)))
        return self._replace(spec=spec)


def written(experiment: Tree) -> Written:
    """The content of `experiment`, a document as it is written, before overlays."""
    spec = long_form(experiment, EXPERIMENT_FORM).get("spec") or {}
    tasks = spec.get("tasks") or {}
    return Written({key: value for key, value in spec.items() if key not in ("sweep", "tasks")}, tasks, sorted(tasks))


def run_content(
    experiment: Tree | Written,
    *,
    environment: str | None = None,
    point: Mapping[str, Tree] | None = None,
    task: str = "",
    files: Mapping[str, str] | None = None,
) -> RunContent:
    """Everything that identifies one run of `experiment`, a document as it is written, before overlays, or `written` of one.

    `point` maps field paths to the values of a sweep's point, `files` the local files that the experiment names to the
    digests of their content.
    """
    content_of = experiment if isinstance(experiment, Written) else written(experiment)
    point = point or {}
    return RunContent(environment or "", dict(files or {}), point, content_of.with_values(point).spec, content_of, task)


def identity_of(canonical: str, attempt: int) -> Identity:
    """The identity of the run with this canonical form (see `RunContent.canonical`) as JSON."""
    return Identity(sha256_hex(f"{FORM}\n{canonical}"), attempt)


_NO_RULE: Rule = (COUNTS, None, {})
_BUNDLED = ("tjgen-", "tjgen.")
"""What the names of the runtimes of tjgen begin with."""
_RUNTIME = ("runtime", "name")
_OF_BUNDLED_RUNTIME: Rule = (*rules.SPEC[:2], {**rules.SPEC[2], "nodes": (COUNTS, 1, {})})
"""The rules for such a runtime: all of them have one node by default. The first locks also counted a written 1."""
_SPEC = EXPERIMENT_FORM.fields.get("spec", PLAIN)


class RunContent(NamedTuple):
    """Everything that identifies a run, with `spec` in long form; `run_content` makes one."""

    environment: str
    files: dict[str, str]
    point: Mapping[str, Tree]
    spec: Tree
    content_of: Written
    task: str

    def identity(self) -> Identity:
        """The identity of the run, by the newest rules."""
        return identity_of(json_text(self.canonical()), _attempt(self.spec))

    def earlier_identities(self) -> Iterator[Identity]:
        """Yield the identities by earlier rules, by which an older lock may have the run; the newest of them first."""
        from tjgen.language.runs.earlier import rules_before  # few locks are that old

        for rule, keeps_overrides in rules_before(self.has_bundled_runtime()):
            yield identity_of(json_text(self.canonical(rule, keeps_overrides=keeps_overrides)), _attempt(self.spec))

    def has_bundled_runtime(self) -> bool:
        """Whether the run uses a runtime of tjgen, as the experiment and its task are written."""
        of_task = get(self.content_of.tasks, (self.task, *_RUNTIME), None) if self.task else None
        name = of_task or get(self.spec, _RUNTIME, None)
        return name.__class__ is str and name.startswith(_BUNDLED)

    def canonical(self, rule: Rule | None = None, *, keeps_overrides: bool = True) -> Tree:
        """The canonical form by some rules, or the newest ones; a task `keeps_overrides` if it keeps defaults that override."""
        if rule is None:
            rule = _OF_BUNDLED_RUNTIME if self.has_bundled_runtime() else rules.SPEC
        overridden = self.spec if keeps_overrides else None
        return {
            "environment": self.environment,
            "files": self.files,
            "point": {path: _point_value(path, value, rule) for path, value in self.point.items()},
            "spec": _canonical(self.spec, _SPEC, rule),
            "task": _task(self.content_of, self.spec, self.task, rule, overridden) if self.task else [],
        }


def _canonical(tree: Tree, form: Form, rule: Rule, overridden: Tree = None) -> Tree:
    """The tree without what is excluded, default or empty, its amounts as numbers. A default that overrides a value stays."""
    if form.verbatim:
        return tree
    part, _, rules = rule
    if part == AMOUNT:
        return _amount(tree)
    if tree.__class__ is dict:
        former = overridden if overridden.__class__ is dict else {}
        kept = {}
        for key, old in tree.items():
            inner = rules.get(key) or rules.get(_ANY) or _NO_RULE
            if old is None or inner[0] == EXCLUDED:
                continue
            before = former.get(key)
            value = _canonical(old, below(form, key), inner, before)
            if _is_default(value, inner) and (before is None or _is_default(_canonical(before, below(form, key), inner), inner)):
                continue
            if inner[0] == PRESENT or not _has_no_effect(key, value, form):
                kept[key] = value
        return kept
    if tree.__class__ is list:
        each = rules.get(_ANY) or _NO_RULE
        return [_canonical(item, below(form, 0), each) for item in tree]
    return tree


def _is_default(value: Tree, rule: Rule) -> bool:
    """Whether a canonical value means the same as its absence."""
    default = _amount(rule[1]) if rule[0] == AMOUNT else rule[1]
    return default is not None and value.__class__ is default.__class__ and value == default


def _task(content_of: Written, spec: Tree, name: str, rule: Rule, overridden: Tree) -> list[Tree]:
    """A task's name and fields; and the names of the others if tasks share the items, since its part depends on them."""
    task = content_of.tasks.get(name)
    others = [content_of.names] if _shares_items(task, spec) else []
    return [name, _canonical(task, _SPEC, rule, overridden), *others]


def _shares_items(task: Tree, spec: Tree) -> bool:
    """Whether the slices of a data set are over tasks, where a task's own value overrides that of the experiment."""
    known = [get(one, ("data", "sets"), None) for one in (task, spec)]
    sets = {name for one in known if one.__class__ is dict for name in one}
    for path in (("data",), *[("data", "sets", name) for name in sets]):
        over = [get(one, (*path, "slices", "over"), None) for one in (task, spec)]
        if "tasks" in over[: 1 if over[0] is not None else 2]:
            return True
    return False


def _has_no_effect(key: str, value: Tree, form: Form) -> bool:
    """Whether it is an empty list, or an empty map that is not the chosen one of several, as `emptyDir: {}` is."""
    if value.__class__ is dict:
        return not value and not any(key in group for group in form.alternatives)
    return value.__class__ is list and not value


def _amount(value: Tree) -> Tree:
    """The quantity in billionths; of a request and a limit, both, or one if they are equal.

    A value that is not a quantity stays, for the check of the language to report.
    """
    if value.__class__ is dict:
        bounds = {key: _amount(one) for key, one in value.items() if one is not None}
        equal = len(bounds) == len(_BOUNDS) and bounds.get(_BOUNDS[0]) == bounds.get(_BOUNDS[1])
        return bounds[_BOUNDS[0]] if equal else bounds
    if value.__class__ not in (str, int, float):
        return value
    try:
        return {"nanos": quantity.parse(value).nanos}
    except ValueError:
        return value


def _point_value(path: str, value: Tree, rule: Rule) -> Tree:
    steps = parse(path)
    form = form_at(EXPERIMENT_FORM, steps)
    inner = rule if steps[0] == "spec" else _NO_RULE
    for step in steps[1:] if steps[0] == "spec" else ():
        inner = inner[2].get(str(step)) or inner[2].get(_ANY) or _NO_RULE
    return _canonical(long_form(value, form), form, inner)


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
