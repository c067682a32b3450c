"""Manifests that are nearly right, from a seed: objects of the corpus with a few random changes, or made from their schema.

An update is a second manifest of the same name with other changes; most of its values are those of the first.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from tjgen.cluster.schema import store

Tree = Any
Path = tuple[str | int, ...]

SCALARS: tuple[Tree, ...] = (
    None, True, False, 0, 1, -1, 2, 5, 1.5, 2.0, -3.0, 2**31, 2**31 - 1, -(2**31), 2**63, 2**53 + 1, 1e10, 1e300, 1e-7,
    "", "a", "A", "x y", "a.b/c", "1", "1Gi", "100m", "5%", "true", "Always", "Never", "TCP", "2026-01-02T03:04:05Z", "ä",
    "a" * 64, "a" * 254, "-a", "a-", "a_b", "tcp://x", "0", "\n", "9" * 30, "1e3", "a/b/c", ".", "..", "All", "Any", "Ready",
    "Complete", "Indexed", "NonIndexed", "0,2-3", "* * * * *", "@every 1h", "Europe/Berlin", "hard", "auto", "None", "Bound",
)  # fmt: skip
WORDS = ("a", "b", "abc", "x-y", "a.b/c", "image:1", "TCP", "spec.x", "5m", "10s")
KEYS = ("a", "cpu", "nvidia.com/gpu", "x.y/z", "Worker", "Master", "Launcher")
MOST_DEPTH = 7


class Objects:
    """A source of cases over `bases`; the same seed gives the same ones."""

    def __init__(self, seed: int, bases: Sequence[Tree]) -> None:
        self.seed = seed
        self.random = Random(seed)
        self.bases = bases

    def cases(self, count: int, *, updates: float) -> Iterator[dict[str, Tree]]:
        """Cases as the oracle reads them; `updates` is the share of those with an old object."""
        for number in range(count):
            base = self.random.choice(self.bases)
            case: dict[str, Tree] = {"id": f"{self.seed}-{number}"}
            if self.random.random() < updates:
                old = self.changed(base, self.random.choice((0, 0, 0, 1, 2)))
                new = self.changed(old, self.random.choice((0, 1, 1, 1, 2, 3)))
                name, namespace = base.get("metadata", {}).get("name", "a"), base.get("metadata", {}).get("namespace")
                case["old"], case["manifest"] = (_named(tree, name, namespace) for tree in (old, new))
            else:
                is_fresh = self.random.random() < 0.15
                tree = self.fresh(base) if is_fresh else base
                case["manifest"] = self.changed(tree, self.random.choice((1, 1, 1, 2, 3)))
            yield case

    def fresh(self, base: Tree) -> Tree:
        """An object of the kind of `base`, made from its schema."""
        schema = _schema(base)
        fields = [key for key in schema["properties"] if key not in ("apiVersion", "kind", "metadata", "status")]
        made = {key: self.value(schema["properties"][key]) for key in fields}
        return {"apiVersion": base["apiVersion"], "kind": base["kind"], "metadata": {"name": "a"}, **made}

    def changed(self, tree: Tree, times: int) -> Tree:
        """The tree with random changes."""
        result = copy.deepcopy(tree)
        schema = _schema(tree)
        for _ in range(times):
            places = [place for place in _places(result, schema) if place[0] and place[0][0] not in ("apiVersion", "kind")]
            if places:
                self._change(result, *self.random.choice(places))
        return result

    def _change(self, tree: Tree, path: Path, value: Tree, schema: Tree) -> None:
        draw = self.random.random()
        holder = tree
        for step in path[:-1]:
            holder = holder[step]
        properties = (schema or {}).get("properties") or {}
        if draw < 0.15:
            del holder[path[-1]]
        elif draw < 0.3:
            holder[path[-1]] = self.random.choice(SCALARS)
        elif draw < 0.75 and draw >= 0.6 and isinstance(value, dict):
            key = self.random.choice(sorted(properties) or ["x"])
            value[key] = self.value(properties.get(key))
        elif draw < 0.82 and draw >= 0.75 and isinstance(value, dict):
            value[self.random.choice(("zz", "a b", "metadata", "", "a.b"))] = self.random.choice(SCALARS)
        elif draw >= 0.92 and isinstance(value, list):
            value.append(self.value((schema or {}).get("items")))
        elif draw >= 0.82 and isinstance(value, list) and value:
            value.insert(self.random.randrange(len(value) + 1), copy.deepcopy(self.random.choice(value)))
        else:
            holder[path[-1]] = self.value(schema)

    def value(self, schema: Tree, depth: int = 0) -> Tree:
        """A value that mostly agrees with the schema."""
        random = self.random
        if depth > MOST_DEPTH or schema is None or random.random() < 0.03:
            return random.choice(SCALARS)
        if random.random() < 0.02:
            return random.choice(({}, [], {"a": 1}, [1], [None], {"x": {"y": 2}}))
        if "enum" in schema and random.random() < 0.8:
            return random.choice(schema["enum"])
        if "x-kubernetes-int-or-string" in schema:
            return random.choice((1, "1", "1Gi", "5%", 80, "100m", 0, -1))
        kind = schema.get("type")
        if kind == "object":
            return self._object(schema, depth)
        if kind == "array":
            items = [self.value(schema.get("items"), depth + 1) for _ in range(random.choice((0, 1, 1, 2, 2, 3)))]
            return [*items, copy.deepcopy(random.choice(items))] if items and random.random() < 0.2 else items
        if kind == "integer":
            return random.choice((0, 1, 2, 3, 5, 10, 60, -1, 2**31 - 1, 100))
        if kind == "boolean":
            return random.random() < 0.5
        return random.choice((0, 1.5, 2)) if kind == "number" else random.choice(WORDS)

    def _object(self, schema: Tree, depth: int) -> Tree:
        random = self.random
        properties, made = schema.get("properties") or {}, {}
        for key in schema.get("required") or ():
            if random.random() < 0.95 and key in properties:
                made[key] = self.value(properties[key], depth + 1)
        for key in random.sample(sorted(properties), min(len(properties), random.choice((0, 1, 1, 2, 3)))):
            made[key] = self.value(properties[key], depth + 1)
        others = schema.get("additionalProperties")
        if isinstance(others, dict):
            for key in random.sample(KEYS, random.choice((0, 1, 2))):
                made[key] = self.value(others, depth + 1)
        if random.random() < 0.04:
            made[random.choice(("zz", "Name", "metadata", "kind", "apiVersion"))] = random.choice(SCALARS)
        return made


def _named(tree: Tree, name: Tree, namespace: Tree) -> Tree:
    """The tree under the name that makes two manifests one object."""
    metadata = tree.get("metadata")
    given = metadata if isinstance(metadata, dict) else {}
    place = {"namespace": namespace} if namespace is not None else {}
    kept = {key: value for key, value in given.items() if key not in ("name", "namespace")}
    return {**tree, "metadata": {**kept, "name": name, **place}}


def _schema(tree: Tree) -> Tree:
    schema = store.find(tree["apiVersion"], tree["kind"])
    assert schema is not None, f"no schema of {tree['kind']}"
    return {**schema, "properties": {**schema["properties"], "metadata": store.object_meta()}}


def _places(value: Tree, schema: Tree, path: Path = ()) -> Iterator[tuple[Path, Tree, Tree]]:
    yield path, value, schema
    if isinstance(value, dict):
        for key, item in value.items():
            below = None
            if isinstance(schema, dict):
                others = schema.get("additionalProperties")
                below = (schema.get("properties") or {}).get(key) or (others if isinstance(others, dict) else None)
            yield from _places(item, below, (*path, key))
    elif isinstance(value, list):
        for position, item in enumerate(value):
            yield from _places(item, (schema or {}).get("items"), (*path, position))
