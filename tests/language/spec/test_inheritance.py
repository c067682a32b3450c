"""The table of inheritance has each field of a project, by its own entry or that of a field that contains it."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any, get_args

from tjgen.language.spec import inheritance
from tjgen.language.spec.models.project import ProjectSpec
from tjgen.language.spec.models.shape import Shape
