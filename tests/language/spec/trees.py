"""A schema of the language -> hypothesis strategies for trees that fit it, and for trees that nearly do."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

Schema = dict[str, Any]

NAMES = st.sampled_from(["a", "data", "LR", "x.y/z", "node", "list", "env"])
SCALARS = st.one_of(
    st.booleans(),
    st.integers(-5, 9),
    st.sampled_from([0.5, 2.0, 1e-3, -1.5, 2**40, 2**70, -(2**70)]),
    st.sampled_from(["", "a", "8Gi", "h100:8", "h100:", "A", "1.36", "yes", "ReadWriteOnce", "a b", "-1", "é", "x" * 64]),
)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(NAMES | st.sampled_from(["name", "class", "value"]), inner, max_size=2)
    ),
    max_leaves=4,
)


def fitting(schema: Schema, *, partial: bool = True) -> st.SearchStrategy[Any]:
    """Trees that fit `schema`; without `partial`, nothing stands where parts of experiments do."""
    if "x-tjgen-short" in schema:
        long = {key: value for key, value in schema.items() if key != "x-tjgen-short"}
        return st.one_of(fitting(schema["x-tjgen-short"]), fitting(long, partial=partial))
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "x-kubernetes-preserve-unknown-fields" in schema:
        return st.dictionaries(NAMES, ANYTHING, max_size=2) if "type" in schema else ANYTHING
    kinds = schema["type"]
    if isinstance(kinds, list):
        return st.one_of([fitting({**schema, "type": kind}) for kind in kinds])
    return _OF_TYPE[kinds](schema, partial)


MOST_FIELDS = 4
"""Fields of a mapping beside those that it must have: whole experiments would take long and show no more."""


@st.composite
def _object(draw: st.DrawFn, schema: Schema, partial: bool) -> Any:
    others = schema.get("additionalProperties")
    if others is not None:
        return draw(st.dictionaries(NAMES, fitting(others, partial=partial), max_size=2))
    known = schema["properties"]
    required = schema.get("required", [])
    free = [key for key, item in known.items() if key not in required and (partial or "x-tjgen-partial" not in item)]
    chosen = draw(st.lists(st.sampled_from(free), max_size=MOST_FIELDS, unique=True)) if free else []
    return {key: draw(fitting(known[key], partial=partial)) for key in (*required, *chosen)}


def _array(schema: Schema, partial: bool) -> st.SearchStrategy[Any]:
    least = schema.get("minItems", 0)
    return st.lists(fitting(schema["items"], partial=partial), min_size=least, max_size=least + 1)


def _string(schema: Schema, partial: bool) -> st.SearchStrategy[Any]:
    if "pattern" in schema:
        return st.from_regex(schema["pattern"].replace("$", r"\Z"), fullmatch=True).filter(
            lambda text: len(text) <= schema.get("maxLength", len(text))
        )
    return st.text(st.characters(codec="utf-8"), min_size=schema.get("minLength", 0), max_size=4)


def _integer(schema: Schema, partial: bool) -> st.SearchStrategy[Any]:
    return st.integers(schema.get("minimum"), schema.get("maximum"))


def _number(schema: Schema, partial: bool) -> st.SearchStrategy[Any]:
    least, most = schema.get("minimum"), schema.get("maximum")
    # The largest of our whole numbers is no float: the nearest one is beyond it.
    end = None if most is None else min(float(most), 2.0**62)
    return st.one_of(st.integers(least, most), st.floats(least, end, allow_nan=False, allow_infinity=False))


def _boolean(schema: Schema, partial: bool) -> st.SearchStrategy[Any]:
    return st.booleans()


_OF_TYPE = {
    "object": _object,
    "array": _array,
    "string": _string,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
}


@st.composite
def nearly_fitting(draw: st.DrawFn, schema: Schema, *, partial: bool = True) -> Any:
    """Trees that fit `schema` but for one place, which holds anything at all, is gone, or has a stranger beside it."""
    tree = draw(fitting(schema, partial=partial))
    places = list(_places(tree))
    place = draw(st.sampled_from(places))
    change = draw(st.sampled_from(["replace", "remove", "add"]))
    return _changed(tree, place, change, draw(ANYTHING))


def _places(tree: Any, path: tuple[Any, ...] = ()) -> Any:
    yield path
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield from _places(value, (*path, key))
    elif isinstance(tree, list):
        for position, value in enumerate(tree):
            yield from _places(value, (*path, position))


def _changed(tree: Any, place: tuple[Any, ...], change: str, value: Any) -> Any:
    if not place:
        return (
            {**tree, "stranger": value} if change == "add" and isinstance(tree, dict) else value if change == "replace" else tree
        )
    step, rest = place[0], place[1:]
    if not rest and change == "remove":
        return (
            {key: item for key, item in tree.items() if key != step}
            if isinstance(tree, dict)
            else [*tree[:step], *tree[step + 1 :]]
        )
    copy = tree.copy()
    copy[step] = _changed(tree[step], rest, change, value)
    return copy
