"""Force and server-side apply on one object."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.order import options_of
from tjgen.gitops.lint.rule import ARGOCD, ERROR, MISSING, SEEN, FieldEdit, Finding, Rule
from tjgen.gitops.lint.scene import Scene
from tjgen.gitops.lint.sync import OPTIONS, annotation, has_option, with_options

RULE = Rule(
    code="TJ627",
    name="force-with-server-side",
    severity=ERROR,
    evidence=SEEN,
    source=sources.KUBECTL_APPLY,
    since="0.1.0",
    title="An object has the sync options Force=true and ServerSideApply=true.",
    why="The two are mutually exclusive: the apply fails before it sends anything.",
    remedy="Remove one of them; runs need no force.",
    effects={
        ARGOCD: "The object is SyncFailed: `--force cannot be used with --server-side`.",
    },
    upstream="kubectl `pkg/cmd/apply/apply.go` (`Validate`).",
    tools=(ARGOCD,),
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each object, at its options. Replace=true goes before both."""
    for item in scene.items:
        if not has_option(item, "Force=true") or has_option(item, "ServerSideApply=false"):
            continue
        of_application = options_of(scene, item)
        if has_option(item, "Replace=true") or "Replace=true" in of_application:
            continue
        if has_option(item, "ServerSideApply=true") or "ServerSideApply=true" in of_application:
            rest = with_options(item, remove=("Force=true",))
            message = "Force=true cannot be used with ServerSideApply=true"
            change = FieldEdit(item, annotation(OPTIONS), rest or MISSING)
            yield Finding(item, annotation(OPTIONS), message, hint="remove Force=true", changes=(change,))
