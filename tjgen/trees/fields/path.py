"""Field paths: the position of a value in a tree, as a tuple of steps.

A step is a mapping key (`str`), a list index (`int`), or, for an element of a list that is keyed, a
selector: the element's key fields and their values, `(("name", "node"),)`. Selectors survive
insertion and reordering, so everything that is stored for longer than one function uses them.
"""

from __future__ import annotations

from tjgen.trees import regex
from tjgen.trees.typing import Any, TypeAlias

Tree: TypeAlias = Any
"""A plain YAML value: dict with string keys, list, str, int, float, bool or None."""

Selector: TypeAlias = tuple[tuple[str, Any], ...]
Step: TypeAlias = "str | int | Selector"
FieldPath: TypeAlias = tuple[Step, ...]

# Patterns are compiled when they are first used: most builds neither print a path nor read one.
_SIMPLE_KEY = r"[A-Za-z0-9_-]+\Z"
_TOKEN = r"""(?x)\.?(?:
        (?P<key>[A-Za-z0-9_$-]+)
        | \["(?P<quoted>[^"]*)"\]
        | \['(?P<single>[^']*)'\]
        | \[(?P<index>\d+)\]
        | \[(?P<selector>[^\]=]+=[^\]]*)\]
    )"""


class Missing:
    """The type of MISSING: what `get` answers where a tree has nothing (None is a YAML null)."""

    def __bool__(self) -> bool:
        return False


MISSING = Missing()


def selector(**fields: Any) -> Selector:
    """The step to the element of a keyed list: `selector(name="node")`."""
    return tuple(fields.items())


def named(name: str) -> Selector:
    """The step to the element of a list that is keyed by `name`."""
    return (("name", name),)


def get(tree: Tree, path: FieldPath, default: Any = MISSING) -> Any:
    """The value at `path`, or `default` where the tree does not have it."""
    for step in path:
        if step.__class__ is str:
            if tree.__class__ is not dict or step not in tree:
                return default
            tree = tree[step]
        elif step.__class__ is tuple:
            if tree.__class__ is not list:
                return default
            position = index_of(tree, step)
            if position < 0:
                return default
            tree = tree[position]
        else:
            if step.__class__ is not int or tree.__class__ is not list or not 0 <= step < len(tree):
                return default
            tree = tree[step]
    return tree


def mapping_at(tree: Tree, path: FieldPath) -> dict[str, Any]:
    """The mapping at `path`; an empty one where the tree has none, or something else, there.

    For trees that nothing has checked yet, such as hand-written manifests. The same holds for the other functions `..._at`.
    """
    value = get(tree, path)
    return value if value.__class__ is dict else {}


def list_at(tree: Tree, path: FieldPath) -> list[Any]:
    """The list at `path`; an empty one if there is none."""
    value = get(tree, path)
    return value if value.__class__ is list else []


def mappings_at(tree: Tree, path: FieldPath) -> list[dict[str, Any]]:
    """The items of the list at `path` that are mappings."""
    return [item for item in list_at(tree, path) if item.__class__ is dict]


def text_at(tree: Tree, path: FieldPath) -> str:
    """The string at `path`; "" if there is none."""
    value = get(tree, path)
    return value if value.__class__ is str else ""


def with_value(tree: Tree, path: FieldPath, value: Tree) -> Any:
    """A copy of `tree` with `value` at `path`, which shares the other parts with `tree`.

    The steps are keys and positions. A mapping that is missing, or null, is added; a position must exist.
    """
    if not path:
        return value
    step, rest = path[0], path[1:]
    if step.__class__ is int:
        return [with_value(item, rest, value) if position == step else item for position, item in enumerate(tree)]
    tree = tree or {}
    return {**tree, step: with_value(tree.get(step), rest, value) if rest else value}


def without(tree: Tree, path: FieldPath) -> Any:
    """A copy of `tree` without the entry of a mapping at `path`; `tree` itself if it does not have the entry."""
    above = get(tree, path[:-1], None)
    if above.__class__ is not dict or path[-1] not in above:
        return tree
    return with_value(tree, path[:-1], {key: value for key, value in above.items() if key != path[-1]})


def index_of(items: list[Tree], wanted: Selector) -> int:
    """The position of the first element that has all fields of `wanted`, or -1."""
    if len(items) > _LONG:
        position = _remembered(items, wanted)
        if position >= 0:
            return position
    if len(wanted) == 1:
        (name, one) = wanted[0]
        for position, item in enumerate(items):
            if item.__class__ is dict and name in item and item[name] == one:
                return position
        return -1
    for position, item in enumerate(items):
        if item.__class__ is dict and _has(item, wanted):
            return position
    return -1


_LONG = 64
"""More elements than this are worth an index."""
_MOST_REMEMBERED = 16
_indexes: dict[int, tuple[list[Tree], dict[tuple[str, ...], dict[Selector, int]]]] = {}
"""Identity of a long list -> the list, which keeps the identity its own, and by names of fields the position of each element."""


def _remembered(items: list[Tree], wanted: Selector) -> int:
    """The position by the index of a long list; -1 where the index does not have it.

    Who looks for one element of a list often looks for the others next. A list that has changed since is not a danger: an
    element that is found is looked at, and for one that is not found the caller looks at all.
    """
    known = _indexes.get(id(items))
    if known is None:
        if len(_indexes) >= _MOST_REMEMBERED:
            _indexes.clear()
        known = _indexes[id(items)] = (items, {})
    names = tuple([name for name, _ in wanted])
    index = known[1].get(names)
    if index is None:
        index = known[1][names] = index_by(items, names)
    try:
        position = index.get(wanted, -1)
    except TypeError:  # a list or a map is the key
        return -1
    return position if 0 <= position < len(items) and _has(items[position], wanted) else -1


def index_by(items: list[Tree], names: tuple[str, ...]) -> dict[Selector, int]:
    """The selector by these fields of each element -> the position of the first element that has it."""
    index: dict[Selector, int] = {}
    for position, item in enumerate(items):
        note_position(index, names, item, position)
    return index


def note_position(index: dict[Selector, int], names: tuple[str, ...], item: Tree, position: int) -> None:
    """Add one element to an index; one without the fields, or with lists or maps in them, is not found by it."""
    if item.__class__ is dict and all(name in item for name in names):
        try:
            index.setdefault(tuple([(name, item[name]) for name in names]), position)
        except TypeError:
            return


def _has(item: Tree, wanted: Selector) -> bool:
    return item.__class__ is dict and all(item.get(key, MISSING) == value for key, value in wanted)


def render(path: FieldPath) -> str:
    """The path as people write it: `podsets[name=node].env[2]["a.b/c"]`."""
    parts: list[str] = []
    for step in path:
        if step.__class__ is tuple:
            parts.append("[" + ",".join(f"{key}={value}" for key, value in step) + "]")
        elif step.__class__ is int:
            parts.append(f"[{step}]")
        elif regex.match(_SIMPLE_KEY, str(step)):
            parts.append(f".{step}" if parts else str(step))
        else:
            parts.append(f'["{step}"]')
    return "".join(parts)


def parse(text: str) -> FieldPath:
    """The path that `text` spells (the inverse of `render`); raises ValueError where it is none."""
    steps: list[Step] = []
    position = 0
    token = regex.compile(_TOKEN)
    while position < len(text):
        match = token.match(text, position)
        if match is None:
            raise ValueError(f"not a field path at character {position + 1}: {text!r}")
        position = match.end()
        kind = match.lastgroup
        value = match.group(kind or 0)
        if kind == "index":
            steps.append(int(value))
        elif kind == "selector":
            steps.append(tuple((k.strip(), v.strip()) for k, v in (part.split("=", 1) for part in value.split(","))))
        else:
            steps.append(value)
    return tuple(steps)


def pointer(tree: Tree, path: FieldPath) -> str:
    """The path as a JSON Pointer into `tree` (RFC 6901); selectors become indexes."""
    parts: list[str] = []
    for step in path:
        if step.__class__ is tuple:
            position = index_of(tree, step) if tree.__class__ is list else -1
            parts.append(str(position) if position >= 0 else "-")
            tree = tree[position] if position >= 0 else MISSING
        else:
            parts.append(str(step).replace("~", "~0").replace("/", "~1"))
            tree = get(tree, (step,))
    return "".join("/" + part for part in parts)
