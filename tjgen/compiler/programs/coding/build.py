"""`code.build` -> a Job that builds the image in the cluster before the runs, and its tag in every pod that trains.

The tag is the digest of what goes into the image, the name of the Job that of all that it does: so an image
that exists is not built again, and a Job, which cannot be changed, need not be.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256

from tjgen.compiler.programs import pods, reading
from tjgen.compiler.programs.coding import git
from tjgen.compiler.programs.coding.choice import is_baked
from tjgen.compiler.programs.coding.configmap import read
from tjgen.compiler.programs.coding.git import TARGET, container, secrets
from tjgen.compiler.programs.coding.placing import AT, VOLUME, place, placement, python_path
from tjgen.compiler.programs.coding.workspace import digest_of, files_of, unreadable
from tjgen.compiler.programs.containers import image_of_program, script, shell
from tjgen.compiler.programs.objects import metadata
from tjgen.language.codebase import dockerfile, files, imports, packing, problems, requirements
from tjgen.language.resolve.volume_paths import leads_out
from tjgen.language.setting import Setting
from tjgen.language.spec import characters
from tjgen.language.spec.forms import text
from tjgen.language.spec.objects import Build, Code, Experiment, GitCode
from tjgen.trees.canonical import json_text, sha256_hex
from tjgen.trees.diagnostics.credentials import find, find_in_address
from tjgen.trees.diagnostics.model import Diagnostic, has_errors
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.files.sandbox import Sandbox
from tjgen.trees.k8s import duration
from tjgen.trees.typing import NamedTuple
from tjgen.trees.workload.contribution import EXPERIMENT, Contribution, Contributions
from tjgen.trees.workload.roles import members, programs
from tjgen.trees.workload.workload import Workload

BUILD: FieldPath = (*AT, "build")
_REFERENCE = re.compile(r"[a-z0-9.-]+(:[0-9]+)?(/[a-z0-9]+([._-]+[a-z0-9]+)*)+")


class Recipe(NamedTuple):
    """What goes into the image."""

    dockerfile: str
    packed: list[files.CodeFile]
    """What the context holds, unless it is fetched."""
    fetched: Sequence[str]
    """Repository, commit and folder, where the context is fetched."""

    def digest(self) -> str:
        """What makes the image the image that it is."""
        content = files.digest(self.packed) if not self.fetched else ""
        return sha256(json_text([self.dockerfile, content, list(self.fetched)]).encode()).hexdigest()


def deliver(code: Code, workload: Workload, experiment: Experiment, setting: Setting) -> Contributions:
    """The Job, the ConfigMap that it reads, and the image of the pods."""
    build = code.build
    assert build is not None, "asked only where it is described"
    wrong = list(_problems(build, code))
    yield from wrong
    if wrong:
        return
    commit = ""
    if build.context == "git":
        assert code.git is not None, "a build from git has one, or there is a problem"
        for one in git.pinned(code.git, setting):
            if isinstance(one, Diagnostic):
                yield one
            else:
                commit = one
        if not commit:
            return
    recipe, problems = _recipe(code, build, commit, workload, experiment, setting)
    yield from problems
    if recipe is None or has_errors(problems):
        return
    try:
        packed = packing.pack(recipe.packed)
        image = f"{build.image}:tjgen-{recipe.digest()[:12]}"
    except files.FolderError as error:
        yield unreadable(build.directory or ".", error, BUILD)
        return
    dockerfile_key = "Dockerfile-tjgen"  # no key of a packed file: those of one folder have the file's own name
    while dockerfile_key in packed.data or dockerfile_key in packed.binary:
        dockerfile_key += "-"
    fields = packed._replace(data={**packed.data, dockerfile_key: recipe.dockerfile}).fields()
    name = f"{setting.family}-build-{sha256_hex(json_text(fields))[:10]}"
    text: Tree = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata(name, setting), "immutable": True, **fields}
    yield Contribution(("ahead", f"ConfigMap/{name}"), text, BUILD)
    context = Context(name, dockerfile_key, packed.items, code.git if commit else None, commit)
    pod = _builder_pod(build, image, context, setting)
    job = f"{setting.family}-build-{sha256_hex(json_text(pod))[:10]}"
    # No ttlSecondsAfterFinished: a sync would create the Job again each time, and build again.
    tree = pods.job(job, "build", pod, setting, deadline=duration.seconds(build.deadline), backoffLimit=2)
    yield Contribution(("ahead", f"Job/{job}"), tree, BUILD)
    for podset in members(workload):
        own = experiment.spec.roles.get(podset.name)
        if own is None or own.image is None:
            # It replaces the user's image, as requested: `image` is the base of the build.
            yield Contribution((*podset.main, "image"), image, (*BUILD, "image"), manager=EXPERIMENT)
            if is_baked(code):
                yield from placement(workload, podset, code, experiment, place(code, experiment), BUILD)


def local_files(code: Code, folder: str, sandbox: Sandbox) -> dict[str, str]:
    """The digest of the code that goes into the image, or the commit that it is fetched by."""
    build = code.build
    assert build is not None, "asked only where it is described"
    directory = build.directory or "."
    if build.context == "git":
        return git.local_files(code, folder, sandbox) if code.git is not None else {}
    wanted = files_of(sandbox, folder, directory, tuple(build.include), tuple(build.exclude))
    if not is_baked(code) and build.dockerfile is None:
        wanted = _listing(build, wanted)
    return {f"build:{key}": value for key, value in digest_of(directory, wanted).items()}


def _problems(build: Build, code: Code) -> Iterator[Diagnostic]:
    secrets = list(_in_fields(build))
    yield from secrets
    if not secrets and not _REFERENCE.fullmatch(build.image):
        message = f"build pushes to a repository, but {build.image} is not one"
        hint = "write registry/path in lower case, without tag and digest: the tag follows the content"
        yield Diagnostic(problems.TAGGED, message, path=(*BUILD, "image"), hint=hint)
    if build.context == "git" and code.git is None:
        message = "the context comes from git, but code has no git"
        yield Diagnostic(problems.WAYS, message, path=(*BUILD, "context"), hint="describe the repository in code.git")
    for field in ("requirements", "dockerfile"):
        path = getattr(build, field)
        if path is not None and leads_out(path):
            yield Diagnostic(
                problems.OUTSIDE, f"{field} {path} points outside the folder", path=(*BUILD, field), hint="name a file in it"
            )


def _recipe(
    code: Code, build: Build, commit: str, workload: Workload, experiment: Experiment, setting: Setting
) -> tuple[Recipe | None, list[Diagnostic]]:
    directory = build.directory or "."
    baked = is_baked(code)
    try:
        everything = files.matching_files(
            setting.sandbox, os.path.join(setting.directory, directory), build.include, build.exclude
        )
        known = {file.path: file for file in everything}
        for field, path in (("requirements", build.requirements), ("dockerfile", build.dockerfile)):
            if path is not None and path not in known:
                message = f"{directory} has no file {path}"
                return None, [
                    Diagnostic(
                        problems.UNREADABLE, message, path=(*BUILD, field), hint="name a file that include and exclude select"
                    )
                ]
        listing = _listing(build, everything)
        own = [known[build.dockerfile]] if build.dockerfile is not None else []
        secrets = list(_in_files(build, [*listing, *own]))
        if secrets:
            return None, secrets
        text, diagnostics = _dockerfile(build, everything, listing, baked, code, workload, experiment, setting)
    except files.FolderError as error:
        return None, [unreadable(directory, error, (*BUILD, "directory") if build.directory is not None else BUILD)]
    except OSError as error:
        return None, [Diagnostic(problems.UNREADABLE, f"{error.filename} cannot be read", path=BUILD, hint="correct its mode")]
    if text is None:
        return None, diagnostics
    if commit:
        assert code.git is not None
        return Recipe(text, [], [code.git.repository, commit, code.git.path or ""]), diagnostics
    if not baked and build.dockerfile is None:
        return Recipe(text, listing, []), diagnostics
    wanted, wrong = read(setting, directory, build.include, build.exclude, BUILD)
    return (Recipe(text, wanted, []), diagnostics) if not wrong else (None, [*diagnostics, *wrong])


def _dockerfile(
    build: Build,
    everything: list[files.CodeFile],
    listing: list[files.CodeFile],
    baked: bool,
    code: Code,
    workload: Workload,
    experiment: Experiment,
    setting: Setting,
) -> tuple[str | None, list[Diagnostic]]:
    known = {file.path: file for file in everything}
    if build.dockerfile is not None:
        return known[build.dockerfile].content().decode(errors="replace"), []
    base = build.base or _image(workload)
    if base is None:
        message = "no field sets the base image of the build"
        return None, [Diagnostic(problems.WAYS, message, path=BUILD, hint="add base")]
    if " " in base or base.startswith("-"):
        message = f'the base image "{base}" is not a valid image name'
        at = (*BUILD, "base") if build.base is not None else BUILD
        return None, [Diagnostic(problems.BASE, message, path=at, hint="write registry/path:tag")]
    lines: list[str] = []
    installed: list[str] = []
    for file in listing:
        text = file.content().decode(errors="replace")
        if file.path.endswith(".toml"):
            try:
                installed = requirements.of_project(text)
            except ValueError as error:
                message = f"the packages in {file.path} cannot be read: {error}"
                return None, [
                    Diagnostic(problems.UNREADABLE, message, path=BUILD, hint="correct it, or set requirements to another file")
                ]
        else:
            lines += text.splitlines()
    modules, broken = imports.needed(everything)
    diagnostics = [_broken(build, one) for one in broken]
    packages = [*installed, *build.packages]
    data = experiment.spec.data
    provided = [*build.provided, *([reading.MODULE] if data is not None and data.reader is not None else [])]
    missing = requirements.missing(modules, requirements.names([*lines, *packages]), provided)
    if reading.MODULE in missing:
        missing.remove(reading.MODULE)
        diagnostics.append(_unread(modules[reading.MODULE]))
    if missing and not listing:
        packages += sorted(requirements.distribution(module) for module in missing)
        diagnostics.append(_guessed(build, missing))
    elif missing:
        diagnostics += [_missing(build, module, modules[module]) for module in missing]
    pip = [file.path for file in listing if not file.path.endswith(".toml")]
    # What comes from files of the code was not checked with the experiment, and a quote does not keep a line together.
    strange = [text for text in (base, *pip, *packages) if characters.is_strange(text)]
    if strange:
        message = f"{strange[0]!a} contains a control character, which would add a line to the Dockerfile"
        return None, [Diagnostic(problems.CONTROL, message, path=BUILD, hint="correct the file that lists the packages")]
    folder = place(code, experiment)
    text = dockerfile.written(
        setting.emitted(base),
        system=build.system,
        requirements=pip[:1],
        reads=pip,
        packages=packages,
        code=folder if baked else None,
        python_path=python_path(code.python_path, folder),
    )
    return text, diagnostics


def _listing(build: Build, everything: list[files.CodeFile]) -> list[files.CodeFile]:
    """The file that lists the packages, and behind it those that it reads."""
    known = {file.path: file for file in everything}
    candidates = [build.requirements] if build.requirements is not None else ["requirements.txt", "pyproject.toml"]
    first = next((path for path in candidates if path in known), None)
    listing: dict[str, files.CodeFile] = {}
    waiting = [first] if first is not None else []
    while waiting:
        path = waiting.pop(0)
        if path in known and path not in listing:
            listing[path] = known[path]
            if not path.endswith(".toml"):
                folder = path.rpartition("/")[0]
                others = requirements.references(known[path].content().decode(errors="replace"))
                waiting += [f"{folder}/{other}" if folder else other for other in others]
    return list(listing.values())


def _image(workload: Workload) -> str | None:
    """The image that the program would run in."""
    for podset in programs(workload):
        image = get(workload.tree.value, (*podset.main, "image"), None)
        if image:
            return str(image)
    return None


def _broken(build: Build, error: imports.BrokenError) -> Diagnostic:
    message = f"{build.directory or '.'}/{error.place.path}:{error.place.line} is not valid Python: {error}"
    return Diagnostic(problems.SYNTAX, message, path=BUILD, hint="correct it, or exclude it")


def _unread(where: imports.ImportSite) -> Diagnostic:
    message = f"{where.path}:{where.line} imports {reading.MODULE}, but nothing adds it to the pods"
    return Diagnostic("TJ162", message, path=BUILD, hint="set data.reader: v1")


def _missing(build: Build, module: str, where: imports.ImportSite) -> Diagnostic:
    message = f"{where.path}:{where.line} imports {module}, which no listed package provides"
    hint = f"list {requirements.distribution(module)}, or add {module} to provided if the base image has it"
    return Diagnostic(problems.IMPORTS, message, path=BUILD, hint=hint)


def _guessed(build: Build, modules: list[str]) -> Diagnostic:
    names = ", ".join(sorted(requirements.distribution(module) for module in modules))
    message = f"no file lists the packages, so pip installs those that the code imports and the base image lacks: {names}"
    hint = "write requirements.txt with versions, or add the packages of the base image to provided"
    return Diagnostic(problems.UNPINNED, message, path=BUILD, hint=hint)


# What to build and where to push it -> the pod that does so with BuildKit (without root) or Kaniko.

_CONTEXT = "/tjgen/context"
_PACKED = "/tjgen/packed"
_RECIPE = "/tjgen/recipe"
_KEYS = "/tjgen/registry"
_ID = 1000
"""The user of BuildKit's image without root (its Dockerfile, target rootless)."""
_USERS = {
    "buildkit": pods.User({"runAsUser": _ID, "runAsGroup": _ID, "fsGroup": _ID}, is_root=False, touches_files_of_run=False),
    "kaniko": pods.UNRELATED,
}
"""Builder -> the user that puts the context together."""


class Context(NamedTuple):
    """What the builder reads."""

    config_map: str
    dockerfile: str
    """Key of the Dockerfile in the ConfigMap."""
    items: list[Tree]
    """The packed files."""
    git: GitCode | None
    commit: str


def _builder_pod(options: Build, image: str, context: Context, setting: Setting) -> Tree:
    """The spec of the pod: the context is put together first, then built and pushed."""
    recipe = {
        "name": "recipe",
        "configMap": {"name": context.config_map, "items": [{"key": context.dockerfile, "path": "Dockerfile"}]},
    }
    volumes: list[Tree] = [recipe]
    first: list[Tree] = []
    folder = _CONTEXT
    if context.git is not None:
        fetch = container("fetch", context.git, context.commit, image_of_program("git", setting))
        first = [pods.secured_in_run(fetch, pods.UNRELATED)]
        volumes += [{"name": VOLUME, "emptyDir": {}}, *secrets(context.git)]
        mounts: list[Tree] = [{"name": VOLUME, "mountPath": TARGET}]
        folder = f"{TARGET}/{context.git.path}" if context.git.path is not None else TARGET
    else:
        mounts = [{"name": "context", "mountPath": _CONTEXT}]
        volumes.append({"name": "context", "emptyDir": {}})
        if context.items:
            volumes.append({"name": "packed", "configMap": {"name": context.config_map, "items": context.items}})
            packed = {"name": "packed", "mountPath": _PACKED, "readOnly": True}
            variables = {"PACKED": _PACKED, "CONTEXT": _CONTEXT}
            first = [shell("unpack", image_of_program("shell", setting), script("unpack.sh"), variables, [*mounts, packed])]
    mounts.append({"name": "recipe", "mountPath": _RECIPE, "readOnly": True})
    if options.secret is not None:
        keys = {"secretName": options.secret, "items": [{"key": ".dockerconfigjson", "path": "config.json"}]}
        volumes.append({"name": "registry", "secret": keys})
        mounts.append({"name": "registry", "mountPath": _KEYS, "readOnly": True})
    build = _BUILDERS[options.builder](options, image, folder, mounts, volumes, setting)
    build["resources"] = _resources(options)
    if options.secret is not None:
        build["env"] = [*build.get("env", []), {"name": "DOCKER_CONFIG", "value": _KEYS}]
    return pods.pod([build], volumes, _USERS[options.builder], first=first)


def _buildkit(
    build: Build, image: str, folder: str, mounts: list[Tree], volumes: list[Tree], setting: Setting
) -> dict[str, Tree]:
    volumes.append({"name": "layers", "emptyDir": {}})
    cache = _cache(build)
    kept = [f"--export-cache=type=registry,ref={cache},mode=max", f"--import-cache=type=registry,ref={cache}"] if cache else []
    return {
        "name": "build",
        "image": image_of_program("buildkit", setting),
        "command": ["buildctl-daemonless.sh"],
        "args": [
            "build",
            "--frontend=dockerfile.v0",
            f"--local=context={folder}",
            f"--local=dockerfile={_RECIPE}",
            f"--output=type=image,name={image},push=true",
            *kept,
        ],
        # Without root there is no sandbox for the processes of a build, and the defaults of the two profiles forbid what it does.
        "env": [{"name": "BUILDKITD_FLAGS", "value": "--oci-worker-no-process-sandbox"}],
        "securityContext": {
            "runAsUser": _ID,
            "runAsGroup": _ID,
            "seccompProfile": {"type": "Unconfined"},
            "appArmorProfile": {"type": "Unconfined"},
        },
        "volumeMounts": [*mounts, {"name": "layers", "mountPath": "/home/user/.local/share/buildkit"}],
    }


def _kaniko(build: Build, image: str, folder: str, mounts: list[Tree], volumes: list[Tree], setting: Setting) -> dict[str, Tree]:
    cache = _cache(build)
    kept = ["--cache=true", f"--cache-repo={cache}"] if cache else ["--cache=false"]
    return {
        "name": "build",
        "image": image_of_program("kaniko", setting),
        "args": [f"--context=dir://{folder}", f"--dockerfile={_RECIPE}/Dockerfile", f"--destination={image}", *kept],
        # It unpacks images over its own root file system, so it runs as root and writes there.
        "securityContext": {"runAsUser": 0, "runAsGroup": 0, "runAsNonRoot": False},
        "volumeMounts": mounts,
    }


def _cache(build: Build) -> str | None:
    return None if build.cache == "none" else build.cache or f"{build.image}-cache"


def _resources(build: Build) -> Tree:
    amounts = {
        "cpu": text(build.cpu) if build.cpu is not None else "2",
        "memory": text(build.memory) if build.memory is not None else "8Gi",
    }
    return {"requests": amounts, "limits": amounts}


_BUILDERS = {"buildkit": _buildkit, "kaniko": _kaniko}


# What an image is built from -> the URLs in it that hold credentials: they would be in a ConfigMap and in the image.

_BUILD: FieldPath = (*AT, "build")
_HINT = "remove them: use a server that the cluster can read without them, or build the image elsewhere"


def _in_fields(build: Build) -> Iterator[Diagnostic]:
    """Credentials in fields of `code.build` (TJ388)."""
    for field in ("image", "base", "cache"):
        for url in find_in_address(getattr(build, field) or ""):
            yield _problem(url, (*_BUILD, field))
    for position, package in enumerate(build.packages):
        for url in find(package):
            yield _problem(url, (*_BUILD, "packages", position))


def _in_files(build: Build, read: Iterable[files.CodeFile]) -> Iterator[Diagnostic]:
    """Credentials in files of requirements and in the Dockerfile, each with its line. Raises FolderError or OSError."""
    for file in read:
        path = _path(build, file)
        for number, line in enumerate(file.content().decode(errors="replace").splitlines(), start=1):
            for url in find(line):
                yield _problem(url, path, f"{build.directory or '.'}/{file.path}:{number}: ")


def _path(build: Build, file: files.CodeFile) -> FieldPath:
    """The field that names the file, or the build as a whole."""
    named = next((field for field in ("requirements", "dockerfile") if getattr(build, field) == file.path), None)
    return (*_BUILD, named) if named is not None else _BUILD


def _problem(url: str, path: FieldPath, place: str = "") -> Diagnostic:
    message = f"{place}the URL {url} holds credentials, which everyone who can read the manifests or the image could use"
    return Diagnostic(problems.CREDENTIALS, message, path=path, hint=_HINT)
