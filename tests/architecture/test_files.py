"""Files of the input are opened in one place: `tjgen/trees/files/sandbox.py`. Others are listed here, with a reason."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.checkout import ROOT, list_entries, parsed
from tjgen.trees.system import LINK_ERRORS

OPENS = {
    "open",
    "io.open",
    "os.open",
    "os.fdopen",
    "os.walk",
    "os.fwalk",
    "os.scandir",
    "os.listdir",
    "glob.glob",
    "glob.iglob",
    "linecache.getline",
    "shutil.copyfile",
    "shutil.copy",
    "shutil.copytree",
}
METHODS = {"read_text", "read_bytes", "write_text", "write_bytes", "iterdir", "rglob"}
"""Methods of paths, whatever the object is called."""

SHIPPED = "reads what is shipped with tjgen"
OWN_TREE = "writes and compares the output tree: descriptors of its folders, no links"
OWN_FOLDER = "lists the folders of the lock, which tjgen writes; their files are read by read_regular"

ALLOWED = {
    "__main__": "opens the null device where standard error is closed",
    "cli.folders": "lists folders of policies; bounded, and a link ends it",
    "cli.kept": "compares the files of an answer in the cache of the user with those that are there now",
    "cli.settled": "notes the state of the trees that a build leaves",
    "cli.watching": "replaces the functions that open files while a command runs",
    "compiler.building.workers": "the pipes of its own processes",
    "compiler.programs.reading": SHIPPED,
    "gitops.emit.checkout": "asks Git's own files which commit is checked out",
    "gitops.emit.comparison": OWN_TREE,
    "gitops.emit.file": OWN_TREE,
    "gitops.emit.filelock": OWN_TREE,
    "gitops.emit.filesystem": OWN_TREE,
    "gitops.emit.program": SHIPPED,
    "gitops.emit.staging": OWN_TREE,
    "gitops.shards.read": "shards that the caller names, read line by line; regular files alone, and a link ends it",
    "trees.bytecode": "reads the file of compiled modules of tjgen itself",
    "trees.bytecode_file": "writes the file of compiled modules of tjgen itself",
    "trees.files.beneath": "opens folders part by part, for the sandbox",
    "trees.caches": "the cache of the user: see test_caches.py",
    "trees.files.regular": "opens regular files, for the sandbox",
    "trees.files.sandbox": "the sandbox",
    "tools.hosts.items": "creates files in a temporary folder of its own",
    "tools.importing.trial": "creates files in a temporary folder of its own",
    "trees.diagnostics.codes": SHIPPED,
    "gitops.lint.table": SHIPPED,
    "gitops.output.earlier": "creates files in a temporary folder of its own",
    "gitops.output.staged": "creates files in a temporary folder of its own",
    "gitops.verify.former": "creates files in a temporary folder of its own",
    "gitops.verify.proofs": "creates files in a temporary folder of its own",
    "gitops.output.discard": OWN_FOLDER,
    "gitops.verify.snapshot": OWN_FOLDER,
    "compiler.programs.containers": SHIPPED,
    "cluster.registry.credentials": "the credentials of the user, where docker login puts them",
    "tools.inventory.division": "creates files in a temporary folder of its own",
    "tools.inventory.record": "the record and the lists of earlier commands, in the folder of slices that the caller names",
    "tools.inventory.writing": "lists the folder of slices that the caller names, and writes slices there",
    "tools.report.assets": SHIPPED,
    "cluster.schema.store": SHIPPED,
    "language.spec.generate.__main__": "a tool of this repository",
    "language.spec.generate.classes": "a tool of this repository",
    "tools.scaffold.artifact": "what pip recorded about this installation",
    "tools.scaffold.copies": SHIPPED,
    "tools.scaffold.first": SHIPPED,
    "tools.scaffold.pipelines": SHIPPED,
    "tools.scaffold.policies": SHIPPED,
    "language.resolve.caller": "the policies that the settings of the caller name",
    "testing.snapshot": "the snapshots of the user's own tests",
}
REGULAR = {
    "gitops.emit.program": SHIPPED,
    "tools.scaffold.artifact": "the wheel that the caller names",
    "tools.scaffold.branch": "files of Git that name the default branch",
    "tools.scaffold.repository": "hooks and pipelines of the repository, to add those of one more project",
    "tools.scaffold.undo": "files that tjgen init changes, to restore them if it fails",
    "language.catalog.importer": "files in the folder that the caller imports into",
    "tools.inventory.record": "the record of earlier commands, in the folder of slices that the caller names",
    "cli.enforcing": "files of policies that the caller names, which are read before the project; a link ends it",
    "language.resolve.caller": "the settings and policies of the caller, which may be links: a mounted ConfigMap has links",
    "cli.kept": "the files that an answer in the cache of the user depends on",
    "trees.files.sandbox": "the sandbox",
    "gitops.sync.problems": "Git's own configuration of the repository",
    "gitops.output.locknotes": "the lock of runs",
    "tools.report.tree_report": "the output tree that was listed by the sandbox",
    "trees.files.beneath": "files below a folder that is open, for locks and pins",
    "cluster.schema.store": "the folder of schemas that the sandbox has let pass",
    "cluster.validate.own": "the folder of schemas that the caller imports into",
}
"""Modules that read regular files without the sandbox: bounded, never a link, but not below a root."""


def modules() -> Iterator[tuple[str, ast.Module]]:
    for file in list_entries(ROOT / "tjgen", "**/*.py"):
        name = ".".join(file.relative_to(ROOT / "tjgen").with_suffix("").parts).removesuffix(".__init__")
        yield name, parsed(file)


def opens(tree: ast.Module) -> list[str]:
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            owner, _, method = name.rpartition(".")
            if name in OPENS or (owner and method in METHODS):
                found.append(f"{node.lineno}: {name}")
        elif isinstance(node, ast.Attribute) and ast.unparse(node) in OPENS:
            found.append(f"{node.lineno}: {ast.unparse(node)}")  # also under another name
        elif isinstance(node, ast.ImportFrom) and node.module in ("glob", "os", "io", "shutil"):
            found += [f"{node.lineno}: {one.name}" for one in node.names if f"{node.module}.{one.name}" in OPENS]
    return found


def test_files_are_opened_in_the_modules_that_are_listed() -> None:
    assert {name: found for name, tree in modules() if name not in ALLOWED and (found := opens(tree))} == {}


def test_every_module_of_the_list_opens_files() -> None:
    assert sorted(set(ALLOWED) - {name for name, tree in modules() if opens(tree)}) == []


def test_regular_files_are_read_without_the_sandbox_in_the_modules_that_are_listed() -> None:
    users = {
        name
        for name, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        and node.module == "tjgen.trees.files.regular"
        and {one.name for one in node.names} & {"read_regular", "read_text"}
    }
    assert users == set(REGULAR)


def test_a_module_that_opens_a_file_is_found() -> None:
    text = "from os import scandir\nfrom pathlib import Path\nopen('a')\nPath('a').read_text()\nos.walk('a')\nmine = os.open\n"
    assert set(opens(ast.parse(text))) == {"1: scandir", "3: open", "4: Path('a').read_text", "5: os.walk", "6: os.open"}


def test_flags_of_files_and_errors_of_links_are_in_one_module() -> None:
    others = {
        "__main__.py": "opens the null device before it imports anything",
        "trees/bytecode.py": "loads every other module, so it imports none of them",
        "gitops/emit/staging.py": "the errors of a file system without hard links",
    }
    names = re.compile(r"\b(?:os\.O_\w+|errno\.(?:ELOOP|EMLINK|EFTYPE))\b")
    used = {
        str(path.relative_to(ROOT / "tjgen")): sorted(set(names.findall(path.read_text(encoding="utf-8"))))
        for path in list_entries(ROOT / "tjgen", "**/*.py")
    }
    assert {file for file, found in used.items() if found} == {"trees/system.py", *others}


def test_the_page_on_installation_names_each_operating_system() -> None:
    page = (ROOT / "docs/how-to/install.md").read_text(encoding="utf-8")
    *names, last = LINK_ERRORS
    assert f"tjgen runs on {', '.join(names)}, and {last}." in page
