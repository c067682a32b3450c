"""A run that a lock has by an earlier identity, and its files -> whether it has each block that the identity did not cover.

Up to identity_v2.py, a block with default values alone, such as `data.slices: {}`, had the identity of no block. So the lock
alone does not show whether such a run has the block that the experiment has now, or had one that was removed: its files do.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from tjgen.language.runs.earlier import rules_before
from tjgen.language.runs.identity import RunContent
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.source.reader import KUBERNETES, read

_SLICE_COUNT = "TJGEN_SLICE_COUNT"
_CONTAINERS = ("initContainers", "containers")
_KEYS = {"successPolicy": "success", "networkTopology": "schedule.networkTopology"}
"""Key of a manifest -> the block that sets it."""
_NAMES_BLOCK = re.compile(rf"(?:- )?(?:name: |(?:{'|'.join(_KEYS)}):)")
"""A line without which files lack none of these blocks."""


def uncovered(content: RunContent) -> list[FieldPath]:
    """The paths below `spec` of the blocks of a run that earlier identities did not cover."""
    rule, _ = next(rules_before(content.has_bundled_runtime()))
    newest, earlier = content.canonical(), content.canonical(rule)
    paths = [*_added(newest["spec"], earlier["spec"], ())]
    if content.task:
        paths += _added(newest["task"][1], earlier["task"][1], ())
    return list(dict.fromkeys(paths))


def are_shown(blocks: Iterable[FieldPath], bodies: Iterable[str]) -> bool:
    """Whether the files of a run, as texts, have all these blocks."""
    named, keys = _parts(bodies)
    return all(_is_shown(block, named, keys) for block in blocks)


def removed(old: Collection[str], new: Collection[str], *, same_runtime: bool) -> list[str]:
    """What users call the blocks that the files `old` of a run have and the files `new` do not have.

    Without `same_runtime`, only blocks that no runtime sets.
    """
    old_lines, new_lines = ({line.strip() for body in bodies for line in body.splitlines()} for bodies in (old, new))
    if not any(_NAMES_BLOCK.match(line) for line in old_lines - new_lines):
        return []
    (old_named, old_keys), (named, keys) = _parts(old), _parts(new)
    variables = sorted(name for key, name in old_named - named if key == "env" and name.startswith(_SLICE_COUNT))
    blocks = ["data.slices" if name == _SLICE_COUNT else _of_set(name) for name in variables]
    if same_runtime:
        containers = {name for key, name in old_named if key in _CONTAINERS} - {name for key, name in named if key in _CONTAINERS}
        blocks += [f"container {name}" for name in sorted(containers)]
        blocks += [field for key, field in _KEYS.items() if key in old_keys - keys]
    return blocks


def _of_set(variable: str) -> str:
    name = variable.removeprefix(f"{_SLICE_COUNT}_").lower().replace("_", "-")
    return f"data.sets.{name}.slices"


def _parts(bodies: Iterable[str]) -> tuple[set[tuple[str, str]], set[str]]:
    """The names of the items in the files of a run, each with the key of its list, and all keys."""
    named, keys = set[tuple[str, str]](), set[str]()
    for body in bodies:
        for tree in (document.value for document in read(body, "", KUBERNETES)[0]):
            for key, value in _mappings(tree, ""):
                keys.update(value)
                if value.get("name").__class__ is str:
                    named.add((key, value["name"]))
    return named, keys


def _is_shown(block: FieldPath, named: set[tuple[str, str]], keys: set[str]) -> bool:
    match block:
        case ("data", "slices"):
            return ("env", _SLICE_COUNT) in named
        case ("data", "sets", str(name), "slices"):
            return ("env", f"{_SLICE_COUNT}_{name.upper().replace('-', '_')}") in named
        case (*_, "initContainers" | "sidecars", str(name)):
            return any((key, name) in named for key in _CONTAINERS)
        case ("success",):
            return "successPolicy" in keys
        case ("schedule", "networkTopology"):
            return "networkTopology" in keys
    return False


def _added(newest: Tree, earlier: Tree, path: FieldPath) -> Iterator[FieldPath]:
    """The paths of the blocks without a value in `newest` that `earlier` lacks."""
    if newest.__class__ is not dict:
        return
    if not newest and earlier is None:
        yield path
    for key, value in newest.items():
        yield from _added(value, earlier.get(key) if isinstance(earlier, Mapping) else None, (*path, key))


def _mappings(tree: Tree, key: str) -> Iterator[tuple[str, Mapping[str, Tree]]]:
    """The mappings of a manifest, each with the last key of its path."""
    if tree.__class__ is dict:
        yield key, tree
        for name, value in tree.items():
            yield from _mappings(value, name)
    elif tree.__class__ is list:
        for item in tree:
            yield from _mappings(item, key)
