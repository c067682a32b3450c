"""The folder of locks -> the lock of each experiment, read when it is asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from tjgen.diagnostics.model import ERROR, CompileError, Diagnostic
from tjgen.runs.lock import DIRECTORY, Lock, path_of
from tjgen.typing import NamedTuple, Protocol


class Locked(Protocol):
    """An experiment in an environment."""

    @property
    def environment(self) -> str | None: ...
    @property
    def namespace(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def key(self) -> str: ...


class Place(NamedTuple):
    """Where the runs of an experiment are, without the experiment."""

    environment: str | None
    namespace: str
    name: str

    @property
    def key(self) -> str:
        """`environment/namespace/name`, or `namespace/name` in a project without environments."""
        return "/".join(part for part in (self.environment, self.namespace, self.name) if part)

    @staticmethod
    def of(path: str, lock: Lock) -> Place:
        """The place of the lock at `path` below the folder of locks."""
        top, namespace, name = path.removesuffix(".yaml").split("/")
        # An experiment of a project without environments has a key of two parts.
        return Place(top if lock.experiment.count("/") > 1 else None, namespace, name)


class Locks:
    """The locks of a project; `directory` is the project's folder."""

    def __init__(self, directory: str) -> None:
        self.folder = os.path.join(directory, DIRECTORY)

    def of(self, unit: Locked) -> Lock:
        """The lock of an experiment, empty where it has no runs yet. Raises CompileError where the file is damaged."""
        return self._read(path_of(unit.environment, unit.namespace, unit.name)) or Lock(unit.key, {})

    def all(self, environments: Sequence[str] = ()) -> Iterator[tuple[Place, Lock]]:
        """Every lock in order of its path, of these environments where some are named. Raises CompileError."""
        found = []
        for parent, _, files in os.walk(self.folder):
            for file in files:
                path = os.path.relpath(os.path.join(parent, file), self.folder).replace(os.sep, "/")
                if file.endswith(".yaml") and path.count("/") == 2:  # environment, namespace, experiment
                    found.append(path)
        for path in sorted(found):
            if not environments or path.partition("/")[0] in environments:
                lock = self._read(path)
                if lock is not None:
                    yield Place.of(path, lock), lock

    def others(self, environments: list[str | None], known: set[str]) -> Iterator[tuple[str, Lock]]:
        """Path and lock of every experiment of these environments whose path is not `known`."""
        for environment in environments:
            top = path_of(environment, "", "").partition("/")[0]
            for parent, _, files in sorted(os.walk(os.path.join(self.folder, top))):
                for file in sorted(files):
                    path = os.path.relpath(os.path.join(parent, file), self.folder).replace(os.sep, "/")
                    if file.endswith(".yaml") and path not in known:
                        lock = self._read(path)
                        if lock is not None:
                            yield path, lock

    def _read(self, path: str) -> Lock | None:
        file = os.path.join(self.folder, path)
        try:
            with open(file, encoding="utf-8") as stream:
                text = stream.read()
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
            hint = "restore the file from Git"
            message = f"the lock {file} cannot be read: {reason}"
            raise CompileError([Diagnostic("TJ078", ERROR, message, hint=hint, name="unreadable-lock")]) from None
        from tjgen.runs.lockfile import read  # its patterns take longer to compile than many locks to read

        return read(text, file)
