"""What an experiment of the right shape says that does not go together."""

from __future__ import annotations

import pytest

from tests.language.resolve.texts import experiment, overlay, runs, told

RULES = {
    "no runtime": ("nodes: 1", ["TJ120 no-runtime experiment.yaml:5:3 spec.runtime is missing"]),
    "a script and a command": (
        "runtime: a\nscript: a.py\ncommand: [python]",
        ["TJ121 several-alternatives experiment.yaml:7:12 spec has script and command, which are mutually exclusive"],
    ),
    "two sources of a volume": (
        "runtime: a\nvolumes: {d: {pvc: x, emptyDir: {}, mountPath: /d}}",
        ["TJ121 several-alternatives experiment.yaml:6:35 spec.volumes.d has pvc and emptyDir, which are mutually exclusive"],
    ),
    "no source of a volume": (
        "runtime: a\nvolumes: {d: {mountPath: /d}}",
        ["TJ122 no-alternative experiment.yaml:6:16 spec.volumes.d has no source or value"],
    ),
    "an empty claim": (
        "runtime: a\nvolumes: {d: {pvc: {}, mountPath: /d}}",
        ["TJ122 no-alternative experiment.yaml:6:22 spec.volumes.d.pvc has no source or value"],
    ),
    "a variable of a role that is nothing": (
        "runtime: a\nroles: {launcher: {env: {A: {}}}}",
        ["TJ122 no-alternative experiment.yaml:6:31 spec.roles.launcher.env.A has no source or value"],
    ),
    "a secret without a key": (
        "runtime: a\nenv: {A: {secret: s}}",
        ['TJ123 no-key experiment.yaml:6:12 spec.env.A names secret "s" without a key'],
    ),
    "a volume that is mounted nowhere": (
        "runtime: a\nvolumes: {d: {pvc: x}}",
        ['TJ124 no-mount-path experiment.yaml:6:16 volume "d" has no mountPath'],
    ),
    "sub path in two ways": (
        "runtime: a\nvolumes: {d: {pvc: x, mountPath: /d, subPath: a, subPathExpr: b}}",
        ['TJ121 several-alternatives experiment.yaml:6:65 volume "d" has subPath and subPathExpr, which are mutually exclusive'],
    ),
    "two volumes at one place": (
        "runtime: a\nvolumes:\n  c: {pvc: x, mountPath: /d}\n  d: {emptyDir: {}, mountPath: /d}",
        ['TJ125 same-mount-path experiment.yaml:8:34 volumes "c" and "d" are both mounted at /d'],
    ),
    "data on an unknown volume": (
        "runtime: a\nvolumes: {imagenet: {pvc: x, mountPath: /d}}\ndata: {volume: imagnet}",
        ['TJ126 unknown-volume experiment.yaml:7:18 there is no volume "imagnet"'],
    ),
    "slices of nothing": (
        "runtime: a\nvolumes: {d: {pvc: x, mountPath: /d}}\ndata: {volume: d, slices: {}}",
        ["TJ127 no-items experiment.yaml:7:29 data.slices has no items to divide"],
    ),
    "a mount path without lists": (
        "runtime: a\nvolumes: {d: {pvc: x, mountPath: /d}}\ndata: {volume: d, items: {list: [a]}, slices: {mountPath: /l}}",
        ["TJ128 idle-field experiment.yaml:7:61 data.slices has a mountPath, but its slices are delivered as variables"],
    ),
    "a timeout under volcano": (
        "runtime: a\nschedule: {system: volcano, timeoutSeconds: 5}",
        ["TJ128 idle-field experiment.yaml:6:47 schedule.timeoutSeconds is for coscheduling, but schedule.system is volcano"],
    ),
    "an operation without its value": (
        "runtime: a\npatches: {p: {target: {kind: Pod}, json: [{op: add, path: /a}]}}",
        ['TJ129 incomplete-operation experiment.yaml:6:45 operation add of patch "p" has no value'],
    ),
    "everything at once": (
        "volumes: {c: {pvc: x}, d: {mountPath: /d}}\ndata: {volume: e}",
        [
            "TJ120 no-runtime experiment.yaml:5:3 spec.runtime is missing",
            "TJ122 no-alternative experiment.yaml:5:29 spec.volumes.d has no source or value",
            'TJ124 no-mount-path experiment.yaml:5:16 volume "c" has no mountPath',
            'TJ126 unknown-volume experiment.yaml:6:18 there is no volume "e"',
        ],
    ),
}


@pytest.mark.parametrize(("spec", "wanted"), RULES.values(), ids=RULES)
def test_rule(spec: str, wanted: list[str]) -> None:
    found = runs(experiment(spec))
    assert (told(found.diagnostics), found.runs) == (wanted, [])


GOOD = {
    "args without a command": "args: [a]",
    "a command with args": "command: [a]\nargs: [b]",
    "null as the value of an operation": "patches: {p: {target: {kind: Pod}, json: [{op: add, path: /a, value: null}]}}",
    "one place in two roles": (
        "volumes:\n  c: {pvc: x, mountPath: /d, roles: [node]}\n  d: {emptyDir: {}, mountPath: /d, roles: [launcher]}"
    ),
    "a timeout where the project says the system": "schedule: {timeoutSeconds: 5}",
    "an empty emptyDir": "volumes: {d: {emptyDir: {}, mountPath: /d}}",
    "a secret that is optional": "env: {A: {secret: s, key: k, optional: true}}",
    "an empty text": "env: {A: ''}",
}


@pytest.mark.parametrize("spec", GOOD.values(), ids=GOOD)
def test_nothing_to_say(spec: str) -> None:
    found = runs(experiment("runtime: a\n" + spec))
    assert (found.diagnostics, len(found.runs)) == ([], 1)


def test_a_fault_that_an_overlay_brings_is_shown_in_the_overlay() -> None:
    over = overlay("over", "experiment:\n  volumes:\n    e: {emptyDir: {}, mountPath: /d}")
    found = runs(experiment("runtime: a\nvolumes: {d: {pvc: x, mountPath: /d}}"), over)
    assert told(found.diagnostics) == ['TJ125 same-mount-path over.yaml:7:36 volumes "d" and "e" are both mounted at /d']


def test_a_fault_that_an_overlay_repairs_is_none() -> None:
    over = overlay("over", "experiment: {runtime: a, volumes: {d: {mountPath: /d}}}")
    assert runs(experiment("volumes: {d: {pvc: x}}"), over).diagnostics == []
