"""`tjgen pin` against a registry on loopback, and what builds make of pins."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.cluster.registry.server import Registry, serving
from tests.program import Answer, tjgen

EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: digits, namespace: vision}
spec:
  runtime: house
  image: HOST/vision/train:1
  script: train.py
"""
RUNTIME = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata: {name: house}
spec:
  mlPolicy: {numNodes: 1, torch: {}}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec:
            template:
              spec:
                initContainers:
                - {name: look, image: HOST/tools/look}
                containers:
                - {name: node, image: HOST/tools/no-pod-gets-this:2}
                - {name: beside, image: HOST/tools/base:2}
"""
PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec:
  experiments: [experiments]
  catalogs: [catalog]
  output: {directory: out}
"""


@pytest.fixture
def registry() -> Iterator[Registry]:
    with serving(Registry()) as one:
        for name, tag in (("vision/train", "1"), ("tools/look", "latest"), ("tools/base", "2")):
            one.push(name, tag)
        yield one


@pytest.fixture
def folder(tmp_path: Path, registry: Registry, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose images are in the registry."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    project = tmp_path / "project"
    for path, text in {
        "tjgen.yaml": PROJECT,
        "catalog/house.yaml": RUNTIME,
        "experiments/digits.yaml": EXPERIMENT,
    }.items():
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text(text.replace("HOST", registry.host), encoding="utf-8")
    return project


def edit(folder: Path, old: str, new: str, file: str = "experiments/digits.yaml") -> None:
    text = (folder / file).read_text(encoding="utf-8")
    assert old in text
    (folder / file).write_text(text.replace(old, new), encoding="utf-8")


def pin(folder: Path, *words: str) -> Answer:
    return tjgen(folder, "pin", "--insecure", "127.0.0.1", *words)


def build(folder: Path, *words: str) -> Answer:
    return tjgen(folder, "build", "-o", "out", *words)


def images(folder: Path) -> set[str]:
    """Every image in the output tree that a pod gets."""
    found = set()
    for path in (folder / "out").rglob("*.yaml"):
        tree = yaml.safe_load(path.read_text(encoding="utf-8"))
        if tree["kind"] == "TrainJob":
            found.add(tree["spec"]["trainer"]["image"])
        elif tree["kind"] == "TrainingRuntime":
            (job,) = tree["spec"]["template"]["spec"]["replicatedJobs"]
            pod = job["template"]["spec"]["template"]["spec"]
            found |= {one["image"] for one in (*pod["containers"], *pod["initContainers"])}
    return {image for image in found if "no-pod-gets-this" not in image}


def pins(folder: Path) -> dict[str, str]:
    found = [yaml.safe_load(path.read_text()) for path in (folder / "tjgen.lock.d/_images").rglob("*.yaml")]
    return {pin["image"]: pin["digest"] for pin in found}


def test_every_image_is_pinned_and_emitted_with_its_digest(folder: Path, registry: Registry) -> None:
    answer = pin(folder)
    assert answer.code == 0, answer.err
    assert answer.err == "images: 3 new, 0 updated, 0 unchanged\n"
    assert pins(folder) == {line.split()[0]: line.split()[1] for line in answer.out.splitlines()}
    host = registry.host
    assert sorted(pins(folder)) == [f"{host}/tools/base:2", f"{host}/tools/look:latest", f"{host}/vision/train:1"]
    asked = len(registry.asked)
    assert build(folder).code == 0
    found = pins(folder)
    assert images(folder) == {
        f"{host}/vision/train:1@{found[f'{host}/vision/train:1']}",
        f"{host}/tools/look@{found[f'{host}/tools/look:latest']}",
        f"{host}/tools/base:2@{found[f'{host}/tools/base:2']}",
    }
    (entry,) = json.loads(tjgen(folder, "runs", "list", "--format", "json").out)
    assert all("@sha256:" in image for image in entry["images"])
    assert tjgen(folder, "build", "--check").code == 0
    assert tjgen(folder, "check", "--strict", "out", "--quiet").err == ""
    assert len(registry.asked) == asked, "a build asks nobody"


def test_pinning_again_asks_nobody(folder: Path, registry: Registry) -> None:
    pin(folder)
    asked = len(registry.asked)
    assert pin(folder).err == "images: 0 new, 0 updated, 3 unchanged\n"
    assert pin(folder, "--check").code == 0
    assert len(registry.asked) == asked


def test_runs_that_exist_stay_as_they_are(folder: Path, registry: Registry) -> None:
    build(folder)
    before = images(folder)
    pin(folder)
    answer = build(folder)
    assert answer.code == 0
    assert "TJ076" in answer.err
    assert images(folder) == before
    answer = build(folder, "--renew", "*")
    assert answer.err == "runs: 1 new, 0 unchanged, 1 kept, 0 removed\n"
    assert len([image for image in images(folder) if "@" in image]) == 3


def test_a_tag_that_moves_is_followed_only_when_asked(folder: Path, registry: Registry) -> None:
    pin(folder)
    before = pins(folder)
    moved = registry.push("vision/train", "1", ["linux/amd64", "linux/arm64"])
    assert pin(folder).err == "images: 0 new, 0 updated, 3 unchanged\n"
    answer = pin(folder, "--check", "--update")
    assert answer.code == 0
    assert "info[TJ728] experiments/digits.yaml:6:10: image " in answer.err
    assert pins(folder) == before
    assert pin(folder, "--update").err == "images: 0 new, 1 updated, 2 unchanged\n"
    assert pins(folder) == {**before, f"{registry.host}/vision/train:1": moved}


def test_check_asks_nobody_and_names_what_is_not_pinned(folder: Path, registry: Registry) -> None:
    answer = pin(folder, "--check")
    assert answer.code == 1
    assert answer.err.count("error[TJ722]") == 3
    assert "error[TJ722] experiments/digits.yaml:6:10: image " in answer.err
    assert registry.asked == []
    assert not (folder / "tjgen.lock.d").exists()


def test_only_what_is_selected_is_pinned(folder: Path, registry: Registry) -> None:
    registry.push("other/train", "1")
    other = EXPERIMENT.replace("digits", "other").replace("vision/train", "other/train").replace("HOST", registry.host)
    (folder / "experiments/other.yaml").write_text(other, encoding="utf-8")
    assert pin(folder, "experiments/digits.yaml").err == "images: 3 new, 0 updated, 0 unchanged\n"
    assert f"{registry.host}/other/train:1" not in pins(folder)
    assert pin(folder).err == "images: 1 new, 0 updated, 3 unchanged\n"


def test_an_image_with_a_digest_needs_none(folder: Path, registry: Registry) -> None:
    edit(folder, "train:1", f"train:1@sha256:{'a' * 64}")
    assert pin(folder).err == "images: 2 new, 0 updated, 0 unchanged\n"
    build(folder)
    assert f"{registry.host}/vision/train:1@sha256:{'a' * 64}" in images(folder)


def test_what_is_refused_is_told_and_the_rest_is_pinned(folder: Path, registry: Registry) -> None:
    edit(folder, "train:1", "train:2")
    answer = pin(folder)
    assert answer.code == 1
    assert f"image {registry.host}/vision/train:2 cannot be pinned: {registry.host} has no image vision/train:2" in answer.err
    assert "error[TJ725] experiments/digits.yaml:6:10" in answer.err
    assert "images: 2 new" in answer.err
    assert len(pins(folder)) == 2


@pytest.mark.parametrize(
    ("change", "words", "code"),
    [
        pytest.param({"auth": "basic"}, [], "TJ724", id="closed"),
        pytest.param({"failures": [(418, {})] * 9}, [], "TJ726", id="odd"),
        pytest.param({}, ["--platform", "linux/arm64"], "TJ727", id="another platform"),
    ],
)
def test_each_refusal_has_its_code(
    folder: Path, registry: Registry, change: dict[str, object], words: list[str], code: str
) -> None:
    for name, value in change.items():
        setattr(registry, name, value)
    answer = pin(folder, *words)
    assert answer.code == 1
    assert answer.err.count(f"error[{code}]") == 3
    assert pin(folder, *words, "--platform", "any").code == (0 if code == "TJ727" else 1)


def test_a_registry_that_is_gone(folder: Path, registry: Registry) -> None:
    for file in ("experiments/digits.yaml", "catalog/house.yaml"):
        edit(folder, registry.host, "127.0.0.1:1", file)
    answer = pin(folder, "--timeout", "1")
    assert answer.code == 1
    assert answer.err.count("error[TJ723]") == 3
    assert "127.0.0.1:1 does not answer: Connection refused" in answer.err


def test_the_platform_rewrites_what_is_pinned(folder: Path, registry: Registry) -> None:
    """The digest is that of the image as it is written; a mirror that holds another one is found out by the cluster."""
    with serving(Registry()) as mirror:
        edit(folder, "  output:", "  platforms: [platforms]\n  output:", "tjgen.yaml")
        (folder / "platforms").mkdir()
        (folder / "platforms/one.yaml").write_text(
            "apiVersion: tjgen.dev/v1alpha1\nkind: Platform\nmetadata: {name: one}\n"
            f'spec: {{images: {{rewrite: {{"{registry.host}": {mirror.host}/copy}}}}}}\n',
            encoding="utf-8",
        )
        pin(folder)
        assert mirror.asked == []
        build(folder)
        assert all(image.startswith(f"{mirror.host}/copy/") and "@sha256:" in image for image in images(folder))
        assert {image.partition("@")[2] for image in images(folder)} == set(pins(folder).values())
        answer = pin(folder, "--update", "--mirror")
        assert answer.err.count("error[TJ725]") == 3
        for name, tag in (("vision/train", "1"), ("tools/look", "latest"), ("tools/base", "2")):
            mirror.push(f"copy/{name}", tag)
        assert pin(folder, "--update", "--mirror").code == 0
        assert {image.partition("/")[0] for image in pins(folder)} == {registry.host}


def test_explain_names_the_pin(folder: Path, registry: Registry) -> None:
    pin(folder)
    answer = tjgen(folder, "explain", "experiments/digits.yaml", "TrainJob", "spec.trainer.image")
    assert "<- pass:images lock images + experiment spec.image (experiments/digits.yaml:6:10)" in answer.out
    answer = tjgen(folder, "explain", "experiments/digits.yaml", "TrainingRuntime", "spec.template")
    assert f"{registry.host}/tools/look@{pins(folder)[f'{registry.host}/tools/look:latest']}  <- runtime:images lock images" in (
        answer.out
    )


def test_what_a_build_remembers_follows_the_pins(folder: Path) -> None:
    build(folder)
    assert build(folder).err == "runs: 0 new, 1 unchanged, 0 kept, 0 removed\n"
    pin(folder)
    assert "TJ076" in build(folder).err


def test_pins_that_nothing_asks_for_are_pruned(folder: Path, registry: Registry) -> None:
    pin(folder)
    registry.push("vision/train", "2")
    edit(folder, "train:1", "train:2")
    assert pin(folder, "--prune").err == "images: 1 new, 0 updated, 2 unchanged, 1 removed\n"
    assert sorted(pins(folder)) == sorted(
        f"{registry.host}/{name}" for name in ("tools/base:2", "tools/look:latest", "vision/train:2")
    )


@pytest.mark.parametrize("text", ["", "digest: sha256:ab\n", "<<<<<<< ours\n", "\udcff"])
def test_a_damaged_pin_is_told_and_healed_by_an_update(folder: Path, registry: Registry, text: str) -> None:
    pin(folder)
    (file,) = (folder / "tjgen.lock.d/_images").rglob("train/1.yaml")
    whole = file.read_bytes()
    file.write_bytes(text.encode(errors="surrogateescape"))
    for answer in (build(folder), pin(folder), pin(folder, "--check")):
        assert (answer.code, "TJ721" in answer.err) == (1, True)
    assert pin(folder, "--update").code == 0
    assert file.read_bytes() == whole


def test_nothing_is_pinned_for_experiments_that_do_not_build(folder: Path, registry: Registry) -> None:
    edit(folder, "script:", "scirpt:")
    answer = pin(folder)
    assert (answer.code, answer.out, registry.asked) == (1, "", [])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--platform", "amd64"], "--platform takes"),
        (["--timeout", "soon"], "--timeout takes seconds"),
        (["--timeout", "0"], "--timeout takes seconds"),
        (["--prune", "--check"], "remove PATH, --env and --check"),
    ],
)
def test_wrong_use_is_refused(folder: Path, words: list[str], said: str) -> None:
    answer = pin(folder, *words)
    assert (answer.code, said in answer.err) == (2, True)
