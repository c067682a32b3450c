"""The repository's cases, examples and recorded files -> the seeds that inputs are made of."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from tests.checkout import ROOT, list_entries
from tests.fuzz.trees import Vocabulary
from tests.program import tjgen
from tjgen.trees.source.reader import CORE, KUBERNETES, read

Tree = Any
_IMAGE = re.compile(rb"^(  image: [^:\s#]+):[^\s:]+$", re.MULTILINE)
LARGEST = 12_000
"""Bytes of a file of the corpus; what is larger costs time and shows nothing that a smaller one does not."""
OUTPUT = "deploy"
SHARD = "shards/shard-1-of-1.jsonl"


class Seed(NamedTuple):
    """A folder's files, and the words that follow the command there."""

    files: dict[str, bytes]
    words: tuple[str, ...]


class Corpus(NamedTuple):
    """All seeds. The order is that of the files' names, so a seed and a number give the same input everywhere."""

    experiments: tuple[Seed, ...]
    projects: tuple[Seed, ...]
    """Folders with a tjgen.yaml."""
    built: tuple[Seed, ...]
    """Folders with an output tree in OUTPUT."""
    superseded: tuple[Seed, ...]
    """The same with runs that later ones supersede."""
    sharded: tuple[Seed, ...]
    """Folders with the only shard of a build, SHARD."""
    committed: tuple[Seed, ...]
    """Folders with an output tree that are Git repositories."""
    linted: tuple[Seed, ...]
    manifests: dict[str, tuple[Tree, ...]]
    """Kind -> objects of it."""
    trainjobs: tuple[tuple[Tree, ...], ...]
    """TrainJobs with the objects next to them."""
    definitions: tuple[Tree, ...]
    vocabulary: Vocabulary
    language: Vocabulary
    """The vocabulary of experiments, overlays, platforms and projects alone."""


def load() -> Corpus:
    """Read the corpus, and build a few output trees."""
    cases = [_case(folder) for kind in ("cases", "rejects") for folder in _folders(ROOT / "tests" / kind)]
    examples = [Seed({file.name: file.read_bytes()}, (file.name,)) for file in list_entries(ROOT / "examples", "*.yaml")]
    folders = [*_folders(ROOT / "examples"), *_folders(ROOT / "examples" / "inside")]
    projects = [Seed(files, ()) for folder in folders if "tjgen.yaml" in (files := _files(folder))]
    experiments = [seed for seed in (*cases, *examples) if seed.files]
    platform = [Seed({file.name: file.read_bytes()}, (file.name,)) for file in list_entries(ROOT / "platforms", "*.yaml")]
    built = [*_built([*examples[:8], *cases[:60:6], *projects[:3]])]
    linted = [_linted(folder) for rule in _folders(ROOT / "tests" / "gitops" / "lint") for folder in _folders(rule)]
    vocabulary, language = Vocabulary(), Vocabulary()
    manifests: dict[str, list[Tree]] = {}
    trainjobs = []
    for file in _yaml_files():
        documents = trees_of(file.read_bytes())
        for tree in documents:
            if not isinstance(tree, dict):
                continue
            if str(tree.get("apiVersion")).startswith("tjgen.dev/"):
                language.learn(tree)
            elif isinstance(tree.get("kind"), str) and "apiVersion" in tree:
                vocabulary.learn(tree)
                manifests.setdefault(tree["kind"], []).append(tree)
        if any(isinstance(tree, dict) and tree.get("kind") == "TrainJob" for tree in documents):
            trainjobs.append(tuple(documents))
    return Corpus(
        (*experiments, *platform),
        tuple(projects),
        tuple(built),
        tuple(_superseded(built)),
        tuple(_sharded([*examples[:8], *cases[:60:6]])),
        tuple(_committed(built[:3])),
        tuple(linted),
        {kind: tuple(trees) for kind, trees in sorted(manifests.items())},
        tuple(trainjobs),
        tuple(manifests.get("CustomResourceDefinition", ())),
        vocabulary,
        language,
    )


@cache
def trees_of(content: bytes) -> tuple[Tree, ...]:
    """The documents of a file, as our own reader reads them."""
    documents, _ = read(content, "seed", CORE if b"tjgen.dev/" in content else KUBERNETES)
    return tuple(document.value for document in documents)


def _folders(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_dir())


def _yaml_files() -> Iterator[Path]:
    for name in (
        "tests/cases",
        "tests/rejects",
        "tests/gitops/lint",
        "tests/cluster/trainer",
        "tests/cli",
        "examples",
        "runtimes",
        "platforms",
    ):
        for file in list_entries(ROOT / name, "**/*.y*ml"):
            if file.is_file() and file.name not in ("case.yaml", "expanded.yaml") and file.stat().st_size <= LARGEST:
                yield file
    for file in list_entries(ROOT / "overlays", "**/*.yaml"):
        yield file


def _files(folder: Path, *without: str) -> dict[str, bytes]:
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_file() and not name.startswith(("expected", *without)) and path.stat().st_size <= LARGEST:
            found[name] = path.read_bytes()
    return found


def _case(folder: Path) -> Seed:
    described = folder / "case.yaml"
    found = yaml.safe_load(described.read_text(encoding="utf-8")) if described.exists() else {}
    return Seed(_files(folder, "case.yaml"), tuple(map(str, found.get("arguments", ["experiment.yaml"]))))


def _linted(folder: Path) -> Seed:
    arguments = folder / "arguments"
    words = [".", *(arguments.read_text(encoding="utf-8").split() if arguments.exists() else ())]
    return Seed(_files(folder, "arguments"), tuple(words))


def _built(seeds: list[Seed]) -> Iterator[Seed]:
    """The folders with the output tree that a build makes in them."""
    for seed in seeds:
        folder = Path(tempfile.mkdtemp())
        _write(seed, folder)
        answer = tjgen(folder, "build", *seed.words, *(() if "tjgen.yaml" in seed.files else ("-o", OUTPUT)))
        if answer.code == 0:
            yield Seed(_files(folder), seed.words)
        shutil.rmtree(folder)


def _superseded(seeds: list[Seed]) -> Iterator[Seed]:
    """The folders with the output tree of another build, of experiments with another image."""
    for seed in seeds:
        folder = Path(tempfile.mkdtemp())
        changed = {name: _IMAGE.sub(rb"\1:later", content) for name, content in seed.files.items() if name.endswith(".yaml")}
        own = {name: content for name, content in changed.items() if not name.startswith((f"{OUTPUT}/", "tjgen.lock.d/"))}
        _write(Seed({**seed.files, **own}, seed.words), folder)
        answer = tjgen(folder, "build", *seed.words, *(() if "tjgen.yaml" in seed.files else ("-o", OUTPUT)))
        if answer.code == 0:
            yield Seed(_files(folder), seed.words)
        shutil.rmtree(folder)


def _sharded(seeds: list[Seed]) -> Iterator[Seed]:
    for seed in seeds:
        folder = Path(tempfile.mkdtemp())
        _write(seed, folder)
        if tjgen(folder, "build", *seed.words, "--shard", "1/1", "-o", "shards").code == 0:
            yield Seed({**_files(folder), SHARD: (folder / SHARD).read_bytes()}, seed.words)
        shutil.rmtree(folder)


def _committed(seeds: list[Seed]) -> Iterator[Seed]:
    for seed in seeds:
        folder = Path(tempfile.mkdtemp())
        _write(seed, folder)
        who = ["-c", "user.name=fuzz", "-c", "user.email=fuzz@example.com", "-c", "commit.gpgsign=false"]
        for words in (
            ["init", "-q", "-b", "main", "--template="],
            ["add", "-A"],
            ["commit", "-q", "-m", "x", "--date=2026-01-01T00:00:00Z"],
        ):
            environment = {
                "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
                "HOME": str(folder),
                "PATH": "/usr/local/bin:/usr/bin:/bin",
            }
            subprocess.run(["git", *who, *words], cwd=folder, check=True, env=environment)
        (folder / ".git" / "index").unlink()  # it contains times of files, which differ from run to run
        yield Seed(_files(folder), seed.words)
        shutil.rmtree(folder)


def _write(seed: Seed, folder: Path) -> None:
    for name, content in seed.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
