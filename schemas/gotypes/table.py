"""The Go types of the Trainer releases and the schemas of their CRDs -> the tables of the twin.

    python schemas/gotypes/table.py

writes `tjgen/cluster/trainer/gotypes.py` for the newest release and `tjgen/cluster/trainer/gotypes_earlier.py` with what
is different in each earlier one, and then the table of Kubernetes' own kinds (`builtin_table.py`). Needs Go and the module
proxy. The types come from the module that pins a release (`schemas/modules/trainer/VERSION`), defaults and the fields that
the API server keeps from its schemas.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tjgen.cluster.releases import TRAINER_RELEASES

ROOT = Path(__file__).resolve().parent.parent.parent
VERSIONS = tuple([release.version for release in TRAINER_RELEASES])
TABLE = ROOT / "tjgen" / "cluster" / "trainer" / "gotypes.py"
EARLIER = ROOT / "tjgen" / "cluster" / "trainer" / "gotypes_earlier.py"
WIDTH = 130
CLAIM = "PersistentVolumeClaim"

Fields = list[dict[str, str]]


def main() -> None:
    tables = [table(version) for version in VERSIONS]
    head = TABLE.read_text(encoding="utf-8").partition("TYPES = {\n")[0]
    TABLE.write_text(head + "TYPES = {\n" + "".join(lines(tables[0])) + "}\n", encoding="utf-8")
    head = EARLIER.read_text(encoding="utf-8").partition("CHANGES: ")[0]
    text = head + "CHANGES: dict[str, dict[str, str | None]] = {\n"
    for version, newer, older in zip(VERSIONS[1:], tables, tables[1:], strict=False):
        text += f'    "{version}": {{\n' + "".join(lines(changes(newer, older), indent=8)) + "    },\n"
    EARLIER.write_text(text + "}\n", encoding="utf-8")
    subprocess.run([sys.executable, "-m", "ruff", "format", "-q", str(TABLE), str(EARLIER)], check=True)
    subprocess.run([sys.executable, "-m", "schemas.gotypes.builtin_table"], cwd=ROOT, check=True)


def table(version: str) -> dict[str, str]:
    """Every type of a release in the notation of the table."""
    known = Known(reflected("trainer", version, "trainer"))
    for kind, name in (("trainjob", "TrainJobSpec"), ("trainingruntime", "TrainingRuntimeSpec")):
        path = ROOT / "schemas" / "trainer" / version / f"trainer.kubeflow.org_v1alpha1_{kind}.json"
        known.join(f"trainer/v1alpha1.{name}", json.loads(path.read_bytes())["properties"]["spec"])
    found = with_claims(known.table)
    return {name: " ".join(f"{key}:{text}" for key, text in found[name].items()) for name in sorted(found)}


def changes(newer: dict[str, str], older: dict[str, str]) -> dict[str, str | None]:
    """What has to be changed in the newer release's table to get the older one's; None for a type that goes."""
    names = sorted({*newer, *older})
    return {name: older.get(name) for name in names if newer.get(name) != older.get(name)}


def reflected(project: str, version: str, program: str) -> dict[str, Fields]:
    """What a program in a folder beside this one prints, built in a copy of the project's pinned module."""
    here = Path(__file__).parent
    with tempfile.TemporaryDirectory() as folder:
        module = Path(folder) / "module"
        shutil.copytree(ROOT / "schemas" / "modules" / project / version, module)
        (module / "gotypes").mkdir()
        for file in (here / "fields.go", here / program / "main.go"):
            shutil.copy(file, module / "gotypes")
        printed = subprocess.run(["go", "run", "./gotypes"], cwd=module, check=True, capture_output=True).stdout
    result: dict[str, Fields] = json.loads(printed)
    return result


class Known:
    """The fields that a schema keeps, written in the notation of the table."""

    def __init__(self, structs: dict[str, Fields]) -> None:
        self.structs = structs
        self.table: dict[str, dict[str, str]] = {}

    def join(self, go_type: str, schema: dict[str, Any]) -> None:
        """Add a type and those below it, as far as the schema has their fields."""
        go_type = go_type.lstrip("*")
        if go_type.startswith("[]"):
            self.join(go_type[2:], schema["items"])
        elif go_type.startswith("map["):
            self.join(go_type.partition("]")[2], schema["additionalProperties"])
        elif go_type in self.structs:
            fields = self.table.setdefault(self.short(go_type), {})
            for field in self.structs[go_type]:
                below = schema.get("properties", {}).get(field["name"])
                if below is not None:
                    fields[field["name"]] = self.notation(field, below)
                    self.join(field["type"], below)

    def short(self, go_type: str) -> str:
        """The name without its package; two packages have a SuccessPolicy."""
        package, _, name = go_type.rpartition(".")
        return f"Job{name}" if package == "batch/v1" and name.startswith("SuccessPolicy") else name

    def notation(self, field: dict[str, str], schema: dict[str, Any]) -> str:
        go_type = field["type"]
        bare = go_type.lstrip("*[]")
        text = go_type.replace(bare, self.short(bare)) if bare in self.structs else go_type
        if field["strategy"].startswith("merge"):
            text += "@" + field["key"]
        by_value = go_type in self.structs or go_type in ("Quantity", "Time")
        if "omitempty" not in field["options"] or (by_value and "omitzero" not in field["options"]):
            text += "?" if go_type.startswith("[]") else "!"
        default = schema.get("default")
        if default is not None and (default or go_type.startswith("*")):
            text += "=" + (str(default).lower() if isinstance(default, bool) else str(default))
        return text


def with_claims(table: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    """The table with types of their own for claim templates, which keep the nulls that pods lose."""
    result = dict(table)
    sources = ("TypedLocalObjectReference", "TypedObjectReference")
    if CLAIM in table:  # JobSets had no claim templates before 0.11
        for name in sources:
            result[f"Claim{name}"] = table[name]
        spec = {key: text.replace("*Typed", "*ClaimTyped") for key, text in table[f"{CLAIM}Spec"].items()}
        result["ClaimSpec"] = spec
        result[CLAIM] = {key: text.replace(f"{CLAIM}Spec!", "ClaimSpec!") for key, text in table[CLAIM].items()}
    for name in (*sources, "ScaleIOVolumeSource"):
        pairs = table[name].items()
        result[name] = {key: f"{text[:-1]}?" if text[0] == "*" and text[-1] == "!" else text for key, text in pairs}
    return result


def lines(table: Mapping[str, str | None], indent: int = 4) -> list[str]:
    """The entries of a dict, long ones broken between fields."""
    margin = " " * indent
    result = []
    for name, text in table.items():
        line = f'{margin}"{name}": ' + (f'"{text}",\n' if text is not None else "None,\n")
        if text is None or len(line) <= WIDTH + 1:
            result.append(line)
            continue
        result.append(f'{margin}"{name}": (\n')
        current, *words = text.split(" ")
        for word in words:
            if len(current) + len(word) + 1 > WIDTH - 11 - indent:
                result.append(f'{margin}    "{current}"\n')
                current = " " + word
            else:
                current += " " + word
        result.append(f'{margin}    "{current}"\n{margin}),\n')
    return result


if __name__ == "__main__":
    main()
