"""Which overlays an experiment gets, in which order, and what is said when they do not fit."""

from __future__ import annotations

import pytest

from tests.language.resolve.texts import document, experiment, overlay, platform, project, resolve, told
from tjgen.language.resolve.overlays import Surroundings
from tjgen.language.resolve.project import LoadedProject, alone

LABELLED = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: resnet50, labels: {team: vision, tier: gold}}
spec: {runtime: tjgen-torch, nodes: 1}
"""
MATCHES = {
    "nothing said": ("{}", True),
    "the name": ("{names: [resnet50]}", True),
    "another name": ("{names: [resnet]}", False),
    "a pattern of names": ("{names: [bert, 'res*']}", True),
    "a label": ("{labels: {team: vision}}", True),
    "one of two labels": ("{labels: {team: vision, tier: lead}}", False),
    "the runtime": ("{runtimes: [tjgen-torch]}", True),
    "a pattern of runtimes": ("{runtimes: ['*-mpi']}", False),
    "the environment": ("{environments: [dev, prod]}", True),
    "another environment": ("{environments: [dev]}", False),
    "the cluster": ("{clusters: [east]}", True),
    "another cluster": ("{clusters: [west]}", False),
    "a name but another label": ("{names: [resnet50], labels: {team: nlp}}", False),
}


@pytest.mark.parametrize(("match", "wanted"), MATCHES.values(), ids=MATCHES)
def test_match(match: str, wanted: bool) -> None:
    over = overlay("over", f"match: {match}\nexperiment: {{nodes: 2}}")
    surroundings = Surroundings(project("environments: {dev: {}, prod: {cluster: east}}", over), "prod")
    assert surroundings.resolve(document(LABELLED, "e.yaml")).tree.value["spec"]["nodes"] == (2 if wanted else 1)


def test_match_is_judged_on_the_experiment_as_it_is_written() -> None:
    first = overlay("first", "layer: default\nexperiment: {runtime: tjgen-mpi, metadata: {labels: {team: nlp}}}")
    second = overlay("second", "match: {runtimes: [tjgen-mpi]}\nexperiment: {nodes: 2}")
    third = overlay("third", "match: {labels: {team: nlp}}\nexperiment: {nodes: 3}")
    assert resolve(experiment("nodes: 1"), first, second, third).tree.value["spec"]["nodes"] == 1


def test_order_of_everything() -> None:
    base = platform(
        "east", "defaults: {image: platform, workingDir: platform, nodes: 1, cpu: 1, metadata: {namespace: platform}}"
    )
    below = overlay("below", "layer: default\nexperiment: {workingDir: below, nodes: 2, cpu: 2}")
    over = overlay("over", "experiment: {cpu: 4}")
    around = project("environments: {prod: {namespace: prod}}", below, over, platforms=(base,))
    merged = Surroundings(around, "prod").resolve(experiment("nodes: 3\ncpu: 3")).tree.value
    assert merged["spec"] == {"image": "platform", "workingDir": "below", "nodes": 3, "cpu": {"request": 4, "limit": 4}}
    assert merged["metadata"] == {"name": "net", "namespace": "prod"}


def test_namespace_of_the_experiment_stands_before_that_of_the_environment() -> None:
    around = project("environments: {prod: {namespace: prod}}")
    text = "apiVersion: tjgen.dev/v1alpha1\nkind: Experiment\nmetadata: {name: a, namespace: own}\nspec: {}\n"
    assert Surroundings(around, "prod").resolve(document(text, "e.yaml")).tree.value["metadata"]["namespace"] == "own"


def test_overlays_of_one_layer_that_contradict_each_other() -> None:
    one = overlay("one", "experiment: {nodes: 2, env: {A: x}}")
    two = overlay("two", "experiment: {nodes: 4, env: {A: x}}")
    found = resolve(experiment("nodes: 1"), one, two)
    assert told(found.diagnostics) == [
        "TJ210 contradicting-overlays two.yaml:5:23 spec.nodes is set differently by overlays one and two of the same layer"
    ]
    (note,) = found.diagnostics[0].related
    assert (note.message, str(note.span)) == ("set by one", "one.yaml:5:23")


CONTRADICTIONS = {
    "a removal and a value": ("nodes: null", "nodes: 2"),
    "a value and a removal": ("nodes: 2", "nodes: null"),
    "a removal of the whole and a part": ("env: null", "env: {A: x}"),
    "a part and a removal of the whole": ("env: {A: x}", "env: null"),
    "two sources of a volume": ("volumes: {d: {pvc: a, mountPath: /d}}", "volumes: {d: {emptyDir: {}}}"),
    "a script and a command": ("script: a.py", "command: [b]"),
    "lists": ("args: [a]", "args: [b]"),
    "a value and a map": ("pod: {affinity: {a: 1}}", "pod: {affinity: {a: {b: 1}}}"),
}


@pytest.mark.parametrize(("one", "two"), CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_contradiction(one: str, two: str) -> None:
    overlays = [overlay(name, "experiment:\n  " + said) for name, said in (("one", one), ("two", two))]
    found = resolve(experiment("runtime: a"), *overlays)
    assert {diagnostic.code for diagnostic in found.diagnostics} == {"TJ210"}


AGREEMENTS = {
    "the same value": ("nodes: 2", "nodes: 2"),
    "the same value in short and long form": ("gpu: h100:8", "gpu: {class: h100, count: 8}"),
    "different keys": ("env: {A: x}", "env: {B: z}"),
    "a class and a count": ("gpu: h100", "gpu: {count: 2}"),
    "the same removal": ("nodes: null", "nodes: null"),
}


@pytest.mark.parametrize(("one", "two"), AGREEMENTS.values(), ids=AGREEMENTS)
def test_no_contradiction(one: str, two: str) -> None:
    overlays = [overlay(name, "experiment:\n  " + said) for name, said in (("one", one), ("two", two))]
    assert resolve(experiment("runtime: a"), *overlays).diagnostics == []


def test_layers_of_different_rank_do_not_contradict_each_other() -> None:
    below = overlay("below", "layer: default\nexperiment: {nodes: 2}")
    found = resolve(experiment("runtime: a"), below, overlay("over", "experiment: {nodes: 4}"))
    assert (found.diagnostics, found.tree.value["spec"]["nodes"]) == ([], 4)


def test_an_overlay_that_matches_no_experiment() -> None:
    used = overlay("used", "match: {names: [net]}\nexperiment: {nodes: 2}")
    idle = overlay("idle", "match: {names: [other]}\nexperiment: {nodes: 3}")
    elsewhere = overlay("elsewhere", "match: {environments: [dev], names: [other]}\nexperiment: {nodes: 3}")
    surroundings = Surroundings(project("environments: {dev: {}, prod: {}}", used, idle, elsewhere), "prod")
    surroundings.resolve(experiment("runtime: a"))
    unmatched = [one for _, one in surroundings.unmatched()]
    assert told(unmatched) == ['TJ211 unmatched-overlay idle.yaml:5:10 overlay "idle" matches no experiment']


def test_a_name_of_an_overlay_that_matches_no_experiment() -> None:
    over = overlay("over", "match: {names: [net, nett, 'b*']}\nexperiment: {nodes: 2}")
    surroundings = Surroundings(project("environments: {dev: {}}", over), "dev")
    surroundings.resolve(experiment("runtime: a"))
    unmatched = [one for _, one in surroundings.unmatched()]
    assert told(unmatched) == [
        'TJ211 unmatched-overlay over.yaml:5:24 overlay "over" names "nett", which matches no experiment',
        'TJ211 unmatched-overlay over.yaml:5:30 overlay "over" names "b*", which matches no experiment',
    ]
    assert [one.hint for one in unmatched] == ['did you mean "net"?', "correct the name, or remove it"]


def test_overlays_that_an_environment_names_are_for_it_alone() -> None:
    own = overlay("own", "experiment: {nodes: 2}")
    around: LoadedProject = alone()._replace(
        spec=project("environments: {dev: {}, prod: {overlays: [own.yaml]}}").spec, overlays_of={"prod": (own,)}
    )
    base = experiment("nodes: 1")
    nodes = {name: Surroundings(around, name).resolve(base).tree.value["spec"]["nodes"] for name in ("dev", "prod")}
    assert nodes == {"dev": 1, "prod": 2}
