"""The effect of the Flux policy on a command: one line that a shell splits at every space.

Upstream: plugins/flux `getOriginalCommand` and templates/entrypoint.sh, v2.3.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.trainer.warnings.subject import ExpandedTrainJob, in_runtime
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, get
from tjgen.trees.typing import Any

_TRAINER: FieldPath = ("spec", "trainer")
_SPLIT = (" ", "\t", "\n", "*", "?")
"""What an unquoted variable of a shell is split at, or takes for a pattern of file names."""


def split_words(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """Words are joined by spaces and the shell splits them again, without a look at quotes."""
    for path, words, is_trainjobs in _parts(subject):
        for position, word in enumerate(words):
            if any(mark in word for mark in _SPLIT):
                report = subject.of_trainjob if is_trainjobs else subject.of_runtime
                yield report(
                    "TJ883",
                    f"{_short(word)} reaches the program in pieces: flux joins the command, and a shell splits it again",
                    "put the command into a script of the image",
                    (*path, position),
                )


def added_arguments(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """The TrainJob's args go into the command, and the args of the runtime's container stay behind them."""
    container = subject.info.trainer_container()
    args = container.tree.get("args") if container is not None else None
    if container is not None and args and get(subject.job.tree, (*_TRAINER, "args"), None):
        yield subject.of_trainjob(
            "TJ882",
            f"args do not replace those of the runtime ({' '.join(args)}), which follow them",
            "remove the args from the runtime",
            (*_TRAINER, "args"),
        )


def no_command(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """entrypoint.sh: without a command it starts a cluster for people to use, which does not end; the image's own is not run."""
    container = subject.info.trainer_container()
    if container is None or container.tree.get("args") or any(words for _, words, _ in _parts(subject)):
        return
    yield subject.of_trainjob(
        "TJ884",
        "neither the TrainJob nor its runtime has a command: flux ignores the command of the image, and waits for "
        "interactive input forever",
        "set trainer.command",
        _TRAINER,
    )


def _parts(subject: ExpandedTrainJob) -> Iterator[tuple[FieldPath, list[str], bool]]:
    """Return the lists of words that form the command, and whether they come from the TrainJob."""
    trainer: Any = get(subject.job.tree, _TRAINER, {})
    container = subject.info.trainer_container()
    if trainer.get("command") is not None:
        yield (*_TRAINER, "command"), trainer["command"], True
    elif container is not None and subject.info.release.wraps_command_of_runtime:
        yield in_runtime((*container.path, "command")), container.tree.get("command", []), False
    yield (*_TRAINER, "args"), trainer.get("args") or [], True
    if container is not None:
        yield in_runtime((*container.path, "args")), container.tree.get("args") or [], False


def _short(word: str) -> str:
    line = word.replace("\n", " ")
    return f'"{line[:37]}..."' if len(line) > 40 else f'"{line}"'
