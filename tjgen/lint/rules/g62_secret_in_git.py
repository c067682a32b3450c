"""G62: a secret in Git that everybody can read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tjgen.lint.kinds import SECRET
from tjgen.lint.pods import containers
from tjgen.lint.rule import DOCUMENTED, ERROR, WARNING, Finding, Rule
from tjgen.lint.scene import Scene

RULE = Rule(
    code="TJ662",
    name="secret-in-git",
    severity=ERROR,
    evidence=DOCUMENTED,
    title="A manifest holds a secret as plain text.",
    why="Whoever reads the repository, or any copy of it at any time, has it. Base64 hides nothing.",
    remedy="Refer to a Secret by its name, and let an ExternalSecret, a SealedSecret or SOPS bring it; change the secret that "
    "was committed.",
    argocd="It is applied as it is, and shown in the differences of the repository.",
    flux="It is applied as it is; Flux can decrypt SOPS.",
    upstream="Kubernetes documentation, good practices for Secrets.",
)
_TOKENS = re.compile(
    r"\A(hf_[A-Za-z0-9]{20,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{20,}|sk-[\w-]{20,}|AKIA[A-Z0-9]{16}"
    r"|xox[abprs]-[\w-]{10,}|AIza[\w-]{30,}|-----BEGIN [A-Z ]*PRIVATE KEY-----)"
)
_NAMES = re.compile(r"(\A|_)(PASSWORD|PASSWD|SECRET|TOKEN|API_?KEY|SECRET_ACCESS_KEY|PRIVATE_KEY|CREDENTIALS)\Z")
_HARMLESS = ("", "true", "false", "none", "null", "0", "1")


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each Secret with data, and for each variable that looks like one: by its value, or its name alone."""
    for item in scene.of(SECRET):
        if item.tree.get("sops") is None:
            for field in ("data", "stringData"):
                if any(_is_plain(value) for value in item.map(field).values()):
                    message = "its data can be read by whoever reads the repository"
                    yield Finding(item, (field,), message, hint="encrypt it, or let an operator bring it", key=True)
    for item in scene.items:
        for path, container in containers(item):
            env = container.get("env")
            for position, variable in enumerate(env if env.__class__ is list else ()):
                value = variable.get("value") if variable.__class__ is dict else None
                if value.__class__ is not str:
                    continue
                name = str(variable.get("name"))
                place = (*path, "env", position, "value")
                hint = "take it from a Secret with valueFrom.secretKeyRef"
                if _TOKENS.match(value):
                    yield Finding(item, place, f"{name} holds what looks like a token", hint=hint)
                elif _NAMES.search(name.upper()) and value.lower() not in _HARMLESS and not value.startswith(("$", "/")):
                    yield Finding(item, place, f"{name} sounds like a secret", hint=hint, severity=WARNING)


def _is_plain(value: object) -> bool:
    return isinstance(value, str) and bool(value) and not value.startswith("ENC[")
