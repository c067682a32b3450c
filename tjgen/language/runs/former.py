"""The text of a lock in its former form, all runs of an experiment in one file -> the lock.

    tjgen.lock.d/<environment or default>/<namespace>/<experiment>.yaml

It is still read, and is replaced by one file per run with the first build that changes a part of it.
Of a run that has its own file too, as after a merge of both forms, that file counts.
"""

from __future__ import annotations

from tjgen.language.runs.lock import Lock
from tjgen.language.runs.lockfile import Wrong, by_hand, fields_shape, head_shape, run_of
from tjgen.trees.fields.path import Tree

KIND = "RunLock"


def read(text: str, file: str) -> Lock:
    """The lock that `text` holds; raises CompileError (TJ070, TJ071, or what the YAML reader finds)."""
    tree = by_hand(text, file, _shape).value
    return Lock(tree["experiment"], {name: run_of(name, block) for name, block in tree["runs"].items()})


def _shape(tree: Tree) -> Wrong:
    wrong = head_shape(tree, KIND, ("experiment",))
    if tree.__class__ is not dict:
        return wrong
    runs = tree.get("runs")
    if runs.__class__ is not dict:
        return [*wrong, (("runs",), "runs is missing or is not a mapping")]
    for name, block in runs.items():
        wrong += fields_shape(("runs", name), block)
    return wrong
