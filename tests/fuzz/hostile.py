"""Draws -> inputs that broke a promise once: policies with expressions, odd objects of kubectl, damaged output trees."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz import texts, trees
from tests.fuzz.corpus import OUTPUT
from tests.fuzz.draw import Draw, Files
from tests.fuzz.inputs import File, Input

Tree = Any
CLUSTER: Tree = json.loads((Path(__file__).parents[1] / "gitops/output/recorded/cluster.json").read_text(encoding="utf-8"))
"""What a cluster reported: TrainJobs, JobSets and Pods."""
_WORKLOAD: Tree = {
    "apiVersion": "kueue.x-k8s.io/v1beta2",
    "kind": "Workload",
    "metadata": {"name": "w", "namespace": "watch", "ownerReferences": [{"kind": "TrainJob", "name": "waits-cwdzhk78"}]},
    "spec": {"queueName": "team"},
    "status": {"conditions": [{"type": "QuotaReserved", "status": "False", "message": "insufficient quota"}]},
}
_LEAVES = (
    "object", "oldObject", "request", "object.metadata.name", "object.spec", "object.metadata.labels", "variables.v0", "params",
    "namespaceObject", "authorizer", "1", "-1", "0", "1u", "1.5", "9223372036854775807", "''", "'a'", "b'a'", "true", "null",
    "[]", "[1, 2]", "[[1]]", "{}", "{'a': 1}", "{1: 'a'}", "x", "type", "int", "r'\\d'", "'" + "a" * 500 + "'",
    "duration('1h')", "timestamp('2026-01-01T00:00:00Z')", "quantity('1Gi')", "ip('10.0.0.1')", "url('https://a/b')",
)  # fmt: skip
"""Expressions without parts. Some have no meaning: the server refuses them, or they end in an error when they run."""
_PATTERNS = (
    "'^(a+)+$'",
    "'(a|aa)+$'",
    "'(a*)*b'",
    "'a{1,1000}{1,1000}'",
    "'('",
    "'[a-'",
    "'(?P<x>a)\\\\1'",
    "'(?i)a.*b.*c.*d'",
    "''",
)
_STEPS: tuple[Callable[[str, str, str], str], ...] = (
    lambda a, b, c: f"{a} + {b}",
    lambda a, b, c: f"({a}) * ({b})",
    lambda a, b, c: f"{a} % {b}",
    lambda a, b, c: f"{a} && {b} || {c}",
    lambda a, b, c: f"{a} == {b}",
    lambda a, b, c: f"{a} in {b}",
    lambda a, b, c: f"{a} ? {b} : {c}",
    lambda a, b, c: f"-{a}",
    lambda a, b, c: f"!{a}",
    lambda a, b, c: f"{a}[{b}]",
    lambda a, b, c: f"{a}.{c.split('.')[-1] if c.isidentifier() else 'x'}",
    lambda a, b, c: f"{a}.?x.orValue({b})",
    lambda a, b, c: f"has({a}.x)",
    lambda a, b, c: f"size({a})",
    lambda a, b, c: f"string({a})",
    lambda a, b, c: f"int({a})",
    lambda a, b, c: f"dyn({a})",
    lambda a, b, c: f"{a}.all(x, {b})",
    lambda a, b, c: f"{a}.exists_one(x, {b})",
    lambda a, b, c: f"{a}.map(x, {b})",
    lambda a, b, c: f"{a}.filter(x, {b}).map(x, {c})",
    lambda a, b, c: f"{a}.transformList(i, x, {b})",
    lambda a, b, c: f"{a}.startsWith({b})",
    lambda a, b, c: f"{a}.replace({b}, {c})",
    lambda a, b, c: f"{a}.split({b})",
    lambda a, b, c: f"{a}.join({b})",
    lambda a, b, c: f"{a}.substring({b}, {c})",
    lambda a, b, c: f"'%s %d %x'.format([{a}, {b}, {c}])",
    lambda a, b, c: f"sets.contains({a}, {b})",
    lambda a, b, c: f"{a}.sum()",
    lambda a, b, c: f"{a}.indexOf({b})",
    lambda a, b, c: f"[{a}, {b}, {c}]",
    lambda a, b, c: f"{{{a}: {b}}}",
    lambda a, b, c: f"{a}.compareTo({b})",
    lambda a, b, c: f"{a} - {b}",
)
_LONG: tuple[Callable[[str, int], str], ...] = (
    lambda a, n: " || ".join([a] * n),
    lambda a, n: " + ".join([a] * n),
    lambda a, n: "(" * n + a + ")" * n,
    lambda a, n: "!" * n + a,
    lambda a, n: "[" * n + a + "]" * n,
    lambda a, n: a + ".x" * n,
    lambda a, n: a + "[0]" * n,
    lambda a, n: " ? ".join([a] * n) + f" : {a}" * (n - 1),
)


def _expression(random: Random, depth: int = 3) -> str:
    kind = random.random()
    if kind < 0.03:
        return random.choice(_LONG)(random.choice(_LEAVES), random.choice((20, 200, 700, 1500)))
    if kind < 0.1:
        return f"{random.choice(_LEAVES)}.{random.choice(('matches', 'find', 'findAll'))}({random.choice(_PATTERNS)})"
    if depth == 0 or kind < 0.25:
        return random.choice(_LEAVES)
    return random.choice(_STEPS)(*(_expression(random, depth - 1) for _ in range(3)))


def _policy(random: Random) -> list[Tree]:
    """A policy and its binding; its variables may double a value again and again."""
    variables = [{"name": f"v{number}", "expression": _expression(random, 2)} for number in range(random.choice((0, 0, 1, 3)))]
    if random.random() < 0.1:
        double = random.choice(("{0} + {0}", "[{0}, {0}]", "{0}.replace('a', 'aa')", "'%s%s'.format([{0}, {0}])"))
        names = [f"variables.v{number}" for number in range(random.choice((5, 24, 40)))]
        variables = [{"name": "v0", "expression": "'aaaa'"}]
        variables += [{"name": f"v{number + 1}", "expression": double.format(name)} for number, name in enumerate(names)]
    head = {"apiVersion": "admissionregistration.k8s.io/v1", "metadata": {"name": "p"}}
    rule = {"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["CREATE"], "resources": ["*"]}
    condition = [{"name": "c", "expression": _expression(random)}] if random.random() < 0.2 else []
    validation: Tree = {"expression": _expression(random)}
    if random.random() < 0.3:
        validation["messageExpression"] = _expression(random)
    spec = {
        "matchConstraints": {"resourceRules": [rule]},
        "variables": variables,
        "matchConditions": condition,
        "validations": [validation],
    }
    binding = {"policyName": "p", "validationActions": [random.choice(("Deny", "Warn", "Audit"))]}
    return [
        {**head, "kind": "ValidatingAdmissionPolicy", "spec": spec},
        {**head, "kind": "ValidatingAdmissionPolicyBinding", "spec": binding},
    ]


def policies(draw: Draw) -> Input:
    """Manifests next to a policy, or an experiment whose Platform has one. Some policies are mutated, too."""
    policy = _policy(draw.random)
    text = draw.text(draw.changed(policy)) if draw.random.random() < 0.2 else trees.written(draw.random, policy)
    documents = draw.documents()
    if draw.random.random() < 0.6:
        return draw.command("check", ".", files={"m.yaml": draw.text(documents), "p.yaml": text})
    seed = draw.experiment()
    name = draw.random.choice(("build", "check"))
    return draw.command(name, *seed.words, "--policy", "caller.yaml", files={**draw.files(seed), "caller.yaml": text})


def kubectl(draw: Draw) -> Input:
    """A built tree, and saved output of kubectl with objects of its runs, of which some fields have other values and types."""
    random, seed = draw.random, draw.random.choice(draw.corpus.built)
    runs = [path.split("/")[-2] for path in seed.files if path.startswith(f"{OUTPUT}/") and "/runs/" in path] or ["x"]
    text = json.dumps({**CLUSTER, "items": [*CLUSTER["items"], _WORKLOAD]})
    for name in ("bad-4lvtprmx", "good-g7w74297", "runs-cwdzhk78", "waits-cwdzhk78"):
        text = text.replace(name, random.choice(runs))
    listing = json.loads(text)
    at = random.randrange(len(listing["items"]))
    listing["items"][at] = trees.mutated(random, listing["items"][at], draw.corpus.vocabulary, most=2)
    if random.random() < 0.1:
        listing = trees.mutated(random, listing, draw.corpus.vocabulary)
    content = json.dumps(listing).encode("utf-8", "surrogatepass")
    if random.random() < 0.05:
        content = texts.mutated(random, content)
    words = random.choice(
        (
            ("status", "-o", OUTPUT, "--from", "-"),
            ("status", random.choice(runs), "-o", OUTPUT, "--from", "-", "--json"),
            ("runs", "archive", "--finished", "-o", OUTPUT, "--from", "-"),
            ("runs", "clean", random.choice(runs), "-o", OUTPUT, "--from", "-"),
        )
    )
    return draw.command(*words, files=dict(seed.files), stdin=content)


_DAMAGES: tuple[Callable[[Random, bytes], bytes], ...] = (
    lambda random, file: file + b"<<<<<<< HEAD\n=======\n",
    lambda random, file: b"<<<<<<< HEAD\n" + file + b"=======\n" + file + b">>>>>>> other\n",
    lambda random, file: file[: random.randrange(len(file) + 1)],
    lambda random, file: b"".join(line for line in file.splitlines(keepends=True) if line.startswith(b"#")),
    lambda random, file: file + b"---\n" + file,
    lambda random, file: file.replace(b"\n", b"\r\n"),
    lambda random, file: file.replace(b": ", b": [", 1 + random.randrange(3)),
    lambda random, file: b"\n".join(random.sample(lines, len(lines))) if (lines := file.split(b"\n")) else file,
    texts.mutated,
    lambda random, file: file.replace(b"metadata:", b"metadata: 5 #"),
    lambda random, file: file.replace(b"spec:", b"spec: []\nother:"),
    lambda random, file: b"",
)


def damaged_tree(draw: Draw) -> Input:
    """A project with superseded runs, in which files of the output tree or of the lock are damaged as by a merge or by hand."""
    random, seed = draw.random, draw.random.choice(draw.corpus.superseded)
    files: dict[str, File] = dict(seed.files)
    names = [name for name in files if name.startswith((f"{OUTPUT}/", "tjgen.lock.d/"))] or list(files)
    for _ in range(random.choice((1, 1, 2, 4))):
        name = random.choice(names)
        file = files[name]
        if isinstance(file, bytes):
            files[name] = random.choice(_DAMAGES)(random, file)
    words = random.choice(
        (
            ("build", *seed.words, "-o", OUTPUT),
            ("build", *seed.words, "-o", OUTPUT, "--check"),
            ("build", *seed.words, "-o", OUTPUT, "--force"),
            ("build", *seed.words, "-o", OUTPUT, "--summary"),
            ("diff", "-o", OUTPUT),
            ("fit", *seed.words),
            ("report", "--tree", OUTPUT),
            ("runs", "list", "-o", OUTPUT),
            ("runs", random.choice(("archive", "rerun", "prune", "keep")), "*", "-o", OUTPUT),
            ("status", "-o", OUTPUT, "--from", "-"),
            ("lint", OUTPUT),
            ("check", OUTPUT),
            ("promote", "*", "-o", OUTPUT),
        )
    )
    result: Files = files
    return draw.command(*words, files=result, stdin=json.dumps(CLUSTER).encode())
