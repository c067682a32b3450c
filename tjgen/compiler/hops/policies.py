"""The objects of a run -> what the policies of the platform and of the caller have against them, and against their pods."""

from __future__ import annotations

from tjgen.compiler.hops.draft import Draft, Job, located
from tjgen.compiler.lower import SPEC
from tjgen.language.catalog.find import BUNDLED_LABEL
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.explain.provenance import Sources, trace
from tjgen.trees.fields.managed import Origin
from tjgen.trees.manifests.leaves import lasting

_GENERATED = "Secret"
"""The kind of previews whose values only the controller computes."""
_RUNTIME = Origin("experiment", "experiment", (*SPEC, "runtime"))


def police(job: Job, draft: Draft) -> Draft:
    """What policies and Pod Security report about the objects, about what controllers create of them, and about their pods."""
    policies = job.setting.policies
    if policies is None:
        return draft
    from tjgen.cluster.policies.judgment import judged  # most builds have no policies

    versions = {**job.release.versions, **job.setting.versions}
    diagnostics: dict[Diagnostic, None] = {}
    for manifest in (*draft.applied, *(preview for preview in draft.previews if preview.kind != _GENERATED)):
        tree = manifest.tree
        if job.setting.namespace and not tree["metadata"].get("namespace"):
            tree = {**tree, "metadata": {**tree["metadata"], "namespace": job.setting.namespace}}
        for one in judged(tree, policies, versions=versions):
            diagnostic = one._replace(path=lasting(tree, one.path or ()))
            for finding in located([diagnostic], manifest, draft.sources):
                diagnostics[_at_author(finding, draft.sources)] = None
    return draft.reporting(list(diagnostics))


def _at_author(finding: Diagnostic, sources: Sources) -> Diagnostic:
    """The finding; if its place is in a bundled runtime, at the line that selects the runtime."""
    if finding.span is None or not finding.span.file.startswith(BUNDLED_LABEL):
        return finding
    return finding._replace(span=trace(_RUNTIME, sources)[-1].span or finding.span)
