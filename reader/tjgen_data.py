"""Variables of a pod that tjgen builds -> the items of a data set that this process reads.

    from tjgen_data import items

    for path in items():  # items("train") if the experiment has several data sets
        ...

`items`, `ranges`, and `folder` need only the standard library. `torch_dataset`, `webdataset_shards`, and `tensorflow_dataset`
import their framework when you call them.
"""

from __future__ import annotations

import errno
import json
import os
import re
import stat
import sys
import warnings
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from math import prod
from pathlib import Path
from typing import Any

__all__ = ["Items", "folder", "items", "names", "ranges", "tensorflow_dataset", "torch_dataset", "webdataset_shards"]
__version__ = "1.0.0"

LISTS = "/etc/tjgen/slices"
"""Folder of the lists of items, for processes without the variables of the run."""
_MARKS = ".tjgen-"
"""Start of the names of folders that are not data."""


class Items(Sequence):  # type: ignore[type-arg]  # Python 3.8 cannot subscript it
    """The items of this process, read on access: paths, numbers, or the results of `load` for them."""

    def __init__(self, parts: Sequence[Sequence[Any]], item: Callable[[Any], Any]) -> None:
        self._parts = parts
        self._ends = list(accumulate(map(len, parts)))
        self._item = item

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[position] for position in range(*index.indices(len(self)))]
        position = index + len(self) if index < 0 else index
        if not 0 <= position < len(self):
            raise IndexError(index)
        part = bisect_right(self._ends, position)
        return self._item(self._parts[part][position - (self._ends[part - 1] if part else 0)])

    def __iter__(self) -> Iterator[Any]:
        return (self._item(one) for part in self._parts for one in part)


def items(
    name: str = "",
    *,
    worker: int = 0,
    workers: int = 1,
    load: Callable[[Any], Any] | None = None,
    data: str | None = None,
    lists: str | None = None,
) -> Items:
    """Return the items that worker `worker` of `workers` of this process reads, in a fixed order.

    An item is the `Path` of a file or folder, or a number if the experiment only counts items. `load` maps each item to a
    sample. For programs whose mpirun does not forward the variables of the run, `data` is the folder of the data set, and
    `lists` the folder of the lists if `mountPath` sets it. Raises LookupError if the pod has no such data set or its folder
    has no files, and OSError if the folder is missing or a part of it cannot be read: ranks must not read different lists.
    """
    parts, root = _slices(name, data, lists)
    start, step = _part_of_process(name, worker, workers)
    pattern = os.environ.get(_variable("TJGEN_DATA_PATTERNS", name))
    if _variable("TJGEN_SLICE_RANGES", name) not in os.environ:
        find: Callable[[Any], Any] = lambda path: root / path  # noqa: E731
        if not stat.S_ISDIR(root.stat().st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(root))
    elif pattern is not None:
        paths = _Patterns(json.loads(pattern))
        find = lambda number: root / paths[number]  # noqa: E731
    else:
        find = int
    return Items(_every(parts, start, step), find if load is None else lambda one: load(find(one)))


def ranges(name: str = "", *, worker: int = 0, workers: int = 1) -> list[range]:
    """Return the numbers of the items that this process reads, such as rows of an array, for `deliver: range`."""
    text = os.environ.get(_variable("TJGEN_SLICE_RANGES", name))
    if text is None:
        raise LookupError(f"{_words(name)} is not delivered by range: set deliver: range in its slices")
    parts, _ = _slices(name, None, None)
    return [one for one in _every(parts, *_part_of_process(name, worker, workers)) if isinstance(one, range) and one]


def folder(name: str = "") -> Path:
    """Return the folder of a data set."""
    path = os.environ.get(_variable("TJGEN_DATA_PATH", name))
    if path is None:
        raise LookupError(_missing(name))
    return Path(path)


def names() -> list[str]:
    """Return the names of the data sets of this pod; the only data set of an experiment has the name ""."""
    starts = ("TJGEN_DATA_PATH", "TJGEN_SLICE_COUNT")
    ends = {one[len(start) :] for one in os.environ for start in starts if one == start or one.startswith(f"{start}_")}
    return sorted(end[1:].lower().replace("_", "-") for end in ends)


def torch_dataset(name: str = "", load: Callable[[Any], Any] | None = None) -> Any:
    """Return a `torch.utils.data.IterableDataset`; the workers of a DataLoader divide the items of their process."""
    from torch.utils.data import IterableDataset

    class TorchItems(IterableDataset):  # type: ignore[misc]  # torch is optional
        def __iter__(self) -> Iterator[Any]:
            worker, workers = _worker()
            return iter(items(name, worker=worker, workers=workers, load=load))

        def __reduce__(self) -> Any:
            return torch_dataset, (name, load)

    return TorchItems()


class webdataset_shards:  # noqa: N801  # a function, as a class so that workers can pickle it
    """The first stage of a `webdataset.DataPipeline`; the workers of a DataLoader divide the shards of their process."""

    def __init__(self, name: str = "") -> None:
        self.name = name

    def __iter__(self) -> Iterator[dict[str, str]]:
        worker, workers = _worker()
        return ({"url": str(path)} for path in items(self.name, worker=worker, workers=workers))

    __call__ = __iter__


def tensorflow_dataset(name: str = "") -> Any:
    """Return a `tf.data.Dataset` of paths as strings, or of numbers."""
    import tensorflow as tf

    known = items(name)
    is_number = len(known) > 0 and isinstance(known[0], int)
    signature = tf.TensorSpec((), tf.int64 if is_number else tf.string)
    return tf.data.Dataset.from_generator(lambda: iter(known) if is_number else map(str, known), output_signature=signature)


def _slices(name: str, data: str | None, lists: str | None) -> tuple[list[Sequence[Any]], Path]:
    """The items of the slices of this node, and the folder that they are in."""
    env = os.environ
    path = env.get(_variable("TJGEN_DATA_PATH", name), data)
    numbers = _numbers(name)
    if _variable("TJGEN_SLICE_RANGES", name) in env:
        every = json.loads(env[_variable("TJGEN_SLICE_RANGES", name)])
        return [range(*every[number]) for number in numbers], Path(path or ".")
    if path is None:
        raise LookupError(_missing(name))
    root = Path(path)
    if _variable("TJGEN_SLICES", name) in env:
        every = json.loads(env[_variable("TJGEN_SLICES", name)])
        return [every[number] for number in numbers], root
    file = env.get(_variable("TJGEN_SLICE_FILE", name))
    folder_of_lists = env.get(_variable("TJGEN_SLICE_LISTS", name), file and Path(file).parent)
    if folder_of_lists is not None:
        return [_listed(Path(folder_of_lists), number) for number in numbers], root
    if _variable("TJGEN_DATA_PATH", name) not in env and _rank() is not None:
        return [_listed(Path(lists or Path(LISTS, name)), number) for number in numbers], root
    return [_files(root)], root


def _numbers(name: str) -> Sequence[int]:
    """The numbers of the slices of this node."""
    env = os.environ
    virtual = env.get(_variable("TJGEN_SLICE_NODES", name))
    if virtual is not None:  # more slices than nodes: every n-th one, of the nodes that there are now
        nodes = _first("GROUP_WORLD_SIZE", default=int(virtual))
        return range(_first("GROUP_RANK", default=_node()), int(env[_variable("TJGEN_SLICE_COUNT", name)]), nodes)
    return [_node()]


def _node() -> int:
    """The number of this node: under mpirun that of the rank, since the variables of a node do not get to other nodes."""
    rank = _rank()
    if rank is not None:
        return rank // _first(*_LOCAL_SIZES, default=1)
    return _first("TJGEN_SLICE_INDEX", "JOB_COMPLETION_INDEX", default=0)


_LOCAL_RANKS = ("OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "LOCAL_RANK", "PADDLE_LOCAL_RANK")
_LOCAL_SIZES = ("OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "LOCAL_WORLD_SIZE", "PADDLE_LOCAL_SIZE")
_RANKS = ("OMPI_COMM_WORLD_RANK", "PMI_RANK")


def _part_of_process(name: str, worker: int, workers: int) -> tuple[int, int]:
    """The first item of a worker of this process, and the distance to the next one."""
    if not 0 <= worker < workers:
        raise ValueError(f"worker {worker} of {workers} does not exist")
    declared = int(os.environ.get(_variable("TJGEN_SLICE_WORKERS", name), workers))
    if workers not in (1, declared):
        warnings.warn(f"{workers} workers read {_words(name)}, and its slices are for workers: {declared}", stacklevel=3)
    if os.environ.get(_variable("TJGEN_SLICE_OVER", name)) != "processes" and _rank() is None:
        return worker, workers
    processes = _first(*_LOCAL_SIZES, default=1)
    return _first(*_LOCAL_RANKS, default=0) + processes * worker, processes * workers


def _rank() -> int | None:
    """The rank among all processes that mpirun starts; None if another program starts this process."""
    return next((int(os.environ[name]) for name in _RANKS if name in os.environ), None)


def _every(parts: Sequence[Sequence[Any]], start: int, step: int) -> list[Sequence[Any]]:
    """Every `step`-th item of all parts together, from `start` on."""
    some = []
    for part in parts:
        some.append(part[start::step])
        start = (start - len(part)) % step  # counting continues in the next part
    return some


def _listed(files: Path, number: int) -> list[str]:
    """The items of one slice. A long list continues in `slice-0.1.txt` and so on."""
    texts = sorted(files.glob(f"slice-{number}.*"), key=lambda file: (len(file.name), file.name))
    if not texts:
        raise LookupError(f"{files} has no list slice-{number}.txt: set deliver: configMap in the slices of the data set")
    return [path for file in texts for path in _lines(file)]


def _lines(file: Path) -> list[str]:
    *lines, rest = file.read_text(encoding="utf-8").split("\n")
    if rest:
        raise LookupError(f"the last line of the list {file} has no line end: it is not whole")
    return lines


def _files(root: Path) -> list[str]:
    """All files below a folder, without links to folders in it. Raises OSError at the first folder that cannot be read."""
    paths, folders = [], [""]
    while folders:
        below = folders.pop()
        with os.scandir(root / below) as entries:
            for entry in entries:
                path = os.path.join(below, entry.name)
                if not entry.is_dir():
                    paths.append(path)
                elif entry.is_symlink():
                    _check_link(root, path)
                elif not entry.name.startswith(_MARKS) and entry.name != "lost+found":
                    folders.append(path)
    if not paths:
        raise LookupError(f"{root} has no files: is the volume mounted, and is the path that of the data?")
    return sorted(paths)


def _check_link(root: Path, path: str) -> None:
    """Raise OSError if a link leads to a folder outside of `root`: its files would be missing."""
    base, target = os.path.realpath(root), os.path.realpath(root / path)
    if os.path.commonpath([base, target]) != base:
        raise OSError(errno.EXDEV, f"leads to a folder outside of {root}, so its files would be missing", str(root / path))


class _Patterns:
    """The paths of patterns such as `{train,extra}/{08..13}.tar`, by number. In each, the last brace turns fastest."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._parts = [re.split(r"\{(.*?)\}", one) for one in patterns]
        self._choices = [[_choice(inner) for inner in parts[1::2]] for parts in self._parts]
        self._ends = list(accumulate(prod(map(len, choices)) for choices in self._choices))

    def __getitem__(self, number: int) -> str:
        pattern = bisect_right(self._ends, number)
        parts, choices = list(self._parts[pattern]), self._choices[pattern]
        rest = number - (self._ends[pattern - 1] if pattern else 0)
        for place in reversed(range(len(choices))):
            rest, position = divmod(rest, len(choices[place]))
            parts[2 * place + 1] = choices[place][position]
        return "".join(parts)


class _Numbers:
    """The texts of `0..1023` or `0000..1023`."""

    def __init__(self, first: str, last: str) -> None:
        is_padded = any(len(text) > 1 and text[0] == "0" for text in (first, last))
        self._width = max(len(first), len(last)) if is_padded else 0
        self._values = range(int(first), int(last) + 1)

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, position: int) -> str:
        return str(self._values[position]).zfill(self._width)


def _choice(inner: str) -> Any:
    first, dots, last = inner.partition("..")
    return _Numbers(first, last) if dots else inner.split(",")


def _worker() -> tuple[int, int]:
    """The worker of a DataLoader that this process is, and the number of workers."""
    if "torch" not in sys.modules:
        return 0, 1
    from torch.utils.data import get_worker_info

    info = get_worker_info()
    return (0, 1) if info is None else (info.id, info.num_workers)


def _first(*variables: str, default: int) -> int:
    return next((int(os.environ[one]) for one in variables if one in os.environ), default)


def _variable(variable: str, name: str) -> str:
    return f"{variable}_{name.upper().replace('-', '_')}" if name else variable


def _words(name: str) -> str:
    return f'data set "{name}"' if name else "the data set"


def _missing(name: str) -> str:
    known = names()
    if not known:
        return "this process has no data set: set `data` in the experiment, or pass data=FOLDER in another role"
    if known == [""]:
        return f'this pod has no data set "{name}": its only data set has no name'
    wrong = f'this pod has no data set "{name}"' if name else "this pod has several data sets"
    return f"{wrong}: name one of {', '.join(known)}"
