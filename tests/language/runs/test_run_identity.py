"""The identity of a run: what it depends on, what it does not, and that it never changes."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.checkout import list_entries
from tjgen.language.runs import identity_v1
from tjgen.language.runs.earlier import EARLIER
from tjgen.language.runs.identity import Identity, RunContent, run_content
from tjgen.language.runs.lock import Lock, LockedRun, known
from tjgen.language.runs.names import name_problem, suffix
from tjgen.language.spec import identity as newest
from tjgen.language.spec.identity import AMOUNT, COUNTS, EXCLUDED, Rule
from tjgen.trees.source.reader import CORE, read

SMALLEST = """
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: smallest, namespace: vision}
spec:
  runtime: tjgen-torch
  image: train:1
"""

LARGE = """
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: large, namespace: vision, labels: {team: a}}
spec:
  runtime: {name: tjgen-torch}
  image: train:1
  script: |
    train.py --epochs 90
  nodes: 2
  gpu: a100:8
  cpu: 0.5
  memory: 1.5Gi
  resources: {rdma/hca: 1}
  env:
    LR: 1e-3
    SEED: 3
    DEBUG: true
    TOKEN: {secret: hub, key: token}
  volumes:
    imagenet: {pvc: imagenet-ro, mountPath: /data, readOnly: true}
    checkpoints: {pvc: {create: {size: 200Gi}}, mountPath: /ckpt}
    scratch: {emptyDir: {sizeLimit: 10Gi}}
    more: {emptyDir: {}}
  roles:
    launcher: {cpu: 500m, gpu: {class: l4}}
  pod: {tolerations: [{key: gpu, operator: Exists}]}
  data:
    volume: imagenet
    items: {list: [a, {path: b, size: 1Ki}]}
    slices: {by: lpt}
  schedule: {system: volcano, queue: vision}
  patches:
    nothing: {target: {kind: TrainJob}, merge: {spec: {managedBy: null}}}
"""


def tree(text: str) -> Any:
    documents, problems = read(text, "experiment.yaml", CORE)
    assert [problem.message for problem in problems if problem.severity == "error"] == []
    return documents[0].value


def identify(experiment: Any, **arguments: Any) -> Identity:
    return run_content(experiment, **arguments).identity()


def of(text: str, **arguments: Any) -> str:
    return identify(tree(text), **arguments).digest


@pytest.mark.parametrize(
    ("text", "arguments", "digest", "name"),
    [
        pytest.param(SMALLEST, {}, "c06a1db5c1ada3b6a3b419e1f7012f4c399a269dc7a0e12554fc3ab47fb675a8", "5k25scfv", id="smallest"),
        pytest.param(
            SMALLEST,
            {"environment": "prod"},
            "88aa4e6718ed7127349734f5b0174ec1f609633deaa1ac183e3966050ba3b817",
            "j7lxx7h4",
            id="in an environment",
        ),
        pytest.param(
            SMALLEST,
            {"point": {"spec.env.LR": 0.1}},
            "f7c56a8782446818592204502e4c230fb30dc2150ef75fe29665d8a9d19dbf8e",
            "jm9ws8x5",
            id="a point",
        ),
        pytest.param(
            SMALLEST,
            {"files": {"items.txt": "ab12"}},
            "451d13ec24ad89f3747a955bddb5a6c2f63a8e7e512b3817d8da31153d63dd98",
            "v7t6jzkk",
            id="with a local file",
        ),
        pytest.param(
            SMALLEST,
            {"task": "left"},
            "d25ff422dcc706d29b7d7ef8f683dcfca52baf8674388948534b2dda718fed0f",
            "t8frzgjs",
            id="a task",
        ),
        pytest.param(
            LARGE,
            {"environment": "prod", "point": {"spec.gpu": "h100:4", "spec.env.LR": 3}},
            "fb7a96bcec3e945e61d4e7f763f4589f1d3fd29c3f691e5fd8971a8443959d95",
            "kxz57trd",
            id="large",
        ),
    ],
)
def test_released_identities_stay(text: str, arguments: dict[str, Any], digest: str, name: str) -> None:
    identity = identify(tree(text), **arguments)
    assert (str(identity), identity.run_name("a")) == (f"v1:{digest}", f"a-{name}")


def test_a_released_renewal_stays() -> None:
    identity = identify(tree(SMALLEST))
    assert identity.renewed(0) is identity
    assert [identity.renewed(times).run_name("a") for times in (1, 2)] == ["a-w2kbrdk7", "a-qxnmg5hl"]


def shuffled(value: Any, chance: random.Random) -> Any:
    if isinstance(value, dict):
        keys = list(value)
        chance.shuffle(keys)
        return {key: shuffled(value[key], chance) for key in keys}
    return [shuffled(item, chance) for item in value] if isinstance(value, list) else value


def test_the_order_of_keys_plays_no_part() -> None:
    original = identify(tree(LARGE))
    assert {identify(shuffled(tree(LARGE), random.Random(seed))) for seed in range(20)} == {original}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("cpu: 0.5", "cpu: 500m", id="a quantity of CPU"),
        pytest.param("memory: 1.5Gi", "memory: 1536Mi", id="a quantity of memory"),
        pytest.param("cpu: 500m, gpu", 'cpu: "0.5", gpu', id="a quantity of a role"),
        pytest.param("rdma/hca: 1", 'rdma/hca: "1"', id="a quantity of any resource"),
        pytest.param("sizeLimit: 10Gi", "sizeLimit: 10240Mi", id="a size of a volume"),
        pytest.param("size: 1Ki", "size: 1024", id="a size of an item"),
        pytest.param("{name: tjgen-torch}", "tjgen-torch", id="the short form of a runtime"),
        pytest.param("gpu: a100:8", "gpu: {class: a100, count: 8}", id="the long form of devices"),
        pytest.param("gpu: a100:8", "gpu: a100:8\n  rdma: false", id="no fast network"),
        pytest.param("{class: l4}", "l4:1", id="the default count of devices"),
        pytest.param("pvc: imagenet-ro", "pvc: {claimName: imagenet-ro}", id="the long form of a claim"),
        pytest.param("SEED: 3", "SEED: {value: '3'}", id="the long form of a variable"),
        pytest.param("LR: 1e-3", "LR: 0.001", id="a number of a variable"),
        pytest.param("DEBUG: true", 'DEBUG: "true"', id="the text of a boolean"),
        pytest.param("items: {list: [a,", "items: {list: [{path: a},", id="the long form of an item"),
        pytest.param("name: large,", "name: other,", id="the name"),
        pytest.param("labels: {team: a}", "labels: {team: b}", id="a label"),
        pytest.param("size: 200Gi", "size: 300Gi, storageClassName: fast", id="the size and class of a claim"),
        pytest.param("create: {size: 200Gi}", "create: {size: 200Gi, scope: family}", id="the default scope"),
        pytest.param("create: {size: 200Gi}", "create: {size: 200Gi, keep: true}", id="whether a claim is kept"),
        pytest.param("slices: {by: lpt}", "slices: {by: lpt, over: nodes, deliver: env}", id="defaults of slices"),
        pytest.param("  nodes: 2", "  nodes: 2\n  attempt: 1", id="the first attempt"),
        pytest.param("  nodes: 2", "  nodes: 2\n  state: suspended", id="suspension"),
        pytest.param("  nodes: 2", "  nodes: 2\n  target: trainjob", id="the default target"),
        pytest.param("  nodes: 2", "  nodes: 2\n  sweep: {matrix: {env.LR: [1, 2]}}", id="other points of the sweep"),
        pytest.param("  nodes: 2", "  nodes: 2\n  args: []\n  envFrom: {}\n  initializer:", id="what is empty or null"),
        pytest.param("launcher: {cpu", "evaluator: {pod: {}}\n    launcher: {cpu", id="a role that says nothing"),
    ],
)
def test_what_says_the_same_has_the_same_identity(old: str, new: str) -> None:
    assert LARGE.count(old) == 1
    assert of(LARGE.replace(old, new)) == of(LARGE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("image: train:1", "image: train:2", id="the image"),
        pytest.param("--epochs 90", "--epochs 91", id="the script"),
        pytest.param("nodes: 2", "nodes: 3", id="the number of nodes"),
        pytest.param("nodes: 2", "attempt: 2\n  nodes: 2", id="another attempt"),
        pytest.param("nodes: 2", "target: jobset\n  nodes: 2", id="another target"),
        pytest.param("a100:8", "a100:4", id="the number of devices"),
        pytest.param("gpu: a100:8", "gpu: {class: a100, count: 8, minMemory: 80Gi}", id="the memory of devices"),
        pytest.param("gpu: a100:8", "gpu: a100:8\n  rdma: true", id="a fast network"),
        pytest.param("queue: vision", "queue: vision, topology: {exclusive: a}", id="nodes that belong together"),
        pytest.param("more: {emptyDir: {}}", "more: {dataset: words}", id="a data set"),
        pytest.param("memory: 1.5Gi", "memory: 1.5G", id="another amount"),
        pytest.param("SEED: 3", "SEED: 4", id="a variable"),
        pytest.param("key: token", "key: other", id="the key of a Secret"),
        pytest.param("readOnly: true", "readOnly: false", id="whether a volume is only read"),
        pytest.param("create: {size: 200Gi}", "create: {size: 200Gi, scope: run}", id="the scope of a claim"),
        pytest.param("mountPath: /ckpt", "mountPath: /ckpt, mounts: {/more: {}}", id="one more mount, of which nothing is said"),
        pytest.param("create: {size: 200Gi}", "create: {size: 200Gi, from: {snapshot: a}}", id="what a claim holds"),
        pytest.param("    more: {emptyDir: {}}\n", "", id="an empty directory less"),
        pytest.param("queue: vision", "queue: other", id="the queue, which no object may change"),
        pytest.param("by: lpt", "by: contiguous", id="the strategy of slices"),
        pytest.param("managedBy: null", "managedBy: x", id="a patch"),
        pytest.param("spec: {managedBy: null}", "spec: {}", id="a null that a patch needs"),
        pytest.param("operator: Exists", "operator: Equal", id="a toleration"),
        pytest.param("runtime: {name: tjgen-torch}", "runtime: {name: tjgen-mpi}", id="the runtime"),
    ],
)
def test_what_says_something_else_has_another_identity(old: str, new: str) -> None:
    assert LARGE.count(old) == 1
    assert of(LARGE.replace(old, new)) != of(LARGE)


def test_where_and_with_what_it_runs_tells_runs_apart() -> None:
    digests = {
        of(SMALLEST),
        of(SMALLEST, environment="prod"),
        of(SMALLEST, environment="dev"),
        of(SMALLEST, task="left"),
        of(SMALLEST, files={"a": "1"}),
        of(SMALLEST, files={"a": "2"}),
        of(SMALLEST, point={"spec.nodes": 1}),
        of(SMALLEST, point={"spec.nodes": 2}),
    }
    assert len(digests) == 8
    assert of(SMALLEST, environment="") == of(SMALLEST) == of(SMALLEST, point={}, files={})


def test_points_are_compared_as_the_fields_that_they_set() -> None:
    assert of(LARGE, point={"spec.gpu": "a100:4"}) == of(LARGE, point={"spec.gpu": {"count": 4, "class": "a100"}})
    assert of(LARGE, point={"spec.memory": "1Gi"}) == of(LARGE, point={"spec.memory": "1024Mi"})
    assert of(LARGE, point={"spec.env.LR": "3"}) == of(LARGE, point={"spec.env.LR": 3})


def test_a_point_that_sets_part_of_a_field_still_depends_on_the_rest() -> None:
    other = LARGE.replace("a100:8", "a100:4")
    assert of(LARGE, point={"spec.gpu": "h100"}) != of(other, point={"spec.gpu": "h100"})


def test_a_value_that_a_point_sets_otherwise_does_not_matter() -> None:
    other = LARGE.replace("SEED: 3", "SEED: 4")
    assert of(LARGE, point={"spec.env.SEED": 7}) == of(other, point={"spec.env.SEED": 7})


def test_the_version_of_the_language_is_not_part_of_a_name() -> None:
    experiment = {"metadata": {"name": "a"}, "spec": {"runtime": "tjgen-torch", "nodes": 2}}
    versions = [identify({"apiVersion": version, **experiment}).digest for version in ("tjgen.dev/v1alpha1", "tjgen.dev/v1beta1")]
    assert versions == [identify(experiment).digest] * 2


def test_a_mount_has_one_identity_in_all_its_forms() -> None:
    texts = ("{/a: train}", "{/a: {subPath: train}}", "{/a: {subPath: train, readOnly: false, roles: []}}")
    assert len({of(LARGE.replace("mountPath: /ckpt", f"mounts: {text}")) for text in texts}) == 1


def places(rule: Rule, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str, Any]]:
    """Path, meaning and default of each place that a form of the identity treats in a special way."""
    for key, inner in rule[2].items():
        yield (*path, key), inner[0], inner[1]
        yield from places(inner, (*path, key))


def at(path: tuple[str, ...], value: Any) -> Any:
    """A spec with a value at a path; entries of maps are called x."""
    for key in reversed(path):
        value = {"x" if key == "*" else key: value}
    return value


EXCLUDED_PATHS = [path for path, part, _ in places(newest.SPEC) if part == EXCLUDED]
DEFAULTS = [(path, default) for path, _, default in places(newest.SPEC) if default is not None]


@pytest.mark.parametrize("path", EXCLUDED_PATHS, ids=".".join)
def test_an_excluded_field_is_excluded_in_every_form(path: tuple[str, ...]) -> None:
    parent = at(path[:-1], {"scope": "run"})
    assert of_spec(merged(parent, at(path, "something"))) == of_spec(parent)


@pytest.mark.parametrize(("path", "default"), DEFAULTS, ids=[".".join(path) for path, _ in DEFAULTS])
def test_a_default_that_is_written_out_names_the_same_run(path: tuple[str, ...], default: Any) -> None:
    parent = at(path[:-1], {"written": "so that the parent is not empty"})
    assert of_spec(merged(parent, at(path, default))) == of_spec(parent)
    assert of_spec(merged(parent, at(path, "another"))) != of_spec(parent)


def test_a_default_in_a_task_counts_where_it_overrides_the_experiment() -> None:
    def task(spec: Any, said: Any) -> str:
        return identify({"metadata": {"name": "a"}, "spec": {**spec, "tasks": {"left": said}}}, task="left").digest

    assert task({}, {"target": "trainjob"}) == task({}, {})
    assert task({"target": "jobset"}, {"target": "trainjob"}) != task({"target": "jobset"}, {})
    assert task({"success": {"operator": "Any"}}, {"success": {"operator": "All"}}) != task({"success": {"operator": "Any"}}, {})


def test_the_newest_form_leaves_out_all_that_the_first_one_does() -> None:
    newest_rules = {path: (part, default) for path, part, default in places(newest.SPEC)}
    for path, part, default in places(identity_v1.SPEC):
        if (part, default) == (COUNTS, None) or path == ("history",):  # a field that the language no longer has
            continue
        found = [value for key, value in newest_rules.items() if matches(path, key)]
        assert found, path
        assert all(value == (part, default) or value[0] == AMOUNT == part for value in found), path


def matches(pattern: tuple[str, ...], path: tuple[str, ...]) -> bool:
    return len(pattern) == len(path) and all(one in ("*", other) for one, other in zip(pattern, path, strict=True))


def merged(base: Any, other: Any) -> Any:
    if isinstance(base, dict) and isinstance(other, dict):
        return {**base, **{key: merged(base.get(key), value) for key, value in other.items()}}
    return other


@pytest.mark.parametrize("rules", EARLIER)
def test_runs_of_earlier_rules_keep_their_names(rules: str) -> None:
    """Identities that the last release with these rules gave to experiments of the test suite and the examples."""
    recorded = Path(__file__).parent / f"{rules}.jsonl"
    changed = []
    for one in [json.loads(line) for line in recorded.read_text(encoding="utf-8").splitlines()]:
        content = run_content(one["experiment"], environment=one["environment"] or None, task=one["task"])
        run = LockedRun("a", one["identity"], 1, "active", "r", "sha256:1", "sha256:2", "sha256:3")
        kept, found = known(Lock("a/b", {"a": run}).by_identity(), content)
        if found is not run or str(kept) != one["identity"]:
            changed.append(one)
    assert changed == []


def test_every_module_of_earlier_rules_is_in_the_table_and_has_recorded_identities() -> None:
    folder = Path(identity_v1.__file__).parent
    assert sorted(EARLIER) == sorted(path.stem for path in folder.glob("identity_v*.py"))
    assert sorted(EARLIER) == sorted(path.stem for path in list_entries(Path(__file__).parent, "identity_v*.jsonl"))
    for name in EARLIER:
        assert len((Path(__file__).parent / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()) > 100


def test_the_first_rules_give_another_identity_only_if_they_differ() -> None:
    plain = run_content({"metadata": {"name": "a"}, "spec": {"runtime": "r"}})
    written = run_content({"metadata": {"name": "a"}, "spec": {"runtime": "r", "checkpoints": {"mark": "program"}}})
    block = run_content({"metadata": {"name": "a"}, "spec": {"runtime": "r", "success": {"operator": "All"}}})
    assert {plain.identity()} == {*plain.earlier_identities()} == {written.identity()}
    assert {*written.earlier_identities()} > {plain.identity()}
    assert block.identity() != plain.identity()
    assert {*block.earlier_identities()} > {plain.identity()}


@pytest.mark.parametrize(
    ("identity", "computations"),
    [(None, 0), ("newest", 0), ("first", 1), ("v1:another", 1)],
    ids=["an empty lock", "a run of the newest rules", "a run of the first rules", "other runs"],
)
def test_the_first_identity_is_computed_only_if_the_lock_lacks_the_newest(
    identity: str | None, computations: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = run_content({"metadata": {"name": "a"}, "spec": {"runtime": "r", "success": {"operator": "All"}}})
    *_, first = content.earlier_identities()
    text = {"newest": str(content.identity()), "first": str(first)}.get(identity or "", identity or "")
    run = LockedRun("a", text, 1, "active", "r", "sha256:1", "sha256:2", "sha256:3")
    calls: list[RunContent] = []

    def counted(content: RunContent) -> Iterator[Identity]:
        calls.append(content)
        yield first

    monkeypatch.setattr(RunContent, "earlier_identities", counted)
    _, found = known({text: run} if identity else {}, content)
    assert (found is run, len(calls)) == (identity in ("newest", "first"), computations)


def of_spec(spec: Any) -> str:
    return identify({"metadata": {"name": "a"}, "spec": spec}).digest


def test_a_fixed_name_has_no_characters_of_the_identity() -> None:
    identity = identify(tree(SMALLEST))
    assert identity.run_name("a", "lr-3", fixed=True) == "a-lr-3"
    assert identify(tree(SMALLEST + "  attempt: 2\n")).run_name("a", fixed=True) == "a-2"


def test_a_name_holds_the_label_of_the_point() -> None:
    assert identify(tree(SMALLEST)).run_name("a", "lr-3") == f"a-lr-3-{suffix(identify(tree(SMALLEST)).digest)}"


@pytest.mark.parametrize("name", ["a", "a-1", "x" * 33, "a--b"])
def test_names_that_will_do(name: str) -> None:
    assert name_problem(name, budget=33) is None


@pytest.mark.parametrize("name", ["1a", "-a", "a-", "A", "a_b", "ä", "a.b", ""])
def test_names_that_are_no_labels(name: str) -> None:
    problem = name_problem(name)
    assert problem is not None
    assert problem.code == "TJ073"
    assert f'"{name}"' in problem.message


def test_a_name_over_its_budget_is_told_the_budget_and_not_cut() -> None:
    problem = name_problem("resnet50-lr-0-1-zwwjb4wb", budget=20)
    assert problem is not None
    assert (problem.code, problem.path) == ("TJ072", ("metadata", "name"))
    assert '"resnet50-lr-0-1-zwwjb4wb" has 24 characters' in problem.message
    assert "allow at most 20" in problem.message
    assert "by 4 characters" in str(problem.hint)


TASKS = SMALLEST + "  data: {volume: v, slices: {%s}}\n  tasks: {left: {%s}, right: {}%s}\n"


def test_a_task_depends_on_what_it_says_itself() -> None:
    plain = TASKS % ("", "", "")
    assert of(plain, task="left") != of(plain, task="right")
    assert of(plain, task="left") == of(TASKS % ("", "gpu: null", ", third: {}"), task="left")
    assert of(TASKS % ("", "gpu: 'h100:8', cpu: 0.5", ""), task="left") == of(
        TASKS % ("", "cpu: 500m, gpu: {class: h100, count: 8}", ""), task="left"
    )
    assert of(plain, task="left") != of(TASKS % ("", "nodes: 2", ""), task="left")
    assert of(plain, task="right") == of(TASKS % ("", "nodes: 2", ""), task="right")


@pytest.mark.parametrize("over", ["over: tasks", "over: nodes"])
def test_a_task_that_shares_items_depends_on_the_others(over: str) -> None:
    shares = over == "over: tasks"
    assert (of(TASKS % (over, "", ""), task="left") != of(TASKS % (over, "", ", third: {}"), task="left")) == shares
    own = "data: {slices: {over: nodes}}"
    assert of(TASKS % (over, own, ""), task="left") == of(TASKS % (over, own, ", third: {}"), task="left")


@pytest.mark.parametrize("amount", [8, "8", {"request": 8, "limit": 8}, {"request": "8000m", "limit": 8}])
def test_an_amount_and_an_equal_request_and_limit_are_one_run(amount: Any) -> None:
    def digest(cpu: Any) -> str:
        return run_content({"spec": {"cpu": cpu, "roles": {"a": {"resources": {"x/y": cpu}}}}}).identity().digest

    assert digest(amount) == digest("8")
    assert digest({"request": 8}) != digest({"limit": 8}) != digest(8)
