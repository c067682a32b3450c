"""What the check of a tree's shape says, word for word."""

from __future__ import annotations

from typing import Any

import pytest

from tjgen.language.spec.check import check_experiment
from tjgen.trees.fields.path import render
from tjgen.trees.source.reader import CORE, read

SAID = {
    "an unknown field": ("imagee: a", "TJ101 unknown-field", 'spec.imagee: unknown field "imagee"', 'did you mean "image"?'),
    "an unknown field that is like none": (
        "schedule: {foobar: a}",
        "TJ101 unknown-field",
        'spec.schedule.foobar: unknown field "foobar"',
        "use one of system, queue, minAvailable, minResources, priorityClassName, workloadPriority, multiKueue, "
        "timeoutSeconds, "
        "networkTopology, topology",
    ),
    "a folder of a repository under another name": (
        'code: {git: {repository: "https://g/a.git", commit: "%s", directory: src}}' % ("1" * 40),
        "TJ101 unknown-field",
        'spec.code.git.directory: unknown field "directory"',
        "write path: src",
    ),
    "a branch instead of a commit": (
        'code: {git: {repository: "https://g/a.git", branch: main}}',
        "TJ101 unknown-field",
        'spec.code.git.branch: unknown field "branch"',
        'write commit: "0123456789abcdef0123456789abcdef01234567", with the full ID of your commit: a branch can move',
    ),
    "a commit under another name": (
        'code: {git: {repository: "https://g/a.git", sha: "%s"}}' % ("1" * 40),
        "TJ101 unknown-field",
        'spec.code.git.sha: unknown field "sha"',
        f'write commit: "{"1" * 40}"',
    ),
    "a field that is one level too deep": (
        "data: {volume: v, slices: {reader: v1}}",
        "TJ101 unknown-field",
        'spec.data.slices.reader: unknown field "reader"',
        "reader is a field of spec.data: move it there",
    ),
    "a field that is missing": (
        "volumes: {d: {ephemeral: {}}}",
        "TJ102 missing-field",
        "spec.volumes.d.ephemeral.size: spec.volumes.d.ephemeral.size is missing",
        "add size: 100Gi",
    ),
    "a number for a text": (
        "image: 5",
        "TJ103 wrong-type",
        "spec.image: spec.image is 5, a number, but must be a string",
        "put the value in quotation marks, exactly as the file spells it",
    ),
    "a boolean for a fixed word": (
        "data: {volume: a, reader: true}",
        "TJ104 unsupported-value",
        "spec.data.reader: spec.data.reader is true, but must be v1",
        "write v1",
    ),
    "a text for a number": (
        "nodes: two",
        "TJ103 wrong-type",
        'spec.nodes: spec.nodes is "two", a string, but must be a whole number',
        "write a number without quotes and unit, such as 2",
    ),
    "a fraction for a whole number": (
        "nodes: 2.0",
        "TJ103 wrong-type",
        "spec.nodes: spec.nodes is 2.0, a number, but must be a whole number",
        "write 2",
    ),
    "a text for a list": (
        "command: python",
        "TJ103 wrong-type",
        'spec.command: spec.command is "python", a string, but must be a list',
        "make it a list: [python]",
    ),
    "no devices": (
        "gpu: 0",
        "TJ106 out-of-range",
        "spec.gpu: spec.gpu is 0, but must be at least 1",
        "write 1 or more",
    ),
    "a list for a device": (
        "gpu: [h100]",
        "TJ103 wrong-type",
        'spec.gpu: spec.gpu is ["h100"], a list, but must be a string, a whole number or a mapping',
        "write class:count, such as h100:8",
    ),
    "a text for a mapping": (
        "schedule: volcano",
        "TJ103 wrong-type",
        'spec.schedule: spec.schedule is "volcano", a string, but must be a mapping',
        "write {system: volcano}",
    ),
    "a queue for the section of schedules": (
        "schedule: research",
        "TJ103 wrong-type",
        'spec.schedule: spec.schedule is "research", a string, but must be a mapping',
        "write {system: kueue, queue: research}",
    ),
    "a list as Kubernetes has it for a mapping": (
        "env: [{name: A, value: b}]",
        "TJ103 wrong-type",
        'spec.env: spec.env is [{name: "A", value: "b"}], a list, but must be a mapping',
        "make each name a key: {A: b}",
    ),
    "a mapping for a list of mappings": (
        "pod: {tolerations: {key: x}}",
        "TJ103 wrong-type",
        'spec.pod.tolerations: spec.pod.tolerations is {key: "x"}, a mapping, but must be a list',
        "make it a list: [{key: x}]",
    ),
    "a number in quotes": (
        'nodes: "2"',
        "TJ103 wrong-type",
        'spec.nodes: spec.nodes is "2", a string, but must be a whole number',
        "remove the quotes: 2",
    ),
    "a word that is none of those": (
        "state: actve",
        "TJ104 unsupported-value",
        'spec.state: spec.state is "actve", but must be one of active, suspended, archived',
        'did you mean "active"?',
    ),
    "a count that is none": (
        "gpu: h100:x",
        "TJ105 malformed-value",
        'spec.gpu: spec.gpu is "h100:x", which is not valid',
        "write class:count, such as h100:8",
    ),
    "a quantity that is none": (
        "memory: 64 GB",
        "TJ105 malformed-value",
        'spec.memory: spec.memory is "64 GB", which is not valid',
        "write 64Gi or 64G",
    ),
    "a negative quantity": (
        "cpu: -1",
        "TJ106 out-of-range",
        "spec.cpu: spec.cpu is -1, but must be at least 0",
        "write 0 or more",
    ),
    "an empty text": ("image: ''", "TJ105 malformed-value", "spec.image: spec.image is empty", "set a value or remove it"),
    "no nodes": ("nodes: 0", "TJ106 out-of-range", "spec.nodes: spec.nodes is 0, but must be at least 1", "write 1 or more"),
    "a long value is clipped": (
        f"state: {'x' * 100}",
        "TJ104 unsupported-value",
        f'spec.state: spec.state is "{"x" * 56}..., but must be one of active, suspended, archived',
        "use one of them",
    ),
}


@pytest.mark.parametrize(("spec", "code", "message", "hint"), SAID.values(), ids=SAID)
def test_said(spec: str, code: str, message: str, hint: str | None) -> None:
    (found,) = check_experiment(_experiment(spec))
    assert (f"{found.code} {found.name}", f"{render(found.path or ())}: {found.message}", found.hint) == (code, message, hint)


def test_a_name_that_is_none() -> None:
    (found,) = check_experiment({**_experiment("nodes: 1"), "metadata": {"name": "ResNet_50"}})
    assert (found.message, found.hint) == (
        'metadata.name is "ResNet_50", which is not valid',
        "write resnet-50; use at most 63 lowercase letters, digits and '-', and start with a letter",
    )


def test_another_version_of_the_language() -> None:
    (found,) = check_experiment({**_experiment("nodes: 1"), "apiVersion": "tjgen.dev/v2"})
    assert found.message == 'apiVersion is "tjgen.dev/v2", but must be tjgen.dev/v1alpha1'


def test_all_that_is_wrong_is_said_in_the_order_of_the_tree() -> None:
    found = check_experiment(_experiment("nodes: 0\nimagee: a\ngpu: 0"))
    assert [render(one.path or ()) for one in found] == ["spec.nodes", "spec.imagee", "spec.gpu"]


def _experiment(spec: str) -> Any:
    text = "apiVersion: tjgen.dev/v1alpha1\nkind: Experiment\nmetadata: {name: a}\nspec:\n" + "".join(
        f"  {line}\n" for line in spec.split("\n")
    )
    (document,), _ = read(text, "a.yaml", CORE)
    return document.value
