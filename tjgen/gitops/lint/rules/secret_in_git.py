"""A secret in Git that every reader can see."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.disclosure import Disclosed, find
from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import SECRET
from tjgen.gitops.lint.pods import containers
from tjgen.gitops.lint.rule import ARGOCD, DOCUMENTED, ERROR, FLUX, WARNING, Finding, Rule
from tjgen.gitops.lint.scene import Scene
from tjgen.trees.diagnostics.suspected import has_password, is_suspected
from tjgen.trees.fields.path import Tree

RULE = Rule(
    code="TJ662",
    name="secret-in-git",
    severity=ERROR,
    evidence=DOCUMENTED,
    source=f"{sources.KUBERNETES_DOCS}/security/secrets-good-practices/",
    since="0.1.0",
    title="A manifest contains a secret as plain text.",
    why="All readers of the repository, or of any copy of it, can read the secret. Base64 is not encryption.",
    remedy="Refer to a Secret by its name, and provide it with an ExternalSecret, a SealedSecret or SOPS; revoke the "
    "secret that was committed. Superseded runs contain it until you prune them.",
    effects={
        ARGOCD: "It is applied as it is, and its value appears in diffs of the repository.",
        FLUX: "It is applied as it is; Flux can decrypt SOPS.",
    },
    upstream="Kubernetes documentation, good practices for Secrets.",
    tools=(),
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each Secret with data, for each key and token elsewhere, and for each variable that sounds like one."""
    for item in scene.of(SECRET):
        if item.tree.get("sops") is None:
            for field in ("data", "stringData"):
                if any(_is_plain(value) for value in item.map(field).values()):
                    message = "all readers of the repository can see its data"
                    yield Finding(item, (field,), message, hint="encrypt it, or provide it through an operator", key=True)
    for item in scene.items:
        disclosed = dict(_disclosed(item.tree))
        for path, container in containers(item):
            env = container.get("env")
            for position, variable in enumerate(env if env.__class__ is list else ()):
                value = variable.get("value") if variable.__class__ is dict else None
                if value.__class__ is not str:
                    continue
                name = str(variable.get("name"))
                place = (*path, "env", position, "value")
                secret = name.lower().replace("_", "-")
                entry = f"{name}: {{secret: {secret}, key: {name}}}"
                hint = f"take it from a Secret: {entry} in an experiment, valueFrom.secretKeyRef in a pod; and revoke it"
                token = disclosed.pop(place, None)
                if token is not None:
                    yield Finding(item, place, f"{name} contains {token.kind}", hint=hint)
                elif has_password(value):
                    yield Finding(item, place, f"the URL in {name} has a password", hint=hint, severity=WARNING)
                elif is_suspected(name, value):
                    yield Finding(item, place, f"the name {name} suggests a secret", hint=hint, severity=WARNING)
        for place, token in disclosed.items():
            yield Finding(
                item,
                place,
                f"it contains {token.kind}",
                hint="read it from a Secret, mounted as a volume or set as a variable, and revoke it",
            )


def _disclosed(tree: Tree) -> list[Disclosed]:
    return list(find(tree))


def _is_plain(value: object) -> bool:
    return isinstance(value, str) and bool(value) and not value.startswith("ENC[")
