"""`tjgen schema`: the JSON Schema of a kind of document, for editors."""

from __future__ import annotations

import sys

from tjgen.cli.command import Arguments, Command, UsageError

KINDS = ("experiment", "overlay", "platform", "project")
COMMAND = Command(
    "schema",
    "Print the JSON Schema of a kind of document.",
    "Print the JSON Schema of experiment, overlay, platform or project, for completion and checks in an editor.",
    "tjgen schema experiment > experiment.schema.json",
    "KIND",
    least=1,
    most=1,
)


def run(arguments: Arguments) -> int:
    """Print the schema of the kind; an unknown kind is wrong use."""
    kind = arguments["paths"][0]
    if kind.lower() not in KINDS:
        raise UsageError(f"unknown kind {kind}: use one of {', '.join(KINDS)}")
    import json

    from tjgen.language.spec.jsonschema import json_schema

    sys.stdout.write(json.dumps(json_schema(kind.capitalize()), indent=2) + "\n")
    return 0
