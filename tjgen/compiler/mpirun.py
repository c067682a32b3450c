"""The command line of an MPI launcher -> the variables that it forwards to other nodes, and the same line with more of them.

sshd passes none of its own variables on, so a process on another node has only those that `mpirun -x` names. Open MPI's list
of names (`OMPI_MCA_mca_base_env_list`) loses values that contain "=". Release 4.1 also ends at the first name without
a value, and refuses -x next to the list (open-mpi/ompi v4.1.8 `mca_base_var.c:process_env_list`, `schizo_ompi.c:parse_env`;
openpmix/prrte v3.0.13 `schizo_ompi.c:process_token`).
"""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.compiler.script import text_of_shell
from tjgen.trees import regex

LIST = "mca_base_env_list"
"""The parameter that contradicts -x."""

_PROGRAMS = ("mpirun", "mpiexec", "orterun", "mpirun.openmpi", "mpiexec.openmpi")
_IN_SHELL = regex.compile(
    r"(?:^|[;&|({!\n])[ \t]*"
    r"(?:(?:then|do|else|if|while|until|exec|time|nohup|command|env|timeout(?:[ \t]+(?:-\S+|[0-9.]+[smhd]?))+"
    r"|[A-Za-z_]\w*=[^\s;&|()]*)[ \t]+)*"
    r"(?:[^\s;&|(){}<>'\"`#]*/)?(?:mpirun|mpiexec|orterun)(?:\.openmpi)?(?=\s|$)"
)
"""The program where a shell starts it, up to its options."""
_FORWARDED = regex.compile(r"(?:^|\s)-x[ \t]+['\"]?([^\s=;'\"]+)")
_NEXT = ":"
"""What separates the programs of one mpirun, each of which has its own options."""


def forwarded(words: Sequence[str]) -> set[str]:
    """The names that a command line forwards by `-x NAME` or `-x NAME=VALUE`."""
    return set(_FORWARDED.findall(" ".join(words)))


def forwarding(command: Sequence[str], args: Sequence[str], names: Sequence[str]) -> tuple[list[str], list[str]] | None:
    """The command and its arguments with -x for each name that they do not forward; None if they do not show an mpirun."""
    words = [*command, *args]
    text = text_of_shell(words)
    replaced = _in_words(words, names) if text is None else _in_text(text, words.index(text), names)
    if not replaced:
        return None
    parts = [replaced.get(place, [word]) for place, word in enumerate(words)]
    count = len(command)
    return [word for part in parts[:count] for word in part], [word for part in parts[count:] for word in part]


def _in_words(words: Sequence[str], names: Sequence[str]) -> dict[int, list[str]]:
    """The place of each word behind which options of mpirun begin -> the word and the options."""
    first = next((place for place, word in enumerate(words) if word.rpartition("/")[2] in _PROGRAMS), len(words))
    places = [place for place in range(first, len(words)) if place == first or words[place] == _NEXT]
    ends = [*places[1:], len(words)]
    return {place: [words[place], *_options(words[place:end], names)] for place, end in zip(places, ends, strict=False)}


def _in_text(text: str, place: int, names: Sequence[str]) -> dict[int, list[str]]:
    """The place of a shell text -> the text with options behind each mpirun."""
    ends = [match.end() for match in _IN_SHELL.finditer(text)]
    parts = [text[: ends[0]]] if ends else []
    for end, following in zip(ends, [*ends[1:], len(text)], strict=False):
        own = text[end:following]
        parts += [f" {option}" for option in _options([own], names)]
        parts.append(own)
    return {place: ["".join(parts)]} if parts else {}


def _options(words: Sequence[str], names: Sequence[str]) -> list[str]:
    known = forwarded(words)
    return [word for name in names if name not in known for word in ("-x", name)]
