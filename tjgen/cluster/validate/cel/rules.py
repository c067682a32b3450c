"""A defaulted tree and its schema -> the CEL rules of the schema that do not hold.

Mirrors k8s.io/apiextensions-apiserver 0.36 `schema/cel/validation.go:Validator.validate`: a rule runs at each place
where its schema node has a value; a rule about the old value runs at an update, if there is one (with `optionalOldSelf`
always, and the old value is an optional one then). `messageExpression` words the error, `fieldPath` moves it below the
rule's own place.
The rules about one object share a budget, and no rule runs after one that exceeds it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.cluster.schema.store import ITEMS, VALUES, Schema
from tjgen.cluster.validate.cel.meter import CANCELLED, EXHAUSTED, Budget, BudgetError, Meter
from tjgen.cluster.validate.cel.program import CelProgram, program
from tjgen.cluster.validate.cel.values import NO_OVERLOAD, NONE, CelError, CostLimitError, of
from tjgen.cluster.validate.fault import DUPLICATE, FORBIDDEN, INVALID, REQUIRED, WHOLE, Fault
from tjgen.cluster.validate.wording import field, shown
from tjgen.trees import regex
from tjgen.trees.diagnostics.model import CompileError, Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.manifests.generated_names import generated
from tjgen.trees.typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from tjgen.cluster.validate.update.pair import ObjectPair


class RulePlan(NamedTuple):
    """The part of a schema that has rules: those of a node, and of what is below it."""

    schema: Schema
    rules: tuple[dict[str, Any], ...]
    properties: dict[str, RulePlan]
    values: RulePlan | None
    items: RulePlan | None


_STEP = regex.compile(r"\.?([\w-]+)|\['([^']*)'\]")
Ruled = dict[str, Any]
"""The paths of the rules in a schema: the steps to each, a property by its name, ITEMS or VALUES."""

_plans: dict[int, tuple[Schema, RulePlan | None]] = {}


def plan(schema: Schema) -> RulePlan | None:
    """Return the rules of a schema; None if it has none. Compiled once for each schema, which stays in memory."""
    known = _plans.get(id(schema))
    if known is None:
        # The files of schemas/ list the paths of their rules: a search takes longer than the rest of a check.
        where = schema.get("x-tjgen-rules") if "x-tjgen-resource" in schema else _ruled(schema)
        known = _plans[id(schema)] = (schema, None if where is None else _plan(schema, where))
    return known[1]


def _ruled(schema: Schema) -> Ruled | None:
    from tjgen.cluster.schema.definition import ruled  # only for schemas without a file

    return ruled(schema)


def _plan(schema: Schema, where: Ruled) -> RulePlan:
    named = {name: below for name, below in where.items() if name not in (VALUES, ITEMS)}
    properties = {name: _plan(schema["properties"][name], below) for name, below in named.items()}
    values = _plan(schema["additionalProperties"], where[VALUES]) if VALUES in where else None
    items = _plan(schema["items"], where[ITEMS]) if ITEMS in where else None
    return RulePlan(schema, tuple(schema.get("x-kubernetes-validations", ())), properties, values, items)


def faults(tree: dict[str, Tree], schema: Schema, pair: ObjectPair | None = None) -> Iterator[Fault]:
    """The rules that `tree` breaks, whose structure is known to be right; at an update `pair` has the old object."""
    root = plan(schema)
    if root is not None:
        metadata = tree.get("metadata") or {}
        # Rules see two fields of the metadata, and a name that has been generated.
        seen = {key: metadata[key] for key in ("name", "generateName") if metadata.get(key)}
        if seen:
            seen["name"] = generated(metadata)
        before = None
        if pair is not None:
            stored_metadata = pair.old["metadata"]
            before = {
                **pair.old,
                "metadata": {key: stored_metadata[key] for key in ("name", "generateName") if stored_metadata.get(key)},
            }
        at_root = _NOTHING if pair is None else _Before(before, pair)
        try:
            yield from _faults({**tree, "metadata": seen}, root, (), _Run(schema, Budget()), at_root)
        except _EndOfRulesError as end:
            yield end.fault


class _EndOfRulesError(Exception):
    """A rule costs more than the server evaluates, so that no further one runs."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault


class _Run(NamedTuple):
    """The evaluation of all rules about one object."""

    root: Schema
    budget: Budget


class _Before(NamedTuple):
    """The previous value: rules compare with it, and it shows whether anything changed."""

    old: Tree = None
    pair: ObjectPair | None = None
    around: ObjectPair | None = None
    """The nearest pair around a value that has none of its own."""

    @property
    def is_unchanged(self) -> bool:
        """`shouldRatchetError`."""
        nearest = self.pair or self.around
        return nearest is not None and nearest.is_unchanged

    def below(self, step: str | int, old: Tree) -> _Before:
        """The same of a field or an element."""
        return _Before(old, self.pair.below(step), self.pair) if self.pair is not None else self._replace(old=old)


_NOTHING = _Before()


def _faults(value: Tree, plan: RulePlan, path: FieldPath, run: _Run, before: _Before) -> Iterator[Fault]:
    if value is None:
        return
    for rule in plan.rules:
        fault = _broken(value, rule, plan.schema, path, run, before)
        if fault is not None:
            yield fault
    is_new = before is _NOTHING
    if value.__class__ is list:
        if plan.items is not None:
            olds: Sequence[Tree] = () if is_new else _twins(value, before.old, plan.schema)
            for position, item in enumerate(value):
                below = _NOTHING if is_new else before.below(position, olds[position])
                yield from _faults(item, plan.items, (*path, position), run, below)
    elif value.__class__ is dict:
        old = before.old if before.old.__class__ is dict else {}
        for name, plan_below in plan.properties.items():
            if name in value:
                below = _NOTHING if is_new else before.below(name, old.get(name))
                yield from _faults(value[name], plan_below, (*path, name), run, below)
        if plan.values is not None:
            for key, item in value.items():
                below = _NOTHING if is_new else before.below(key, old.get(key))
                yield from _faults(item, plan.values, (*path, key), run, below)


def _twins(items: list[Tree], old: Tree, schema: Schema) -> Sequence[Tree]:
    """The old element for each; only the elements of map lists have one."""
    from tjgen.cluster.validate.update.pair import key_of, keyed

    known = keyed(old, schema) if old.__class__ is list else {}
    keys = [key_of(item, schema) for item in items]
    return [known.get(key) if key is not None else None for key in keys]


def _program(text: str) -> CelProgram:
    """The program of a rule; raises CompileError for one that another release of tjgen has imported."""
    try:
        return program(text)
    except SyntaxError as problem:
        hint = "import the schemas again with this release"
        message = f"an imported rule is not understood ({problem}): {text.strip()}"
        raise CompileError([Diagnostic("TJ524", message, hint=hint)]) from None


def _broken(value: Tree, rule: dict[str, Any], schema: Schema, path: FieldPath, run: _Run, before: _Before) -> Fault | None:
    runnable = _program(rule["rule"])
    is_optional = bool(rule.get("optionalOldSelf"))
    if runnable.is_transition and before.old is None and not is_optional:
        return None
    path = (*path, *_below(rule.get("fieldPath", "")))
    name = field(path, run.root) or WHOLE
    message = rule.get("message", "").strip()
    about = message or rule["rule"].strip()
    kind = f"Invalid value: {shown(schema.get('type', ''))}: "
    meter = Meter()
    try:
        sides = _sides(runnable, value, before, schema, is_optional=is_optional)
        error, is_met = None, runnable.holds(*sides, meter)
    except CelError as raised:
        error, is_met = raised, False
    except CostLimitError:
        words = f"'{CANCELLED}': no further validation rules will be run due to call cost exceeds limit for rule: {about}"
        raise _EndOfRulesError(Fault(INVALID, name, kind + words, path)) from None
    try:
        run.budget.take(meter.cost)
    except BudgetError:
        raise _EndOfRulesError(Fault(INVALID, name, kind + EXHAUSTED, path)) from None
    if is_met:
        return None
    if error is not None:
        return Fault(INVALID, name, kind + _of_error(error, about), path)
    if not runnable.is_transition and before.is_unchanged:
        return None
    words = _worded(rule, sides) or message or f"failed rule: {rule['rule'].strip()}"
    return _of_reason(rule.get("reason", INVALID), name, value, words, path)


def _of_error(error: CelError, about: str) -> str:
    if str(error) == NO_OVERLOAD:
        return f"'{error}': call arguments did not match a supported operator, function or macro signature for rule: {about}"
    return f"{error} evaluating rule: {about}"


def _sides(runnable: CelProgram, value: Tree, before: _Before, schema: Schema, *, is_optional: bool) -> tuple[Any, Any]:
    """`self` and `oldSelf` as the rule sees them."""
    if before is _NOTHING:
        return value, _maybe(None) if is_optional else None
    from tjgen.cluster.validate.cel.seen import in_order, seen

    if not runnable.is_transition:
        return seen(value, schema), None
    new = seen(in_order(value, schema, is_left=True), schema)
    if is_optional:
        return new, _maybe(None if before.old is None else seen(in_order(before.old, schema), schema))
    return new, seen(in_order(before.old, schema), schema)


def _maybe(old: Any) -> Any:
    return NONE if old is None else of(old)


def _worded(rule: dict[str, Any], sides: tuple[Any, Any]) -> str:
    """Return the result of `messageExpression`; "" if the server would reject it: it accepts one line of text."""
    text = rule.get("messageExpression", "")
    if not text:
        return ""
    try:
        message = _program(text).run(*sides)
    except (CelError, CostLimitError):
        return ""
    line = message.strip() if message.__class__ is str else ""
    return "" if "\n" in line else line


def _below(place: str) -> FieldPath:
    """The steps of a rule's `fieldPath`, such as `.spec.ports['http']`."""
    steps = _STEP.findall(place) if place else ()
    return tuple([plain or quoted for plain, quoted in steps])


def _of_reason(reason: str, name: str, value: Tree, message: str, path: FieldPath) -> Fault:
    if reason == FORBIDDEN:
        return Fault(reason, name, f"Forbidden: {message}", path)
    if reason == REQUIRED:
        return Fault(reason, name, f"Required value: {message}", path)
    if reason == DUPLICATE:
        return Fault(reason, name, f"Duplicate value: {shown(value)}", path)
    # The value of an object or list is left out.
    where = "" if value.__class__ in (dict, list) else f"{shown(value)}: "
    return Fault(INVALID, name, f"Invalid value: {where}{message}", path)
