"""The page on programs in the cluster against the programs themselves, and against manifests that contain them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.checkout import ROOT, list_entries
from tests.compiler.programs.keeping.pruning import Project
from tests.containers import pod_of
from tests.program import tjgen
from tjgen.compiler.programs.containers import script
from tjgen.language.platform.tools import DEFAULTS, DIAGNOSE

PAGE = ROOT / "docs/explanation/in-cluster-programs.md"
SCRIPTS = [path.name for path in list_entries(ROOT / "scripts") if path.is_file() and path.suffix != ".toml"]
ROWS = ["Enabled by", "What it does", "Image", "User", "Volumes", "API", "Network", "Never", "Deadline", "On failure", "Test"]
SECONDS = {"min": 60, "h": 3600, "d": 86400}
IMAGES = {**DEFAULTS, DIAGNOSE: "registry.example.com/fio:3.39"}
"""Purpose -> image; the Platform sets the one without a default."""
SPEC: dict[str, Any] = {
    "runtime": "tjgen-torch",
    "image": "registry.example.com/train:1",
    "script": "train.py",
    "volumes": {
        "data": {"pvc": "data", "mountPath": "/data", "readOnly": True},
        "archive": {"pvc": "archive", "mountPath": "/archive", "readOnly": True},
        "disk": {"emptyDir": {}, "mountPath": "/disk"},
        "out": {"pvc": {"create": {"size": "10Gi", "storageClassName": "shared"}}, "mountPath": "/out"},
    },
    "code": {
        "use": ["build", "git"],
        "build": {"image": "registry.example.com/built", "directory": "src"},
        "git": {"repository": "https://git.example.com/x.git", "commit": "5f1d1c4f2f5d3c0f6a7b8c9d0e1f2a3b4c5d6e7f"},
    },
    "checkpoints": {
        "volume": "out",
        "mark": "init",
        "resumeFrom": "all-bcdfghjk",
        "keep": {"last": 2},
        "backup": {"schedule": "0 3 * * *"},
    },
    "data": {"volume": "archive", "items": {"list": ["a", "b"]}, "slices": {"deliver": "init", "scratch": "disk"}},
    "monitor": {"diagnose": True},
}


def sections() -> dict[str, dict[str, str]]:
    """Program -> the rows of its table."""
    found = {}
    for part in re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        heading = part.splitlines()[0].strip("`")
        rows = dict(re.findall(r"^\| ([^|]+?) \| ([^|]+?) \|$", part, re.MULTILINE))
        rows.pop("---", None)
        if rows:
            found[heading] = rows
    return found


def containers(folder: Path, prefetch: dict[str, Any], **checkpoints: Any) -> list[tuple[dict[str, Any], int | None]]:
    """Every container of what an experiment with all programs becomes, with the deadline of its Job."""
    (folder / "src").mkdir(exist_ok=True)
    (folder / "src/requirements.txt").write_text("einops==0.8.0\n")
    document = {
        "apiVersion": "tjgen.dev/v1alpha1",
        "kind": "Experiment",
        "metadata": {"name": "all", "namespace": "team"},
        "spec": {**SPEC, "prefetch": prefetch, "checkpoints": {**SPEC["checkpoints"], **checkpoints}},
    }
    (folder / "experiment.yaml").write_text(json.dumps(document))
    head = {"apiVersion": "tjgen.dev/v1alpha1"}
    helpers = {"images": {"helpers": {DIAGNOSE: IMAGES[DIAGNOSE]}}}
    platform = {**head, "kind": "Platform", "metadata": {"name": "lab"}, "spec": helpers}
    (folder / "platform.yaml").write_text(json.dumps(platform))
    (folder / "tjgen.yaml").write_text(json.dumps({**head, "kind": "Project", "spec": {"platforms": ["platform.yaml"]}}))
    found: list[tuple[dict[str, Any], int | None]] = []
    for words in (["build", "experiment.yaml"], ["build", "--expanded", "experiment.yaml"]):
        answer = tjgen(folder, *words)
        assert answer.code == 0, answer.err
        for one in yaml.safe_load_all(answer.out):
            if one["metadata"].get("ownerReferences") and one["kind"] == "Job":
                continue  # of the JobSet, whose deadline is that of the run
            if one["kind"] in ("Job", "CronJob"):
                job = one["spec"] if one["kind"] == "Job" else one["spec"]["jobTemplate"]["spec"]
                pods = [(pod_of(one), job["activeDeadlineSeconds"])]
            elif one["kind"] == "JobSet":
                pods = [(role["template"]["spec"]["template"]["spec"], None) for role in one["spec"]["replicatedJobs"]]
            else:
                continue
            for pod, deadline in pods:
                found += [(container, deadline) for container in [*pod.get("initContainers", ()), *pod["containers"]]]
    return found


def removing(folder: Path) -> list[tuple[dict[str, Any], int | None]]:
    """The container of the Job of `tjgen runs clean`, with its deadline."""
    project = Project(folder)
    project.build()
    project.build("train:2")
    job = yaml.safe_load(project.clean(project.prune()).out)
    [container] = pod_of(job)["containers"]
    return [(container, job["spec"]["activeDeadlineSeconds"])]


def images(rows: dict[str, str], of_run: set[str]) -> set[str]:
    """The images that a section names: those of helpers by purpose, or that of the run."""
    if rows["Image"] == "that of the run":
        return of_run
    return {IMAGES[purpose] for purpose in re.findall("`([a-z]+)`", rows["Image"])}


PARTS = ("marks.sh", "checkpoints.sh", "report.sh", "deletion.py")
"""Programs that others begin with."""


def has(text: str, name: str) -> bool:
    """Whether the text of a container is a program, or begins with it where it is a part of others."""
    parts = [script(part) for part in PARTS]
    return text.startswith(script(name)) if name in PARTS else text in (script(name), *(part + script(name) for part in parts))


def test_every_program_has_a_section_and_every_section_a_program() -> None:
    assert list(sections()) == SCRIPTS


def test_every_program_is_used_and_every_module_of_programs_is_imported() -> None:
    package = ROOT / "tjgen/compiler"
    texts = {path: path.read_text(encoding="utf-8") for part in (package, ROOT / "tjgen/cli") for path in part.rglob("*.py")}
    words = {word for text in texts.values() for word in re.findall(r'"([\w.-]+)"', text)}
    assert [name for name in SCRIPTS if name not in words and name.partition(".")[0] not in words] == []
    unused = []
    for path in sorted((package / "programs").glob("*/*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        parent, _, last = name.rpartition(".")
        imported = re.compile(rf"from {re.escape(name)} import|from {re.escape(parent)} import [^\n]*\b{last}\b")
        if last != "__init__" and not any(imported.search(text) for other, text in texts.items() if other != path):
            unused.append(name)
    assert unused == []


def test_each_promise_names_tests_that_exist() -> None:
    tests = ROOT / "tests/compiler/programs/keeping"
    part = PAGE.read_text(encoding="utf-8").partition("## Promises of the programs that delete\n")[2]
    rows = [row for row in re.findall(r"^\| .+? \| .+? \| (.+) \|$", part, re.MULTILINE) if "::" in row]
    named = [re.findall(r"`([\w.]+)::(\w+)`", row) for row in rows]
    assert len(rows) > 10
    assert all(named)
    for file, function in [one for several in named for one in several]:
        assert f"def {function}(" in (tests / file).read_text(encoding="utf-8"), f"{file}::{function}"


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_section_is_complete(name: str) -> None:
    rows = sections()[name]
    assert list(rows) == ROWS
    assert images(rows, {"any"})
    assert (ROOT / rows["Test"].strip("`")).exists()


def test_images_and_deadlines_are_those_of_manifests(tmp_path: Path) -> None:
    ways: tuple[dict[str, Any], ...] = (
        {"source": "s3://sets/one"},
        {"source": {"volume": "archive"}},
        {"command": ["./bring"], "image": "own:1"},
    )
    made = [one for prefetch in ways for one in containers(tmp_path, {"volume": "data", **prefetch})]
    several = {f"s{number}": {"volume": "data", **ways[0], "path": f"p{number}", "priority": number} for number in range(2)}
    made += [one for one in containers(tmp_path, {"sets": several}) if one[0]["name"].startswith("after-")]
    made += containers(tmp_path, {"volume": "data", **ways[0]}, index={}, resumeFrom={"run": "all-bcdfghjk", "best": "loss"})
    made += containers(tmp_path, {"volume": "data", **ways[0]}, keep={"last": 2, "moveTo": "cold"})
    made += removing(tmp_path)
    of_run = {container["image"] for container, _ in made if container["name"] == "node"}
    for name, rows in sections().items():
        mine = [(one, deadline) for one, deadline in made if any(has(argument, name) for argument in one.get("args", []))]
        assert {container["image"] for container, _ in mine} <= images(rows, of_run), name
        assert mine, f"no manifest contains {name}"
        said = re.match(r"([0-9]+) (min|h|d)\b", rows["Deadline"])
        for _, deadline in mine:
            if said is not None:
                assert deadline == int(said[1]) * SECONDS[said[2]], name
            else:
                assert deadline is None or "of the build" in rows["Deadline"] or name in PARTS, name
