"""Projects for tests of a build: experiments that are alike, and random ones."""

from __future__ import annotations

import functools
import json
import random
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.checkout import list_entries
from tests.program import TESTS, arguments, cases
from tjgen.trees.source.reader import CORE, read
from tjgen.trees.source.writer import dump

PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
metadata: {name: alike}
spec:
  experiments: [experiments]
  schedule: {system: volcano}
  environments: {west: {labels: {stage: production}}}
"""
EXPERIMENT: dict[str, Any] = {
    "apiVersion": "tjgen.dev/v1alpha1",
    "kind": "Experiment",
    "metadata": {"name": "study", "namespace": "team", "labels": {"owner": "ada"}, "annotations": {"note": "first"}},
    "spec": {
        "runtime": "tjgen-torch-volcano",
        "image": "registry.example.com/team/train:1.3",
        "script": "train.py --seed 3 --lr=0.1 --data /data",
        "nodes": 2,
        "gpu": "h100:8",
        "sharedMemory": "64Gi",
        "env": {"SEED": "3", "MODEL": "resnet", "NCCL_DEBUG": "INFO"},
        "volumes": {"out": {"pvc": {"create": {"size": "10Gi"}}, "mountPath": "/out"}},
        "schedule": {"queue": "team"},
    },
}


def write_project(folder: Path, experiments: Sequence[Any], settings: Any = None) -> None:
    """Write a project with experiments; `settings` is the `spec` of its Platform."""
    (folder / "experiments").mkdir(parents=True)
    (folder / "tjgen.yaml").write_text(PROJECT + ("  platforms: [platform.yaml]\n" if settings else ""), encoding="utf-8")
    platform = {"apiVersion": "tjgen.dev/v1alpha1", "kind": "Platform", "metadata": {"name": "lab"}, "spec": settings}
    (folder / "platform.yaml").write_text(dump(platform), encoding="utf-8")
    for number, tree in enumerate(experiments):
        (folder / "experiments" / f"{number:03}.yaml").write_text(dump(tree), encoding="utf-8")


def experiment(number: int, **texts: str) -> Any:
    """The experiment with another name and other texts."""
    metadata, spec = EXPERIMENT["metadata"], EXPERIMENT["spec"]
    return {
        **EXPERIMENT,
        "metadata": {
            **metadata,
            "name": texts.get("name", f"study-{number:03}"),
            "labels": {"owner": texts.get("label", f"owner{number}")},
            "annotations": {"note": texts.get("annotation", f"note {number}")},
        },
        "spec": {
            **spec,
            "image": texts.get("image", f"registry.example.com/team/train:1.{number}"),
            "script": texts.get("script", f"train.py --seed {number} --lr=0.{number} --data /data"),
            "env": {**spec["env"], "SEED": texts.get("env", f"{number}")},
            "volumes": {"out": {"pvc": {"create": {"size": texts.get("size", f"{number + 1}Gi")}}, "mountPath": "/out"}},
        },
    }


TEXTS_TO_VARY: dict[str, Any] = {
    "metadata": {"labels": {"*": "label"}, "annotations": {"*": "text"}},
    "spec": {
        "image": "image",
        "script": "words",
        "args": {"*": "words"},
        "env": {"*": {"value": "text"}},
        "volumes": {"*": {"pvc": {"create": {"size": "size"}}}},
    },
}
"""Texts of an experiment in which the experiments of a random project differ, and their forms."""
HOSTILE = (
    "", " ", "x ", "$(HOME)", "$(SEED)", "$$(SEED)", "$$", "{{x}}", "{{ .Values.x }}", "é", "\u540d",
    "x" * 101, "y" * 70, "a\nb", "a: b",
    "a #b", "#", "-", "'", '"', "it's", "\\", "\t", "0b1", "0x1F", "1e3", "1_000", "yes",
    "no", "on", "~", "null", "True", ".inf", "=",
    "<<", "1:30", "2001-01-01", "latest", "hf_abcdefghijklmnopqrstuvwxyz", "0", "1",
    "-1", "01", "1.0", "127.0.0.1", "default", "tjgen",
    "team", "mqqqqqqqqz", "700009", "mqleaf0z", "true",
    "false", "*", "&a", "!x", "%d", "@x", "`x`", "|", ">", "?", "[a]", "{a: b}",
)  # fmt: skip
IMAGES = (
    "train",
    "train:latest",
    "train:1@sha256:" + "a" * 64,
    "train@sha256:" + "a" * 64,
    "train:" + "t" * 70,
    "Train:1",
    "a b",
    "",
)
SIZES = ("0Gi", "1024Gi", "1000M", "1024Mi", "1.5Gi", "10", "1e3", "1Zi", "-1Gi", "9999999Ti", "1Gi", "1000Gi", "2048Ki", "1000k")
WORDS = (
    "--nproc-per-node 4", "--nnodes=2", "--nnodes 1", "-np 8", "--master_port 29500", "--epochs 3 --lr 1e-4", "$(SEED)", "$SEED",
    "a | b",
    "# x", "'open", "\u2013lr 3", "tune run x", "line\ntwo", "", "--max-restarts 0", "8 16",
)  # fmt: skip
NAMES = (
    "a",
    "ab",
    "run",
    "train",
    "trainer",
    "node",
    "launcher",
    "worker",
    "master",
    "tjgen",
    "data",
    "team",
    "zz",
    "n" * 40,
    "m" * 47,
)
STRUCTURES: tuple[dict[str, Any], ...] = (
    {"nodes": 3}, {"gpu": "h100:4"}, {"cpu": "3"}, {"sharedMemory": "8Gi"}, {"workingDir": "/work"}, {"state": "suspended"},
    {"schedule": {"queue": "team"}}, {"naming": "fixed"}, {"sweep": {"matrix": {"spec.env.SEED": [1, 2, "latest", 1e-4]}}},
)  # fmt: skip
PLATFORM: dict[str, Any] = {"apiVersion": "tjgen.dev/v1alpha1", "kind": "Platform", "metadata": {"name": "shop"}}
SETTINGS: tuple[dict[str, Any], ...] = (
    {"images": {"rewrite": {"docker.io": "mirror.example/hub"}}},
    {"images": {"rewrite": {"train:v1": "mirror.example/train:v2", "registry.example.com/team/train:1": "mirror.example/one:1"}}},
    {"quotas": {"team": {"requests.nvidia.com/gpu": 16, "requests.storage": "1Ti"}}},
    {"podSecurity": {"*": "restricted"}},
    {"prices": {"h100": 2.5}},
    {"queues": {"team": {"capability": {"cpu": 100, "nvidia.com/gpu": 16}}}},
    {"namespaces": {"team": {"limits": {"container": {"max": {"memory": "64Gi"}}}}}},
    {"monitoring": {"labels": {"release": "v1"}}},
)
PROJECTS: tuple[dict[str, Any], ...] = (
    {"gitops": {"tool": "argocd"}}, {"gitops": {"tool": "flux"}}, {"labels": {"stage": "v1"}},
    {"schedule": {"system": "volcano"}}, {"policy": {"require": ["digests"]}}, {"policy": {"deny": ["warnings"]}},
)  # fmt: skip
SPEC: dict[str, Any] = {"image": "registry.example.com/team/train:1.3", "nodes": 2}
RUNTIMES: tuple[dict[str, Any], ...] = (
    {"runtime": "tjgen-torch", "script": "train.py --seed 3"},
    {"runtime": "tjgen-torch-volcano", "script": "train.py --seed 3 --lr=0.1", "schedule": {"queue": "team"}},
    {"runtime": "tjgen-torch", "script": "-m train 1 2", "gpu": "h100:8", "sharedMemory": "64Gi"},
    {"runtime": "tjgen-torch", "args": ["--seed", "3", "--lr=0.1", "5 6 --x 7"], "cpu": "4"},
    {"runtime": "tjgen-mpi", "command": ["mpirun", "train"], "args": ["-np", "2", "--seed 4"], "procsPerNode": 2},
    {"runtime": "tjgen-jax", "script": "train.py --port 5000", "envFrom": [{"configMap": "team"}]},
    {"runtime": "tjgen-torch", "script": "torchrun --nproc-per-node 2 train.py --seed 3"},
)
STYLES = ("", "", "quoted", "single", "unquoted", "comments", "flow", "carriage returns")
_WORD = re.compile(r": ([A-Za-z][A-Za-z0-9._/:-]*)$", re.MULTILINE)
_QUOTED = re.compile(r": \"([^\"\\]+)\"$", re.MULTILINE)
OVERLAY = {"apiVersion": "tjgen.dev/v1alpha1", "kind": "Overlay", "metadata": {"name": "more"}}


@functools.cache
def bases() -> list[Path]:
    """Folders of cases and files of examples, each with an experiment."""
    every = [case for case in cases("cases") if (case / "experiment.yaml").is_file()]
    return every + list_entries(TESTS.parent / "examples", "*.yaml")


def write_random_project(random_: random.Random, folder: Path, most: int = 40) -> tuple[list[str], list[str]]:
    """Write a random project; returns the arguments of its build, and the files of its experiments."""
    base = random_.choice(bases())
    if random_.random() < 0.5:
        folder.mkdir(parents=True)
        spec = {**SPEC, **(random_.choice(RUNTIMES))}
        tree = {
            "apiVersion": "tjgen.dev/v1alpha1",
            "kind": "Experiment",
            "metadata": {"name": "study", "namespace": "team"},
            "spec": spec,
        }
        (folder / "experiment.yaml").write_text(dump(tree), encoding="utf-8")
        options = []
    elif base.is_dir():
        shutil.copytree(base, folder, ignore=shutil.ignore_patterns("expected"))
        options = [word for word in arguments(base) if word != "experiment.yaml"]
    else:
        folder.mkdir(parents=True)
        shutil.copy(base, folder / "experiment.yaml")
        options = []
    _write_settings(random_, folder, options)
    documents, _ = read((folder / "experiment.yaml").read_bytes(), "experiment.yaml", CORE)
    trees = [_with_texts(document.value, random_) for document in documents]
    pool = [*HOSTILE, *sorted({text for tree in trees for text in _texts(tree)})]
    odd = random_.choice((0.0, 0.01, 0.05))
    style = random_.choice(STYLES)
    files, pattern = [], random_.choice(("copy{}", "c-{:04}", "much-longer-copy-{:03}", "copy{}-a"))
    for number in range(random_.randrange(10, most)):
        copies = [_copy(tree, pattern.format(number), random_, pool, odd) for tree in trees]
        files.append(f"copy-{random_.randrange(10**6):06}-{number}.yaml")
        (folder / files[-1]).write_bytes(_styled("---\n".join(map(dump, copies)), style).encode())
    return [*files, *options], files


def _write_settings(random_: random.Random, folder: Path, options: Sequence[str]) -> None:
    file = folder / "tjgen.yaml"
    if random_.random() < 0.4:
        return
    if file.exists():
        project = read(file.read_bytes(), "tjgen.yaml", CORE)[0][0].value
    else:
        project = {"apiVersion": "tjgen.dev/v1alpha1", "kind": "Project", "metadata": {"name": "shop"}, "spec": {}}
    spec = project["spec"] = {**(project.get("spec") or {}), **(random_.choice(PROJECTS) if random_.random() < 0.5 else {})}
    if "platforms" not in spec and random_.random() < 0.6:
        spec["platforms"] = ["shop.yaml"]
        (folder / "shop.yaml").write_text(dump({**PLATFORM, "spec": random_.choice(SETTINGS)}), encoding="utf-8")
    if "overlays" not in spec and random_.random() < 0.4:
        spec["overlays"] = ["more"]
        (folder / "more").mkdir()
        overlay = {**OVERLAY, "spec": {"match": {"names": ["*1*"]}, "experiment": {"env": {"SEED": "77"}}}}
        (folder / "more" / "more.yaml").write_text(dump(overlay), encoding="utf-8")
    if "environments" not in spec and "--env" not in options and random_.random() < 0.3:
        spec["environments"] = {"west": {"labels": {"side": "v1"}}, "east": {}}
    file.write_text(dump(project), encoding="utf-8")


def _with_texts(tree: Any, random_: random.Random) -> Any:
    """The experiment with more texts that vary."""
    if not isinstance(tree, dict) or tree.get("kind") != "Experiment":
        return tree
    metadata, spec = tree["metadata"], dict(tree["spec"])
    env = {**(spec.get("env") or {}), "SEED": "3", "MODEL": "resnet", "NCCL_DEBUG": "INFO"}
    if random_.random() < 0.7:
        spec["env"] = env
    if random_.random() < 0.5 and "volumes" not in spec:
        spec["volumes"] = {"out": {"pvc": {"create": {"size": "10Gi"}}, "mountPath": "/out"}}
    if random_.random() < 0.3:
        spec["image"] = "registry.example.com/team/train:1.3"
    if random_.random() < 0.8:
        metadata = {**metadata, "labels": {"owner": "ada", **(metadata.get("labels") or {})}, "annotations": {"note": "first"}}
    if random_.random() < 0.3 and isinstance(spec.get("script"), str) and "\n" not in spec["script"]:
        spec["script"] = f"{spec['script']} --seed 3 --lr=0.1"
    return {**tree, "metadata": metadata, "spec": spec}


def _copy(tree: Any, name: str, random_: random.Random, pool: Sequence[str], odd: float) -> Any:
    if not isinstance(tree, dict) or tree.get("kind") != "Experiment":
        return tree
    copy = _varied(tree, TEXTS_TO_VARY, random_, pool, odd)
    name = name if random_.random() > odd else random_.choice([*NAMES, *pool])
    spec = {**copy["spec"], **(random_.choice(STRUCTURES) if random_.random() < odd else {})}
    return {**copy, "metadata": {**copy["metadata"], "name": name}, "spec": spec}


def _varied(tree: Any, rules: Any, random_: random.Random, pool: Sequence[str], odd: float) -> Any:
    """The tree with other texts."""
    if isinstance(rules, str) or (rules.keys() == {"value"} and isinstance(tree, str)):
        rule = rules if isinstance(rules, str) else "text"
        return _text(tree, rule, random_, pool, odd) if isinstance(tree, str) and random_.random() < 0.7 else tree
    if isinstance(tree, dict):
        return {key: _varied(item, rules.get(key, rules.get("*", {})), random_, pool, odd) for key, item in tree.items()}
    if isinstance(tree, list):
        return [_varied(item, rules.get("*", {}), random_, pool, odd) for item in tree]
    return tree


def _styled(text: str, style: str) -> str:
    """The same experiments in another style of YAML. A few values become others: both builds get the same text."""
    if style == "quoted":
        return _WORD.sub(r': "\1"', text)
    if style == "single":
        return _WORD.sub(r": '\1'", text)
    if style == "unquoted":
        return _QUOTED.sub(r": \1", text)
    if style == "comments":
        return "# copied\n" + text.replace("\n", "  # note\n").replace("|  # note", "|")
    if style == "flow":
        return "---\n".join([json.dumps(one.value, ensure_ascii=False) + "\n" for one in read(text, "", CORE)[0]])
    return text.replace("\n", "\r\n") if style == "carriage returns" else text


def _text(value: str, rule: str, random_: random.Random, pool: Sequence[str], odd: float) -> str:
    number = (
        f"{random_.random():.3g}" if random_.random() < 0.2 else str(random_.randrange(10 if random_.random() < odd else 10_000))
    )
    if random_.random() < odd:
        others = {"image": IMAGES, "size": SIZES, "words": WORDS}.get(rule, ())
        return random_.choice([*others, *others, *pool] if random_.random() < 0.8 or not others else others)
    if rule == "size":
        return f"{random_.choice((1024, 2048, random_.randrange(1, 5000)))}Gi"
    if rule == "image" and ":" in value.rpartition("/")[2] and "@" not in value:
        return f"{value.rpartition(':')[0]}:{random_.choice(('1.', 'v', ''))}{number}"
    if rule == "words":
        return " ".join([word if not word.isdigit() else number for word in value.split(" ")]) if "\n" not in value else value
    return value if rule == "image" else random_.choice((number, f"v{number}", "resnet", "a-b", f"x_{number}"))


def _texts(tree: Any) -> Iterator[str]:
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield str(key)
            yield from _texts(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from _texts(value)
    else:
        yield str(tree)
