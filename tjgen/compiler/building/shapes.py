"""A run to compile -> its shape, and the texts in which runs of one shape differ.

Runs of one shape have the same fields, the same runtime and the same place. They differ in opaque texts: `OPAQUE` names
the fields whose text goes into objects unchanged, and its form. No pass, check or schema reads more of such a text than its form.
A text that also is a constant of the runtime, the platform or the project is part of the shape, because passes compare the two.
`tests/compiler/building/test_stamps.py` compares runs that are stamped with the same runs compiled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.compiler.checks.references import INJECTED
from tjgen.compiler.hops.draft import Job
from tjgen.language.platform.images import ENV_IMAGES
from tjgen.language.spec.compact import EXPERIMENT_FORM
from tjgen.language.spec.forms import PLAIN, Form, below, text
from tjgen.language.spec.opaque import IMAGE, LABEL, OPAQUE, SIZE, TEXT, WORDS
from tjgen.trees import regex
from tjgen.trees.diagnostics import tokens
from tjgen.trees.diagnostics.suspected import has_password, is_suspicious
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.typing import Any, NamedTuple

FIELDS = frozenset(
    ("args", "attempt", "checkpoints", "cleanup", "command", "cpu", "deadline", "elastic", "env", "envFrom", "ephemeralStorage",
     "gpu", "image", "imagePullSecrets", "launcher", "memory", "nodes", "onSupersede", "pod", "procsPerNode", "rdma", "resources",
     "restart", "runtime", "schedule", "script", "serviceAccountName", "sharedMemory", "success", "sweep", "volumes",
     "workingDir")
)  # fmt: skip
"""Fields of `spec` that runs with a shape can have. Passes of the others read texts, sizes or files."""
SWEEP = "sweep"
"""The field that is not part of a shape: it is as long as there are points. `Stamps` numbers sweeps."""
_MEASURING = "checkpoints"
"""The field whose pass reads the sizes of claims."""
_SELECTORS = ("'labelSelector'", "'matchLabels'", "'matchExpressions'")
"""Fields that compare labels of the same run."""
_OF_RUN = "'scope': 'run'"
"""A claim with the name of the run: the order of claims depends on that name."""
_TUNE = "tune"
"""The program whose arguments the webhook of Trainer reads."""
_READ = {*INJECTED, *ENV_IMAGES}
"""Variables whose value is read, or compared with that of a controller."""
_NAME = regex.compile(r"[a-z](?:-?[a-z0-9])+")
_SHORTEST = 3
_LONGEST = 100
"""Characters of a name and of a text."""
_LARGEST = 1 << 15
"""Characters of an experiment: the objects of a larger one may reach a limit of their size."""
_STEP = 8
"""Names are compared by their length in steps: the limit of a name holds for shorter ones too."""
_STRING = regex.compile(r"'([^']*)'")
_NUMBER = regex.compile(r"((?:(?<=[ =])|\A)-?[0-9]{1,12}(?:\.[0-9]{1,12})?(?:[eE]-?[0-9]{1,3})?(?=[ ]|\Z))")
_TAG, _AMOUNT, UNIT = "[A-Za-z0-9_][A-Za-z0-9_.-]{0,60}", "[1-9][0-9]{0,5}", "[KMGT]i?"
"""Opaque pieces of images and sizes, and the unit after that of a size."""
_TAGGED = regex.compile(rf"[^\s$@:]+(?::[0-9]+/[^\s$@:]+)?:(?P<opaque>{_TAG})")
_SIZED = regex.compile(f"(?P<opaque>{_AMOUNT}){UNIT}")
_LABEL = regex.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,40}[A-Za-z0-9])?")
_UNTAGGED = "latest"
NAME = "name"
"""The form of the name of an experiment, in addition to those of `OPAQUE`."""
_OF_EXPERIMENT: FieldPath = ("metadata", "name")


class RunShape(NamedTuple):
    """What runs have in common (`key`), and their texts: the name of the experiment, that of the run, and the opaque ones."""

    key: str
    texts: list[str]


class Constants(NamedTuple):
    """What passes read in addition to the experiment: all of it as one text, and its strings."""

    text: str
    strings: frozenset[str]


def constants_of(job: Job) -> Constants:
    """The constants of a job. Jobs with the same runtime in the same environment have the same."""
    setting, sources = job.setting, job.sources
    documents = [document.value for document in (sources.platform, sources.project) if document is not None]
    trees = [job.runtime.tree, documents, setting.labels, setting.rewrite, setting.launcher, dict(setting.helpers)]
    whole = repr((trees, setting.classes))
    return Constants(whole, frozenset([*_texts(trees), *_STRING.findall(repr(setting.classes))]))


def shape_of(job: Job, constants: Constants) -> RunShape | None:
    """The shape of a run; None if a pass may read its texts."""
    setting, tree = job.setting, job.sources.experiment.value
    spec, metadata = tree["spec"], tree["metadata"]
    if job.is_record or job.is_resumed or setting.task or setting.storage != setting.family or not spec.keys() <= FIELDS:
        return None
    if setting.policies is not None or setting.digest is not None or setting.demands or _starts_tune(spec):
        return None
    family, run = setting.family, setting.run
    rest = run[len(family) + 1 :]
    if len(family) < _SHORTEST or not _NAME.fullmatch(run) or run != f"{family}-{rest}":
        return None
    parts = [setting.environment or "", setting.namespace, f"{_steps(family)} {_steps(rest)}"]
    texts = [family, run]
    _collect({key: value for key, value in metadata.items() if key != "name"}, OPAQUE["metadata"], constants, parts, texts)
    _collect({key: value for key, value in spec.items() if key != SWEEP}, _rules(spec), constants, parts, texts)
    key = "\n".join(parts)
    if len(key) + sum(map(len, texts)) > _LARGEST:
        return None
    if family in key or family in constants.text or _OF_RUN in key or any(one in key for one in _SELECTORS):
        return None
    return None if _discloses(texts) else RunShape(key, texts)


def marks_of(shape: RunShape) -> list[str]:
    """Texts of the same forms that occur nowhere else, with names that are as long as any in the shape."""
    family, run, *others = shape.texts
    name = f"mq{'q' * _STEP * _steps(family)}z"
    rest = "r" * _STEP * _steps(run[len(family) + 1 :])
    return [name, f"{name}-{rest}", *[f"7{position:04}9" for position in range(len(others))]]


def with_texts(tree: Tree, constants: Constants, texts: list[str]) -> Tree:
    """An experiment with its texts replaced by others, in the order of its shape."""
    others = iter(texts[2:])
    metadata = _replaced(tree["metadata"], OPAQUE["metadata"], constants, others)
    return {
        **tree,
        "metadata": {**metadata, "name": texts[0]},
        "spec": _replaced(tree["spec"], _rules(tree["spec"]), constants, others),
    }


def opaque_scalars(experiment: Tree) -> Iterator[tuple[FieldPath, str, Tree]]:
    """Path, form and value of the scalars with opaque texts in a document as it is written, short forms included."""
    yield _OF_EXPERIMENT, NAME, experiment["metadata"]["name"]
    for key, rules in (("metadata", OPAQUE["metadata"]), ("spec", _rules(experiment["spec"]))):
        if experiment[key].__class__ is dict:
            yield from _opaque_scalars(experiment[key], rules, EXPERIMENT_FORM.fields.get(key, PLAIN), (key,))


def opaque_pieces(value: str, form: str) -> list[str]:
    """The text in pieces, every second of them opaque; one piece if none is."""
    pieces = ["", value, ""] if form == NAME and _NAME.fullmatch(value) else _split(value, form)
    return pieces if pieces is not None else [value]


def is_opaque(piece: str, form: str, constants: Constants) -> bool:
    """Whether a text can replace an opaque piece of a text of a form."""
    if piece in constants.strings:
        return False
    if form == WORDS:
        return _NUMBER.fullmatch(piece) is not None
    if form == IMAGE:
        return regex.fullmatch(_TAG, piece) is not None and piece != _UNTAGGED and f":{piece}" not in constants.text
    if form == SIZE:
        return regex.fullmatch(_AMOUNT, piece) is not None
    return len(opaque_pieces(piece, form)) > 1


def has_texts(shape: RunShape, texts: Sequence[str], constants: Constants) -> bool:
    """Whether a run of the shape can have other texts, each of which `is_opaque`. The name of the run is not looked at."""
    family, key = texts[0], shape.key
    return (
        len(family) >= _SHORTEST
        and _steps(family) == _steps(shape.texts[0])
        and family not in key
        and family not in constants.text
        and len(key) + sum(map(len, texts)) <= _LARGEST
        and not _discloses(texts)
    )


def _discloses(texts: Sequence[str]) -> bool:
    """Whether one of the texts may hold a secret, which is reported with its value (TJ109)."""
    text = "\n".join(texts)
    return next(tokens.find(text), None) is not None or has_password(text)


def _opaque_scalars(tree: Tree, rules: dict[str, Any], form: Form, path: FieldPath) -> Iterator[tuple[FieldPath, str, Tree]]:
    for key, value in tree.items() if tree.__class__ is dict else enumerate(tree):
        rule, inner = _rule(rules, key), below(form, key)
        if rule.__class__ is dict and value.__class__ not in (dict, list) and len(inner.short) == 1:
            rule = rule.get(inner.short[0][0])  # the short form of a mapping
        if rule.__class__ is dict and value.__class__ in (dict, list):
            yield from _opaque_scalars(value, rule, inner, (*path, key))
        elif rule.__class__ is str:
            yield (*path, key), rule, value


def _texts(tree: Any) -> Iterator[str]:
    """The keys and the strings of a tree."""
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, dict):
        for key, value in tree.items():
            yield str(key)
            yield from _texts(value)
    elif isinstance(tree, list | tuple):
        for item in tree:
            yield from _texts(item)


def _collect(tree: Tree, rules: dict[str, Any], constants: Constants, parts: list[str], texts: list[str]) -> None:
    """Add what is below a map or list: opaque texts to `texts`, all else to `parts`."""
    is_map = tree.__class__ is dict
    parts.append("{" if is_map else "[")
    for key, value in tree.items() if is_map else enumerate(tree):
        rule = _rule(rules, key)
        if rule.__class__ is dict and value.__class__ in (dict, list):
            parts.append(f"{key!r}")
            _collect(value, rule, constants, parts, texts)
        elif rule.__class__ is str and (pieces := _pieces(value, rule, constants)) is not None:
            parts.append(f"{key!r}: {pieces[::2]}")
            texts += pieces[1::2]
        else:
            parts.append(f"{key!r}: {value!r}")
    parts.append("}")


def _replaced(tree: Tree, rules: dict[str, Any], constants: Constants, others: Iterator[str]) -> Tree:
    def changed(key: Any, value: Tree) -> Tree:
        rule = _rule(rules, key)
        if rule.__class__ is dict and value.__class__ in (dict, list):
            return _replaced(value, rule, constants, others)
        pieces = _pieces(value, rule, constants) if rule.__class__ is str else None
        if pieces is None:
            return value
        return "".join([next(others) if place % 2 else piece for place, piece in enumerate(pieces)])

    if tree.__class__ is dict:
        return {key: changed(key, value) for key, value in tree.items()}
    return [changed(place, value) for place, value in enumerate(tree)]


def _rules(spec: Tree) -> dict[str, Any]:
    rules: dict[str, Any] = OPAQUE["spec"]
    return {**rules, "volumes": {}} if _MEASURING in spec else rules


def _rule(rules: dict[str, Any], key: Any) -> Any:
    """The rule of an entry; None for the name of a label or variable that means something to a controller or to a check."""
    rule = rules.get(key)
    if rule is not None or key in _READ or "*" not in rules:
        return rule
    return rules["*"] if key.__class__ is int or ("/" not in key and not is_suspicious(key)) else None


def _pieces(value: Tree, kind: str, constants: Constants) -> list[str] | None:
    """The text in pieces, every second of them opaque; None if it has no opaque piece, or one that is a constant."""
    if kind == TEXT and value.__class__ in (int, float):
        value = text(value)
    if value.__class__ is not str:
        return None
    pieces = _split(value, kind)
    if pieces is None or len(pieces) == 1 or not constants.strings.isdisjoint(pieces[1::2]):
        return None
    # A rule that rewrites images may name one with its tag.
    return None if kind == IMAGE and f":{pieces[1]}" in constants.text else pieces


def _split(value: str, kind: str) -> list[str] | None:
    if kind == WORDS:
        return _NUMBER.split(value) if "\n" not in value and "$" not in value else None
    if kind == TEXT:
        is_plain = 0 < len(value) <= _LONGEST and value.isascii() and value.isprintable() and "$" not in value
        return ["", value, ""] if is_plain and value.strip() == value else None
    if kind == LABEL:
        return ["", value, ""] if _LABEL.fullmatch(value) else None
    match = (_TAGGED if kind == IMAGE else _SIZED).fullmatch(value)
    if match is None or match["opaque"] == _UNTAGGED:
        return None
    return [value[: match.start("opaque")], match["opaque"], value[match.end("opaque") :]]


def _starts_tune(spec: Tree) -> bool:
    words = [*(spec.get("command") or ()), *(spec.get("script") or "").split(None, 1)[:1]]
    return words[:1] == [_TUNE]


def longest_name(name: str) -> int:
    """Length of the longest names of the shape that a name belongs to."""
    return _STEP * _steps(name)


def _steps(name: str) -> int:
    return -(-len(name) // _STEP)
