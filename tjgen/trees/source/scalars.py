"""The text of a scalar -> its value: what the dialects share."""

from __future__ import annotations

from collections.abc import Callable

from tjgen.trees.fields.path import Tree
from tjgen.trees.source.problems import SourceProblem
from tjgen.trees.typing import Any, NamedTuple

MERGE = object()
"""What the merge key `<<` reads as, instead of a string."""

TAG_PREFIX = "tag:yaml.org,2002:"
"""The meaning of `!!`."""
TYPES_OF_TAG: dict[str, tuple[type, ...]] = {"bool": (bool,), "int": (int,), "float": (float, int), "null": (type(None),)}
"""Name of a tag -> the types that a value of it has when it is read without the tag."""

FIRST_OF_NUMBER = frozenset("0123456789+-.")
IN_NUMBER = FIRST_OF_NUMBER | frozenset("_abcdefABCDEFxXoO")
"""Characters of numbers in every dialect of YAML. Most texts are classified by these, without a pattern."""

_MEMORY = 50_000
_LONGEST_REMEMBERED = 80


class OddScalar(NamedTuple):
    """A scalar that has a value and a warning about it."""

    value: Tree
    problem: SourceProblem
    message: str
    hint: str


class Memo(dict[str, Any]):
    """What `resolve` answers for a text, decided once for each distinct text; also makes equal strings one object."""

    def __init__(self, resolve: Callable[[str], Any]) -> None:
        super().__init__()
        self._resolve = resolve

    def __missing__(self, text: str) -> Any:
        value = self._resolve(text)
        if len(text) <= _LONGEST_REMEMBERED:
            if len(self) >= _MEMORY:
                self.clear()
            self[text] = value
        return value


class Dialect(NamedTuple):
    """How one kind of file is read."""

    name: str
    plain: Memo
    """Unquoted text -> value, or Doubt."""
    key: Memo
    """Unquoted text of a mapping key -> key, MERGE or Doubt."""
    tagged: Callable[[str, str], Any]
    """Tag and text -> value, or Doubt."""
    stray_tag: Callable[[str, Tree], OddScalar]
    """Tag without effect on its value, and the value -> Doubt."""
    follows_go: bool
    """Whether go-yaml v2 is followed where it departs from YAML 1.2: in merge keys, escapes, directives and separators."""
    guesses_json: bool
    """Whether a text that starts with `{` is read as JSON, which has escapes of its own and needs no separators."""

    def is_json(self, content: str) -> bool:
        """Whether the text is read as JSON (k8s.io/apimachinery, pkg/util/yaml/decoder.go:GuessJSONStream)."""
        return self.guesses_json and content.lstrip()[:1] == "{"


def is_decimal(text: str) -> bool:
    """Whether the text is decimal digits, with a sign or without."""
    digits = text[1:] if text[:1] in ("+", "-") else text
    return digits.isdigit() and digits.isascii()


def describe(value: Tree) -> str:
    """The value in words, for a message: `the boolean false`, `the number 511`, `the string "no"`."""
    if value is None:
        return "null"
    if value is True or value is False:
        return f"the boolean {'true' if value else 'false'}"
    if isinstance(value, str):
        return f'the string "{clip(value)}"'
    return f"the number {clip(str(value))}"


def written(tag: str) -> str:
    """The tag as people write it: `!!int`, `!Ref`."""
    return clip("!!" + tag.removeprefix(TAG_PREFIX) if tag.startswith(TAG_PREFIX) else tag)


def clip(text: str) -> str:
    """The text, or its beginning where it is long."""
    return text if len(text) <= 40 else text[:37] + "..."
