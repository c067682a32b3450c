"""The word of `--trainer`, or the project file of the working folder -> the release of Trainer that manifests are for.

Manifests are judged without the language of experiments, so one field of the project file is read, and no more.
"""

from __future__ import annotations

import os

from tjgen.cluster.trainer.release import NEWEST, Release, chosen
from tjgen.trees.diagnostics.model import CompileError, Diagnostic
from tjgen.trees.fields.path import FieldPath, get
from tjgen.trees.files.sandbox import around
from tjgen.trees.source.reader import CORE, read
from tjgen.trees.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tjgen.cli.reporting import Reporter
    from tjgen.language.resolve.project import PlatformDocument

_FILE = "tjgen.yaml"
_RELEASE: FieldPath = ("spec", "trainer")


def release_for(requested: str | None) -> Release:
    """Return the release from the option, else from the project, else the newest. Raise CompileError (TJ290)."""
    if requested is not None:
        return chosen(requested)
    file = _project()
    if file is None:
        return NEWEST
    file = os.path.relpath(file)
    content = around([file]).content(file)
    if isinstance(content, Diagnostic):
        raise CompileError([content])
    documents, _ = read(content, file, CORE)
    # The build reports errors of the project.
    for document in documents:
        configured = get(document.value, _RELEASE, None)
        if configured.__class__ is str:
            return chosen(str(configured), document.locate(_RELEASE))
    return NEWEST


def kubernetes_for(requested: str | None, platforms: Sequence[PlatformDocument], reporter: Reporter) -> dict[str, str]:
    """The requested release of Kubernetes, else the oldest one that Platforms declare, as an entry of `versions`.

    Reports a release for which tjgen has no rules. Raises CompileError for text that is not a release (TJ290).
    """
    declared = [(release, one) for one in platforms if (release := one.platform.spec.cluster.kubernetes) is not None]
    if requested is None and not declared:
        return {}
    from tjgen.cluster.schema import minors  # most manifests are validated by the minor of the schemas

    if requested is not None:
        if not minors.is_release(requested):
            message = f"{requested} is not a release of Kubernetes"
            raise CompileError([Diagnostic("TJ290", message, hint="use a release such as 1.34")])
        release, span = requested, None
    else:
        release, platform = min(declared, key=lambda one: minors.number_of(one[0]))
        span = platform.document.locate(("spec", "cluster", "kubernetes"))
    reporter.add(list(minors.substitutes(release, span)))
    return {minors.KUBERNETES: release}


def _project() -> str | None:
    """The project file in the working folder or in the nearest folder above."""
    folder = os.getcwd()
    while not os.path.lexists(os.path.join(folder, _FILE)):
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above
    return os.path.join(folder, _FILE)
