"""What the project's policy demands of images -> what does not meet it. Code is judged where it is delivered."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tjgen.compiler.lower import SPEC
from tjgen.compiler.passes.images import images_of
from tjgen.language.platform.images import CONTENT_TAG, rewrite
from tjgen.language.platform.tools import DEFAULTS
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.workload.contribution import EXPERIMENT
from tjgen.trees.workload.workload import Workload

_DIGEST = re.compile(r".+@sha256:[0-9a-f]{64}\Z")
_POD: FieldPath = ("spec", "template", "spec")
_CRON: FieldPath = ("spec", "jobTemplate", "spec", "template", "spec")


def contribute(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Diagnostic]:
    """Nothing but diagnostics; the same image is named once."""
    if "digests" not in setting.demands:
        return
    seen: set[str] = set()
    for image, because in _images(workload, experiment):
        if image in seen or _DIGEST.match(image) or _is_built(image, experiment):
            continue
        seen.add(image)
        message = f"the project demands digests, and image {image} has none"
        yield Diagnostic("TJ490", message, path=because, hint=_hint(image, because, setting))


def _images(workload: Workload, experiment: Experiment) -> Iterator[tuple[str, FieldPath]]:
    tree = workload.tree
    for podset in workload.podsets:
        for path, image in images_of(tree.value, podset.pod):
            said = [origin.because for origin in tree.origins(path) if origin.source == EXPERIMENT]
            yield image, said[0] if said else (*SPEC, "runtime")
    for kind in ("objects", "ahead"):
        for key, made in (tree.value.get(kind) or {}).items():
            pod = _CRON if made["kind"] == "CronJob" else _POD
            for _, image in images_of(made, pod):
                yield image, tree.origins((kind, key))[0].because


def _hint(image: str, because: FieldPath, setting: Setting) -> str:
    helpers = {rewrite(one, setting.rewrite): purpose for purpose, one in {**DEFAULTS, **setting.helpers}.items()}
    if image in helpers:
        return f"say {helpers[image]}: name@sha256:... in images.helpers of the Platform"
    return "run tjgen pin, or say another runtime" if because == (*SPEC, "runtime") else "run tjgen pin, or write name@sha256:..."


def _is_built(image: str, experiment: Experiment) -> bool:
    code = experiment.spec.code
    return code is not None and code.build is not None and image.startswith(f"{code.build.image}:{CONTENT_TAG}")
