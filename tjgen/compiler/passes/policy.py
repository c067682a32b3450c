"""What the project's policy demands of images -> what does not meet it. Code is judged where it is delivered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tjgen.compiler.lower import SPEC
from tjgen.compiler.passes.images import images_of
from tjgen.language.platform.images import CONTENT_TAG, rewrite
from tjgen.language.platform.tools import DEFAULTS
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Build, Experiment
from tjgen.trees import regex
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.workload.contribution import EXPERIMENT
from tjgen.trees.workload.workload import Workload

_DIGEST = regex.compile(r".+@sha256:[0-9a-f]{64}\Z")
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
        message = f"the project requires digests, but image {image} has none"
        yield Diagnostic("TJ490", message, path=because, hint=_hint(image, because, setting))
    yield from _built(workload, experiment)


def _images(workload: Workload, experiment: Experiment) -> Iterator[tuple[str, FieldPath]]:
    tree = workload.tree
    for podset in workload.podsets:
        for path, image in images_of(tree.value, podset.pod):
            origins = [origin.because for origin in tree.origins(path) if origin.source == EXPERIMENT]
            yield image, origins[0] if origins else (*SPEC, "runtime")
    for kind in ("objects", "ahead"):
        for key, container_tree in (tree.value.get(kind) or {}).items():
            pod = _CRON if container_tree["kind"] == "CronJob" else _POD
            for _, image in images_of(container_tree, pod):
                yield image, tree.origins((kind, key))[0].because


def _built(workload: Workload, experiment: Experiment) -> Iterator[Diagnostic]:
    """What goes into an image that the run builds: base images without a digest (TJ490), packages without a version (TJ335)."""
    code = experiment.spec.code
    if code is None or code.build is None:
        return
    at: FieldPath = (*SPEC, "code", "build")
    for tree in (workload.tree.value.get("ahead") or {}).values():
        files = tree.get("data") or {} if tree["kind"] == "ConfigMap" else {}
        recipe = next((text for key, text in files.items() if key.startswith("Dockerfile-tjgen")), "")
        stages: set[str] = set()
        for line in recipe.splitlines():
            words = [word for word in line.split() if not word.startswith("--")]
            if not words or words[0].upper() != "FROM":
                continue
            base = words[1] if len(words) > 1 else ""
            if base != "scratch" and base not in stages and not _DIGEST.match(base):
                message = f"the project requires digests, but the image is built on {base}, which has none"
                fix = f"FROM {base}@sha256:... in {code.build.dockerfile}" if code.build.dockerfile else "base: name@sha256:..."
                yield Diagnostic("TJ490", message, path=at, hint=f"write {fix}, or run tjgen pin")
            stages.update(words[3:4])
        if recipe:
            yield from _unpinned(code.build, recipe, files, at)


def _unpinned(build: Build, recipe: str, files: Mapping[str, str], at: FieldPath) -> Iterator[Diagnostic]:
    """TJ335 for packages without a version, from files, from the experiment, or guessed from imports."""
    from tjgen.language.codebase import dockerfile, packing  # few projects require digests
    from tjgen.language.codebase.requirements import normal

    if build.dockerfile is None:
        lists, named = dockerfile.lists_of(recipe), dockerfile.packages_of(recipe)
    else:
        lists, named = [build.requirements or "requirements.txt"], [*build.packages, *dockerfile.installed_by(recipe)]
    listed = [line for key in packing.keys(lists) for line in files.get(key, "").splitlines()]
    pinned = {normal(line.partition("==")[0].strip()) for line in listed if "==" in line}
    packages = dict.fromkeys(name for line in (*listed, *named) if (name := _loose(line)) and normal(name) not in pinned)
    loose = list(packages)
    if loose:
        message = f"the project requires digests, but the build installs packages without a version: {', '.join(loose)}"
        where = "" if lists or build.packages else " in requirements.txt"
        yield Diagnostic("TJ335", message, path=at, hint=f"write {loose[0]}==VERSION{where}")


def _loose(line: str) -> str | None:
    """The package of a line of requirements that names no exact version; None for a pinned one and for an option."""
    text = line.partition("#")[0].partition(";")[0].strip()
    if not text or text.startswith("-") or "==" in text or "@" in text or "://" in text:
        return None
    return regex.split(r"[\s<>=!~\[]", text)[0]


def _hint(image: str, because: FieldPath, setting: Setting) -> str:
    helpers = {rewrite(one, setting.rewrite): purpose for purpose, one in {**DEFAULTS, **setting.helpers}.items()}
    if image in helpers:
        return f"set {helpers[image]}: name@sha256:... in images.helpers of the Platform"
    return "run tjgen pin, or use another runtime" if because == (*SPEC, "runtime") else "run tjgen pin, or write name@sha256:..."


def _is_built(image: str, experiment: Experiment) -> bool:
    code = experiment.spec.code
    return code is not None and code.build is not None and image.startswith(f"{code.build.image}:{CONTENT_TAG}")
