"""The images of experiments -> their pins: the existing ones, the registries' answers for the others, and their files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

from tjgen.cluster.registry.failure import (
    ADDRESS,
    DENIED,
    INVALID,
    OTHER_PLATFORM,
    REALM,
    UNKNOWN,
    UNREACHABLE,
    UNUSABLE,
    RegistryError,
)
from tjgen.cluster.registry.reference import Reference
from tjgen.compiler.building.compile import build
from tjgen.compiler.building.plan import Plan
from tjgen.compiler.building.request import Digests
from tjgen.compiler.building.run import ProjectFindings, Run, Unit, Watch
from tjgen.gitops.emit import file
from tjgen.gitops.emit.problems import failed
from tjgen.language.platform.images import pinned, rewrite, tagged
from tjgen.language.runs.pins import Pins, write
from tjgen.trees.diagnostics.model import ERROR, CompileError, Diagnostic
from tjgen.trees.fields.path import get
from tjgen.trees.manifests.leaves import leaves
from tjgen.trees.session import Session
from tjgen.trees.typing import NamedTuple

NEW = "new"
UPDATED = "updated"
UNCHANGED = "unchanged"

Resolve = Callable[[Reference], str]
"""A reference -> its digest, from its registry. Raises RegistryError."""

_NO_DIGEST = "sha256:" + "0" * 64
"""Placeholder digests while images are collected: with a digest, no image is resolved under two names."""
_ANSWERS = {
    UNREACHABLE: ("TJ723", "check the network, or use --insecure HOST if the registry uses plain HTTP"),
    DENIED: ("TJ724", "log in with docker login, which writes the credentials that are used"),
    UNKNOWN: ("TJ725", "correct the image, or push it first"),
    UNUSABLE: ("TJ726", "try again later, or pull the image manually to see details"),
    INVALID: ("TJ742", "write registry/path:tag, the path in lower case"),
    ADDRESS: ("TJ743", "if this is intended, pass --local HOST, or --insecure HOST without https"),
    REALM: (
        "TJ744",
        "if this is intended, pass --token-host HOST, or --insecure HOST without https",
    ),
    OTHER_PLATFORM: ("TJ727", "build the image for this platform, or set --platform"),
}


class TaggedImage(NamedTuple):
    """An image that experiments reference by its tag."""

    image: str
    """Its long form."""
    unit: Unit
    """The first experiment that references it."""
    mirror: str
    """What the Platform has for it; itself if it has nothing else."""


class PinResult(NamedTuple):
    """The result of one image."""

    image: str
    digest: str
    state: str


COLLECTING = Digests(every=_NO_DIGEST, is_listed=True)
"""The digests of a build whose images `collect` reads."""


def collect(plan: Plan, watch: Watch | None = None) -> tuple[list[TaggedImage], list[Diagnostic]]:
    """Every image without a digest that pods of a build get, in order of name; what the build found.

    The request of `plan` has the digests COLLECTING. An image of a runtime that an experiment replaces gets to no pod.
    """
    tagged_images: dict[str, TaggedImage] = {}
    diagnostics: list[Diagnostic] = []
    for built in build(plan, Session(), watch=watch):
        diagnostics += [one for one in built.diagnostics if one.severity == ERROR]
        if isinstance(built, ProjectFindings):
            continue
        rules = plan.rewrites(built.unit.environment) if built.runs else {}
        used = {text for run in built.runs for text in _digested(run)}
        for image in dict.fromkeys(image for run in built.runs for image in run.images):
            full = tagged(image)
            if full is not None and rewrite(pinned(image, _NO_DIGEST), rules) in used:
                tagged_images.setdefault(full, TaggedImage(full, built.unit, rewrite(full, rules)))
    return [tagged_images[full] for full in sorted(tagged_images)], diagnostics


def _digested(run: Run) -> Iterator[str]:
    """The images with the digest of collecting, in pods and in what images are built from."""
    for manifest in (*run.compiled.manifests, *run.compiled.previews):
        if manifest.kind != "TrainingRuntime":
            for _, value in leaves(manifest.tree):
                if value.__class__ is str and _NO_DIGEST in value:
                    yield from [word for word in value.split() if word.endswith(_NO_DIGEST)]


def unpinned(images: Sequence[TaggedImage], pins: Pins) -> list[Diagnostic]:
    """An error (TJ722) for each image without a pin. Raises CompileError where a pin is damaged."""
    return [_unpinned(one) for one in images if pins.digest(one.image) is None]


def pin(
    images: Sequence[TaggedImage], pins: Pins, resolve: Resolve, *, update: bool, mirror: bool, writes: bool
) -> tuple[list[PinResult], list[Diagnostic]]:
    """Pin the images that have no pin, with `update` all of them; return the result of each, and the errors of registries.

    With `mirror`, the registries of the Platform's rewrites are used. Without `writes`, a pin that is
    missing is an error (TJ722), and one that is out of date is reported (TJ728). The result for one image does not depend
    on the others, so valid results are written even if others are rejected.
    """
    results: list[PinResult] = []
    diagnostics: list[Diagnostic] = []
    for one in images:
        known = _known(one, pins, heals=update)
        if known is not None and not update:
            results.append(PinResult(one.image, known, UNCHANGED))
            continue
        try:
            digest = resolve(Reference.of(one.mirror if mirror else one.image))
        except RegistryError as error:
            diagnostics.append(_refused(one, error))
            continue
        state = UNCHANGED if digest == known else NEW if known is None else UPDATED
        results.append(PinResult(one.image, digest, state))
        if state != UNCHANGED and writes:
            _put(pins.place(one.image), write(one.image, digest))
        elif state != UNCHANGED:
            diagnostics.append(_unpinned(one) if known is None else _moved(one, known, digest))
    return results, diagnostics


def prune(images: Sequence[TaggedImage], pins: Pins) -> int:
    """Remove the pins of unused images; return their number. Raise CompileError if the system denies it."""
    wanted = {os.path.normpath(pins.place(one.image)) for one in images}
    idle = [place for place in pins.files() if os.path.normpath(place) not in wanted]
    for place in idle:
        try:
            os.unlink(place)
        except OSError as error:
            raise CompileError([failed(place, error)]) from error
    return len(idle)


def _known(one: TaggedImage, pins: Pins, *, heals: bool) -> str | None:
    try:
        return pins.digest(one.image)
    except CompileError:
        if heals:  # a damaged pin is about to be written again
            return None
        raise


def _put(place: str, text: str) -> None:
    try:
        os.makedirs(os.path.dirname(place), exist_ok=True)
    except OSError as error:
        raise CompileError([failed(place, error)]) from error
    file.write(place, [text])


def _unpinned(one: TaggedImage) -> Diagnostic:
    hint = "run tjgen pin, and commit what it writes"
    return _about(one, Diagnostic("TJ722", f"image {one.image} is not pinned", hint=hint))


def _moved(one: TaggedImage, known: str, digest: str) -> Diagnostic:
    message = f"image {one.image} is pinned to {known}, but its tag now refers to {digest}"
    hint = "run tjgen pin --update for new runs to get it; runs that exist stay as they are"
    return _about(one, Diagnostic("TJ728", message, hint=hint))


def _refused(one: TaggedImage, error: RegistryError) -> Diagnostic:
    code, hint = _ANSWERS[error.kind]
    return _about(one, Diagnostic(code, f"image {one.image} cannot be pinned: {error.message}", hint=hint))


def _about(one: TaggedImage, diagnostic: Diagnostic) -> Diagnostic:
    """The diagnostic with the place of the image, where the experiment names it itself."""
    document = one.unit.document
    image = get(document.value, ("spec", "image"), None)
    is_own = isinstance(image, str) and tagged(image) == one.image
    return diagnostic._replace(span=document.locate(("spec", "image") if is_own else ("metadata", "name")))
