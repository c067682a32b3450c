"""The Go types of Kubernetes' own kinds -> the table `tjgen/cluster/validate/update/gotypes.py`.

    python -m schemas.gotypes.builtin_table

Needs Go and the module proxy. The types come from the module that pins the release of the schemas
(`schemas/modules/kubernetes`); `builtin/main.go` lists the kinds. Statuses are left out: no manifest sets one. So are the
structs whose lines are in the table of the controller: `table.py` runs this module again after it writes that table.
"""

from __future__ import annotations

import runpy
import subprocess
import sys

from schemas.gotypes.table import ROOT, Fields, lines, reflected
from schemas.gotypes.table import TABLE as OF_CONTROLLER

VERSION = "v1.36.3"
TABLE = ROOT / "tjgen" / "cluster" / "validate" / "update" / "gotypes.py"
SCALARS = ("IntOrString", "Quantity", "Time")


def main() -> None:
    structs = reflected("kubernetes", VERSION, "builtin")
    table: dict[str, dict[str, str]] = {}
    for name, fields in structs.items():
        if is_kind(fields):
            join(name, structs, table)
    shared = runpy.run_path(str(OF_CONTROLLER))["TYPES"]
    whole = {name: " ".join(f"{key}:{text}" for key, text in table[name].items()) for name in sorted(table)}
    own = {name: line for name, line in whole.items() if shared.get(name) != line}
    head, start, _ = TABLE.read_text(encoding="utf-8").partition("    **OF_CONTROLLER,\n")
    TABLE.write_text(head + start + "".join(lines(own)) + "}\n", encoding="utf-8")
    subprocess.run([sys.executable, "-m", "ruff", "format", "-q", str(TABLE)], check=True)


def is_kind(fields: Fields) -> bool:
    return {"kind", "apiVersion", "metadata"} <= {field["name"] for field in fields}


def join(go_type: str, structs: dict[str, Fields], table: dict[str, dict[str, str]]) -> None:
    """Add a type and those below it."""
    name = short(go_type)
    if name in table:
        return
    given = [field for field in structs[go_type] if not (is_kind(structs[go_type]) and field["name"] == "status")]
    table[name] = {field["name"]: notation(field, structs) for field in given}
    for field in given:
        below = bare(field["type"])
        if structs.get(below):
            join(below, structs, table)


def bare(go_type: str) -> str:
    return go_type.replace("map[string]", "").lstrip("*[]")


def short(go_type: str) -> str:
    """The name without its package; a container's ResourceClaim is another one than the kind."""
    package, _, name = go_type.rpartition(".")
    return f"Container{name}" if (package, name) == ("core/v1", "ResourceClaim") else name


def notation(field: dict[str, str], structs: dict[str, Fields]) -> str:
    go_type, below = field["type"], bare(field["type"])
    # What has no fields of its own that JSON knows is taken as it is.
    text = go_type.replace(below, short(below) if structs.get(below) else "any") if "." in below else go_type
    strategies = field["strategy"].split(",")
    if "merge" in strategies:
        text += "@" + field["key"]
    text += "^" * ("retainKeys" in strategies) + "%" * ("replace" in strategies)
    by_value = bool(structs.get(go_type)) or go_type in SCALARS
    if "omitempty" not in field["options"] or (by_value and "omitzero" not in field["options"]):
        text += "!"
    return text


if __name__ == "__main__":
    main()
