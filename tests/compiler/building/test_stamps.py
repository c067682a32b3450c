"""A run that is stamped is the run that is compiled, in every byte, owner, diagnostic and relation."""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from contextlib import chdir, nullcontext
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.compiler.building.stamping import compare, compare_random
from tests.program import TESTS, arguments, cases, tjgen
from tjgen.cli.build import COMMAND
from tjgen.cli.command import parse
from tjgen.compiler.building import compilers, stamps
from tjgen.compiler.building.request import Request
from tjgen.compiler.building.shapes import Constants, RunShape, _texts, shape_of
from tjgen.compiler.hops.draft import Job
from tjgen.compiler.pipeline import COLLAPSED, EACH
from tjgen.language.spec.opaque import OPAQUE
from tjgen.trees import trust
from tjgen.trees.session import STAMPS
from tjgen.trees.source.reader import CORE, read
from tjgen.trees.source.writer import dump

COPIES = 8
"""Experiments that are made of one: two are compiled before others are stamped."""
WORDS = ("resnet", "a-b", "x_1", "v1.2", "A", "INFO", "true", "null", "0", "1", "007", "1e5", "0b1", "2001-01-01", "~x", "1_000")
ODD = ("", " x", "x ", "$(HOME)", "$$", "é", "x" * 101, "a\nb", "hf_abcdefghijklmnopqrstuvwxyz", "latest", "-", "'", '"', "{{x}}")


@pytest.fixture(autouse=True)
def early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compilers, "SEVERAL", 1)


def varied(tree: Any, rules: Any, random_: random.Random, odd: float) -> Any:
    """The tree with other opaque texts."""
    if isinstance(rules, str):
        if isinstance(tree, str) and random_.random() < odd:
            return random_.choice(ODD)
        number = str(random_.randrange(10_000))
        if rules == "size":
            return f"{random_.randrange(1, 5000)}Gi"
        if rules == "image" and isinstance(tree, str) and ":" in tree.rpartition("/")[2] and "@" not in tree:
            return f"{tree.rpartition(':')[0]}:{random_.choice(['1.', 'v', ''])}{number}"
        if rules == "words" and isinstance(tree, str) and "\n" not in tree:
            return " ".join([*tree.split(" "), "--seed", number, f"--lr={random_.choice(['0.1', '1e-4', '-3'])}"])
        return random_.choice(WORDS) if rules in ("text", "label") and isinstance(tree, str) else tree
    if isinstance(tree, dict):
        return {key: varied(item, rules.get(key, rules.get("*", {})), random_, odd) for key, item in tree.items()}
    if isinstance(tree, list):
        return [varied(item, rules.get("*", {}), random_, odd) for item in tree]
    return tree


def copies_of(file: Path, random_: random.Random, odd: float) -> list[str]:
    """Write experiments that are like the one in `file`; returns the names of all."""
    documents, _ = read(file.read_bytes(), file.name, CORE)
    names = [file.name]
    for number in range(COPIES):
        copy = file.with_name(f"{file.stem}-copy-{number}.yaml")
        texts = []
        for document in documents:
            tree = document.value
            if isinstance(tree, dict) and tree.get("kind") == "Experiment":
                tree = varied(tree, OPAQUE, random_, odd)
                prefix = random_.choice(("copy", "copy", "much-longer-copy"))
                name = f"{prefix}{number}-{document.value['metadata']['name']}"
                tree["metadata"]["name"] = name[:40].rstrip("-")
            texts.append(dump(tree))
        copy.write_text("---\n".join(texts), encoding="utf-8")
        names.append(copy.name)
    return names


def compare_case(case: Path, seed: int, odd: float) -> int:
    words = parse(COMMAND, arguments(case))
    assert words is not None
    with chdir(case), trust.granted() if words["trusted"] else nullcontext():
        paths: list[str] = []
        for path in words["paths"]:
            is_file = Path(path).is_file() and path.endswith(".yaml")
            folder = Path(path).parent
            paths += [str(folder / one) for one in copies_of(Path(path), random.Random(seed), odd)] if is_file else [path]
        request = Request(paths, environments=words["env"], set_values=words["set"])
        return compare(request).stamped


@pytest.mark.parametrize("case", cases("cases"), ids=lambda case: case.name)
def test_copies_of_a_case_are_stamped_as_they_are_compiled(case: Path, tmp_path: Path) -> None:
    shutil.copytree(case, tmp_path / "case")
    compare_case(tmp_path / "case", seed=1, odd=0.01)


@pytest.mark.parametrize("name", ["xgboost"])
def test_copies_of_a_case_are_stamped(name: str, tmp_path: Path) -> None:
    shutil.copytree(TESTS / "cases" / name, tmp_path / name)
    assert compare_case(tmp_path / name, seed=1, odd=0.0) > 1


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


IMAGE = "registry.example.com/team/train:2.9"
FIELDS = ("name", "label", "annotation", "image", "script", "env", "size")
TEXTS = st.one_of(
    st.sampled_from(
        (*WORDS, *ODD, "team", "production", "node", "trainer", "tjgen-torch-volcano", "study-001", "out", "10Gi", "0Gi")
    ),
    st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=70),
    st.from_regex(r"[a-z][a-z0-9-]{1,60}[a-z0-9]", fullmatch=True),
    st.from_regex(r"registry\.example\.com/[a-z]{1,5}:[a-z0-9.]{1,8}", fullmatch=True),
    st.from_regex(r"(train|tune|torchrun|python3)(\.py)? (--[a-z]{1,3}[= ]-?[0-9.e]{1,6} ?){1,3}", fullmatch=True),
    st.from_regex(r"[0-9]{1,8}[KMGTP]?i?", fullmatch=True),
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(st.lists(st.dictionaries(st.sampled_from(FIELDS), TEXTS, max_size=3), min_size=1, max_size=6))
def test_any_texts_are_stamped_as_they_are_compiled(
    tmp_path_factory: pytest.TempPathFactory, texts: list[dict[str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("any")
    experiments = [experiment(number) for number in range(4)]
    experiments += [experiment(number, **one) for number, one in enumerate(texts, 4)]
    write_project(folder, [*experiments, experiment(90), experiment(91)])
    with chdir(folder):
        assert compare(Request()).stamped >= 1


@pytest.mark.parametrize("field", FIELDS)
def test_each_opaque_text_is_stamped(field: str, tmp_path: Path) -> None:
    same = {"name": "", "label": "ada", "annotation": "first", "env": "5", "size": "10Gi"}
    same |= {"image": "registry.example.com/team/train:1.3", "script": "train.py --seed 3 --lr=0.1 --data /data"}
    others = {name: text for name, text in same.items() if name not in ("name", field)}
    write_project(tmp_path, [experiment(number, **others) for number in range(7)])
    with chdir(tmp_path):
        assert compare(Request()).stamped == 5


@pytest.mark.parametrize(
    "texts",
    [
        {"env": "$(OTHER)"},
        {"env": "INFO "},
        {"label": "production"},  # the environment sets a label with this value
        {"image": "registry.example.com/team/train"},
        {"image": "registry.example.com/team/train:latest"},
        {"script": "train.py --seed many --lr=0.1 --data /data"},
        {"size": "10"},
        {"name": "tjgen-torch"},
        {"annotation": "hf_" + "a" * 30},
    ],
    ids=str,
)
def test_a_text_that_a_pass_may_read_is_compiled(texts: dict[str, str], tmp_path: Path) -> None:
    write_project(tmp_path, [*[experiment(number) for number in range(5)], experiment(5, **texts)])
    with chdir(tmp_path):
        assert compare(Request()).stamped == 3


def test_points_of_a_sweep_are_stamped(tmp_path: Path) -> None:
    tree = experiment(0)
    tree["spec"]["sweep"] = {"matrix": {"spec.env.SEED": list(range(20))}}
    write_project(tmp_path, [tree])
    with chdir(tmp_path):
        assert compare(Request()).stamped == 18


def test_runs_that_are_not_alike_are_rarely_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[str] = []

    def counted(job: Job, constants: Constants) -> RunShape | None:
        looked_at.append(job.setting.run)
        return shape_of(job, constants)

    monkeypatch.setattr(stamps, "shape_of", counted)
    experiments = [experiment(number) for number in range(88 + 60)]
    for number in range(88):
        experiments[number]["spec"]["nodes"] = number + 3
    write_project(tmp_path, experiments)
    with chdir(tmp_path):
        count = compare(Request())
    apart = [name for name in looked_at if int(name.split("-")[1]) < 88]
    assert len(apart) == 24 + 64 // 16
    # Of the 60 runs that are alike, the second that is looked at shows that shapes occur again.
    assert count.stamped >= 60 - 2 * 16 - 1


def test_a_build_has_few_templates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stamps, "MOST", 1)
    experiments = [experiment(number) for number in range(12)]
    for one in experiments[1::2]:
        one["spec"]["nodes"] = 3
    write_project(tmp_path, experiments)
    with chdir(tmp_path):
        assert compare(Request()).stamped == 12 // 2 - 2


def test_trees_previews_and_explanations_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = []
    for mode in ("off", "on"):
        monkeypatch.setenv(STAMPS, mode)
        folder = tmp_path / mode
        write_project(folder, [experiment(number) for number in range(30)])
        built = tjgen(folder, "build", "-o", "deploy", "--expanded", "preview", "--no-cache")
        assert built.code == 0, built.err
        explained = tjgen(folder, "explain", "--all", "experiments")
        files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        answers.append((built, explained, files))
    assert answers[0] == answers[1]
    assert len(answers[0][2]) > 100


@pytest.mark.parametrize("form", [COLLAPSED, EACH])
def test_previews_are_stamped_with_the_hashes_of_names(form: str, tmp_path: Path) -> None:
    write_project(tmp_path, [experiment(number) for number in range(7)])
    with chdir(tmp_path):
        assert compare(Request(), form).previewed == 5


def test_previews_of_names_of_any_length_are_stamped_as_they_are_computed(tmp_path: Path) -> None:
    """The API server shortens the prefix of a generated name, and refuses some that are longer."""
    write_project(tmp_path, [experiment(number, name=f"{'n' * (45 - number)}{number % 10}") for number in range(42)])
    with chdir(tmp_path):
        count = compare(Request())
    assert 0 < count.previewed < count.stamped


@pytest.mark.parametrize(
    "rules",
    [{"registry.example.com/team/train:2.9": "mirror.example.com/other"}, {"mirror.example.com/other:1": IMAGE}],
    ids=["from", "to"],
)
def test_an_image_whose_tag_a_rewrite_names_is_compiled(rules: dict[str, str], tmp_path: Path) -> None:
    experiments = [*[experiment(number) for number in range(5)], experiment(5, image=IMAGE)]
    write_project(tmp_path, experiments, {"images": {"rewrite": rules}})
    with chdir(tmp_path):
        assert compare(Request()).stamped == 3


def test_runs_with_checkpoints_and_a_new_claim_are_compiled_with_their_sizes(tmp_path: Path) -> None:
    experiments = [experiment(number, size="10Gi", env="3") for number in range(6)]
    for one in experiments:
        one["spec"]["checkpoints"] = {"volume": "out"}
    write_project(tmp_path, experiments)
    with chdir(tmp_path):
        assert compare(Request()).runs == 6


def test_a_tree_with_the_word_of_a_text_is_stamped(tmp_path: Path) -> None:
    script = "train.py mqleaf0z --seed {} --lr=0.1"
    write_project(tmp_path, [experiment(number, script=script.format(number)) for number in range(5)])
    with chdir(tmp_path):
        assert compare(Request()).stamped == 3


def test_strings_after_an_apostrophe_are_constants() -> None:
    assert {"it's", "first", "second"} <= set(_texts({"note": "it's", "others": ["first", ("second", 3)]}))


@pytest.mark.parametrize("seed", range(2, 8))
def test_random_projects_are_stamped_as_they_are_compiled(seed: int, tmp_path: Path) -> None:
    compare_random(seed, tmp_path / "project")
