"""The files of the folder of locks in a revision -> the lock of each experiment."""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.language.runs.lock import Lock
from tjgen.language.runs.store import gathered


def locks_at(files: Mapping[str, bytes], revision: str, folder: str) -> dict[str, Lock]:
    """Key of an experiment -> its lock; `files`: path in the folder of locks -> content at the revision."""
    experiments: dict[str, dict[str, str]] = {}
    formers: dict[str, str] = {}
    for path, content in files.items():
        text = content.decode(errors="replace")
        if path.endswith(".yaml") and path.count("/") == 3:
            experiments.setdefault(path.rpartition("/")[0], {})[f"{revision}:{folder}/{path}"] = text
        elif path.endswith(".yaml") and path.count("/") == 2:
            formers[path.removesuffix(".yaml")] = text
    locks = {}
    for path in {**experiments, **formers}:
        stored = gathered(experiments.get(path, {}), f"{revision}:{folder}/{path}.yaml", formers.get(path))
        if stored is not None:
            locks[stored.lock.experiment] = stored.lock
    return locks
