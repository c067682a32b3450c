"""Two releases of a project -> what is different in their schemas, field by field.

python -m schemas.compare trainer/v2.2.1 trainer/v2.3.0
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
_BELOW = ("properties", "items", "additionalProperties")
_LONGEST = 90


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("before", help="PROJECT/RELEASE")
    parser.add_argument("after", help="PROJECT/RELEASE")
    chosen = parser.parse_args(arguments)
    folders = [HERE / chosen.before, HERE / chosen.after]
    missing = [folder for folder in folders if not folder.is_dir()]
    if missing:
        parser.error(f"there are no schemas in {' and '.join(folder.name for folder in missing)}")
    for line in differences(*folders):
        sys.stdout.write(line + "\n")
    return 0


def differences(before: Path, after: Path) -> Iterator[str]:
    """A line for each kind, field and rule that only one of two folders has, or that differs."""
    for name in sorted({path.name for folder in (before, after) for path in folder.glob("*.json")}):
        schemas = [json.loads(path.read_bytes()) if path.is_file() else None for path in (before / name, after / name)]
        kind = name.removesuffix(".json").rpartition("_")[2]
        if None in schemas:
            yield f"{'+' if schemas[0] is None else '-'} {kind}"
        else:
            yield from of_schemas(schemas[0], schemas[1], kind)


def of_schemas(before: Any, after: Any, path: str) -> Iterator[str]:
    """The lines for one schema and those below it; fields of a field that is new or gone are not told."""
    said = [_own(schema) for schema in (before, after)]
    for key in sorted({*said[0], *said[1]}):
        if said[0].get(key) != said[1].get(key):
            yield f"~ {path}: {key} {_short(said[0].get(key))} -> {_short(said[1].get(key))}"
    fields = [schema.get("properties", {}) for schema in (before, after)]
    for name in sorted({*fields[0], *fields[1]}):
        if name not in fields[0] or name not in fields[1]:
            yield f"{'+' if name not in fields[0] else '-'} {path}.{name}"
        else:
            yield from of_schemas(fields[0][name], fields[1][name], f"{path}.{name}")
    for key, mark in (("items", "[]"), ("additionalProperties", "{}")):
        if isinstance(before.get(key), dict) and isinstance(after.get(key), dict):
            yield from of_schemas(before[key], after[key], path + mark)


def _own(schema: Any) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key not in _BELOW and not key.startswith("x-tjgen")}


def _short(value: Any) -> str:
    if value is None:
        return "absent"
    text = json.dumps(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
