"""The Platform of an environment and the policies that the caller enforces -> the policies that its objects are judged by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tjgen.language.platform.security import ALL_OTHERS, labels_of
from tjgen.language.resolve.files import platform_files
from tjgen.language.resolve.project import LoadedProject, PlatformDocument
from tjgen.language.spec.objects import PlatformSpec
from tjgen.trees import enforced
from tjgen.trees.budgets import DEFAULT, capped
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import Tree
from tjgen.trees.typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tjgen.cluster.policies.evaluation import Policies
    from tjgen.cluster.trainer.placed import Placed


def policies_of(
    project: LoadedProject, platform: PlatformDocument | None, versions: Mapping[str, str]
) -> tuple[Policies | None, list[Diagnostic]]:
    """The policies, None if there is nothing to judge by, and what is wrong with their files."""
    spec = platform.platform.spec if platform is not None else None
    has_own = spec is not None and (spec.policies or spec.pod_security or any(one.labels for one in spec.namespaces.values()))
    if not has_own and not enforced.files():
        return None, []
    from tjgen.cluster.policies.documents import policies_of as policies_among  # most projects have no policies

    given = sources(project, [platform] if platform is not None else [], versions)
    policies, wrong = policies_among(given.objects, namespaces=given.namespaces, defaults=given.defaults, versions=versions)
    return policies._replace(seconds=project.sandbox.budgets.seconds), [*given.diagnostics, *wrong]


class PolicySources(NamedTuple):
    """The objects of files of policies, and what a Platform describes of namespaces."""

    objects: list[Placed]
    namespaces: dict[str, Tree]
    defaults: dict[str, str]
    """Labels of the namespaces that nothing describes."""
    diagnostics: list[Diagnostic]


def sources(project: LoadedProject | None, platforms: Sequence[PlatformDocument], versions: Mapping[str, str]) -> PolicySources:
    """What the caller enforces, and what Platforms of the project add."""
    from tjgen.cluster.policies.documents import read  # most projects have no policies

    diagnostics: list[Diagnostic] = []
    files = list(enforced.files())
    namespaces: dict[str, Tree] = {}
    defaults: dict[str, str] = {}
    for platform in platforms:
        assert project is not None, "a Platform belongs to a project"
        spec = platform.platform.spec
        for one in _files(project, platform):
            if isinstance(one, Diagnostic):
                diagnostics.append(one)
            else:
                files.append(one)
        namespaces |= _namespaces(spec)
        defaults |= labels_of(spec.pod_security, ALL_OTHERS)
    objects, problems = read(
        files, versions=versions, budgets=project.sandbox.budgets if project is not None else capped(DEFAULT)
    )
    return PolicySources(objects, namespaces, defaults, [*diagnostics, *problems])


def texts(project: LoadedProject, platform: PlatformDocument | None) -> Iterator[bytes]:
    """The names and the contents of all files of policies, for the key of a cache."""
    for one in (*enforced.files(), *(_files(project, platform) if platform is not None else ())):
        if not isinstance(one, Diagnostic):
            yield one[0].encode(errors="surrogateescape")
            yield one[1]


def _files(project: LoadedProject, platform: PlatformDocument) -> Iterator[enforced.File | Diagnostic]:
    """The files that a Platform names, relative to its own."""
    return platform_files(project.sandbox, platform.document, "policies", platform.platform.spec.policies, "TJ556")


def _namespaces(spec: PlatformSpec) -> Iterator[tuple[str, Tree]]:
    """The Namespaces that a Platform describes."""
    for name, one in spec.namespaces.items():
        labels = labels_of(spec.pod_security, name) | dict(one.labels)
        yield name, {"metadata": {"name": name, "labels": labels, "annotations": dict(one.annotations)}}
    for name in spec.pod_security:
        if name not in spec.namespaces and name != ALL_OTHERS:
            yield name, {"metadata": {"name": name, "labels": labels_of(spec.pod_security, name)}}
