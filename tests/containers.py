"""A container of a built manifest -> the program in it, run here under one of the shells that images have."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

SHELLS: dict[str, list[str]] = {
    name: words
    for name, words in {"dash": ["dash"], "bash": ["bash", "--posix"], "busybox": ["busybox", "sh"]}.items()
    if shutil.which(words[0])
}
"""Shells of this machine that stand for those of images, by name."""
OTHER_USER = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
"""What starts a program as a user whom permissions bind."""
needs_other_user = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("setpriv") is None, reason="root and setpriv make a user who cannot read"
)
_REFERENCE = re.compile(r"\$\$|\$\(([^)]*)\)")


def find(pod: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The container `name` of a pod's spec."""
    [found] = [one for one in [*pod.get("initContainers", ()), *pod["containers"]] if one["name"] == name]
    return dict(found)


def pod_of(tree: Mapping[str, Any]) -> dict[str, Any]:
    """The pod's spec of a Job or a CronJob."""
    job = tree["spec"]["jobTemplate"]["spec"] if tree["kind"] == "CronJob" else tree["spec"]
    return dict(job["template"]["spec"])


def environment(container: Mapping[str, Any]) -> dict[str, str]:
    """The variables of a container that have a value, as the kubelet expands them."""
    found: dict[str, str] = {}
    for one in container.get("env", ()):
        if "value" in one:
            found[one["name"]] = _expanded(one["value"], found)
    return found


def run(
    shell: str,
    container: Mapping[str, Any],
    change: Mapping[str, str | Path],
    *,
    timeout: float = 60,
    prefix: tuple[str, ...] = (),
) -> subprocess.CompletedProcess[str]:
    """Run the program as the kubelet would, with the variables of the manifest and `change` over them."""
    assert container["command"] == ["/bin/sh", "-c"]
    variables = environment(container)
    [text] = container["args"]
    words = [*prefix, *SHELLS[shell], "-c", _expanded(text, variables)]
    told = {"PATH": os.environ["PATH"], **variables, **{key: str(value) for key, value in change.items()}}
    if shell == "busybox":
        told["PATH"] = f"{applets()}:{told['PATH']}"
    return subprocess.run(words, env=told, capture_output=True, text=True, check=False, timeout=timeout)


def open_to_others(folder: Path) -> None:
    """Let other users reach a folder of a test."""
    for one in (folder, *folder.parents):
        if one.is_relative_to("/tmp") and one != Path("/tmp"):
            one.chmod(0o755)


@cache
def applets() -> Path:
    """A folder with the tools of BusyBox, as an image of BusyBox or Alpine has them in place of GNU's."""
    folder = Path(mkdtemp(prefix="applets-"))
    atexit.register(shutil.rmtree, folder)
    for name in (
        "awk",
        "cat",
        "cp",
        "cut",
        "date",
        "find",
        "grep",
        "head",
        "id",
        "ln",
        "mkdir",
        "mktemp",
        "mv",
        "rm",
        "sed",
        "sort",
    ):
        (folder / name).symlink_to(str(shutil.which("busybox")))
    for name in ("sleep", "stat", "tail", "tr", "wc", "xargs"):
        (folder / name).symlink_to(str(shutil.which("busybox")))
    return folder


def _expanded(text: str, variables: Mapping[str, str]) -> str:
    """References to variables, as the kubelet replaces them (kubernetes/third_party/forked/golang/expansion `Expand`)."""
    return _REFERENCE.sub(lambda found: "$" if found[0] == "$$" else variables.get(found[1], found[0]), text)
