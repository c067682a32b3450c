"""The page on a new release of Trainer: its additions are made in a copy for a release that does not exist.

The release has one new field. What needs Go, schemas and Go types, is made by hand here.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.checkout import ROOT, list_entries
from tjgen.cluster.releases import TRAINER_RELEASES

PAGE = "docs/how-to/trainer-release.md"
LAST = TRAINER_RELEASES[0]
CONSTANT = f"V{LAST.name.replace('.', '')}"
JOB = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: run, namespace: vision}
spec:
  runtimeRef: {name: tjgen-torch, kind: ClusterTrainingRuntime, apiGroup: trainer.kubeflow.org}
  exampleSeconds: 5
  trainer: {}
"""
DECODED = f"""\
from tjgen.cluster.trainer.typed import NEWEST, types_of
for types in (NEWEST, types_of("{LAST.version}")):
    print("exampleSeconds" in types.typed({{"exampleSeconds": 5}}, "TrainJobSpec"))
"""
"""A program that decodes a field of the new release as Go does, with its types and with those of the former one."""
PROJECT = "apiVersion: tjgen.dev/v1alpha1\nkind: Project\nmetadata: {name: vision}\nspec: {}\n"


def replace(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text, f"{file.name} has no {old!r}"
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


def add_schemas(copy: Path) -> None:
    folder = copy / "schemas" / "trainer" / "v9.9.0"
    shutil.copytree(copy / "schemas" / "trainer" / LAST.version, folder)
    file = folder / "trainer.kubeflow.org_v1alpha1_trainjob.json"
    schema = json.loads(file.read_bytes())
    schema["properties"]["spec"]["properties"]["exampleSeconds"] = {"type": "integer", "format": "int64"}
    file.write_text(json.dumps(schema), encoding="utf-8")
    index = json.loads((copy / "schemas" / "index.json").read_bytes())
    index["releases"]["trainer"].append("v9.9.0")
    index["newest"]["trainer"] = "v9.9.0"
    (copy / "schemas" / "index.json").write_text(json.dumps(index), encoding="utf-8")


def add_row(copy: Path) -> None:
    file = copy / "tjgen" / "cluster" / "releases.py"
    replace(file, f"{CONSTANT} = ", f'V99 = TrainerRelease("9.9", "v9.9.0", "{LAST.jobset}", RUNTIME_PATCHES)\n{CONSTANT} = ')
    replace(file, f"TRAINER_RELEASES = ({CONSTANT},", f"TRAINER_RELEASES = (V99, {CONSTANT},")


def add_types(copy: Path) -> None:
    types = copy / "tjgen" / "cluster" / "trainer" / "gotypes.py"
    former = subprocess.run(
        [sys.executable, "-c", "from tjgen.cluster.trainer.gotypes import TYPES; print(TYPES['TrainJobSpec'])"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    replace(types, " activeDeadlineSeconds:int64", " activeDeadlineSeconds:int64 exampleSeconds:int64")
    earlier = copy / "tjgen" / "cluster" / "trainer" / "gotypes_earlier.py"
    start = "CHANGES: dict[str, dict[str, str | None]] = {\n"
    replace(earlier, start, f'{start}    "{LAST.version}": {{"TrainJobSpec": "{former}"}},\n')


def add_differences(copy: Path) -> None:
    file = copy / "tjgen" / "cluster" / "trainer" / "release.py"
    replace(file, f"NEWEST = Release({CONSTANT},", "NEWEST = Release(V99,")
    replace(file, "_V22 = NEWEST._replace(", f"_LAST = NEWEST._replace(entry={CONSTANT})\n_V22 = _LAST._replace(")
    replace(file, "for release in (NEWEST,", "for release in (NEWEST, _LAST,")
    replace(file, f" {CONSTANT}, ", f" {CONSTANT}, V99, ")


def change_default(copy: Path) -> None:
    replace(copy / "tjgen" / "cluster" / "releases.py", f"DEFAULT_TRAINER = {CONSTANT}", "DEFAULT_TRAINER = V99")


STEPS: dict[str, tuple[Callable[[Path], None], str]] = {
    "Schemas": (add_schemas, "schemas/sets.yaml"),
    "Table of releases": (add_row, "tjgen/cluster/releases.py"),
    "Go types": (add_types, "tjgen/cluster/trainer/gotypes_earlier.py"),
    "Differences": (add_differences, "tjgen/cluster/trainer/release.py"),
    "The default": (change_default, "DEFAULT_TRAINER"),
}
"""Title of a step -> what makes its additions, and what the page names for it."""


def copied(folder: Path) -> Path:
    """A copy of what a build reads; what no step changes is linked."""
    shutil.copytree(ROOT / "tjgen", folder / "tjgen")
    (folder / "schemas").mkdir()
    for path in list_entries(ROOT.joinpath("schemas")):
        if path.name == "trainer":
            shutil.copytree(path, folder / "schemas" / "trainer")
        elif path.name == "index.json":
            shutil.copy2(path, folder / "schemas" / "index.json")
        else:
            os.symlink(path, folder / "schemas" / path.name)
    for name in ("runtimes", "scripts", "platforms", "examples"):
        os.symlink(ROOT / name, folder / name)
    project = folder / "project"
    project.mkdir()
    (project / "job.yaml").write_text(JOB, encoding="utf-8")
    (project / "tjgen.yaml").write_text(PROJECT, encoding="utf-8")
    return folder


def run(copy: Path, *words: str, at: str = "") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONSAFEPATH": "1"}
    command = [sys.executable, "-m", "tjgen", *words]
    return subprocess.run(command, cwd=copy / at, env=environment, capture_output=True, text=True, check=False)


def problems(copy: Path) -> Iterator[str]:
    """What does not work with the new release."""
    checked = run(copy, "check", "--strict", "job.yaml", at="project")
    if checked.returncode != 0:
        yield f"check: {checked.stderr[-300:]}"
    former = run(copy, "check", "--trainer", LAST.name, "job.yaml", at="project")
    if former.returncode != 1 or "this is a field of Trainer 9.9 and later" not in former.stderr:
        yield f"check for the former release: {former.stderr[-300:]}"
    converted = run(copy, "convert", "job.yaml", at="project")
    if converted.returncode != 0 or "exampleSeconds" not in converted.stdout:
        yield f"convert: {converted.stderr[-300:]}"
    decoded = subprocess.run([sys.executable, "-c", DECODED], cwd=copy, capture_output=True, text=True, check=False)
    if decoded.stdout.split() != ["True", "False"]:
        yield f"decode: {decoded.stdout}{decoded.stderr[-300:]}"
    build = run(copy, "build", "examples/resnet50.yaml", "--expanded", "--trainer", "9.9", "-o", "-")
    if build.returncode != 0 or "kind: JobSet" not in build.stdout:
        yield f"build: {build.stderr[-300:]}"


@pytest.mark.parametrize("step", STEPS)
def test_the_page_names_every_addition(step: str) -> None:
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    part = text.partition(f". **{step}.**")[2].partition(". **")[0]
    assert STEPS[step][1] in part


def test_the_new_release_works_with_all_additions(tmp_path: Path) -> None:
    copy = copied(tmp_path)
    for add, _ in STEPS.values():
        add(copy)
    subprocess.run([sys.executable, "-m", "tjgen.language.spec.generate"], cwd=copy, check=True)
    assert 'get("trainer", "9.9")' in (copy / "tjgen" / "language" / "spec" / "objects.py").read_text(encoding="utf-8")
    assert list(problems(copy)) == []


@pytest.mark.parametrize("omitted", STEPS)
def test_it_does_not_work_without_one_of_them(omitted: str, tmp_path: Path) -> None:
    copy = copied(tmp_path)
    for step, (add, _) in STEPS.items():
        # Without its row, the default cannot be the new release either.
        if step != omitted and not (omitted == "Table of releases" and step == "The default"):
            add(copy)
    assert next(problems(copy), None) is not None
