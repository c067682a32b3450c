"""What Volcano's webhooks say to Jobs, PodGroups, Queues, JobFlows and HyperNodes, and what they fill in."""

from __future__ import annotations

import copy
import json
from typing import Any, get_args

import pytest

from tjgen.cluster.controllers.volcano import with_job_defaults
from tjgen.cluster.validate import admission
from tjgen.cluster.validate.judge import judge
from tjgen.cluster.validate.webhooks import volcano_jobs
from tjgen.language.spec.models.volcano import Action
from tjgen.trees.fields.path import FieldPath, get

POD = {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}
WHOLE = {"resources": {"limits": {"cpu": "2", "memory": "1Gi"}}}
JOB: dict[str, Any] = {
    "apiVersion": "batch.volcano.sh/v1alpha1",
    "kind": "Job",
    "metadata": {"name": "train", "namespace": "ml"},
    "spec": {
        "minAvailable": 3,
        "queue": "team",
        "plugins": {"svc": [], "ssh": [], "mpi": ["--master=launcher", "--worker=worker"]},
        "policies": [{"event": "PodEvicted", "action": "RestartJob"}],
        "volumes": [{"mountPath": "/data", "volumeClaimName": "corpus"}],
        "tasks": [
            {"name": "launcher", "replicas": 1, "template": POD},
            {"name": "worker", "replicas": 2, "dependsOn": {"name": ["launcher"]}, "template": POD},
        ],
    },
}
QUEUE: dict[str, Any] = {
    "apiVersion": "scheduling.volcano.sh/v1beta1",
    "kind": "Queue",
    "metadata": {"name": "team"},
    "spec": {
        "weight": 1,
        "parent": "lab",
        "capability": {"cpu": 40},
        "deserved": {"cpu": "20"},
        "guarantee": {"resource": {"cpu": "10000m"}},
    },
}
GROUP: dict[str, Any] = {
    "apiVersion": "scheduling.volcano.sh/v1beta1",
    "kind": "PodGroup",
    "metadata": {"name": "a", "namespace": "ml"},
    "spec": {"minMember": 2, "queue": "team"},
}
FLOW: dict[str, Any] = {
    "apiVersion": "flow.volcano.sh/v1alpha1",
    "kind": "JobFlow",
    "metadata": {"name": "a", "namespace": "ml"},
    "spec": {"flows": [{"name": "one"}, {"name": "two", "dependsOn": {"targets": ["one"]}}]},
}
NODE: dict[str, Any] = {
    "apiVersion": "topology.volcano.sh/v1alpha1",
    "kind": "HyperNode",
    "metadata": {"name": "rack"},
    "spec": {"tier": 1, "members": [{"type": "Node", "selector": {"regexMatch": {"pattern": "^rack-1-"}}}]},
}


def changed(tree: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(json.dumps(tree))  # nothing in it is shared
    *steps, last = [int(step) if step.isdigit() else step for step in path.split("|")]
    at: Any = result
    for step in steps:
        at = at[step] if isinstance(step, int) else at.setdefault(step, {})
    at[last] = value
    return result


def said(tree: dict[str, Any], *, old: Any = None, context: Any = ()) -> list[tuple[FieldPath, str]]:
    return [(fault.path, fault.summary or fault.detail) for fault in admission.review(tree, old=old, context=context).errors]


@pytest.mark.parametrize("tree", [JOB, QUEUE, GROUP, FLOW, NODE], ids=lambda tree: tree["kind"])
def test_a_good_object_is_let_pass(tree: dict[str, Any]) -> None:
    before = copy.deepcopy(tree)
    assert judge(tree).allowed
    assert said(tree) == []
    assert tree == before


@pytest.mark.parametrize(
    ("path", "value", "where", "words"),
    [
        ("spec|minAvailable", -1, "minAvailable", "job 'minAvailable' must be >= 0."),
        ("spec|minAvailable", 4, "minAvailable", "job 'minAvailable' should not be greater than total replicas in tasks;"),
        ("spec|maxRetry", -1, "maxRetry", "'maxRetry' cannot be less than zero."),
        ("spec|ttlSecondsAfterFinished", -1, "ttlSecondsAfterFinished", "'ttlSecondsAfterFinished' cannot be less than zero."),
        ("spec|tasks", [], "", "No task specified in job spec"),
        ("spec|plugins|mpi", ["--master=boss"], "plugins|mpi", "The specified mpi master task was not found"),
        ("spec|plugins|horovod", [], "plugins|horovod", "unable to find job plugin: horovod;"),
        (
            "spec|tasks|1|minAvailable",
            3,
            "tasks|1|minAvailable",
            "'minAvailable' is greater than 'replicas' in task: worker, job: train;",
        ),
        (
            "spec|tasks|1|dependsOn|name",
            ["nobody"],
            "tasks",
            "job has dependencies between tasks, but doesn't form a directed acyclic graph(DAG);",
        ),
        ("spec|queue", "root", "queue", "can not submit job to root queue;"),
        ("spec|policies", [{"action": "AbortJob"}], "policies|0", "either event and exitCode should be specified"),
        (
            "spec|policies",
            [{"event": "*", "exitCode": 1, "action": "AbortJob"}],
            "policies|0",
            "must not specify event and exitCode simultaneously",
        ),
        ("spec|policies", [{"exitCode": 0, "action": "AbortJob"}], "policies|0|exitCode", "0 is not a valid error code"),
        (
            "spec|policies",
            [{"event": "OutOfSync", "action": "AbortJob"}],
            "policies|0|event",
            'Invalid value: "OutOfSync": invalid policy event',
        ),
        ("spec|policies", [{"event": "PodFailed"}], "policies|0|action", 'Invalid value: "": invalid policy action'),
        (
            "spec|policies",
            [{"event": "*", "action": "AbortJob"}, {"events": ["PodFailed"], "action": "RestartJob"}],
            "policies",
            "if there's * here, no other policy should be here",
        ),
        ("spec|volumes|0|mountPath", "", "volumes|0", "mountPath is required;"),
        ("spec|volumes", [{"mountPath": "/a"}], "volumes|0", "either VolumeClaim or VolumeClaimName must be specified;"),
        (
            "spec|tasks|0|topologyPolicy",
            "restricted",
            "tasks|0|topologyPolicy",
            "the cpu request isn't  an integer in spec.task[0] container[0].",
        ),
        (
            "spec|tasks|0|template|spec|restartPolicy",
            "Sometimes",
            "tasks|0|template|spec|restartPolicy",
            'spec.task[0].template.spec.restartPolicy: Unsupported value: "Sometimes": '
            'supported values: "Always", "OnFailure", "Never"',
        ),
        (
            "spec|tasks|1|partitionPolicy",
            {"totalPartitions": 2, "partitionSize": 2},
            "tasks|1|replicas",
            "'replicas' is not equal to 'totalPartitions' * 'partitionSize' (2 * 2) in task: worker;",
        ),
    ],
)
def test_a_job_is_refused(path: str, value: Any, where: str, words: str) -> None:
    steps = tuple(int(step) if step.isdigit() else step for step in where.split("|")) if where else ()
    assert said(changed(JOB, path, value)) == [(("spec", *steps), words)]


def test_a_task_may_be_bound_to_numa_nodes_with_whole_cpus() -> None:
    task = {"name": "launcher", "replicas": 1, "topologyPolicy": "single-numa-node"}
    whole = {**task, "template": {"spec": {**POD["spec"], "containers": [{"name": "c", "image": "i", **WHOLE}]}}}
    assert said(changed(JOB, "spec|tasks|0", whole)) == []
    half = changed(whole, "template|spec|containers|0|resources|limits|cpu", "1500m")
    assert "isn't  an integer" in said(changed(JOB, "spec|tasks|0", half))[0][1]


def test_a_duplicate_task_ends_the_look_at_tasks() -> None:
    tree = changed(JOB, "spec|tasks|1|name", "launcher")
    assert (("spec", "tasks", 1, "name"), "duplicated task name launcher;") in said(changed(tree, "spec|plugins", {}))


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("spec|minAvailable", 2, None),
        ("spec|tasks|1|replicas", 5, None),
        ("spec|priorityClassName", "high", None),
        ("spec|queue", "other", "job updates may not change fields other than"),
        ("spec|tasks|0|template|spec|containers|0|image", "other", "job updates may not change fields other than"),
        ("spec|tasks", JOB["spec"]["tasks"][:1], "must not be greater than total replicas"),
        ("spec|tasks|1|replicas", 0, "'minAvailable' must be <= 'replicas' in task: worker"),
    ],
)
def test_an_update_of_a_job(path: str, value: Any, words: str | None) -> None:
    old = changed(with_job_defaults(JOB), "spec|tasks|1|minAvailable", 1)
    found = said(changed(old, path, value), old=old)
    assert (words is None and found == []) or (words is not None and len(found) == 1 and words in found[0][1])


def test_a_job_that_writes_the_defaults_of_its_tasks_can_be_applied_again() -> None:
    stored = with_job_defaults(JOB)
    assert said(stored, old=JOB) == []
    written = {**JOB, "spec": {**JOB["spec"], "tasks": stored["spec"]["tasks"]}}
    assert said(written, old=stored) == []


@pytest.mark.parametrize(("field", "hint"), [("maxRetry", "maxRetry: 3"), ("name", "name: default0")])
def test_a_default_that_a_task_leaves_out_is_refused_at_the_second_apply(field: str, hint: str) -> None:
    bare = {key: value for key, value in JOB["spec"]["tasks"][0].items() if key != field}
    job = changed({**JOB, "spec": {**JOB["spec"], "plugins": {}}}, "spec|tasks|0", bare)
    found = admission.review(job, old=job, context=()).errors
    assert [fault.path for fault in found] == [("spec", "tasks", 0)]
    assert hint in str(found[0].hint)


def test_host_networking_needs_its_dns_policy_at_the_second_apply() -> None:
    """The webhook writes it on creation only, and an apply replaces the list of tasks."""
    job = changed(with_job_defaults(JOB), "spec|tasks|0|template|spec|hostNetwork", True)
    found = admission.review(job, old=job, context=()).errors
    assert [fault.path for fault in found] == [("spec", "tasks", 0)]
    assert "dnsPolicy: ClusterFirstWithHostNet" in str(found[0].hint)
    assert said(with_job_defaults(job), old=job) == []


def test_metadata_and_minimum_of_a_task_may_be_left_out() -> None:
    stored = with_job_defaults(JOB)
    task = {key: value for key, value in stored["spec"]["tasks"][0].items() if key != "minAvailable"}
    bare = changed(stored, "spec|tasks|0", {**task, "template": {"spec": task["template"]["spec"]}})
    assert said(bare, old=stored) == []


def test_defaults() -> None:
    job = {"spec": {"tasks": [{"replicas": 2, "template": {"spec": {"hostNetwork": True}}}], "plugins": {"mpi": []}}}
    before = copy.deepcopy(job)
    spec = with_job_defaults(job)["spec"]
    assert (spec["queue"], spec["schedulerName"], spec["maxRetry"], spec["minAvailable"]) == ("default", "volcano", 3, 2)
    assert (spec["tasks"][0]["name"], spec["tasks"][0]["minAvailable"], spec["tasks"][0]["maxRetry"]) == ("default0", 2, 3)
    assert get(spec, ("tasks", 0, "template", "spec", "dnsPolicy")) == "ClusterFirstWithHostNet"
    assert spec["plugins"] == {"svc": [], "ssh": [], "mpi": []}
    assert job == before


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("spec|weight", 0, "queue weight must be a positive integer"),
        ("spec|parent", "team", "queue team cannot be its own parent"),
        ("spec|deserved", {"cpu": 50}, "deserved of cpu (50) is greater than capability (40)"),
        ("spec|guarantee|resource", {"memory": "1Gi"}, "guarantee of memory needs deserved of memory"),
        ("metadata|annotations", {"volcano.sh/hierarchy": "root/a"}, "must have the same length"),
        (
            "metadata|annotations",
            {"volcano.sh/hierarchy": "root/a", "volcano.sh/hierarchy-weights": "1/0"},
            "0 in the 1/0 must be larger than 0",
        ),
    ],
)
def test_a_queue_is_refused(path: str, value: Any, words: str) -> None:
    found = said(changed(QUEUE, path, value))
    assert len(found) == 1
    assert words in found[0][1]


def queue(name: str, **spec: Any) -> dict[str, Any]:
    return {**QUEUE, "metadata": {"name": name}, "spec": spec}


def test_a_queue_fits_among_those_that_are_known() -> None:
    lab = queue("lab", capability={"cpu": 30}, deserved={"cpu": 25}, guarantee={"resource": {"cpu": 10}})
    found = [words for _, words in said(QUEUE, context=[lab, queue("other", parent="lab", deserved={"cpu": 10})])]
    assert found == [
        "capability of cpu (40) is greater than that of queue lab (30)",
        "deserved of cpu of the children of queue lab is greater than its own (25)",
    ]
    assert (
        said(QUEUE, context=[queue("lab", capability={"cpu": 100}, deserved={"cpu": 60}, guarantee=QUEUE["spec"]["guarantee"])])
        == []
    )
    assert [words for _, words in said(QUEUE, context=[queue("lab")])] == [
        "deserved of cpu of the children of queue lab is greater than its own (0)",
        "guarantee of cpu of the children of queue lab is greater than its own (0)",
    ]
    chain = [queue(f"q{depth}", parent=f"q{depth + 1}") for depth in range(8)]
    assert "levels below root" in said(changed(QUEUE, "spec|parent", "q0"), context=chain)[0][1]


def test_a_job_goes_to_a_leaf_that_is_open() -> None:
    assert said(JOB, context=[queue("child", parent="team")])[0][1] == (
        "can only submit job to leaf queue, queue `team` has child queues;"
    )
    shut = {**QUEUE, "status": {"state": "Closed"}}
    words = "can only submit job to queue with state `Open`, queue `team` status is `Closed`;"
    assert [found for _, found in said(JOB, context=[shut])] == [words]
    assert [found for _, found in said(GROUP, context=[shut])] == [words]


def test_other_kinds_are_refused() -> None:
    both = {"highestTierAllowed": 1, "highestTierName": "rack"}
    assert "simultaneously" in said(changed(GROUP, "spec|networkTopology", both))[0][1]
    assert said(changed(GROUP, "spec|networkTopology", both), old=GROUP) == []
    circle = changed(FLOW, "spec|flows|0|dependsOn", {"targets": ["two"]})
    assert said(circle) == [(("spec", "flows"), "jobflow flow is not dag")]
    assert "cannot find the vertex three" in said(changed(FLOW, "spec|flows|0|dependsOn", {"targets": ["three"]}))[0][1]
    assert "pattern is invalid" in said(changed(NODE, "spec|members|0|selector|regexMatch|pattern", "a("))[0][1]
    exact = changed(NODE, "spec|members|0|selector", {"exactMatch": {"name": "a/b/c"}})
    assert "exactMatch validate failed" in said(exact)[0][1]


def test_the_language_takes_the_actions_that_the_webhook_takes() -> None:
    assert get_args(Action) == volcano_jobs.ACTIONS
