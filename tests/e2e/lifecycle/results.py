"""results.yaml <-> records of what the rig showed."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import yaml

PATH = Path(__file__).with_name("results.yaml")
_HEAD = """\
# What the rig showed, written by `python -m tests.e2e.lifecycle`: the evidence of tjgen/cluster/outcomes.py.
#
# The rig has kube-apiserver and kube-controller-manager 1.36.3, JobSet 0.12.0, the sync engine of Argo CD 3 (gitops-engine of
# 2026-09-14), and that of Flux (fluxcd/pkg/ssa 0.76.2, as in kustomize-controller 1.9.5). `controller` names the release that the
# record is about. The kubelet of the rig is imitated: pods run for the time and end with the code that the scenario gives them.
# `imitated` names what the scenario itself did in place of a kubelet.
"""


class Record(NamedTuple):
    """One scenario, with the result of the table and what it is based on."""

    kind: str
    controller: str
    event: str
    means: str
    result: str
    date: date
    seen: dict[str, Any]
    imitated: str = ""
    """What the scenario did in place of a program that the rig does not have."""


def load() -> list[Record]:
    """The recorded results."""
    return [Record(**tree) for tree in yaml.safe_load(PATH.read_text(encoding="utf-8")) or ()] if PATH.exists() else []


def save(records: Iterable[Record]) -> None:
    """Write the file again."""
    trees = [record._asdict() for record in records]
    for tree in trees:
        if not tree["imitated"]:
            del tree["imitated"]
    text = "\n".join(yaml.safe_dump([tree], sort_keys=False, width=120, default_flow_style=None) for tree in trees)
    PATH.write_text(_HEAD + text, encoding="utf-8")
