"""Settings (TJGEN_SETTINGS): what the owner of a pipeline or plugin enforces for all projects."""

from __future__ import annotations

from typing import Literal

from tjgen.language.spec.models.project import Allowance, Budgets
from tjgen.language.spec.models.shape import ApiVersion, Shape, Text


class SettingsSpec(Shape):
    """Limits for projects, and policies that every command enforces."""

    trusted: bool = False
    """Whether a command can run the Python of the root project. If not, `--trusted` and TJGEN_TRUSTED are refused."""
    strict: bool = False
    """Whether warnings are errors, as with `--strict`."""
    policies: list[Text] = []
    """Files or folders of ValidatingAdmissionPolicies that every command enforces. Paths are relative to this file."""
    readable: list[Text] = []
    """Folders that a project can list in `readable`, with those below them. Without this field, a root project can list any."""
    allow: list[Allowance] = []
    """What `policy.allow` of a project can contain. Without this field, a root project can allow everything."""
    budgets: Budgets | None = None
    """Highest budgets. Only the fields that are set limit a project."""


class Settings(Shape):
    """Settings of the caller."""

    api_version: ApiVersion
    """Version of the language."""
    kind: Literal["Settings"]
    """Kind of the document."""
    spec: SettingsSpec
    """Limits and policies."""
