"""Every example and every case -> the tree that a project with a GitOps tool has in Git for it, in batches that do not clash."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from tests.checkout import ROOT, list_entries
from tests.program import arguments, cases, tjgen

EXAMPLES = ROOT / "examples"
TREE = "deploy"
PREVIEWS = "previews"


class Input(NamedTuple):
    """Something to build: a folder to copy, and what follows `tjgen build -o DIR`."""

    name: str
    folder: Path
    words: tuple[str, ...]
    environment: str = ""


class Built(NamedTuple):
    """What came of it: path -> text of each file to apply, and the objects that shall come of them."""

    name: str
    files: dict[str, str]
    previews: list[Any]
    sync: list[Any]
    """The objects that make the tool sync it."""

    @property
    def manifests(self) -> list[Any]:
        return [yaml.safe_load(text) for path, text in self.files.items() if path.endswith(".yaml")]


def inputs() -> Iterator[Input]:
    """Examples and cases, but for cases that need words which a tree cannot be built with."""
    for path in list_entries(EXAMPLES, "*.yaml"):
        yield Input(f"example {path.stem}", EXAMPLES, (path.name,))
    for folder in [path for path in list_entries(EXAMPLES) if path.is_dir()]:
        if (folder / "tjgen.yaml").exists():
            environments = yaml.safe_load((folder / "tjgen.yaml").read_text(encoding="utf-8"))["spec"].get("environments", {})
            for one in environments or [""]:
                yield Input(f"example {folder.name} {one}", folder, ("--env", one) if one else (), one)
        elif (folder / "experiment.yaml").exists():
            yield Input(f"example {folder.name}", folder, ("experiment.yaml",))
    for case in cases("cases"):
        words = arguments(case)
        if "--set" not in words:
            yield Input(f"case {case.name}", case, tuple(words), words[words.index("--env") + 1] if "--env" in words else "")


def built(one: Input, tool: str, folder: Path) -> Built:
    """Build it for a tool, in a copy of its own."""
    place = folder / one.name.replace(" ", "-")
    shutil.copytree(one.folder, place)
    file = place / "tjgen.yaml"
    project: Any = {"apiVersion": "tjgen.dev/v1alpha1", "kind": "Project", "spec": {}}
    if file.exists():
        project = yaml.safe_load(file.read_text(encoding="utf-8"))
    project.setdefault("metadata", {"name": "everything"})
    project["spec"]["output"] = {"directory": TREE}
    project["spec"]["gitops"] = {"tool": tool, "repository": "https://git.example.com/everything.git"}
    file.write_text(yaml.safe_dump(project), encoding="utf-8")
    answer = tjgen(place, "build", *one.words, "-o", TREE, "--expanded", PREVIEWS)
    assert answer.code == 0, f"{one.name}: {answer.err}"
    files = texts(place / TREE / one.environment)
    sync = [yaml.safe_load(text) for path, text in files.items() if path.startswith("gitops/")]
    previews = [tree for text in texts(place / PREVIEWS / one.environment).values() for tree in yaml.safe_load_all(text)]
    return Built(one.name, {path: text for path, text in files.items() if not path.startswith("gitops/")}, previews, sync)


def texts(folder: Path) -> dict[str, str]:
    found = sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in found}


def batches(everything: list[Built]) -> list[list[Built]]:
    """The same in groups in which each path has one text, so that a group can be synced as one tree."""
    found: list[tuple[list[Built], dict[str, str]]] = []
    for one in everything:
        for group, files in found:
            if all(files.get(path, text) == text for path, text in one.files.items()) and not _same_runs(one, files):
                group.append(one)
                files.update(one.files)
                break
        else:
            found.append(([one], dict(one.files)))
    return [group for group, _ in found]


def _same_runs(one: Built, files: dict[str, str]) -> bool:
    return any(path.startswith("runs/") and path in files for path in one.files)
