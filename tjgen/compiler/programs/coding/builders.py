"""What to build and where to push it -> the pod that does so with BuildKit (without root) or Kaniko."""

from __future__ import annotations

from tjgen.compiler.programs import pods
from tjgen.compiler.programs.coding.git import TARGET, container, secrets
from tjgen.compiler.programs.coding.placing import VOLUME
from tjgen.compiler.programs.containers import image_of_program, script, shell
from tjgen.language.setting import Setting
from tjgen.language.spec.forms import text
from tjgen.language.spec.objects import Build, GitCode
from tjgen.trees.fields.path import Tree
from tjgen.trees.typing import NamedTuple

CONTEXT = "/tjgen/context"
PACKED = "/tjgen/packed"
RECIPE = "/tjgen/recipe"
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


def pod(options: Build, image: str, context: Context, setting: Setting) -> Tree:
    """The spec of the pod: the context is put together first, then built and pushed."""
    recipe = {
        "name": "recipe",
        "configMap": {"name": context.config_map, "items": [{"key": context.dockerfile, "path": "Dockerfile"}]},
    }
    volumes: list[Tree] = [recipe]
    first: list[Tree] = []
    folder = CONTEXT
    if context.git is not None:
        fetch = container("fetch", context.git, context.commit, image_of_program("git", setting))
        first = [pods.secured_in_run(fetch, pods.UNRELATED)]
        volumes += [{"name": VOLUME, "emptyDir": {}}, *secrets(context.git)]
        mounts: list[Tree] = [{"name": VOLUME, "mountPath": TARGET}]
        folder = f"{TARGET}/{context.git.path}" if context.git.path is not None else TARGET
    else:
        mounts = [{"name": "context", "mountPath": CONTEXT}]
        volumes.append({"name": "context", "emptyDir": {}})
        if context.items:
            volumes.append({"name": "packed", "configMap": {"name": context.config_map, "items": context.items}})
            packed = {"name": "packed", "mountPath": PACKED, "readOnly": True}
            variables = {"PACKED": PACKED, "CONTEXT": CONTEXT}
            first = [shell("unpack", image_of_program("shell", setting), script("unpack.sh"), variables, [*mounts, packed])]
    mounts.append({"name": "recipe", "mountPath": RECIPE, "readOnly": True})
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
            f"--local=dockerfile={RECIPE}",
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
        "args": [f"--context=dir://{folder}", f"--dockerfile={RECIPE}/Dockerfile", f"--destination={image}", *kept],
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
