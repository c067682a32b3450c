"""The objects of a run -> what the API server and its webhooks refuse of them."""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.cluster.kinds.pods import starts_pods
from tjgen.cluster.validate import disclosure, registry, report
from tjgen.cluster.validate.judge import judge as judge_object
from tjgen.cluster.validate.verdict import WEBHOOK
from tjgen.compiler.hops.draft import Draft, Job, located
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import Tree
from tjgen.trees.manifests.manifest import PREVIEW, RUNTIMES, Manifest
from tjgen.trees.session import Session


def judge(job: Job, draft: Draft) -> Draft:
    """What the API server and its webhooks refuse, and what the objects disclose."""
    versions, session = _versions(job), job.setting.session
    diagnostics = list(draft.diagnostics)
    # The values of a generated Secret are the controller's: there is nothing of ours to judge in it.
    for manifest in (*draft.applied, *(preview for preview in draft.previews if preview.kind != "Secret")):
        if manifest.stage != PREVIEW:
            problems = list(disclosure.diagnostics(manifest.tree, job.setting.harmless))
            diagnostics += located(problems, manifest, draft.sources)
        # Many runs share a runtime. Webhooks read it with the runtime that it is a copy of.
        verdict = job.runtime, tuple(sorted(versions.items())), f"{manifest.tree}"
        if manifest.stage == RUNTIMES and session.has("accepted runtime", verdict):
            continue
        problems = wrong(manifest, draft.context, versions, session)
        diagnostics += located(problems, manifest, draft.sources)
        if manifest.stage == RUNTIMES and not problems:
            session.add("accepted runtime", verdict)
    return draft._replace(diagnostics=diagnostics)


def is_refused(manifest: Manifest, job: Job) -> bool:
    """Whether the API server refuses an object, or its controller cannot make its pods."""
    return bool(wrong(manifest, [], _versions(job), job.setting.session))


def _versions(job: Job) -> Mapping[str, str]:
    return {**job.release.versions, **job.setting.versions}


def wrong(manifest: Manifest, context: list[Tree], versions: Mapping[str, str], session: Session) -> list[Diagnostic]:
    """Return the verdict of the API server and its webhooks and, for an accepted object, of its controllers."""
    verdict = judge_object(manifest.tree, versions=versions, webhooks=True, context=context, session=session)
    # `tjgen check` reports the kinds that are not checked here.
    problems = list(report.diagnostics(manifest.tree, verdict._replace(gaps=()) if verdict.stage in ("", WEBHOOK) else verdict))
    return problems or list(registry.of_object(manifest.tree, versions, has_pods=starts_pods(manifest)))
