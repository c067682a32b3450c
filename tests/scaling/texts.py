"""Long texts, whatever they say."""

from __future__ import annotations

from tests.scaling.case import BUILD, CHECK, Case, manifests
from tests.scaling.inputs import configmap, dumped, experiment, one

CASES = (
    Case("scalars of a list", CHECK, lambda n: {"manifests.yaml": "[" + "1," * n + "]"}, 512),
    Case("nested lists", CHECK, lambda n: {"manifests.yaml": "[" + "[[1]]," * n + "]"}, 512),
    Case("deep lists", CHECK, lambda n: {"manifests.yaml": "[" * n + "]" * n}, 64),
    Case(
        "anchors and aliases",
        CHECK,
        lambda n: {"manifests.yaml": "a: &a 1\n" + "".join(f"k{i:05}: &k{i:05} [*a, *a]\nl{i:05}: *k{i:05}\n" for i in range(n))},
        256,
    ),
    Case(
        "aliases of aliases",
        CHECK,
        lambda n: {"manifests.yaml": "k0: &k0 [1]\n" + "".join(f"k{i:05}: &k{i:05} [*k{i - 1:05}]\n" for i in range(1, n))},
        64,
    ),
    Case(
        "merge keys",
        CHECK,
        lambda n: {"manifests.yaml": "base: &a {x: 1}\n" + "".join(f"k{i:05}:\n  <<: *a\n  y: 1\n" for i in range(n))},
        256,
    ),
    Case(
        "merges of one mapping",
        CHECK,
        lambda n: {
            "manifests.yaml": "".join(f"k{i:05}: &k{i:05} {{a{i:05}: 1}}\n" for i in range(n))
            + "m:\n  <<: ["
            + ", ".join(f"*k{i:05}" for i in range(n))
            + "]\n"
        },
        256,
    ),
    Case(
        "chained merges",
        CHECK,
        lambda n: {
            "manifests.yaml": "k0: &k0 {a0: 1}\n"
            + "".join(f"k{i:05}: &k{i:05}\n  <<: *k{i - 1:05}\n  a: 1\n" for i in range(1, n))
            + "kind: 1\n"
        },
        64,
    ),
    Case("comments", CHECK, lambda n: {"manifests.yaml": "# a comment\n" * n + dumped(configmap("c"))}, 512),
    Case(
        "comments of an experiment",
        BUILD,
        lambda n: {"experiment.yaml": "# a comment 1e-3\n" * n + dumped(experiment(env={"A": 1}))},
        512,
    ),
    Case("repeated keys", CHECK, lambda n: {"manifests.yaml": "a: 1\n" * n}, 512),
    Case("ambiguous scalars", CHECK, lambda n: {"manifests.yaml": "- yes\n" * n}, 512),
    Case("tags", CHECK, lambda n: {"manifests.yaml": "- !x y\n" * n}, 512),
    Case(
        "tag directives",
        CHECK,
        lambda n: {"manifests.yaml": "".join(f"%TAG !a{i:05}! tag:x\n" for i in range(n)) + "---\na: 1\n"},
        128,
    ),
    Case("a long scalar", CHECK, lambda n: manifests({**configmap("c"), "data": {"a": "x" * n * 100}}), 512),
    Case("a long line of words", CHECK, lambda n: manifests({**configmap("c"), "data": {"a": "x y " * n * 100}}), 512),
    Case(
        "lines of a block",
        CHECK,
        lambda n: {"manifests.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  a: |\n" + "    line\n" * n},
        512,
    ),
    Case(
        "quoted escapes",
        CHECK,
        lambda n: {
            "manifests.yaml": 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  a: "' + "\\n\\u00e9" * n + '"\n'
        },
        512,
    ),
    Case("a long key", CHECK, lambda n: {"manifests.yaml": "? " + "k" * n * 50 + "\n: 1\n"}, 512),
    Case("a long name", BUILD, lambda n: {"experiment.yaml": dumped({**experiment(), "metadata": {"name": "n" * n * 10}})}, 512),
    Case("a long script", BUILD, lambda n: one(script="x" * n * 100), 128),
    Case("a long script of dollars", BUILD, lambda n: one(script="$(" * n * 10), 512),
    Case("a long quantity", BUILD, lambda n: one(memory="1" * n * 5), 512),
    Case("a long image", BUILD, lambda n: one(image="a/" * n * 5 + "b"), 512),
    Case("a long path of a mount", BUILD, lambda n: one(volumes={"v": {"pvc": "c", "mountPath": "/a" * n * 5}}), 512),
    Case(
        "a long pattern",
        BUILD,
        lambda n: one(
            volumes={"v": {"pvc": "c", "mountPath": "/v"}}, data={"volume": "v", "items": {"pattern": "{a,b}" * 3 + "x" * n}}
        ),
        256,
    ),
    Case(
        "windows line ends",
        CHECK,
        lambda n: {
            "manifests.yaml": dumped(*[{**configmap(f"c-{i:05}"), "data": {"a": 1}} for i in range(n)]).replace("\n", "\r\n")
        },
        128,
    ),
    Case(
        "one line",
        CHECK,
        lambda n: {
            "manifests.yaml": dumped(
                {"apiVersion": "v1", "kind": "List", "items": [{**configmap(f"c-{i:05}"), "data": {"a": 1}} for i in range(n)]},
                flow=True,
            )
        },
        128,
    ),
    Case(
        "JSON",
        CHECK,
        lambda n: {
            "manifests.yaml": __import__("json").dumps(
                {"apiVersion": "v1", "kind": "List", "items": [{**configmap(f"c-{i:05}"), "data": {"a\\/": 1}} for i in range(n)]}
            )
        },
        128,
    ),
    Case("closing brackets that are missing", CHECK, lambda n: {"manifests.yaml": "a: [1,\n" * n}, 256),
    Case("simple keys that are open", CHECK, lambda n: {"manifests.yaml": "{" + "a, " * n + "}"}, 512),
    Case("tabs", CHECK, lambda n: {"manifests.yaml": "a: b\n" * n + "\tc: d\n"}, 512),
    Case("byte order marks", CHECK, lambda n: {"manifests.yaml": "".join("\ufeff---\na: 1\n" for i in range(n))}, 256),
)
