"""Random projects of runs that are alike: what is stamped equals what is compiled, in every byte, diagnostic and relation.

    python -m tests.compiler.building.stamping --count 500 --seed 1 --minutes 10

A project has copies of the experiment of a case or an example, with other names and texts. Some texts are hostile: they equal
another text of the project, or change what is reported. The program builds each project with stamps and without, compares the
results, and compares what a command prints and writes. It prints the seed of each project with a difference, and exits with 1.
"""

from __future__ import annotations

import functools
import json
import os
import random
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import chdir, nullcontext
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from tests.checkout import list_entries
from tests.program import TESTS, Answer, arguments, cases, tjgen
from tests.seeds import selected_seeds
from tjgen.cli.build import COMMAND
from tjgen.cli.command import parse
from tjgen.compiler.building import compilers
from tjgen.compiler.building.compile import build
from tjgen.compiler.building.plan import make_plan
from tjgen.compiler.building.request import Request
from tjgen.compiler.building.run import Built, RecordForm, Run
from tjgen.compiler.building.shapes import FIELDS
from tjgen.compiler.building.unit_template import plain_unit
from tjgen.compiler.pipeline import COLLAPSED, EACH
from tjgen.language.spec.opaque import OPAQUE
from tjgen.trees import trust
from tjgen.trees.diagnostics.model import CompileError
from tjgen.trees.fields.stamp import StampedTree
from tjgen.trees.session import STAMPS, Session
from tjgen.trees.source.reader import CORE, read
from tjgen.trees.source.writer import dump

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
COMMANDS = (
    ("--quiet",), ("--format", "json"), ("--summary",), ("--summary", "--format", "json"), ("--expanded",), ("-o", "made"),
    ("-o", "made", "--expanded", "preview"), ("-o", "made", "--expanded", "preview", "--all-pods"), ("-o", "made.yaml"),
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


class DifferenceError(Exception):
    """What is stamped is not what is compiled."""


class Count(NamedTuple):
    """Runs of a project that were built, and those of them that were stamped."""

    runs: int = 0
    stamped: int = 0
    templated: int = 0
    """Those of them whose file was not read as YAML."""
    previewed: int = 0
    """Those of them whose previews were stamped."""


def results(request: Request, form: str, *, stamps: bool) -> tuple[list[Any], Count]:
    """Everything that a build returns as plain data, previews of this form included, and its number of runs."""
    found, count = [], Count()
    with patch.dict(os.environ, {STAMPS: "on" if stamps else "off"}):
        for result in build(make_plan(request), Session(), form=RecordForm(form)):
            runs = result.runs if isinstance(result, Built) else []
            stamped = sum(isinstance(run.compiled.workload.tree, StampedTree) for run in runs)
            templated = sum(isinstance(run.variant.tree, StampedTree) for run in runs)
            previewed = sum(run.compiled.known_previews is not None for run in runs)
            one = Count(len(runs), stamped, templated, previewed)
            count = Count(*map(sum, zip(count, one, strict=True)))
            previews = [_previews(run, form) for run in runs]
            found.append((repr(plain_unit(result)) if isinstance(result, Built) else "", result.diagnostics, previews))
    return found, count


def _previews(run: Run, form: str) -> str:
    try:
        return run.compiled.preview_text(form)
    except CompileError as error:
        return repr(error.diagnostics)


def compare(request: Request, form: str = COLLAPSED) -> Count:
    """Compare a build with and without stamps. Raises DifferenceError."""
    compiled, _ = results(request, form, stamps=False)
    stamped, count = results(request, form, stamps=True)
    if stamped != compiled:
        raise DifferenceError(next(f"{one}\n{other}" for one, other in zip(compiled, stamped, strict=True) if one != other))
    return count


def compare_commands(folder: Path, build_words: Sequence[str], random_: random.Random, files: Sequence[str]) -> None:
    """Compare what commands print and write: two builds with an edit between them, and a check. Raises DifferenceError."""
    words = [*build_words, *random_.choice(COMMANDS)]
    edited = random_.choice(files)
    answers: list[list[tuple[Answer, dict[str, bytes]]]] = []
    for mode in ("off", "on"):
        copy = folder.with_name(f"{folder.name}-{mode}")
        shutil.copytree(folder, copy, symlinks=True)
        with patch.dict(os.environ, {STAMPS: mode, "TJGEN_CACHE": "off"}):
            answers.append([_run(copy, words)])
            text = (copy / edited).read_text(encoding="utf-8")
            (copy / edited).write_text(text.replace("image: ", "image: mirror.example/", 1), encoding="utf-8")
            answers[-1].append(_run(copy, words))
            if "made" in words:
                with patch.dict(os.environ, {STAMPS: "on" if mode == "off" else "off"}):
                    answers[-1].append(_run(copy, [*words, "--check"]))
        shutil.rmtree(copy)
    for one, other in zip(*answers, strict=True):
        if one != other:
            changed = [name for name in {**one[1], **other[1]} if one[1].get(name) != other[1].get(name)]
            raise DifferenceError(f"{words}: {changed}\n{one[0]}\n{other[0]}")


def _run(folder: Path, words: Sequence[str]) -> tuple[Answer, dict[str, bytes]]:
    answer = tjgen(folder, "build", *words)
    return answer, {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def compare_random(seed: int, folder: Path) -> Count:
    """Write the random project of a seed to a folder, and compare it. Raises DifferenceError."""
    random_ = random.Random(seed)
    words, files = write_random(random_, folder)
    parsed = parse(COMMAND, words)
    assert parsed is not None
    request = Request(parsed["paths"], environments=parsed["env"], set_values=parsed["set"])
    with patch.object(compilers, "SEVERAL", random_.choice((1, 1, 1, 5, 24))):
        with chdir(folder), trust.granted() if parsed["trusted"] else nullcontext():
            try:
                count = compare(request, random_.choice((COLLAPSED, EACH)))
            except CompileError:
                count = Count()  # The commands report it.
        compare_commands(folder, words, random_, files)
    return count


@functools.cache
def bases() -> tuple[list[Path], list[Path]]:
    """Files of examples and folders of cases: all of them, and those whose experiment has a shape."""
    every = [case for case in cases("cases") if (case / "experiment.yaml").is_file()]
    every += list_entries(TESTS.parent / "examples", "*.yaml")
    return every, [base for base in every if _has_shape(base / "experiment.yaml" if base.is_dir() else base)]


def _has_shape(file: Path) -> bool:
    documents = [document.value for document in read(file.read_bytes(), file.name, CORE)[0]]
    specs = [one["spec"].keys() for one in documents if one.get("kind") == "Experiment"]
    return bool(specs) and all(keys - {"sweep"} <= FIELDS for keys in specs)


def write_random(random_: random.Random, folder: Path, most: int = 40) -> tuple[list[str], list[str]]:
    """Write a random project; returns the arguments of its build, and the files of its experiments."""
    base = random_.choice(bases()[int(random_.random() > 0.15)])
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
    _write_project(random_, folder, options)
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


def _write_project(random_: random.Random, folder: Path, options: Sequence[str]) -> None:
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
    """The experiment with more texts that may be opaque."""
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
    copy = _varied(tree, OPAQUE, random_, pool, odd)
    name = name if random_.random() > odd else random_.choice([*NAMES, *pool])
    spec = {**copy["spec"], **(random_.choice(STRUCTURES) if random_.random() < odd else {})}
    return {**copy, "metadata": {**copy["metadata"], "name": name}, "spec": spec}


def _varied(tree: Any, rules: Any, random_: random.Random, pool: Sequence[str], odd: float) -> Any:
    """The tree with other opaque texts."""
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


def main() -> int:
    """Compare random projects; returns 1 if there is a difference."""
    projects, total, wrong = 0, Count(), 0
    for seed in selected_seeds():
        with tempfile.TemporaryDirectory() as place:
            try:
                count = compare_random(seed, Path(place).resolve() / "project")
            except DifferenceError as difference:
                sys.stdout.write(f"seed {seed}: {difference}\n")
                wrong += 1
                continue
        projects, total = projects + 1, Count(*map(sum, zip(total, count, strict=True)))
    sys.stdout.write(
        f"{projects} projects with {total.runs} runs, {total.stamped} of them stamped, {total.templated} from the templates"
        f" of files, and {total.previewed} with stamped previews, are the same; {wrong} differ\n"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
