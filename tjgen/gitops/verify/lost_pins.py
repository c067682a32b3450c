"""The folder of locks at the base and now -> pins that were removed although experiments still request their images."""

from __future__ import annotations

import os
from collections.abc import Iterator

from tjgen.compiler.building.plan import Plan, make_plan
from tjgen.gitops.output.pinning import COLLECTING, collect
from tjgen.gitops.verify import findings
from tjgen.gitops.verify.snapshot import Folder, is_pin
from tjgen.language.runs.pins import Pins
from tjgen.trees.diagnostics.model import Diagnostic


def lost_pins(plan: Plan, records: Folder, base: str) -> Iterator[Diagnostic]:
    """TJ293 for pins of the base that the sources need. Collects the images of the sources only if a pin was removed."""
    removed = {path for path in records.old.modes if is_pin(path) and path not in records.new.modes}
    if not removed:
        return
    pins = Pins(plan.locks.folder)
    images, _ = collect(make_plan(plan.request._replace(digests=COLLECTING)))
    needed = {os.path.relpath(pins.place(one.image), plan.locks.folder).replace(os.sep, "/") for one in images}
    lost = sorted(removed & needed)
    if lost:
        yield findings.removed_pins([f"{records.place}/{path}" for path in lost], base)
