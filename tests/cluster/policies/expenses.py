"""Expressions of many kinds, and families that grow: what the API server charges for them, and where it refuses them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

OBJECT: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "sample", "namespace": "ml", "labels": {"a": "b"}},
    "spec": {"list": [1, 2, 3], "map": {"x": 1, "y": "zz"}, "text": "x" * 25, "number": 5, "key": "x", "one": 1},
}
Asked = dict[str, Any]


def asked(*expressions: str, variables: tuple[str, ...] = (), **spec: Any) -> Asked:
    """Expressions of a policy with variables v0, v1 and so on, about an object with these fields of its spec."""
    tree = {**OBJECT, "spec": {**OBJECT["spec"], **spec}}
    return {"expressions": list(expressions), "variables": list(variables), "object": tree}


TEXT = "x" * 1_000
MATCHES = "object.spec.text.matches('^(x+x+)+y(x+x+)+y(x+x+)$')"
"""A call that costs 609 with the text."""
FAMILIES: dict[str, Callable[[int], Asked]] = {
    "terms of a sum": lambda n: asked(" + ".join(["1"] * n) + " > 0"),
    "texts of a sum": lambda n: asked(" + ".join(["'a'"] * n) + " != ''"),
    "names in a chain of ||": lambda n: asked(" || ".join(f"object.metadata.name == 'team-{i}'" for i in range(n)) + " || true"),
    "parentheses": lambda n: asked("(" * n + "true" + ")" * n),
    "conditions in conditions": lambda n: asked("".join(f"object.spec.number == {i + 9} ? false : " for i in range(n)) + "true"),
    "lists in lists": lambda n: asked("size(" + "[" * n + "]" * n + ") >= 0"),
    "fields of fields": lambda n: asked("true || object.a" + ".b" * n + " == 1"),
    "elements of elements": lambda n: asked("true || object" + "['a']" * n + " == 1"),
    "calls of methods": lambda n: asked("'a'" + ".lowerAscii()" * n + " == 'a'"),
    "calls in calls": lambda n: asked("string(" * n + "'a'" + ")" * n + " == 'a'"),
    "comparisons in a chain": lambda n: asked(" == ".join(["true"] * n)),
    "comprehensions in comprehensions": lambda n: asked("".join(f"[1].all(x{i}, " for i in range(n)) + "true" + ")" * n),
    "characters of an expression": lambda n: asked("'" + "a" * n + "' != ''"),
    "texts that double": lambda n: asked(
        f"variables.v{n}.size() > 0",
        variables=("'xxxxxxxxxxxxxxxx'", *(f"variables.v{i} + variables.v{i}" for i in range(n))),
    ),
    "elements of a range": lambda n: asked(f"lists.range({n}).size() > 0"),
    "elements of all": lambda n: asked(f"lists.range({n}).all(x, !{MATCHES})", text=TEXT),
    "elements of exists": lambda n: asked(f"!lists.range({n}).exists(x, {MATCHES})", text=TEXT),
    "elements of exists_one": lambda n: asked(f"!lists.range({n}).exists_one(x, {MATCHES})", text=TEXT),
    "elements of map": lambda n: asked(f"lists.range({n}).map(x, {MATCHES}).size() > 0", text=TEXT),
    "elements of filter": lambda n: asked(f"lists.range({n}).filter(x, !{MATCHES}).size() > 0", text=TEXT),
    "elements in elements": lambda n: asked(f"lists.range({n}).all(x, lists.range({n}).exists(y, y == x))"),
    "elements of distinct": lambda n: asked(f"lists.range({n}).distinct().size() > 0"),
    "elements of sort": lambda n: asked(f"lists.range({n}).sort().size() > 0"),
    "elements of sets": lambda n: asked(f"sets.contains(lists.range({n}), lists.range({n}))"),
    "characters of a pattern's text": lambda n: asked("object.spec.text.matches('^(a+)+$') || true", text="a" * n + "!"),
    "characters of split": lambda n: asked("object.spec.text.split(',').size() > 0", text="a" * n),
    "characters of contains": lambda n: asked("object.spec.text.contains(object.spec.text)", text="a" * n),
    "expressions of a policy": lambda n: asked(*[f"lists.range(900).all(x, !{MATCHES})"] * n, text=TEXT),
    "variables of a policy": lambda n: asked(
        " && ".join(f"variables.v{i}" for i in range(n)),
        variables=(f"lists.range(900).all(x, !{MATCHES})",) * n,
        text=TEXT,
    ),
}
"""Each is one that the server accepts up to a size."""
CEILINGS = {
    "characters of an expression": 200_000,
    "elements of a range": 2_000_000,
    "characters of split": 20_000_000,
    "characters of a pattern's text": 20_000_000,
}
MOST = 200_000
"""The largest size that is tried."""
EXPRESSIONS = (
    "has(object.metadata.name)",
    "has(object.metadata.labels.x)",
    "object.metadata.name == 'sample'",
    "object.spec.number in [1, 2, 3]",
    "object.spec.number in object.spec.list",
    "'a' in object.spec.map",
    "[1, 2, 3].exists(x, x == 2)",
    "object.spec.list.all(x, false)",
    "object.spec.list.exists(x, true)",
    "object.spec.list.exists_one(x, x > 1)",
    "object.spec.list.map(x, 1)",
    "object.spec.list.map(x, x > 1, x)",
    "object.spec.list.filter(x, x > 1)",
    "object.spec.list.all(i, v, v > 0)",
    "object.spec.list.transformList(i, v, v > 1, v)",
    "object.spec.map.transformMap(k, v, k == 'x', v)",
    "object.spec.map.transformMapEntry(k, v, {k: v})",
    "object.spec.list.sortBy(x, x * 2)",
    "object.spec.list.sort()",
    "object.spec.list.sum()",
    "object.?spec.optMap(x, x.number)",
    "object.?spec.optFlatMap(x, x.?number)",
    "object.?spec.or(optional.of(1))",
    "object.?spec.?number.orValue(1)",
    "object.spec.list[?1]",
    "object.spec.list[object.spec.one]",
    "object.spec.list[int(object.spec.one)]",
    "object.spec.map[object.spec.key]",
    "object.spec.text + object.spec.text",
    "'a' + object.spec.text",
    "object.spec.list + object.spec.list",
    "string(object.spec.number)",
    "string(1)",
    "bytes('abc')",
    "bytes(object.spec.text)",
    "duration('1h')",
    "timestamp('2020-01-01T00:00:00Z').getFullYear()",
    "[object.spec.number]",
    "[[1], [2]]",
    "[1, 1 + 1]",
    "{'a': object.spec.number}",
    "{'a': 1}.a",
    "-object.spec.number",
    "!(object.spec.number == 1)",
    "true ? object.spec : 1",
    "(true ? object.spec : 1).number",
    "object.spec.list[0] == 1 ? object.spec.number : object.spec.text.size()",
    "object.spec.text.matches('x+')",
    "object.spec.text.find('x')",
    "object.spec.text.findAll('x')",
    "object.spec.text.contains('x')",
    "object.spec.text.startsWith('xx')",
    "object.spec.text.indexOf('x')",
    "object.spec.text.charAt(0)",
    "object.spec.text.lowerAscii()",
    "object.spec.text.replace('x', 'yy')",
    "object.spec.text.split('')",
    "object.spec.text.substring(1)",
    "object.spec.text > 'a'",
    "object.spec.text == object.spec.text",
    "object == object",
    "['a', 'b'].join('-')",
    "'%s'.format([object.spec.number])",
    "sets.contains([1, 2], [1])",
    "sets.equivalent([1, 2], [2, 1])",
    "[1, 2].distinct()",
    "[[1], [2]].flatten()",
    "[1, 2].slice(0, 1)",
    "[1, 2].reverse()",
    "lists.range(5)",
    "quantity('1Gi').add(quantity('1'))",
    "quantity('1') == quantity('1')",
    "cidr('10.0.0.0/8').containsIP('10.1.2.3')",
    "cidr('1.2.3.0/24').containsCIDR(cidr('1.2.3.0/25'))",
    "url('http://a.b/c').getHost()",
    "isURL('http://a')",
    "semver('1.2.3')",
    "type(object.spec.number) == int",
    "request.operation == 'CREATE' && request.name != ''",
    "has(object.spec.map) && object.spec.map.all(k, k != '')",
)
"""Each has exactly the cost that the server reports."""
