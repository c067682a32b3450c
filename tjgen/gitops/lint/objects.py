"""Files of manifests -> what the registry of rules about objects reports, whatever tool applies them.

Left out is what a rule of lint reports under its own code, and what only states that an object was not checked.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from tjgen.cluster.trainer.placed import Placed
from tjgen.cluster.validate.check import examine
from tjgen.cluster.validate.together import Runtimes, together
from tjgen.trees.diagnostics.model import INFO, Diagnostic

REPORTED_AS = {
    "TJ109": "TJ662",
    "TJ546": "TJ612",
    "TJ852": "TJ653",
    "TJ853": "TJ675",
    "TJ860": "TJ653",
    "TJ861": "TJ653",
    "TJ865": "TJ656",
    "TJ866": "TJ656",
}
"""Code of a fact -> the rule of lint that reports it with what the GitOps tool does."""
_COVERAGE = ("TJ520", "TJ521", "TJ529")


def about_objects(
    files: Mapping[str, bytes], runtimes: Runtimes, versions: Mapping[str, str] | None, harmless: Collection[str] = ()
) -> list[Diagnostic]:
    """The errors and warnings about objects, each at its place."""
    found: list[Diagnostic] = []
    accepted: list[Placed] = []
    for file, content in files.items():
        examined = examine(content, file, versions=versions, harmless=harmless)
        found += examined.diagnostics
        accepted += examined.accepted
    found += together(accepted, runtimes, versions)
    return [one for one in found if one.severity != INFO and one.code not in _COVERAGE and one.code not in REPORTED_AS]
