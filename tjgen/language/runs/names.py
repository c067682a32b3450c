"""The names of runs: how they end, what those of one experiment have in common, and what a name cannot be."""

from __future__ import annotations

from tjgen.trees.diagnostics.model import Diagnostic

_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
"""The letters of generated Kubernetes names: they make no words and are not taken for each other."""
_SUFFIX = 8
_LONGEST_LABEL = 63


def point_of(run: str) -> str | None:
    """What the names of all runs of one point begin with; None for a name without a generated suffix (`naming: fixed`)."""
    point, _, last = run.rpartition("-")
    return point if len(last) == _SUFFIX and not set(last) - set(_ALPHABET) else None


def names_pattern(experiment: str, run: str) -> str:
    """Regular expression of the names of all runs of an experiment: `run` is one of them."""
    point = point_of(run)
    if point is None:
        return run if run == experiment else f"{experiment}-.+"
    return f"{experiment}{'' if point == experiment else '-.+'}-[{_ALPHABET}]{{{_SUFFIX}}}"


def suffix(digest: str) -> str:
    """Eight characters of the digest that may end any Kubernetes name."""
    number = int(digest, 16)
    letters = []
    for _ in range(_SUFFIX):
        number, position = divmod(number, len(_ALPHABET))
        letters.append(_ALPHABET[position])
    return "".join(letters)


def name_problem(name: str, *, budget: int = _LONGEST_LABEL) -> Diagnostic | None:
    """What keeps `name` from being the name of a run: TJ072 over its budget, TJ073 no RFC 1035 label. Nothing is cut off."""
    budget = min(budget, _LONGEST_LABEL)
    if len(name) > budget:
        return Diagnostic(
            "TJ072",
            f'run name "{name}" has {len(name)} characters, but the names derived from it allow at most {budget}',
            path=("metadata", "name"),
            hint=f"shorten the name of the experiment, or the values of its sweep, by {len(name) - budget} characters",
        )
    if not (name[:1].isalpha() and name[-1:] != "-" and name.islower() and name.isascii() and name.replace("-", "").isalnum()):
        return Diagnostic(
            "TJ073",
            f'run name "{name}" is not an RFC 1035 label',
            path=("metadata", "name"),
            hint="use lower-case letters, digits and '-', begin with a letter and end with a letter or digit",
        )
    return None
