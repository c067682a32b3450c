"""Each refusal of Volcano's webhooks: its place, its words, and the hint that tjgen adds."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cluster.validate.test_validate_volcano import FLOW, GROUP, JOB, NODE, QUEUE, changed
from tjgen.cluster.controllers.volcano import with_job_defaults
from tjgen.cluster.validate import admission

TIERS = {"highestTierAllowed": 1, "highestTierName": "rack"}
LONG = "n" * 60
RENAME = "give the Job another name"
FIXED = "job updates may not change fields other than `minAvailable`, `tasks[*].replicas under spec`"
DURATION = "write a Go duration, such as 90s, 5m or 1h30m"
PARTS = {"totalPartitions": 2, "partitionSize": 1, "minPartitions": 1}
HIERARCHY, WEIGHTS = "volcano.sh/hierarchy", "volcano.sh/hierarchy-weights"


def refusals(tree: dict[str, Any], old: Any = None, context: Any = ()) -> list[tuple[str, str, str]]:
    """Place, words and hint of each fault."""
    found = admission.review(tree, old=old, context=context).errors
    return [("|".join(map(str, fault.path)), fault.summary or fault.detail, fault.hint or "") for fault in found]


CREATED = [
    (JOB, "spec|runningEstimate", "soon", "", 'time: invalid duration "soon"', DURATION),
    (JOB, "spec|tasks|0|policies", [{"timeout": "1"}], "|0|timeout", 'time: missing unit in duration "1"', DURATION),
    (JOB, "spec|tasks|1|minAvailable", -1, "", "'minAvailable' < 0 in task: worker, job: train;", ""),
    (
        *(JOB, "spec|tasks|1", {**JOB["spec"]["tasks"][1], "partitionPolicy": PARTS, "minAvailable": 2}, "|minAvailable"),
        "'minAvailable' is not equal to 'minPartitions' * 'partitionSize' (1 * 1) in task: worker;",
        "remove it, and the webhook fills it in",
    ),
    (
        JOB,
        "spec|networkTopology",
        TIERS,
        "",
        "must not specify 'highestTierAllowed' and 'highestTierName' in networkTopology simultaneously",
        "keep one of the two",
    ),
    (
        JOB,
        "spec|volumes",
        [{"mountPath": "/a", "volumeClaimName": "x"}] * 2,
        "|1|mountPath",
        "duplicated mountPath: /a;",
        "mount one of the two elsewhere",
    ),
    (
        *(JOB, "spec|volumes", [{"mountPath": "/a", "volumeClaimName": "x", "volumeClaim": {}}], "|0"),
        "conflict: If you want to use an existing PVC, just specify VolumeClaimName."
        "If you want to create a new PVC, you do not need to specify VolumeClaimName",
        "keep one of the two",
    ),
    (
        JOB,
        "spec|policies",
        [{"exitCode": 3, "action": "AbortJob"}] * 2,
        "|1|exitCode",
        "duplicate exitCode 3",
        "remove one of the two",
    ),
    (
        JOB,
        "spec|policies",
        [{"event": "PodFailed", "action": "AbortJob"}] * 2,
        "|1|event",
        "duplicate event PodFailed  across different policy",
        "remove one of the two",
    ),
    (
        JOB,
        "spec|policies",
        [{"action": "AbortJob"}],
        "|0",
        "either event and exitCode should be specified",
        "add an event or an exitCode",
    ),
    (QUEUE, "status|state", "Closing", "", "queue state must be in [Open Closed]", ""),
    (
        QUEUE,
        "metadata|annotations",
        {HIERARCHY: "root/a", WEIGHTS: "1/x"},
        f"|{WEIGHTS}",
        "x in the 1/x is invalid number",
        "write numbers",
    ),
    (
        QUEUE,
        "metadata|annotations",
        {HIERARCHY: "root/a", WEIGHTS: "1/0"},
        f"|{WEIGHTS}",
        "0 in the 1/0 must be larger than 0",
        "write positive numbers",
    ),
    (
        QUEUE,
        "metadata|annotations",
        {WEIGHTS: "1/2"},
        f"|{WEIGHTS}",
        f"{HIERARCHY} must have the same length with {WEIGHTS}",
        "give each part of the path a weight",
    ),
    (
        QUEUE,
        "metadata|annotations",
        {HIERARCHY: "root/a"},
        f"|{HIERARCHY}",
        f"{HIERARCHY} must have the same length with {WEIGHTS}",
        "give each part of the path a weight",
    ),
    (
        GROUP,
        "spec|networkTopology",
        TIERS,
        "",
        "must not specify 'highestTierAllowed' and 'highestTierName' in networkTopology simultaneously.",
        "keep one of the two",
    ),
    (
        GROUP,
        "spec|subGroupPolicy",
        [{}, {"name": "b", "networkTopology": TIERS}],
        "|1|networkTopology",
        "in subGroupPolicy 'b': must not specify 'highestTierAllowed' and 'highestTierName' in networkTopology simultaneously.",
        "keep one of the two",
    ),
    (
        FLOW,
        "spec|flows|1|dependsOn|targets",
        ["three"],
        "",
        "jobflow flow is not dag: cannot find the vertex three",
        "name a flow of the JobFlow",
    ),
    (
        FLOW,
        "spec|flows|1|dependsOn|targets",
        ["two"],
        "<spec|flows",
        "jobflow flow is not dag",
        "remove the circle of dependencies",
    ),
    (
        NODE,
        "spec|members|0|selector",
        {"exactMatch": {"name": ""}},
        "|exactMatch",
        "member exactMatch name is required",
        "name a node",
    ),
    (
        NODE,
        "spec|members|0|selector",
        {"regexMatch": {"pattern": ""}},
        "|regexMatch|pattern",
        "member regexMatch pattern is required",
        "write a pattern",
    ),
]


@pytest.mark.parametrize(("tree", "path", "value", "below", "words", "hint"), CREATED, ids=range(len(CREATED)))
def test_a_new_object_is_refused(tree: Any, path: str, value: Any, below: str, words: str, hint: str) -> None:
    assert refusals(changed(tree, path, value)) == [(below[1:] if below.startswith("<") else path + below, words, hint)]


@pytest.mark.parametrize(
    ("path", "value", "place", "words", "hint"),
    [
        ("spec|tasks|1|replicas", -1, "spec|tasks|1|replicas", "'replicas' must be >= 0 in task: worker", ""),
        ("spec|tasks|1|minAvailable", -1, "spec|tasks|1|minAvailable", "'minAvailable' must be >= 0 in task: worker", ""),
        ("spec|minAvailable", -1, "spec|minAvailable", "job 'minAvailable' must be >= 0", ""),
        ("spec|minAvailable", 9, "spec|minAvailable", "job 'minAvailable' must not be greater than total replicas", ""),
        (
            "spec|tasks",
            [*JOB["spec"]["tasks"], {"name": "more", "replicas": 1}],
            "spec|tasks",
            "job updates may not add or remove tasks",
            RENAME,
        ),
        ("spec|queue", "other", "spec|queue", FIXED, RENAME),
        ("spec|runningEstimate", "soon", "spec|runningEstimate", 'time: invalid duration "soon"', DURATION),
    ],
)
def test_an_update_of_a_job_is_refused(path: str, value: Any, place: str, words: str, hint: str) -> None:
    old = changed(with_job_defaults(JOB), "spec|tasks|1|minAvailable", 1)
    assert refusals(changed(old, path, value), old=old) == [(place, words, hint)]


def test_a_job_with_negative_replicas_is_refused_for_each_number() -> None:
    tree = changed(changed(JOB, "spec|tasks|1|replicas", -2), "spec|tasks|1|minAvailable", -3)
    words = [words for _, words, _ in refusals(tree)]
    assert words[:2] == ["'replicas' < 0 in task: worker, job: train;", "'minAvailable' < 0 in task: worker, job: train;"]


def test_names_of_jobs_tasks_and_pods_are_labels() -> None:
    tree = changed(changed(JOB, "metadata|name", LONG), "spec|tasks|1|name", "A_")
    found = refusals(changed(tree, "spec|plugins", {}))
    assert [(place, hint) for place, _, hint in found] == [
        *[("spec|tasks|0|name", "use shorter names"), ("spec|tasks|1|name", "")],
        ("spec|tasks|1|name", "use shorter names"),
    ][: len(found)]
    assert found[0][1].startswith(f"create pod with name {LONG}-launcher-0 validate failed ")


def test_a_wrong_name_of_a_claim_is_shown_with_what_is_wrong() -> None:
    ((place, words, hint),) = refusals(changed(JOB, "spec|volumes|0|volumeClaimName", "A_"))
    assert (place, hint) == ("spec|volumes|0|volumeClaimName", "")
    assert words.startswith("invalid VolumeClaimName A_ : ")


def test_a_wrong_name_of_a_job_is_shown_with_what_is_wrong() -> None:
    found = refusals(changed(changed(JOB, "metadata|name", "a" * 64), "spec|plugins", {}))
    assert ("metadata|name", "") in [(place, hint) for place, _, hint in found]


def test_a_queue_is_not_above_another_one() -> None:
    above = changed(QUEUE, "metadata|annotations", {HIERARCHY: "root/a", WEIGHTS: "1/2"})
    below = changed(changed(above, "metadata|name", "below"), f"metadata|annotations|{HIERARCHY}", "root/a/b")
    other = changed(changed(above, "metadata|name", "other"), f"metadata|annotations|{HIERARCHY}", "root/b")
    words = "root/a is not allowed to be in the sub path of root/a/b of queue below"
    place = f"metadata|annotations|{HIERARCHY}"
    assert (place, words, "use a path of its own") in refusals(above, context=[other, below])
    assert words not in [words for _, words, _ in refusals(above, context=[other, above])]
    assert refusals(GROUP, context=[changed(QUEUE, "status", {"state": "Closed"})]) == [
        (
            "spec|queue",
            "can only submit job to queue with state `Open`, queue `team` status is `Closed`;",
            "open the queue, or name another one",
        )
    ]
