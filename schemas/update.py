"""Newer releases of the projects in sets.yaml -> their sets in sets.yaml, their schemas, and what they change.

    python -m schemas.update [--list] [PROJECT/RELEASE ...]

Without arguments, this adds the newest release that the Go module proxy lists for each project. The proxy does not list the
releases of every module: the output names those projects, and you pass their releases as arguments. A new set is a copy of the
set before it with the new version, and with the release of controller-gen in the Makefile of the new version. `--list` writes
nothing. Needs Go and its module proxy.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from schemas import compare, generate

SETS = generate.HERE / "sets.yaml"
_RELEASE = re.compile(r"v(\d+)\.(\d+)\.(\d+)")
_GENERATOR = re.compile(r"(?:CONTROLLER_(?:TOOLS|GEN)_VERSION\s*[?:]?=\s*|controller-tools/cmd/controller-gen@)(v[\d.]+)")


class Set(NamedTuple):
    """A release of a project in sets.yaml."""

    project: str
    release: str

    def __str__(self) -> str:
        return f"{self.project}/{self.release}"


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--list", action="store_true", help="write nothing, list newer releases")
    parser.add_argument("sets", nargs="*", metavar="PROJECT/RELEASE")
    options = parser.parse_args(arguments)
    known = generate.read_sets()
    chosen = [parsed(text, known, parser) for text in options.sets] or newer_releases(known)
    if options.list or not chosen:
        sys.stdout.write("".join(f"{one}\n" for one in chosen) or "no newer release\n")
        return
    for one in chosen:
        add(one, known)
    generate.main([str(one) for one in chosen])
    for one in chosen:
        last = [*known[one.project]][-1]
        changes = [*compare.differences(generate.HERE / one.project / last, generate.HERE / str(one))]
        sys.stdout.write(
            f"\n{one}, compared with {last}: {len(changes)} differences\n" + "".join(f"  {line}\n" for line in changes)
        )


def parsed(text: str, known: dict[str, dict[str, Any]], parser: argparse.ArgumentParser) -> Set:
    """The set that an argument names; ends the program if the project is unknown or the release is in sets.yaml."""
    project, _, release = text.partition("/")
    if project not in known:
        parser.error(f"sets.yaml has no project {project}: add its first release by hand")
    if _RELEASE.match(release) is None or release in known[project]:
        parser.error(f"{text}: pass a release, such as v1.2.3, that sets.yaml does not have")
    return Set(project, release)


def newer_releases(known: dict[str, dict[str, Any]]) -> list[Set]:
    """The newest release of each project, if it is newer than the last one in sets.yaml."""
    newer = []
    for project, releases in known.items():
        last, how = [*releases.items()][-1]
        if "program" in how:
            continue  # A minor of Kubernetes takes more than a line: see README.md.
        module, _ = generate.split(how["modules"][0])
        listed = newest(versions_of(module))
        if listed is None:
            sys.stdout.write(
                f"{project}: the module proxy lists no release of {module}; look it up, and pass it as an argument\n"
            )
        elif ordinal(listed) > ordinal(last):
            newer.append(Set(project, listed))
    return newer


def versions_of(module: str) -> list[str]:
    """The versions of a module that the proxy lists; empty if it lists none."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "go.mod").write_text(f"module {generate.MODULE}\n", encoding="utf-8")
        command = ["go", "list", "-m", "-versions", "-json", module]
        done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
    found: list[str] = json.loads(done.stdout).get("Versions", []) if done.returncode == 0 else []
    return found


def newest(versions: list[str]) -> str | None:
    """The newest of the versions that are not prereleases."""
    return max((one for one in versions if _RELEASE.fullmatch(one)), key=ordinal, default=None)


def ordinal(release: str) -> tuple[int, ...]:
    """The numbers of a release, for comparison."""
    found = _RELEASE.match(release)
    return tuple(int(part) for part in found.groups()) if found is not None else ()


def add(one: Set, known: dict[str, dict[str, Any]]) -> None:
    """Write the set into sets.yaml, after the releases of its project."""
    last, how = [*known[one.project].items()][-1]
    module, version = generate.split(how["modules"][0])
    generator = how.get("generator", "")
    used = generator_of(module, one.release)
    if generator and used is None:
        sys.stdout.write(f"{one}: {module} has no Makefile with a release of controller-gen; {generator} stays\n")
    text = SETS.read_text(encoding="utf-8")
    changes = {f"{module}@{version}": f"{module}@{one.release}", f"generator: {generator}": f"generator: {used or generator}"}
    SETS.write_text(with_release(text, one, last, changes), encoding="utf-8")


def with_release(text: str, one: Set, last: str, changes: dict[str, str]) -> str:
    """sets.yaml with a copy of the release `last` of a project below it, with another name and these changes."""
    lines = text.splitlines(keepends=True)
    start = lines.index(f"  {last}:\n", lines.index(f"{one.project}:\n"))
    end = next((number for number in range(start + 1, len(lines)) if not lines[number].startswith("    ")), len(lines))
    copy = "".join(lines[start + 1 : end])
    for old, new in changes.items():
        copy = copy.replace(old, new)
    return "".join([*lines[:end], f"  {one.release}:\n", copy, *lines[end:]])


def generator_of(module: str, release: str) -> str | None:
    """The release of controller-gen in the Makefile of a module's release; None if it has none."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "go.mod").write_text(f"module {generate.MODULE}\n", encoding="utf-8")
        command = ["go", "mod", "download", "-json", f"{module}@{release}"]
        done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{module}@{release}: {json.loads(done.stdout).get('Error', done.stderr.strip())}")
    return generator_in(Path(json.loads(done.stdout)["Dir"]))


def generator_in(folder: Path) -> str | None:
    """The release of controller-gen that a Makefile in the folder names."""
    for name in ("Makefile", "Makefile-deps.mk"):
        if (folder / name).is_file():
            found = _GENERATOR.search((folder / name).read_text(encoding="utf-8"))
            if found is not None:
                return found[1]
    return None


if __name__ == "__main__":
    main(sys.argv[1:])
