"""A setting -> the figures of `tjgen check` and `tjgen lint` on the objects of a whole project, next to kubeconform."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

from bench import peers, project
from bench.process import Task, run
from bench.report import Figure, Part
from bench.setting import TJGEN, TREES, Setting, ratio, seconds

_CREATED = ("JobSet", "Service", "Job")
"""Kinds of objects that a controller creates, but each run has only one. With TrainJob and claim, these are five."""
_IGNORED = ("--ignore", "TJ606", "--ignore", "TJ645")
"""Findings of lint about this folder: it has no waves, and has objects of controllers."""

_VALUES_OF_A_DOCUMENT = 400
"""More than a document of the stream has."""
_PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
metadata: {name: documents}
spec: {budgets: {values: %d}}
"""


def many_documents(setting: Setting) -> Part:
    """The objects of a project: four of each run in a folder, and five of each run in a folder and in one file."""
    where = setting.place("documents")
    _write(setting, where)
    four, five = setting.experiments * 4, setting.experiments * 5
    with open(os.path.join(where, "tjgen.yaml"), "w", encoding="utf-8") as file:
        file.write(_PROJECT % (_VALUES_OF_A_DOCUMENT * five))
    location = peers.copy_schemas(setting.schemas, os.path.join(where, "schemas"))
    check = (TJGEN, "check", "--quiet", "--no-cache")
    names = f"tjgen check, {four} documents", f"tjgen lint, {four} documents"
    folder, stream = f"tjgen check, {five} files", f"tjgen check, one file of {five}"
    samples = setting.measure(
        Task(names[0], (*check, "four"), where),
        Task(names[1], (TJGEN, "lint", "--quiet", "--gitops", "argocd", *_IGNORED, "four"), where),
        *setting.peer("kubeconform", "-schema-location", location, "four", folder=where),
        Task(folder, (*check, "five"), where),
        Task(stream, (*check, "five.yaml"), where),
        times=max(2, setting.times // 6),
    )
    shutil.rmtree(where)
    limits = [
        *ratio(samples, names[0], "kubeconform", 0.3),
        *ratio(samples, names[1], "kubeconform", 0.5),
        Figure(f"memory of {names[1]}", samples[names[1]].memory, "MiB", "", 60),
        *ratio(samples, stream, folder, 1.1),
    ]
    return Part(f"the objects of {setting.experiments} experiments", [*seconds(samples), *limits])


def _write(setting: Setting, where: str) -> None:
    """Build a project, and put its objects into the folders `four` and `five` and the file `five.yaml`."""
    source = setting.place("documents-project")
    project.write(source, setting.experiments)
    run(setting.from_nothing("tjgen build", source), setting.environment)
    for name in ("four", "five"):
        shutil.copytree(os.path.join(source, TREES[0]), os.path.join(where, name))
    applied = [*_texts(os.path.join(source, TREES[0]))]
    created: list[str] = []
    for text in _texts(os.path.join(source, TREES[1])):
        documents = [one for one in text.split("---\n") for kind in _CREATED if f"\nkind: {kind}\n" in one]
        created += documents
        for name, kinds in (("four", _CREATED[:2]), ("five", _CREATED)):
            for kind in kinds:
                _put(where, name, f"{len(created)}-{kind}", next(one for one in documents if f"\nkind: {kind}\n" in one))
    with open(os.path.join(where, "five.yaml"), "w", encoding="utf-8") as file:
        file.write("---\n".join([*applied, *created]))
    shutil.rmtree(source)


def _put(where: str, folder: str, name: str, text: str) -> None:
    with open(os.path.join(where, folder, f"{name}.yaml"), "w", encoding="utf-8") as file:
        file.write(text)


def _texts(folder: str) -> Iterator[str]:
    """The text of each file in a folder, in the order of their paths."""
    for path in sorted(os.path.join(top, name) for top, _, names in os.walk(folder) for name in names):
        with open(path, encoding="utf-8") as file:
            yield file.read()
