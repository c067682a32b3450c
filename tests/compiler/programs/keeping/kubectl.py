"""The few commands of kubectl that backup.sh runs, for machines without kubectl: get, create and delete over HTTP."""

from __future__ import annotations

import json
import os
import re
import sys
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

_PART = re.compile(r"\{range \.items\[\*\]\}|\{end\}|\{\"\\n\"\}|\{\.((?:[^}\\]|\\.)*)\}")


def request(method: str, path: str, body: Any = None) -> Any:
    with open(os.environ["KUBECONFIG"], encoding="utf-8") as stream:
        server = json.load(stream)["clusters"][0]["cluster"]["server"]
    url = f"{server}/apis/snapshot.storage.k8s.io/v1/namespaces/team/volumesnapshots{path}"
    data = json.dumps(body).encode() if body is not None else None
    with urlopen(Request(url, data, method=method)) as answer:
        return json.load(answer)


def get(names: list[str], template: str) -> str:
    found = []
    for name in names:
        try:
            found.append(request("GET", f"/{name}"))
        except HTTPError as error:
            if error.code != 404:
                raise
    if not found:
        return ""
    return "".join(printed(template, one) for one in found)


def printed(template: str, item: Any) -> str:
    """What a JSONPath template of fields and line ends prints for one object."""

    def value(match: re.Match[str]) -> str:
        if match[0] == '{"\\n"}':
            return "\n"
        if match[1] is None:
            return ""
        here = item
        for key in re.split(r"(?<!\\)\.", match[1]):
            here = here.get(key.replace("\\.", "."), {}) if isinstance(here, dict) else {}
        return "" if here == {} else json.dumps(here) if isinstance(here, bool) else str(here)

    return _PART.sub(value, template)


def main(verb: str, *words: str) -> None:
    try:
        if verb == "get":
            names = [word for word in words[1:] if not word.startswith(("-", "jsonpath="))]
            [template] = [word.removeprefix("jsonpath=") for word in words if word.startswith("jsonpath=")]
            sys.stdout.write(get(names, template))
        elif verb == "create":
            import yaml  # slow to load, and few commands need it

            with open(words[words.index("-f") + 1], encoding="utf-8") as stream:
                request("POST", "", yaml.safe_load(stream))
        else:
            assert verb == "delete"
            request("DELETE", f"/{words[1]}")
    except HTTPError as error:
        sys.exit(json.load(error)["message"])


if __name__ == "__main__":
    main(*sys.argv[1:])
