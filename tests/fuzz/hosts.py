"""Draws -> inputs of commands that other programs call: kustomize, Helm, Argo CD, registries and Git."""

from __future__ import annotations

import json
from typing import Any

from tests.fuzz import texts, trees
from tests.fuzz.corpus import OUTPUT, SHARD, trees_of
from tests.fuzz.draw import Draw, Files
from tests.fuzz.inputs import Input
from tests.fuzz.replies import replies
from tests.gitops.shards.sharding import lines_of, with_checksum

Tree = Any


def krm(draw: Draw) -> Input:
    random = draw.random
    experiments = [tree for content in draw.experiment().files.values() for tree in trees_of(content)][:2]
    config = {
        "apiVersion": "tjgen.dev/v1alpha1",
        "kind": "Function",
        "metadata": {"name": "f"},
        "spec": {"environment": "dev", "set": {"nodes": 2}},
    }
    items = [*experiments, *draw.documents()]
    tree = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": items, "functionConfig": config}
    vocabulary = draw.corpus.language if random.random() < 0.5 else draw.corpus.vocabulary
    content = trees.written(random, [trees.mutated(random, tree, vocabulary)])
    return draw.command("krm", files={}, stdin=texts.mutated(random, content) if random.random() < 0.1 else content)


def postrender(draw: Draw) -> Input:
    experiments = [draw.file(content) for name, content in draw.experiment().files.items() if name.endswith(".yaml")][:2]
    stream = b"".join(b"---\n# Source: x/templates/a.yaml\n" + text for text in [*experiments, draw.text(draw.documents())])
    return draw.command("postrender", files={}, stdin=stream)


def cmp(draw: Draw) -> Input:
    random = draw.random
    parameters = [
        {"name": "environment", "string": "dev"},
        {"name": "set", "map": {"spec.nodes": "2"}},
        {"name": "experiments", "array": ["experiments/*.yaml"]},
        {"name": "trainer", "string": "2.1"},
        {"name": "strict", "string": "true"},
    ]
    said = trees.mutated(random, random.sample(parameters, random.randrange(5)), draw.corpus.language)
    text = trees.written(random, [said]).decode("utf-8", "surrogateescape").replace("\x00", "")
    if random.random() < 0.8:
        text = json.dumps(said)
    odd = str(random.choice(trees.SCALARS)).replace("\x00", "").encode("utf-8", "replace").decode()
    variables = {
        "ARGOCD_APP_PARAMETERS": text,
        "ARGOCD_ENV_TJGEN_ENVIRONMENT": random.choice(("dev", "", odd)),
        "ARGOCD_APP_NAMESPACE": random.choice(("", "team", odd)),
    }
    seed = random.choice(draw.corpus.projects if random.random() < 0.5 else draw.corpus.experiments)
    chosen = {name: value for name, value in variables.items() if random.random() < 0.6}
    return draw.command(
        "cmp", random.choice(("discover", "parameters", "generate", "generate")), files=draw.files(seed), variables=chosen
    )


def pin(draw: Draw) -> Input:
    seed = draw.random.choice(draw.corpus.projects if draw.random.random() < 0.3 else draw.corpus.experiments)
    files = draw.files(seed)
    pins = {
        "apiVersion": "tjgen.dev/v1alpha1",
        "kind": "Pins",
        "images": {"registry.example.com/a:1": {"digest": "sha256:" + "a" * 64}},
    }
    if draw.random.random() < 0.5:
        files["tjgen.images.yaml"] = trees.written(draw.random, [trees.mutated(draw.random, pins, draw.corpus.language)])
    return draw.command(
        "pin", *seed.words[:1], *draw.random.choice(((), ("--update",), ("--check",))), files=files, replies=replies(draw.random)
    )


def git(draw: Draw) -> Input:
    seed = draw.random.choice(draw.corpus.committed)
    among = (".yaml", ".lock") if draw.random.random() < 0.8 else ("",)
    revision = draw.random.choice(("HEAD", "main", "HEAD~1", "--all", "", "x"))
    words = (
        ("diff", revision, "-o", OUTPUT),
        ("check", OUTPUT, "--against", revision),
        ("lint", OUTPUT, "--against", revision),
        ("build", *seed.words, "--staged", "-o", OUTPUT),
    )
    return draw.command(*draw.random.choice(words), files=draw.files(seed, among=among))


def shards(draw: Draw) -> Input:
    """A merge of one shard, with changes in a line of it, mostly in the record of a run, and a checksum that fits them."""
    random = draw.random
    seed = random.choice(draw.corpus.sharded)
    files: Files = dict(seed.files) if random.random() < 0.9 else draw.files(seed)
    content = files.get(SHARD)
    if isinstance(content, bytes):
        lines = lines_of(content)
        at = random.randrange(len(lines))
        records = lines[at].get("runs")
        if records and random.random() < 0.9:
            key = random.choice([*records])
            part = random.randrange(len(records[key]))
            records[key][part] = trees.mutated(random, records[key][part], draw.corpus.vocabulary) or random.choice(trees.SCALARS)
        else:
            lines[at] = trees.mutated(random, lines[at], draw.corpus.vocabulary)
        text = with_checksum(lines)
        files[SHARD] = texts.mutated(random, text) if random.random() < 0.1 else text
    options = random.choice(((), (), ("--check",), ("--summary",)))
    return draw.command("build", *seed.words, "-o", OUTPUT, "--from-shards", "shards", *options, files=files)


def slices(draw: Draw) -> Input:
    """A list of items in a CSV file, or in bytes that are not Parquet, with options that may not fit it."""
    random = draw.random
    odd = [str(one).encode("utf-8", "replace") for one in random.sample(trees.SCALARS, 2)]
    rows = [b"path,size", *(b"a/%d.tar,%d" % (number, random.randrange(100)) for number in range(random.randrange(9)))]
    rows += [b",".join((b"b.tar", one)) for one in odd if random.random() < 0.2]
    content = b"\n".join(rows)
    if random.random() < 0.4:
        content = texts.mutated(random, content)
    file = random.choice(("a.csv", "a.csv", "a.csv", "a.parquet", "a.csv.gz"))
    words = [
        file,
        "--count",
        random.choice(("1", "2", "3", "9", "500", "0")),
        "--output",
        random.choice(("out", "out", "out", ".", "a/b")),
    ]
    words += ["--by", random.choice(("contiguous", "hash", "lpt", "round-robin", "contiguous-size-balanced"))]
    words += random.choice(((), (), ("--as", "parquet"), ("--prefix", "a/"), ("--columns", "path,size"), ("--url-encoded",)))
    return draw.command("slices", *words, files={file: content})
