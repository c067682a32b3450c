"""An experiment in a test -> the objects that it becomes, compared with the YAML that is stored next to the test.

syrupy finds, updates (`--snapshot-update`) and reports the files, one for each snapshot: `__snapshots__/<module>/<test>.yaml`.
"""

from __future__ import annotations

import difflib
import json
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from tjgen.trees.typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tjgen.api import BuildResult


class TjgenWarning(UserWarning):
    """A warning of the compiler, as one of Python."""


class ManifestFile(SingleFileSnapshotExtension):
    """One YAML file for each snapshot, compared byte for byte."""

    _write_mode = WriteMode.TEXT
    file_extension = "yaml"

    def read_snapshot_data_from_location(self, *, snapshot_location: str, snapshot_name: str, session_id: str) -> str | None:
        """The text in the working tree. A checkout may have changed the line ends."""
        try:
            return Path(snapshot_location).read_bytes().decode().replace("\r\n", "\n")
        except FileNotFoundError:
            return None


class TjgenSnapshot:
    """The fixture: call it with an experiment. Paths are relative to the root folder of pytest."""

    def __init__(self, snapshot: SnapshotAssertion, root: Path, folder: Path) -> None:
        self._snapshot = snapshot
        self._root = root
        self._folder = folder

    def __call__(
        self,
        experiment: str | os.PathLike[str],
        *,
        env: str | None = None,
        overlays: Sequence[str | os.PathLike[str]] = (),
        set: Mapping[str, Any] | None = None,  # noqa: A002  # the word of the command line
        expanded: bool = False,
        name: str | None = None,
    ) -> None:
        """Build the experiment, and fail if the result differs from the snapshot.

        `experiment` is a path, or a text of several lines that belongs to the project around the test. `env` is an
        environment of the project, and `overlays` are files in addition to those of the project. `set` has fields
        (`{"spec.nodes": 2}`). `expanded` adds the objects that controllers will create, and `name` distinguishes several
        snapshots of one test. Errors fail the test; warnings become warnings of Python.
        """
        __tracebackhide__ = True
        # Test runs that have the fixture and do not use it do not wait for the compiler.
        from tjgen.api import build
        from tjgen.language.resolve.caller import CallerSettings
        from tjgen.trees.diagnostics.model import WARNING
        from tjgen.trees.diagnostics.render.text import render
        from tjgen.trees.source.ondisk import text_of

        with chdir(self._root), _file(os.fspath(experiment)) as (file, is_text):
            built = build(
                [file],
                environments=[env] if env is not None else [],
                set_values=[f"{path}={json.dumps(value)}" for path, value in (set or {}).items()],
                overlays=[os.fspath(overlay) for overlay in overlays],
                project=str(self._folder) if is_text else None,
                # pytest runs the code of the repository anyway
                trusted=CallerSettings.of_environment().ceiling.trusts,
            )
            rendered = render(built.diagnostics, text_of)
            if is_text:
                rendered = rendered.replace(file, "experiment")
        if built.failed:
            pytest.fail(f"the experiment does not build:\n{rendered}")
        if any(one.severity == WARNING for one in built.diagnostics):
            warnings.warn(TjgenWarning(rendered), stacklevel=2)
        snapshot = self._snapshot(name=name) if name is not None else self._snapshot
        text = _stream(built, expanded=expanded)
        if snapshot != text:
            pytest.fail(_difference(snapshot, text, self._root))


def _difference(snapshot: SnapshotAssertion, built: str, root: Path) -> str:
    """Why the last comparison failed. syrupy's own account is for terminals with colours."""
    result = list(snapshot.executions.values())[-1]
    if result.exception is not None:
        raise result.exception
    file = os.path.relpath(result.snapshot_location, root)
    if result.recalled_data is None:
        return f"there is no {file} yet: run pytest with --snapshot-update, and read what it wrote"
    lines = difflib.unified_diff(str(result.recalled_data).split("\n"), built.split("\n"), file, "built", lineterm="", n=4)
    return "\n".join(["the build differs from the snapshot", *lines])


@contextmanager
def _file(experiment: str) -> Iterator[tuple[str, bool]]:
    """The path of an experiment, and whether it was given as text, which has no file of its own."""
    if "\n" not in experiment:
        yield experiment, False
        return
    with TemporaryDirectory(prefix="tjgen-") as folder:
        file = os.path.join(folder, "experiment.yaml")
        Path(file).write_text(experiment, encoding="utf-8")
        yield file, True


def _stream(built: BuildResult, *, expanded: bool) -> str:
    """What `tjgen build` prints."""
    from tjgen.trees.manifests.manifest import STAGES
    from tjgen.trees.source.writer import dump

    environments = sorted({run.unit.environment or "" for run in built.runs})
    if len(environments) > 1:
        pytest.fail(f"the project has several environments: set env to one of {', '.join(environments)}")
    if expanded:
        from tjgen.cluster.controllers.previews import note_of

        previews = {one.ref: one for run in built.runs for one in run.compiled.down_to_pods()}
        return "---\n".join(note_of(one) + dump(one.tree) for one in previews.values())
    return "---\n".join([dump(one.tree) for stage in STAGES for one in built.manifests if one.stage == stage])


@pytest.fixture
def tjgen_snapshot(request: pytest.FixtureRequest, snapshot: SnapshotAssertion) -> TjgenSnapshot:
    """Build an experiment and compare it with the stored YAML."""
    return TjgenSnapshot(snapshot.use_extension(ManifestFile), request.config.rootpath, request.path.parent)
