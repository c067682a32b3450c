"""A tree and a source of random numbers -> the tree with one or more changes, and trees -> text in several styles.

Changes follow the structure: a change puts a value where other files of the corpus have one under the same key, or adds
a key that stands next to the keys that are there. Trees are values: a change copies the containers on its path.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from random import Random
from typing import Any

from tjgen.trees.source.writer import dump

Tree = Any
Path = tuple[Any, ...]

RAW = (
    "&a x", "*a", "&a [*a]", "&a {b: *a}", "*missing", "!!str 1", "!!int x", "!!binary aGk=", "!!binary '\\x00'",
    "!!set {a, b}", "!!python/object:os.system x", "!Ref a", "! x", "!!null ''", "!!float 1", "!!timestamp 2001-01-01",
    "2001-01-01", "0x1F", "0o17", "017", "1_000", "1:30:00", ".inf", "-.inf", ".nan", "~", "yes", "NO", "<<", "{<<: {a: 1}}",
    "{<<: [{a: 1}, {b: 2}]}", "{<<: 1}", "{<<: *a}", "? x", "{? [a]: b}", "{1: 2}", "{null: 1}", "{true: 1}", "{1.5: x}",
    "[a, ]", "{a}", "''", '"\\x00"', '"\\ud800"', '"\\e[31m"', "1e400", "-0", "+1", "00", "9" * 5000, "1" * 400 + ".5",
    "0." + "0" * 4400 + "1", "1e99999", "0b1", "=", "''''",
)  # fmt: skip
"""Texts that stand in YAML as they are; a tree names them by `raw(n)`."""
SCALARS: tuple[Tree, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 7, 1.5, -2.5, 1e300, 1e-300, 2**31 - 1, 2**31, -(2**31) - 1, 2**53 + 1, 2**63 - 1,
    2**63, 2**64, -(2**63), 10**18, "", " ", "a", "A", "0", "1", "-1", "01", "1.0", "true", "null", "~", "a b", "a-b", "a.b",
    "a/b", "a:b", "a=b", "-", ".", "..", "/", "//", "../x", "/x", "*", "**", "?", "[", "]", "{", "}", "{}", "[]", "{{", "}}",
    "${x}", "$(x)", "$$", "%", "%s", "&a", "#", "|", ">", "\\", "\n", "a\nb", "a\n", "\t", "\r", "\x00", "\x1b[31m", "\x7f",
    "\x85", "\u2028", "\ufeff", "é", "\U0001f600", "\ud800", "٣", "\uff11", "\ufb01", "1Gi", "1.5Gi", "100m", "-1Gi", "1e3",
    "1e-3", "1E", "0Gi", "1n", "9" * 25 + "Ei", ".5", "5%", "101%", "1h", "1h30m", "-5m", "P1D", "image", "image:1",
    "image@sha256:" + "a" * 64, "reg:5000/a/b:c@sha256:" + "0" * 63, "a/b/c:latest", ":", "@", "https://x.example/y.git",
    "s3://b/k", "hf://a/b", "pvc://c/d", "file:///etc", "git@x:y", "v1", "apps/v1", "trainer.kubeflow.org/v1alpha1",
    "tjgen.dev/v1alpha1", "jobset.x-k8s.io/v1alpha2", "TrainJob", "List", "ConfigMap", "Experiment", "node", "launcher",
    "dataset-initializer", "a100", "a100:8", "a100:-1", "a100:x", "l4:0.5", "{1..3}", "{1..1000000}", "{a,b}{c,d}",
    "f-{00..99}.tar", "{3..1}", "{", "{1..}", "a" * 63, "a" * 64, "a" * 254, "x" * 1100, "2026-01-02T03:04:05Z", "* * * * *",
    "self.x > 1", "(", "(?P<", "[a-", "\\", "1,2,3", "0-2", "containers[name=node].image", "spec.x[0]", "spec..x", "a[", "$.x",
    "/a/b", "~1", "9" * 4400,
)  # fmt: skip
KEYS = (
    "", "a", "b", "name", "kind", "spec", "metadata", "apiVersion", "items", "cpu", "nvidia.com/gpu", "x.y/z", "a.b", "a[0]",
    "a[b=c]", "A B", "-", "/", "..", "~", "é", "\n", "\x00", "\U0001f600", "$patch", "$retainKeys", "$setElementOrder/x", "<<",
    "1", "null", "true", "*", "0", "a" * 64, "k" * 1100, "__class__", "__proto__",
)  # fmt: skip


BY_NAME: tuple[tuple[str, tuple[Tree, ...]], ...] = (
    (
        r"(?i)name$|claim$|queue$|runtime$",
        ("A", "a" * 64, "a_b", "-a", "a.b.c", "default", "kube-system", 7, "\u200ba", "a/b", ""),
    ),
    (r"(?i)image$", ("a", "a:b:c", "a@b", "A/b:1", "a@sha256:0", "reg:99999/a", "a:" + "t" * 129, "\u200ba:1", "${A}:1", "a:1 ")),
    (
        r"(?i)path$|directory$|^dir$|^file",
        ("/", "..", "../../etc", "/proc/self/environ", "a//b", "a/./b", "~", "\u202e", "a:b", "$HOME"),
    ),
    (
        r"(?i)size$|storage|memory|cpu$|capacity|^limits|^requests",
        ("1e400", "-1", "1Ki5", "1.0000000000001", "0x1", "9Ei", "1m", {}, "1E"),
    ),
    (
        r"(?i)seconds$|timeout|ttl|every|after|duration|interval",
        ("1h1m1ms", "-1s", "1d", "PT1H", "1e3s", 2**63, -1, 0, "0", "1.5h"),
    ),
    (
        r"(?i)pattern|regex|expression|matches|rule$",
        ("^(a+)+$", "(a|a)*$", "[a-", "(?P<a>x)(?P=a)", "a{99999}", "a" * 3000, "||", "self", "("),
    ),
    (r"(?i)schedule|cron", ("* * * * *", "@daily", "60 * * * *", "*/0 * * * *", "1-0 * * * *", "TZ=x * * * * *", "* * * *")),
    (r"(?i)port$|^ports$|count$|replicas|nodes|number|min|max|backoff", (0, -1, 65536, 2**31, 10**30, 1.5, "1", "x", [1], True)),
    (
        r"(?i)label|annotation|selector",
        ({"a/b/c": "x"}, {"": ""}, {"a": 1}, {"a": None}, {"a" * 64: "b" * 64}, {"-": "-"}, [], "a=b"),
    ),
    (r"(?i)version$|^kind$|^group$", ("v1/v2", "v1alpha", "/v1", "a/", "V1", "List", "Status", 1, "v1\n", "")),
    (
        r"(?i)url$|repository|server|endpoint|address",
        ("https://[", "https://a:b@c", "//", "file:///", "http://\u202e", "https://a:99999"),
    ),
    (r"(?i)script|command|args|env", ("$(A)$(A)", "${A:-${B}}", "a\nb", "\x00", ["a", 1], {"A": {"B": 1}}, "'", "`a`")),
)
"""A pattern for the name of a field -> values that are nearly right for such a field."""


def raw(number: int) -> str:
    """The string that stands for a text of RAW until the tree is written."""
    return f"@raw{number}@"


_RAW = re.compile(r'"@raw(\d+)@"|\'@raw(\d+)@\'')


class Vocabulary:
    """What the corpus says: values under each key, and the entries of mappings under each key."""

    def __init__(self) -> None:
        self.values: dict[str, list[Tree]] = {}
        self.entries: dict[str, list[tuple[str, Tree]]] = {}
        self._seen: set[str] = set()

    def learn(self, tree: Tree, key: str = "") -> None:
        """Take up the values and entries of a tree."""
        if isinstance(tree, dict):
            for name, value in tree.items():
                self._take(name, key, value)
                self.learn(value, name)
        elif isinstance(tree, list):
            for item in tree:
                self.learn(item, key)

    def _take(self, name: str, key: str, value: Tree) -> None:
        text = json.dumps(value, default=str)
        if len(text) > 3000:
            return
        if f"{name}={text}" not in self._seen:
            self._seen.add(f"{name}={text}")
            self.values.setdefault(name, []).append(value)
        if f"{key}/{name}={text[:40]}" not in self._seen:
            self._seen.add(f"{key}/{name}={text[:40]}")
            self.entries.setdefault(key, []).append((name, value))


def mutated(random: Random, tree: Tree, vocabulary: Vocabulary, *, most: int = 4) -> Tree:
    """The tree with one to `most` changes."""
    for _ in range(min(most, 1 + int(random.expovariate(1.0)))):
        path, key = _place(random, tree)
        tree = _changed(tree, path, lambda node, key=key: _change(random, node, key, vocabulary))  # type: ignore[misc]
    return tree


_GONE: Tree = object()


def _place(random: Random, tree: Tree) -> tuple[Path, str]:
    """A random path, and the last key of it."""
    path: list[Any] = []
    key = ""
    node = tree
    while isinstance(node, (dict, list)) and node and (not path or random.random() > 0.2):
        if isinstance(node, dict):
            step: Any = random.choice(list(node))
            key = step
        else:
            step = random.randrange(len(node))
        path.append(step)
        node = node[step]
    return tuple(path), key


def _changed(tree: Tree, path: Path, change: Callable[[Tree], Tree]) -> Tree:
    if not path:
        made = change(tree)
        return None if made is _GONE else made
    copied = tree.copy()
    made = change(tree[path[0]]) if len(path) == 1 else _changed(tree[path[0]], path[1:], change)
    if made is _GONE:
        del copied[path[0]]
    else:
        copied[path[0]] = made
    return copied


def _change(random: Random, node: Tree, key: str, vocabulary: Vocabulary) -> Tree:
    return random.choices(_CHANGES, _WEIGHTS)[0](random, node, key, vocabulary)


def _odd(random: Random, node: Tree, key: str, vocabulary: Vocabulary) -> Tree:
    return random.choice(SCALARS)


def _typed(random: Random, node: Tree, key: str, vocabulary: Vocabulary) -> Tree:
    return random.choice(
        ({}, [], "a", 1, None, True, [node], {"a": node}, [[node]], [None], [{}], {"": None}, str(node)[:2000], 1.5)
    )


def _gone(random: Random, node: Tree, key: str, vocabulary: Vocabulary) -> Tree:
    return _GONE


def _spliced(random: Random, node: Tree, key: str, vocabulary: Vocabulary) -> Tree:
    return random.choice(vocabulary.values.get(key) or SCALARS)


def _named(random: Random, node: Tree, key: str, vocabulary: Vocabulary) -> Tree:
    """A value that is chosen by the field's name."""
    chosen = [values for pattern, values in BY_NAME if re.search(pattern, key)]
    return random.choice(random.choice(chosen)) if chosen else _odd(random, node, key, vocabulary)


def _foreign(random: Random, node: Tree, key: str, vocabulary: Vocabulary) -> Tree:
    return random.choice(vocabulary.values[random.choice(list(vocabulary.values))])


def _extended(random: Random, node: Tree, key: str, vocabulary: Vocabulary) -> Tree:
    """A mapping with another entry, a list with another item; a scalar becomes one that fits better."""
    if isinstance(node, dict):
        name, value = random.choice(vocabulary.entries.get(key) or [("a", 1)])
        return {**node, name: value}
    if isinstance(node, list):
        at = random.randrange(len(node) + 1)
        item = random.choice(node) if node and random.random() < 0.5 else random.choice(SCALARS)
        return [*node[:at], item, *node[at:]]
    return _spliced(random, node, key, vocabulary)


def _renamed(random: Random, node: Tree, key: str, vocabulary: Vocabulary) -> Tree:
    if not isinstance(node, dict) or not node:
        return _odd(random, node, key, vocabulary)
    old = random.choice(list(node))
    known = vocabulary.entries.get(key)
    new = random.choice(known)[0] if known and random.random() < 0.5 else random.choice(KEYS)
    return {new if name == old else name: value for name, value in node.items()}


def _emptied(random: Random, node: Tree, key: str, vocabulary: Vocabulary) -> Tree:
    return type(node)() if isinstance(node, (dict, list, str)) else None


def _repeated(random: Random, node: Tree, key: str, vocabulary: Vocabulary) -> Tree:
    """Every item or entry of a collection more than once, a text longer."""
    times = random.choice((2, 3, 30))
    if isinstance(node, list):
        return node * times if len(node) * times < 500 else node + node[:1]
    if isinstance(node, dict):
        return {
            f"{name}{number or ''}": value for number in range(times if len(node) < 10 else 2) for name, value in node.items()
        }
    return str(node)[:100] * times


def _large(random: Random, node: Tree, key: str, vocabulary: Vocabulary) -> Tree:
    kind = random.randrange(5)
    if kind == 0:
        return "x" * random.choice((300, 5_000, 70_000))
    if kind == 1:
        return [node] * random.choice((50, 500)) if len(json.dumps(node, default=str)) < 500 else node
    if kind == 2:
        return {f"k{number}": 1 for number in range(random.choice((50, 500)))}
    if kind == 3:
        return random.choice((1, -1)) * 10 ** random.choice((20, 50, 400, 4299))
    nested = node
    for _ in range(random.choice((5, 60, 300))):
        nested = [nested] if random.random() < 0.5 else {"a": nested}
    return nested


def _raw(random: Random, node: Tree, key: str, vocabulary: Vocabulary) -> Tree:
    number = random.randrange(len(RAW))
    if isinstance(node, dict) and random.random() < 0.4:
        return {**node, raw(number): 1}
    return raw(number)


def _swapped(random: Random, node: Tree, key: str, vocabulary: Vocabulary) -> Tree:
    """Two values of a mapping change places; a list is reversed; a text is changed by a character."""
    if isinstance(node, dict) and len(node) > 1:
        one, other = random.sample(list(node), 2)
        return {**node, one: node[other], other: node[one]}
    if isinstance(node, list):
        return node[::-1]
    text = str(node)[:3000]
    at = random.randrange(len(text) + 1)
    return text[:at] + str(random.choice(SCALARS))[:30] + text[at + random.randrange(2) :]


_CHANGES = (_odd, _typed, _gone, _spliced, _foreign, _extended, _renamed, _emptied, _repeated, _large, _raw, _swapped, _named)
_WEIGHTS = (18, 14, 9, 16, 4, 16, 5, 3, 3, 1, 4, 6, 16)


def written(random: Random, trees: Iterable[Tree]) -> bytes:
    """The documents as text: blocks as people write them, or JSON."""
    return "---\n".join(_text(random, tree) for tree in trees).encode("utf-8", "surrogatepass")


def _text(random: Random, tree: Tree) -> str:
    if random.random() < 0.5:
        try:
            text = dump(tree)
        except (ValueError, TypeError, RecursionError):
            text = json.dumps(tree) + "\n"
    else:
        text = json.dumps(tree, ensure_ascii=random.random() < 0.5, indent=random.choice((None, None, 1))) + "\n"
    if "@raw" in text:
        text = _RAW.sub(lambda match: RAW[int(match[1] or match[2]) % len(RAW)], text)
    return text
