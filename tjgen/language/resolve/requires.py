"""A requirement on releases such as `~= 0.1` and a release -> whether it is met.

Releases and clauses are those of Python packages (PEP 440), since that is what tjgen is installed as, but
without epochs and local versions, which tjgen does not have. A pre-release that is installed was wanted, so
it is never left out for being one; it comes before its release: 0.2rc1 does not meet `>= 0.2`.
"""

from __future__ import annotations

import re

from tjgen.trees.typing import NamedTuple

_RELEASE = r"v?([0-9]+(?:\.[0-9]+)*)(?:[-_.]?(a|b|rc|alpha|beta|c|pre|preview)[-_.]?([0-9]*))?"
_RELEASE += r"(?:[-_.]?(post|rev|r)[-_.]?([0-9]*)|-([0-9]+))?(?:[-_.]?(dev)[-_.]?([0-9]*))?"
_VERSION = re.compile(_RELEASE + r"\Z", re.IGNORECASE)
_CLAUSE = re.compile(r"\s*(~=|==|!=|>=|<=|>|<)\s*(\S+)\s*\Z")
_PHASES = {"a": 0, "alpha": 0, "b": 1, "beta": 1, "c": 2, "rc": 2, "pre": 2, "preview": 2}
_FINAL = (3, 0)
_NEVER = -1
_LAST = 1 << 62


class _Version(NamedTuple):
    numbers: tuple[int, ...]
    phase: tuple[int, int]
    """Which pre-release it is; those without one, but with `dev`, come before all."""
    post: int
    dev: int

    @property
    def is_early(self) -> bool:
        """Whether it comes before its release."""
        return self.phase < _FINAL or self.dev < _LAST

    @property
    def order(self) -> tuple[tuple[int, ...], tuple[int, int], int, int]:
        """What releases are ordered by: 1.0 is 1."""
        length = max([index + 1 for index, number in enumerate(self.numbers) if number], default=0)
        return self.numbers[:length], self.phase, self.post, self.dev


def is_met(requirement: str, release: str) -> bool | None:
    """Whether `release` meets every clause of `requirement`; None where that is not a requirement.

    `~= 0.1` means 0.1 or later, but before 1; `== 0.1.*` any release of 0.1.
    """
    ours = _version(release)
    assert ours is not None, "our own release is a version"
    met = True
    for clause in requirement.split(","):
        match = _CLAUSE.match(clause)
        answer = _meets(ours, match[1], match[2]) if match is not None else None
        if answer is None:
            return None
        met = met and answer
    return met


def _meets(ours: _Version, sign: str, text: str) -> bool | None:
    if text.endswith(".*"):
        prefix = _version(text[:-2])
        if prefix is None or sign not in ("==", "!=") or prefix.is_early or prefix.post != _NEVER:
            return None
        return _begins(ours, prefix.numbers) is (sign == "==")
    wanted = _version(text)
    if wanted is None:
        return None
    match sign:
        case "~=":
            if len(wanted.numbers) < 2:
                return None
            return ours.order >= wanted.order and _begins(ours, wanted.numbers[:-1])
        case "==":
            return ours.order == wanted.order
        case "!=":
            return ours.order != wanted.order
        case ">=":
            return ours.order >= wanted.order
        case "<=":
            return ours.order <= wanted.order
        case ">":
            # 1.0.post1 is a corrected 1.0, not a later release.
            is_same = _begins(ours, wanted.numbers) and _begins(wanted, ours.numbers) and ours.phase == wanted.phase
            is_repair = is_same and ours.post != _NEVER and wanted.post == _NEVER and wanted.dev == _LAST
            return ours.order > wanted.order and not is_repair
        case _:
            # Nor is 1.0rc1 an earlier one than 1.0, where no other pre-release was named.
            is_same = _begins(ours, wanted.numbers) and _begins(wanted, ours.numbers)
            is_attempt = is_same and ours.is_early and not wanted.is_early
            is_attempt = is_attempt and (wanted.post == _NEVER or (ours.phase, ours.post) == (wanted.phase, wanted.post))
            return ours.order < wanted.order and not is_attempt


def _version(text: str) -> _Version | None:
    match = _VERSION.match(text)
    if match is None:
        return None
    numbers, pre, pre_number, post, post_number, bare_post, dev, dev_number = match.groups()
    has_post = post is not None or bare_post is not None
    phase = (_PHASES[pre.lower()], int(pre_number or 0)) if pre else (_NEVER, 0) if dev and not has_post else _FINAL
    return _Version(
        tuple([int(part) for part in numbers.split(".")]),
        phase,
        int(post_number or bare_post or 0) if has_post else _NEVER,
        int(dev_number or 0) if dev else _LAST,
    )


def _begins(version: _Version, numbers: tuple[int, ...]) -> bool:
    """Whether the release begins with these numbers: 1 begins with 1.0."""
    own = version.numbers + (0,) * (len(numbers) - len(version.numbers))
    return own[: len(numbers)] == numbers
