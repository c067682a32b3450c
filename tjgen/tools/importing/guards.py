"""Operations of a patch, and the object that they change -> `test` operations for the places that fields of an experiment set.

A patch is applied after all fields. Without a test, an operation that replaces `env` would silently undo a later edit of a
variable. With it, the build rejects such an edit (TJ331). All other edits take effect.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.trees.fields.path import MISSING, FieldPath, Tree, get

_SET_BY_FIELDS = frozenset(
    (
        "args",
        "command",
        "completions",
        "env",
        "envFrom",
        "image",
        "nprocPerNode",
        "numNodes",
        "numProcPerNode",
        "parallelism",
        "podSpecOverrides",
        "podTemplateOverrides",
        "ports",
        "replicas",
        "resources",
        "resourcesPerNode",
        "runtimePatches",
        "slotsPerWorker",
        "suspend",
        "trainer",
        "volumeMounts",
        "volumes",
    )
)
"""Parts of a job that fields of an experiment set."""
_KEYS = {"env": "name", "envFrom": "prefix", "ports": "name", "volumes": "name", "volumeMounts": "mountPath"}
"""Lists whose items move if a field adds another one, and a field that distinguishes the items."""


def guards(operations: Sequence[Tree], built: Tree) -> list[Tree]:
    """Return the tests to write before the operations. Each is true of `built`, the object before the patch."""
    tests = (test for operation in operations for test in _tests(operation, built))
    return list({test["path"]: test for test in tests}.values())


def _tests(operation: Tree, built: Tree) -> Iterator[Tree]:
    pointer: str = operation["path"]
    steps = pointer.split("/")[1:]
    if _SET_BY_FIELDS.isdisjoint(steps):
        return
    if steps[-1] == "-":
        steps.pop()
    path: FieldPath = ()
    for position, step in enumerate(steps):
        key = _KEYS.get(steps[position - 1]) if step.isdigit() and 0 < position < len(steps) - 1 else None
        path = (*path, int(step) if step.isdigit() else step.replace("~1", "/").replace("~0", "~"))
        if key is not None:
            yield _test((*steps[: position + 1], key), get(built, (*path, key)))
    yield _test(steps, get(built, path))


def _test(steps: Sequence[str], value: Tree) -> Tree:
    """The test of a value. A test without a value is one of absence."""
    test = {"op": "test", "path": "/" + "/".join(steps)}
    return test if value is MISSING else {**test, "value": value}
