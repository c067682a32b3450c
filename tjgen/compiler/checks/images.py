"""Images of the pods of a run, and rules that rewrite images -> those whose reference no kubelet accepts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tjgen.compiler.lower import SPEC
from tjgen.compiler.passes.images import images_of
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees import regex
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.source.document import Document
from tjgen.trees.workload.contribution import EXPERIMENT
from tjgen.trees.workload.workload import Workload

_LABEL = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?"
_REGISTRY = rf"(?:{_LABEL}(?:\.{_LABEL})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?"
_PART = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_TAG = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}"
_DIGEST = r"sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128}"
_REFERENCE = regex.compile(rf"(?:{_REGISTRY}/)?{_PART}(?:/{_PART})*(?::{_TAG})?(?:@(?:{_DIGEST}))?")
"""The grammar of distribution/reference 0.6 (`ParseNormalizedNamed`), by which a kubelet reads images."""


def check(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Diagnostic]:
    """TJ275 once for each image whose reference is malformed: its container waits with `InvalidImageName`."""
    reported: set[str] = set()
    for podset in workload.podsets:
        for path, image in images_of(workload.tree.value, podset.pod):
            if image in reported or _REFERENCE.fullmatch(image) is not None or _is_of_rule(image, setting.rewrite):
                continue
            reported.add(image)
            origin = next((one for one in workload.tree.origins(path) if one.source == EXPERIMENT), None)
            message = f'"{image}" is not a valid image: the kubelet refuses it (InvalidImageName), so the pod never starts'
            yield Diagnostic("TJ275", message, path=origin.because if origin is not None else SPEC, hint=_hint(image))


def wrong_rules(rules: Mapping[str, str], platform: Document) -> Iterator[Diagnostic]:
    """TJ275 for each rule of `images.rewrite` whose prefix or target cannot begin an image."""
    for prefix, target in rules.items():
        for text, is_key in ((prefix, True), (target, False)):
            if (text or not is_key) and not _begins_an_image(text):
                message = f'no image begins with "{text}", so the rule of images.rewrite makes no image that a kubelet accepts'
                if is_key:
                    message = f'no image begins with "{text}", so the rule of images.rewrite has no effect'
                bare = text.partition("://")[2] or text.strip()
                hint = f"write {bare}" if _begins_an_image(bare) else "write it like REGISTRY/FOLDER"
                span = platform.locate(("spec", "images", "rewrite", prefix), key=is_key)
                yield Diagnostic("TJ275", message, span=span, hint=hint)


def _begins_an_image(text: str) -> bool:
    start = text.rstrip("/")
    return any(_REFERENCE.fullmatch(one) is not None for one in (start, f"{start}/image"))


def _is_of_rule(image: str, rules: Mapping[str, str]) -> bool:
    """Whether the image comes from a rule that is reported itself."""
    wrong = [target for target in rules.values() if image.startswith(target) and not _begins_an_image(target)]
    return any(_REFERENCE.fullmatch(image.removeprefix(target).lstrip("/")) is not None for target in wrong)


def _hint(image: str) -> str:
    if not image.isascii():
        from tjgen.compiler.typographic import plain  # few images have other characters

        typed = plain(image).strip("\"' ")
        if _REFERENCE.fullmatch(typed) is not None:
            return f"write {typed}"
    name, at, _ = image.partition("@")
    if at and _REFERENCE.fullmatch(name) is not None:
        return "write the digest as sha256: with 64 hexadecimal digits"
    if _REFERENCE.fullmatch(image.lower()) is not None:
        return "use lowercase letters in the repository"
    return "write it like REGISTRY/REPOSITORY:TAG"
