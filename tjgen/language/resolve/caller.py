"""The file that TJGEN_SETTINGS names -> what the caller enforces, and the limits for projects."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from tjgen.language.spec.check import check
from tjgen.language.spec.compact import SETTINGS
from tjgen.language.spec.objects import Settings, SettingsSpec
from tjgen.trees.budgets import CommandBudgets
from tjgen.trees.ceilings import Ceiling, Limiting
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.enforced import Enforcing, File
from tjgen.trees.files.regular import read_regular
from tjgen.trees.source.reader import CORE, read
from tjgen.trees.typing import Any, NamedTuple

VARIABLE = "TJGEN_SETTINGS"
_ENDINGS = (".yaml", ".yml", ".json")


class UnusableSettingsError(ValueError):
    """A settings file that cannot be read, or that does not allow trust, in words for the user."""


class CallerSettings(NamedTuple):
    """What a settings file sets."""

    ceiling: Ceiling
    is_strict: bool
    policies: list[File]

    @staticmethod
    def of_environment() -> CallerSettings:
        """The settings in the file that TJGEN_SETTINGS names, or settings without limits. Raises UnusableSettingsError."""
        file = os.environ.get(VARIABLE)
        return load(file) if file else CallerSettings(Ceiling("", True, {}, None, None), False, [])

    @contextmanager
    def applied(self, *, trusted: bool, remedy: str) -> Iterator[None]:
        """Apply the limits and policies. Raises UnusableSettingsError for `trusted` where it is not allowed."""
        if trusted and not self.ceiling.trusts:
            raise UnusableSettingsError(f"{self.ceiling.file} does not allow code of a project to run: {remedy}")
        if not self.ceiling.file:
            yield
            return
        with Limiting(self.ceiling), Enforcing(self.policies):
            yield


def load(file: str) -> CallerSettings:
    """The settings in a file. Raises UnusableSettingsError: a command that cannot read them does nothing."""
    spec, tree = _read(file)
    folder = os.path.dirname(os.path.abspath(file))
    # An empty list allows nothing; without a list, there is no limit.
    readable = tuple(os.path.realpath(os.path.join(folder, one)) for one in spec.readable) if "readable" in tree else None
    allow = tuple(spec.allow) if "allow" in tree else None
    limits = dict(_limits(spec, tree.get("budgets") or {}))
    policies = [one for entry in spec.policies for one in _policies(os.path.join(folder, entry), file)]
    return CallerSettings(Ceiling(file, spec.trusted, limits, readable, allow), spec.strict, policies)


def _read(file: str) -> tuple[SettingsSpec, Mapping[str, Any]]:
    content = _content(file, file)
    documents, problems = read(content, file, CORE)
    if len(documents) != 1 and not problems:
        raise UnusableSettingsError(
            f"{VARIABLE} {file}: it must contain one document of kind Settings, but contains {len(documents)}"
        )
    if not problems:
        tree = documents[0].value
        problems = [one._replace(span=documents[0].locate(one.path or (), key=True)) for one in check(tree, SETTINGS)]
    if problems:
        raise UnusableSettingsError(f"{VARIABLE} {_described(problems[0], file)}")
    return Settings(tree).spec, tree["spec"]


def _policies(path: str, settings: str) -> Iterator[File]:
    names = [path]
    if os.path.isdir(path):
        names = [f"{path}/{name}" for name in sorted(os.listdir(path)) if name.lower().endswith(_ENDINGS) and name[0] != "."]
        if not names:
            raise UnusableSettingsError(f"{VARIABLE} {settings}: policies: {path} has no YAML or JSON file")
    for name in names:
        yield os.path.normpath(name), _content(name, settings)


def _content(file: str, settings: str) -> bytes:
    """The content of a file of the caller. It may be a link: a mounted ConfigMap consists of links."""
    try:
        return read_regular(os.path.realpath(file))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "a file cannot have this name"
        what = "" if file == settings else f"policies: {file}: "
        raise UnusableSettingsError(f"{VARIABLE} {settings}: {what}{reason}") from None


def _described(problem: Diagnostic, file: str) -> str:
    span = problem.span
    return f"{file}:{span.line}:{span.column}: {problem.message}" if span is not None else f"{file}: {problem.message}"


def _limits(spec: SettingsSpec, given: Mapping[str, object]) -> Iterator[tuple[str, int]]:
    """The budgets that the file sets, by their fields."""
    if spec.budgets is None:
        return
    budgets = CommandBudgets.of(spec.budgets)
    for field in CommandBudgets._fields:
        first, *rest = field.split("_")
        if first + "".join(word.capitalize() for word in rest) in given:
            yield field, getattr(budgets, field)
