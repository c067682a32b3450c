"""A manifest -> the verdict of an API server and its webhooks: on creating the object, or on applying it over one that exists.

`judge` is the only way to a verdict: build, check, lint, report, bundle, diff, convert and import all call it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tjgen.cluster.schema import store
from tjgen.cluster.schema.defaults import with_defaults
from tjgen.cluster.trainer.goread import DecodeError
from tjgen.cluster.trainer.release import of_versions
from tjgen.cluster.validate import admission
from tjgen.cluster.validate.creation import created
from tjgen.cluster.validate.verdict import UNCHECKED, VALIDATION, WEBHOOK, Stage, Verdict
from tjgen.cluster.validate.webhooks.mutating import gains_pod_spec, mutated
from tjgen.trees.fields.path import Tree
from tjgen.trees.manifests.generated_names import named
from tjgen.trees.session import Session


def judge(
    tree: Tree,
    *,
    old: Tree = None,
    versions: Mapping[str, str] | None = None,
    duplicates: Sequence[str] = (),
    server_side: bool = False,
    bound: bool = False,
    webhooks: bool = False,
    context: Sequence[Tree] | None = None,
    is_whole: bool = False,
    session: Session | None = None,
) -> Verdict:
    """Return the verdict on creating `tree` with strict field validation, or on applying it over the object of `old`.

    An `old` object of another name is not touched: then `tree` is created. With `server_side` the server does the apply.
    `bound` means that claims have their volumes, which the manifests do not show. With `webhooks`, the mutating webhooks of
    Trainer and JobSet change the object before it is validated.

    With `context`, the other objects of the cluster, the validating webhooks review what the server accepts. They read a
    TrainJob's runtime from it; a runtime that is not in it may exist, unless `is_whole`: then `context` is the whole cluster.
    `session` keeps decoded runtimes for the next object.

    `versions` chooses the releases that the cluster runs (`{"trainer": "v2.1.0"}`). `duplicates` are the keys that the
    text of the manifest gives twice, which no tree can hold: 'line 4: key "name" already set in map'.
    """

    def by_server(tree: Tree, old: Tree) -> Verdict:
        return _by_server(
            tree, old=old, versions=versions, duplicates=duplicates, server_side=server_side, bound=bound, webhooks=webhooks
        )

    verdict = by_server(tree, old)
    if versions is not None and store.BUILT_IN in versions:
        from tjgen.cluster.validate import minors  # most clusters are judged by the minor of the rules

        verdict = minors.judged(verdict, tree, old, versions, by_server)
    if context is None or not verdict.allowed:
        return verdict
    before = old if old is not None and identity(tree) == identity(old) else None
    answer = admission.review(
        named(tree), old=before, context=context, release=of_versions(versions), is_whole=is_whole, session=session
    )
    stages = (Stage(WEBHOOK, answer.errors, answer.errors),) if answer.errors else ()
    return verdict._replace(stages=stages, warnings=answer.warnings)


def _by_server(
    tree: Tree,
    *,
    old: Tree,
    versions: Mapping[str, str] | None,
    duplicates: Sequence[str],
    server_side: bool,
    bound: bool,
    webhooks: bool,
) -> Verdict:
    """The verdict of the server, with its mutating webhooks."""
    if tree.__class__ is not dict:
        return UNCHECKED
    api_version, kind = tree.get("apiVersion"), tree.get("kind")
    if not isinstance(api_version, str) or not isinstance(kind, str):
        return UNCHECKED
    schema = store.find(api_version, kind, versions=versions)
    if schema is None:
        return UNCHECKED
    built_in = store.is_built_in(api_version, kind)
    if old is not None and identity(tree) == identity(old):
        from tjgen.cluster.validate.update import replacement  # most of what is judged is new

        release = of_versions(versions) if webhooks else None
        return replacement.judge(tree, old, schema, built_in=built_in, server_side=server_side, bound=bound, release=release)
    if server_side:
        from tjgen.cluster.validate import serverside

        verdict = serverside.judge(tree, schema, built_in=built_in, duplicates=duplicates)
    else:
        verdict = created(tree, schema, built_in=built_in, duplicates=duplicates)
    if not webhooks or built_in or not (verdict.stage == VALIDATION or (verdict.allowed and gains_pod_spec(tree))):
        return verdict
    try:
        changed = mutated(with_defaults(tree, schema), None, of_versions(versions))
    except DecodeError:
        return verdict  # The schema reports every such value, the webhook only the first.
    return verdict if changed is tree else created(changed, schema, built_in=False)


def identity(tree: dict[str, Tree]) -> tuple[Tree, ...]:
    """The identity of an object within its kind: an apply under another name or namespace creates another object."""
    metadata = tree.get("metadata")
    given: dict[str, Tree] = metadata if metadata.__class__ is dict else {}
    return (tree.get("apiVersion"), tree.get("kind"), given.get("name"), given.get("namespace"))
