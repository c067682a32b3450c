"""API types of released Go modules -> `schemas/<project>/<release>/`, one file a kind, with its origin.

    python schemas/generate.py [--pin | --check | --definitions FOLDER] [PROJECT/RELEASE ...]

Reads sets.yaml, runs the controller-gen release that the project uses over its API packages
(descriptions left out), and writes each kind's schema as JSON, and the runtimes of Trainer; the built-in kinds come from
modules/kubernetes the same way. modules/ pins every module by checksum, so that a run gives the
same bytes everywhere. `--pin` pins the modules again, and `--check` writes nothing and fails if a file is out of date.
`--definitions` writes the CustomResourceDefinitions themselves, of the newest release of each project or of the named
ones, for a program that compares validation. Needs Go and its module proxy, nothing else.
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
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from tjgen.cluster.schema.definition import SchemaFile, laid_out, schema_files

HERE = Path(__file__).resolve().parent
MODULES = HERE / "modules"
CONTROLLER_GEN = "sigs.k8s.io/controller-tools/cmd/controller-gen"
MODULE = "tjgen.dev/schemas"
"""The name of every module below modules/: none of them is ever required by another."""


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--pin", action="store_true", help="make modules/ anew for these sets")
    mode.add_argument("--check", action="store_true", help="write nothing, compare")
    mode.add_argument("--definitions", metavar="FOLDER", type=Path, help="write the CustomResourceDefinitions here")
    parser.add_argument("sets", nargs="*", metavar="PROJECT/RELEASE")
    options = parser.parse_args(arguments)
    sets = {f"{project}/{release}": how for project, releases in read_sets().items() for release, how in releases.items()}
    unknown = [name for name in options.sets if name not in sets]
    if unknown:
        parser.error(f"not in sets.yaml: {', '.join(unknown)}")
    if options.definitions is not None:
        newest = {name.partition("/")[0]: name for name in sets}.values()
        for name in options.sets or newest:
            if "program" not in sets[name]:  # The kinds of Kubernetes are built in.
                folder = options.definitions / name
                folder.mkdir(parents=True, exist_ok=True)
                generate(MODULES / name, sets[name], folder)
        return
    stale: list[str] = []
    for name in options.sets or sets:
        module = MODULES / name
        if options.pin or not (module / "go.sum").exists():
            pin(module, sets[name])
        files = made(module, sets[name])
        if not options.check:
            write(HERE / name, files)
        elif files != {file.name: file.read_text() for file in (HERE / name).glob("*")}:
            stale.append(name)
        sys.stdout.write(f"{name}: {len(files) - 1} files, {sum(map(len, files.values()))} bytes\n")
    if stale:
        raise SystemExit(f"not what the pipeline makes: {', '.join(stale)}")
    if not options.check:
        (HERE / "index.json").write_text(laid_out(index(list(sets))) + "\n")


def read_sets() -> dict[str, dict[str, Any]]:
    """Project -> release -> how its schemas are generated, in the order of sets.yaml."""
    projects: dict[str, dict[str, Any]] = yaml.safe_load((HERE / "sets.yaml").read_text())
    return projects


def made(module: Path, how: dict[str, Any]) -> dict[str, str]:
    """Name and text of every file of a set, with the SOURCE that says where they are from."""
    with tempfile.TemporaryDirectory() as scratch:
        generate(module, how, Path(scratch))
        files = {file.name: file.text for file in converted(Path(scratch), how.get("kinds"), how.get("unchecked"))}
        files |= {file.name: file.read_text() for file in sorted(Path(scratch).glob("*.txt"))}
    if "runtimes" in how:
        own, _ = split(how["modules"][0])
        files["runtimes.json"] = laid_out({"items": runtimes(folder_of(module, own) / how["runtimes"])}) + "\n"
    sums = [f"sha256 {hashlib.sha256(text.encode()).hexdigest()} {name}" for name, text in files.items()]
    return {**files, "SOURCE": "\n".join([*origin(module, how), *sums]) + "\n"}


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
    environment = {"GONOSUMDB": split(how["modules"][0])[0]} if how.get("unverified") else {}
    run(["go", "mod", "tidy"], module, GOFLAGS="-mod=mod", **environment)


def generate(module: Path, how: dict[str, Any], out: Path) -> None:
    """Leave one CustomResourceDefinition a kind in `out`."""
    if "program" in how:
        go(module, "run", ".", str(out), readonly=True)
        return
    if "released" in how:
        own, _ = split(how["modules"][0])
        for file in (folder_of(module, own) / how["released"]).glob("*.yaml"):
            if file.name != "kustomization.yaml":
                shutil.copy(file, out)
        return
    generator = f"crd:maxDescLen=0{',generateEmbeddedObjectMeta=true' if how['embedded'] else ''}"
    generator += ",allowDangerousTypes=true" if how.get("floats") else ""
    paths = [f"paths={package}" for package in how["packages"]]
    run([str(controller_gen(how["generator"])), generator, *paths, f"output:crd:artifacts:config={out}"], module)


def folder_of(module: Path, name: str) -> Path:
    """The files of a pinned module that is required by name, in the module cache of Go."""
    command = ["go", "list", "-m", "-f", "{{.Dir}}", name]
    return Path(subprocess.run(command, cwd=module, check=True, capture_output=True, text=True).stdout.strip())


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


def converted(crds: Path, kinds: list[str] | None, unchecked: str | None = None) -> Iterator[SchemaFile]:
    """The schema of every served version of the kinds. `unchecked` describes what a schema does not check."""
    for file in sorted(crds.glob("*.yaml")):
        definition = yaml.safe_load(file.read_text())
        if unchecked is not None:
            for version in definition["spec"]["versions"]:
                version["schema"]["openAPIV3Schema"]["x-tjgen-unchecked"] = [unchecked]
        if not kinds or definition["spec"]["names"]["kind"] in kinds:
            yield from schema_files(definition)


def runtimes(folder: Path) -> list[Any]:
    """The runtimes that a release installs, by name: `tjgen import` reads them if a TrainJob comes without its runtime."""
    documents = [one for file in folder.rglob("*.yaml") for one in yaml.safe_load_all(file.read_text())]
    return sorted((one for one in documents if one["kind"] == "ClusterTrainingRuntime"), key=lambda one: one["metadata"]["name"])


def origin(module: Path, how: dict[str, Any]) -> list[str]:
    """The modules that a set was made from, with the checksums of its go.sum."""
    lines = [f"module {name} {version} {checksum(module, name, version)}" for name, version in map(split, how["modules"])]
    if "released" in how:
        return [*lines, f"released {how['released']}", "licence Apache-2.0"]
    tools = module if "program" in how else MODULES / "controller-gen" / how["generator"]
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


def write(folder: Path, files: dict[str, str]) -> None:
    """Put a set's files in place of what stood there."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text)


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
