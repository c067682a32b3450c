"""API types of released Go modules -> `schemas/<project>/<release>/`, one file a kind, with its origin.

    python schemas/generate.py [--pin] [PROJECT/RELEASE ...]

Reads sets.yaml, runs the controller-gen release that the project uses over its API packages
(descriptions left out), and writes each kind's schema as JSON; the built-in kinds come from
modules/kubernetes the same way. modules/ pins every module by checksum, so that a run gives the
same bytes everywhere; `--pin` makes those pins anew. Needs Go and its module proxy, nothing else.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

from tjgen.validate.cel.rules import ruled

HERE = Path(__file__).resolve().parent
MODULES = HERE / "modules"
CONTROLLER_GEN = "sigs.k8s.io/controller-tools/cmd/controller-gen"
MODULE = "tjgen.dev/schemas"
"""The name of every module below modules/: none of them is ever required by another."""
WIDTH = 140
"""Longest line of a schema file: short enough to review, long enough to load fast."""


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pin", action="store_true", help="make modules/ anew for these sets")
    parser.add_argument("sets", nargs="*", metavar="PROJECT/RELEASE")
    options = parser.parse_args(arguments)
    sets = {
        f"{project}/{release}": how
        for project, releases in yaml.safe_load((HERE / "sets.yaml").read_text()).items()
        for release, how in releases.items()
    }
    unknown = [name for name in options.sets if name not in sets]
    if unknown:
        parser.error(f"not in sets.yaml: {', '.join(unknown)}")
    for name in options.sets or sets:
        module = MODULES / name
        if options.pin or not (module / "go.sum").exists():
            pin(module, sets[name])
        with tempfile.TemporaryDirectory() as scratch:
            generate(module, sets[name], Path(scratch))
            schemas = dict(converted(Path(scratch), sets[name].get("kinds")))
            lists = {file.name: file.read_text() for file in sorted(Path(scratch).glob("*.txt"))}
        write(HERE / name, schemas | lists, origin(module, sets[name]))
        sys.stdout.write(f"{name}: {len(schemas)} kinds, {sum(map(len, schemas.values()))} bytes\n")
    (HERE / "index.json").write_text(laid_out(index(list(sets))) + "\n")


def pin(module: Path, how: dict[str, Any]) -> None:
    """Write go.mod and go.sum of a set, and the file that names its packages."""
    module.mkdir(parents=True, exist_ok=True)
    for stale in ("go.mod", "go.sum"):
        (module / stale).unlink(missing_ok=True)
    if "packages" in how:
        imports = "".join(f'\t_ "{package}"\n' for package in how["packages"])
        (module / "packages.go").write_text(
            "//go:build tools\n\n// Package schemas names the API packages that schemas are made from.\n"
            f"package schemas\n\nimport (\n{imports})\n"
        )
    go(module, "mod", "init", MODULE)
    for excluded in how.get("exclude", ()):
        go(module, "mod", "edit", f"-exclude={excluded}")
    for required in how["modules"]:
        go(module, "mod", "edit", f"-require={required}")
    go(module, "mod", "tidy")


def generate(module: Path, how: dict[str, Any], out: Path) -> None:
    """Leave one CustomResourceDefinition a kind in `out`."""
    if "program" in how:
        go(module, "run", ".", str(out), readonly=True)
        return
    generator = f"crd:maxDescLen=0{',generateEmbeddedObjectMeta=true' if how['embedded'] else ''}"
    paths = [f"paths={package}" for package in how["packages"]]
    run([str(controller_gen(how["generator"])), generator, *paths, f"output:crd:artifacts:config={out}"], module)


def controller_gen(version: str) -> Path:
    """The controller-gen of a release, built from its pinned module."""
    module = MODULES / "controller-gen" / version
    binary = Path(tempfile.gettempdir()) / f"tjgen-controller-gen-{os.getuid()}" / version
    if not (module / "go.sum").exists():
        module.mkdir(parents=True, exist_ok=True)
        (module / "go.mod").unlink(missing_ok=True)
        go(module, "mod", "init", MODULE)
        go(module, "get", "-tool", f"{CONTROLLER_GEN}@{version}")
        go(module, "mod", "tidy")
    go(module, "build", "-o", str(binary), CONTROLLER_GEN, readonly=True)
    return binary


def converted(crds: Path, kinds: list[str] | None) -> Any:
    """File name and text of the schema of every served version of the kinds."""
    for file in sorted(crds.glob("*.yaml")):
        crd = yaml.safe_load(file.read_text())["spec"]
        if kinds and crd["names"]["kind"] not in kinds:
            continue
        for version in crd["versions"]:
            if version["served"]:
                name = f"{crd['group'] or 'core'}_{version['name']}_{crd['names']['kind'].lower()}.json"
                yield name, laid_out(schema_of(crd, version)) + "\n"


def schema_of(crd: dict[str, Any], version: dict[str, Any]) -> dict[str, Any]:
    """The version's schema; its root also says how the kind is served, and where its CEL rules stand."""
    subresources = version.get("subresources", {})
    resource = {"plural": crd["names"]["plural"], "scope": crd["scope"], "status": "status" in subresources}
    if "scale" in subresources:
        resource["scale"] = subresources["scale"]
    gvk = {"group": crd["group"], "version": version["name"], "kind": crd["names"]["kind"]}
    schema = version["schema"]["openAPIV3Schema"]
    if "metadata" not in schema["properties"]:
        return schema  # ObjectMeta itself
    # The metadata of an object is the same everywhere and stands in a file of its own.
    properties = {**schema["properties"], "metadata": {"type": "object"}}
    rules = ruled(schema)
    extensions = {} if rules is None else {"x-tjgen-rules": rules}
    extensions |= {"x-kubernetes-group-version-kind": [gvk], "x-tjgen-resource": resource}
    return {**schema, "properties": properties, **extensions}


def laid_out(value: Any, depth: int = 0) -> str:
    """`value` as JSON with sorted keys, broken into lines only where it would be too long for one."""
    line = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    if len(line) + depth <= WIDTH or not isinstance(value, (dict, list)):
        return line
    pad = " " * (depth + 1)
    if isinstance(value, list):
        parts = [laid_out(item, depth + 1) for item in value]
    else:
        parts = [f"{json.dumps(key, ensure_ascii=False)}:{laid_out(value[key], depth + 1)}" for key in sorted(value)]
    opening, closing = ("[", "]") if isinstance(value, list) else ("{", "}")
    return opening + "\n" + pad + (",\n" + pad).join(parts) + closing


def origin(module: Path, how: dict[str, Any]) -> list[str]:
    """The modules that a set was made from, with the checksums of its go.sum."""
    tools = module if "program" in how else MODULES / "controller-gen" / how["generator"]
    lines = [f"module {name} {version} {checksum(module, name, version)}" for name, version in map(split, how["modules"])]
    name = CONTROLLER_GEN.removesuffix("/cmd/controller-gen")
    return [*lines, f"generator {name} {how['generator']} {checksum(tools, name, how['generator'])}", "licence Apache-2.0"]


def split(module: str) -> tuple[str, str]:
    name, _, version = module.partition("@")
    return name, version


def checksum(module: Path, name: str, version: str) -> str:
    found = re.search(rf"^{re.escape(name)} {re.escape(version)} (h1:\S+)$", (module / "go.sum").read_text(), re.MULTILINE)
    if found is None:
        raise SystemExit(f"{module}/go.sum has no {name} {version}: pin the set anew")
    return found[1]


def write(folder: Path, schemas: dict[str, str], lines: list[str]) -> None:
    """Put a set's files and their SOURCE in place of what stood there."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, text in schemas.items():
        (folder / name).write_text(text)
        lines = [*lines, f"sha256 {hashlib.sha256(text.encode()).hexdigest()} {name}"]
    (folder / "SOURCE").write_text("\n".join(lines) + "\n")


def index(names: list[str]) -> dict[str, Any]:
    """Which project has a kind, and the releases of each project, oldest first as in sets.yaml."""
    kinds: dict[str, str] = {}
    releases: dict[str, list[str]] = {}
    for project, release in (name.split("/") for name in names):
        if not (HERE / project / release).exists():
            continue
        releases.setdefault(project, []).append(release)
        for file in sorted((HERE / project / release).glob("*.json")):
            for gvk in json.loads(file.read_text()).get("x-kubernetes-group-version-kind", ()):
                kinds["/".join(filter(None, (gvk["group"], gvk["version"], gvk["kind"])))] = project
    return {"kinds": kinds, "newest": {project: found[-1] for project, found in releases.items()}, "releases": releases}


def go(folder: Path, *arguments: str, readonly: bool = False) -> None:
    run(["go", *arguments], folder, GOFLAGS="-mod=readonly" if readonly else "-mod=mod")


def run(command: list[str], folder: Path, **environment: str) -> None:
    flags = {"GOFLAGS": "-mod=readonly", "GOWORK": "off", **environment}
    subprocess.run(command, cwd=folder, env={**os.environ, **flags}, check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
