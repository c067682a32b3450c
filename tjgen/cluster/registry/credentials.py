"""The configuration of Docker's command line -> who we are to a registry.

`config.json` in `$DOCKER_CONFIG` or `~/.docker` holds names and passwords, or names a program that
does (docker/cli `cli/config/configfile`, docker/docker-credential-helpers). Other tools write it too.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
import subprocess
from collections.abc import Mapping

from tjgen.cluster.registry.failure import DENIED, RegistryError
from tjgen.trees.typing import Any, NamedTuple

_HUB = ("https://index.docker.io/v1/", "index.docker.io", "docker.io", "registry-1.docker.io")
_TOKEN = "<token>"
"""The name that helpers give to an identity token."""
_PATIENCE = 30.0


class Credentials(NamedTuple):
    """A user name and a password, or a token that replaces both."""

    user: str = ""
    password: str = ""
    identity: str = ""

    @property
    def basic(self) -> str:
        """The value of an `Authorization` header."""
        return "Basic " + base64.b64encode(f"{self.user}:{self.password}".encode()).decode()


def find(registry: str, environment: Mapping[str, str] = os.environ) -> Credentials | None:
    """The credentials for a registry, as references name it. Raises RegistryError where the file cannot be understood."""
    folder = environment.get("DOCKER_CONFIG") or os.path.join(environment.get("HOME") or os.path.expanduser("~"), ".docker")
    file = os.path.join(folder, "config.json")
    try:
        with open(file, encoding="utf-8") as stream:
            config = json.load(stream)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise RegistryError(DENIED, f"{file} cannot be read: {error}") from error
    names = _HUB if registry == "docker.io" else (registry, f"https://{registry}", f"http://{registry}")
    helper = _entry(config, "credHelpers", names) or (config.get("credsStore") if config.__class__ is dict else None)
    if helper:
        credentials = _from_helper(str(helper), names[0])
        if credentials is not None:
            return credentials
    return _stored(_entry(config, "auths", names), file)


def _entry(config: Any, section: str, names: tuple[str, ...]) -> Any:
    entries = config.get(section) if config.__class__ is dict else None
    if entries.__class__ is not dict:
        return None
    # Some tools write the address of the API, with its path.
    by_host = {key.removesuffix("/v1/").removesuffix("/v2/").rstrip("/"): value for key, value in entries.items()}
    return next((entry for name in names if (entry := entries.get(name) or by_host.get(name))), None)


def _stored(entry: Any, file: str) -> Credentials | None:
    if entry.__class__ is not dict:
        return None
    if entry.get("identitytoken"):
        return Credentials(identity=str(entry["identitytoken"]))
    if entry.get("auth"):
        try:
            user, colon, password = base64.b64decode(str(entry["auth"]), validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            colon = ""
        if not colon:
            raise RegistryError(DENIED, f"{file} contains an auth entry that is not a name and a password")
        return Credentials(user, password.rstrip("\0"))
    if entry.get("username"):
        return Credentials(str(entry["username"]), str(entry.get("password", "")))
    return None


def _from_helper(helper: str, server: str) -> Credentials | None:
    """Return the answer of a credential helper; None if it is not installed or has no entry, as in Docker."""
    program = f"docker-credential-{helper}"
    try:
        answer = subprocess.run([program, "get"], input=server.encode(), capture_output=True, check=False, timeout=_PATIENCE)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RegistryError(DENIED, f"{program} cannot provide credentials: {error}") from error
    if answer.returncode != 0:
        return None
    try:
        content = json.loads(answer.stdout)
        user, secret = str(content["Username"]), str(content["Secret"])
    except (ValueError, KeyError, TypeError) as error:
        raise RegistryError(DENIED, f"{program} answers with no name and secret") from error
    return Credentials(identity=secret) if user == _TOKEN else Credentials(user, secret)
