"""A source of random numbers over the corpus -> mutated documents, files and command lines, which scenes are made of."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

from tests.fuzz import texts, trees
from tests.fuzz.corpus import Corpus, Seed, trees_of
from tests.fuzz.inputs import CLOSED, FULL, PROGRAM, UTF8, File, Folder, Input, Link
from tests.fuzz.words import odd_words, options

Tree = Any
Files = dict[str, File]
LARGEST_FILE = 4 << 20
"""Bytes of a mutated file: larger ones only measure how long reading takes, which grows with the size."""


class Draw(NamedTuple):
    """A source of random numbers over a corpus: the same seed and number give the same draws."""

    random: Random
    corpus: Corpus

    def experiment(self) -> Seed:
        """A folder with an experiment."""
        return self.random.choice(self.corpus.experiments)

    def documents(self, *, least: int = 1) -> list[Tree]:
        """Mutated manifests: of random kinds, or a TrainJob with what stands next to it."""
        random, corpus = self.random, self.corpus
        if random.random() < 0.4:
            found = list(random.choice(corpus.trainjobs))
        else:
            kinds = list(corpus.manifests)
            found = [
                random.choice(corpus.manifests[random.choice(kinds)]) for _ in range(max(least, random.choice((1, 1, 2, 3))))
            ]
        return self.changed(found)

    def changed(self, found: list[Tree]) -> list[Tree]:
        """The documents with changes in one of them or in each."""
        at = self.random.randrange(len(found))
        everywhere = self.random.random() < 0.2
        vocabulary = self.corpus.vocabulary
        return [
            trees.mutated(self.random, tree, vocabulary) if everywhere or number == at else tree
            for number, tree in enumerate(found)
        ]

    def text(self, documents: list[Tree]) -> bytes:
        """The documents as text, sometimes changed as text too."""
        if self.random.random() < 0.05:
            documents = [{"apiVersion": "v1", "kind": "List", "items": documents}]
        content = trees.written(self.random, documents)
        return texts.mutated(self.random, content) if self.random.random() < 0.15 else content

    def file(self, content: bytes) -> bytes:
        """A file of a seed with changes, by its structure where it has one."""
        random = self.random
        found = list(trees_of(content)) if random.random() < 0.8 else []
        if not found:
            made = texts.mutated(random, content)
            return made if len(made) <= LARGEST_FILE else content
        at = random.randrange(len(found))
        vocabulary = self.corpus.language if b"tjgen.dev/" in content else self.corpus.vocabulary
        found[at] = trees.mutated(random, found[at], vocabulary)
        made = trees.written(random, found)
        made = texts.mutated(random, made) if random.random() < 0.1 else made
        return made if len(made) <= LARGEST_FILE else content

    def files(self, seed: Seed, *, among: tuple[str, ...] = (".yaml", ".yml", ".json", ".lock")) -> Files:
        """The files of a seed with changes to one or two of them, seldom to the folder."""
        random = self.random
        files: Files = dict(seed.files)
        names = [name for name in files if name.endswith(among)] or list(files)
        for _ in range(random.choice((1, 1, 1, 2))):
            name = random.choice(names)
            content = files.get(name)
            if content is not None and random.random() < 0.04:
                files = self.moved(files, name)
            elif isinstance(content, bytes) and not name.endswith(".py"):
                files[name] = self.file(content)
        return files

    def moved(self, files: Files, name: str) -> Files:
        """A file missing, empty, a folder, a link, under another name, or next to an odd one."""
        random = self.random
        kept = {other: file for other, file in files.items() if other != name}
        odd = random.choice(
            (
                "a b.yaml",
                "é.yaml",
                "\udcff.yaml",
                "\x1b[31m.yaml",
                "a\nb.yaml",
                "-.yaml",
                "x.yml",
                "x.json",
                ".hidden.yaml",
                "[a].yaml",
                "*.yaml",
            )
        )
        ways: tuple[Callable[[], Files], ...] = (
            lambda: kept,
            lambda: {**kept, name: b""},
            lambda: {**kept, name: Folder()},
            lambda: {**kept, name: Link(name)},
            lambda: {**kept, name: Link("missing")},
            lambda: {**kept, name: Link(".")},
            lambda: {**kept, f"{name}/x.yaml": files[name]},
            lambda: {**kept, odd: files[name]},
            lambda: {**files, odd: files[name]},
            lambda: {**kept, "there.yaml": files[name], name: Link("there.yaml")},
        )
        return random.choice(ways)()

    def command(self, name: str, *words: str, files: Files, stdin: bytes = b"", **rest: Any) -> Input:
        """A command line with random options, seldom with an odd standard output."""
        random = self.random
        output = random.choice((CLOSED, FULL, "ascii", "latin-1")) if random.random() < 0.02 else UTF8
        line = [name, *words, *options(random, name)]
        if random.random() < 0.04:
            line = odd_words(random, line)
        return Input(PROGRAM, tuple(line), files, stdin, output=output, **rest)
