"""What a field of an experiment means for the identity of its runs: every field of the language names one of these.

- `Counts[T]`: another value is another run. The default of the field is the same as no value, and a quantity counts as an amount.
- `Present[T]`: like Counts, and a block with default values alone differs from none. Use it if such a block changes an object.
- `Excluded[T]`: the value is not part of the identity, and a run that exists stays as it was built.
- `Setting[T]`: the value is not part of the identity, and a change reaches existing runs, since it applies in place.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated, NamedTuple, TypeAlias, TypeVar

T = TypeVar("T")


class Part(Enum):
    """What a field means for the identity."""

    COUNTS = "counts"
    PRESENT = "present"
    EXCLUDED = "excluded"
    SETTING = "setting"


class Absent(NamedTuple):
    """A field without a default whose absence means a value: `Annotated[Literal["a", "b"] | None, Absent("a")]`."""

    value: str | int | float | bool


Counts: TypeAlias = Annotated[T, Part.COUNTS]
Present: TypeAlias = Annotated[T, Part.PRESENT]
Excluded: TypeAlias = Annotated[T, Part.EXCLUDED]
Setting: TypeAlias = Annotated[T, Part.SETTING]
