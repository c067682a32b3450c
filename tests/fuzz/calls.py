"""Draws -> inputs of the library: `admit`, `expand`, `build`, the reader, and the parsers of small languages."""

from __future__ import annotations

import json
from typing import Any

from tests.fuzz import texts, trees
from tests.fuzz.draw import Draw
from tests.fuzz.inputs import Input

Tree = Any


def admit(draw: Draw) -> Input:
    documents = draw.documents()
    random = draw.random
    given: dict[str, Tree] = {"document": documents[0]}
    if random.random() < 0.5:
        given["old"] = trees.mutated(random, documents[0], draw.corpus.vocabulary)
    if random.random() < 0.4:
        given["context"] = draw.documents()
    if random.random() < 0.3:
        given["apply"] = "server-side"
    return Input("admit", stdin=json.dumps(given).encode())


def expand(draw: Draw) -> Input:
    random = draw.random
    documents = draw.changed(list(random.choice(draw.corpus.trainjobs)))
    trainer = random.choice(("2.0", "2.1", "2.2", "2.3", "2.3"))
    return Input("expand", stdin=json.dumps({"documents": documents, "trainer": trainer, "pods": random.random() < 0.3}).encode())


def library_build(draw: Draw) -> Input:
    seed = draw.experiment()
    given = {"paths": [seed.words[0]], "set_values": [f"spec.nodes={draw.random.choice(trees.SCALARS)}"]}
    if draw.random.random() < 0.3:
        mutated = trees.mutated(draw.random, given, draw.corpus.language)
        # A caller may name any folder; here none outside of the scratch folder is searched.
        given = {
            name: [str(one).lstrip("/").replace("..", ".") for one in value]
            for name, value in (mutated.items() if isinstance(mutated, dict) else ())
            if isinstance(value, list)
        }
    return Input("build", (), draw.files(seed), json.dumps(given).encode())


def read(draw: Draw) -> Input:
    random = draw.random
    seed = list(draw.experiment().files.values()) if random.random() < 0.5 else []
    content = random.choice(seed) if seed else trees.written(random, draw.documents())
    return Input("read", stdin=texts.mutated(random, content[:4000]))


def parsers(draw: Draw) -> Input:
    random = draw.random
    lines = []
    for _ in range(6):
        text = "".join(str(random.choice(trees.SCALARS))[:5000] for _ in range(random.choice((1, 1, 2, 3))))
        lines.append(text.replace("\n", " "))
    return Input("texts", stdin="\n".join(lines).encode("utf-8", "replace"))
