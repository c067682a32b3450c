"""`Experiment.from_function`: a Python function is the program of an experiment, or is refused at the place of the reason."""

from __future__ import annotations

import collections
import enum
import functools
import linecache
import math
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import tjgen
from tests.program import tjgen as command
from tjgen.models import Experiment, ExperimentSpec, Metadata

HERE = Path(__file__)
SCALE = 3


def train(lr: float, layers: list[Path], *, name: str = "net") -> Path:
    """Train."""
    del lr, layers
    return Path(name)


def plain(lr: float, layers: list[Any], *, name: str = "net") -> None:
    import json
    import sys

    def inner(value: float) -> float:
        class Holder:
            factor = 2
            twice = factor * value

        return Holder.twice

    text = """
  keeps its
      indentation
"""
    sys.stdout.write(json.dumps([inner(lr), layers, name, text, __name__]) + "\n")


async def waits(seconds: float) -> None:
    import asyncio
    import sys

    await asyncio.sleep(seconds)
    sys.stdout.write("waited\n")


def experiment_of(function: Callable[..., Any], arguments: dict[str, Any], **fields: Any) -> Experiment:
    spec = ExperimentSpec(runtime="tjgen-torch", image="registry.example.com/a:1", nodes=2, **fields)
    return Experiment.from_function(function, arguments, metadata=Metadata(name="fn", namespace="vision"), spec=spec)


def objects(built: str) -> dict[str, Any]:
    return {tree["kind"]: tree for tree in yaml.safe_load_all(built)}


def run(experiment: Experiment, folder: Path) -> str:
    """What the program prints in a process, with the files and the arguments that the pods get."""
    built = experiment.build()
    assert not built.failed, built.problems
    trees = objects(built.to_yaml())
    for name, text in trees["ConfigMap"]["data"].items():
        (folder / name).write_text(text, encoding="utf-8")
    trainer = trees["TrainJob"]["spec"]["trainer"]
    assert trainer["command"] == ["torchrun"]
    process = subprocess.run([sys.executable, *trainer["args"]], cwd=folder, capture_output=True, text=True, check=True)
    return process.stdout


def refused(function: Any, arguments: dict[str, Any] | None = None, **fields: Any) -> list[tuple[str, str]]:
    """The message of each diagnostic, and the text at its place in this file."""
    with pytest.raises(tjgen.CompileError) as error:
        experiment_of(function, arguments or {}, **fields)
    lines = HERE.read_text(encoding="utf-8").split("\n")
    result = []
    for one in error.value.diagnostics:
        assert (one.code, bool(one.hint)) == ("TJ768", True)
        assert one.span is not None
        assert Path(one.span.file).resolve() == HERE.resolve()
        end = one.span.end_column - 1 if one.span.end_line == one.span.line else None
        result.append((one.message, lines[one.span.line - 1][one.span.column - 1 : end]))
    return result


CALL = 'Experiment.from_function(function, arguments, metadata=Metadata(name="fn", namespace="vision"), spec=spec)'


def test_a_function_runs_with_its_arguments_in_a_process_of_its_own(tmp_path: Path) -> None:
    experiment = experiment_of(plain, {"lr": 0.25, "layers": [1, None, True, {"a b": "$(HOME) 'x'"}]})
    expected = '[0.5, [1, null, true, {"a b": "$(HOME) \'x\'"}], "net", "\\n  keeps its\\n      indentation\\n", "__main__"]\n'
    assert run(experiment, tmp_path) == expected


def test_an_asynchronous_function_runs_in_a_loop(tmp_path: Path) -> None:
    assert run(experiment_of(waits, {"seconds": 0}), tmp_path) == "waited\n"


def test_a_function_in_a_function_keeps_its_texts(tmp_path: Path) -> None:
    def train(**words: str) -> None:
        import sys

        text = """
        a
          b"""
        sys.stdout.write(f"{text!r} {words}\n")

    assert run(experiment_of(train, {"class": "x"}), tmp_path) == "'\\n        a\\n          b' {'class': 'x'}\n"


def test_its_yaml_builds_alone_to_the_same(tmp_path: Path) -> None:
    experiment = experiment_of(plain, {"lr": 1, "layers": []})
    (tmp_path / "experiment.yaml").write_text(experiment.to_yaml(), encoding="utf-8")
    answer = command(tmp_path, "build", "experiment.yaml")
    assert answer.code == 0, answer.err
    mine, files = objects(experiment.build().to_yaml()), objects(answer.out)
    assert mine == files
    assert files["ConfigMap"]["data"]["program.py"].endswith("    plain(lr=1, layers=[])\n")


def test_other_arguments_are_another_run() -> None:
    names = [experiment_of(plain, {"lr": lr, "layers": []}).build().runs[0].name for lr in (1, 1.0, 2)]
    assert len(set(names)) == 3


def test_a_mapping_is_a_spec_too(tmp_path: Path) -> None:
    spec = {"runtime": "tjgen-torch", "image": "registry.example.com/a:1"}
    experiment = Experiment.from_function(plain, {"lr": 1, "layers": []}, metadata={"name": "fn"}, spec=spec)
    assert run(experiment, tmp_path).startswith("[2, []")
    assert "script" not in spec


def test_a_name_of_the_module_is_refused_where_it_is_used() -> None:
    def uses(x: float) -> float:
        import json

        json.dumps(x)
        return math.sqrt(x) * SCALE * len(run.__name__) + functools.reduce(max, [x])

    assert refused(uses, {"x": 1}) == [
        ("uses uses math, a module that is imported outside of it", "math"),
        ("uses uses SCALE, a variable of its module, which does not exist in a pod", "SCALE"),
        ("uses uses run, which is defined outside of it and does not exist in a pod", "run"),
        ("uses uses functools, a module that is imported outside of it", "functools"),
    ]
    assert refused(train, {"lr": 1, "layers": []}) == [("train uses Path, which is imported from pathlib outside of it", "Path")]


def test_a_variable_of_the_function_around_it_is_refused() -> None:
    base = 3

    def closes(x: int) -> int:
        return x + base

    def defaults(x: int = SCALE) -> int:
        return x

    around = "a variable of the function around it, which does not exist in a pod"
    assert refused(closes, {"x": 1}) == [(f"closes uses base, {around}", "base")]
    assert refused(defaults) == [("defaults uses SCALE, a variable of its module, which does not exist in a pod", "SCALE")]


def test_decorators_methods_and_generators_are_refused() -> None:
    def plainly(function: Callable[..., Any]) -> Callable[..., Any]:
        return function

    @plainly
    def decorated() -> None:
        pass

    @functools.wraps(decorated)
    def wrapped() -> None:
        pass

    class Model:
        def train(self) -> None:
            pass

    def steps() -> Iterator[int]:
        yield 1

    nowhere = "and the decorator does not exist in a pod"
    assert refused(decorated) == [(f"decorated is decorated with plainly, {nowhere}", "plainly")]
    assert refused(wrapped) == [(f"decorated is decorated, {nowhere}", CALL)]
    assert refused(Model().train) == [("train is a method, whose object does not exist in a pod", CALL)]
    assert refused(steps) == [("steps contains yield: a call would not run it", CALL)]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda: None, "a lambda is not a program"),
        (print, "print is a builtin_function_or_method, not a function with a source"),
        (Path, "Path is a class, not a function with a source"),
        (functools.partial(plain, 1), "functools.partial"),
        ("train.py", "'train.py' is a str, not a function with a source"),
    ],
    ids=["lambda", "builtin", "class", "partial", "text"],
)
def test_what_is_not_a_function_with_a_source_is_refused(function: Any, message: str) -> None:
    ((text, place),) = refused(function)
    assert text.startswith(message)
    assert place == CALL


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"lr": 1}, "plain cannot be called: missing a required argument: 'layers'"),
        ({"lr": 1, "layers": [], "epochs": 2}, "plain cannot be called: got an unexpected keyword argument 'epochs'"),
        ({"lr": float("nan"), "layers": []}, "argument lr of plain is not a JSON value: nan"),
        ({"lr": 1, "layers": [{1: 2}]}, "argument layers of plain is not a JSON value: [{1: 2}]"),
        ({"lr": 1, "layers": (1, 2)}, "argument layers of plain is not a JSON value: (1, 2)"),
    ],
    ids=["missing", "unknown", "nan", "key", "tuple"],
)
def test_arguments_that_do_not_fit_are_refused(arguments: dict[str, Any], message: str) -> None:
    assert refused(plain, arguments) == [(message, CALL)]


def test_a_second_program_is_refused() -> None:
    message = "the spec has script, but the function is the program"
    assert refused(plain, {"lr": 1, "layers": []}, script="train.py") == [(message, CALL)]


def test_a_function_of_a_cell_of_a_notebook_has_a_source(tmp_path: Path) -> None:
    cell = "def train(lr):\n    print(lr)\n"
    names: dict[str, Any] = {}
    exec(compile(cell, "<ipython-input-7>", "exec"), names)
    linecache.cache["<ipython-input-7>"] = (len(cell), None, cell.splitlines(keepends=True), "<ipython-input-7>")
    assert run(experiment_of(names["train"], {"lr": 5}), tmp_path) == "5\n"
    del linecache.cache["<ipython-input-7>"]
    assert refused(names["train"], {"lr": 5}) == [("the source of train is not available", CALL)]


def test_a_file_that_has_changed_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "changing.py").write_text("def train(lr):\n    print(lr)\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    import changing  # type: ignore[import-not-found]

    (tmp_path / "changing.py").write_text("def other(x):\n    print(x)\n\n\ndef train(lr):\n    print(lr)\n", encoding="utf-8")
    assert refused(changing.train, {"lr": 1}) == [("the source of train is that of another function: the file has changed", CALL)]


class Number(enum.IntEnum):
    ONE = 1


class Text(str, enum.Enum):  # noqa: UP042  # this is what programs have
    A = "a"


@pytest.mark.parametrize(
    "value",
    [
        object(),
        Number.ONE,
        Text.A,
        collections.defaultdict(int),
        collections.OrderedDict(a=1),
        collections.Counter("a"),
        [{"a": Number.ONE}],
        {"a": (1, 2)},
        math.inf,
    ],
    ids=lambda value: type(value).__name__,
)
def test_only_plain_values_are_arguments(value: object) -> None:
    ((message, place),) = refused(plain, {"lr": 1, "layers": value})
    assert (message, place) == (f"argument layers of plain is not a JSON value: {value!r}", CALL)


def test_a_tuple_should_be_a_list() -> None:
    with pytest.raises(tjgen.CompileError) as error:
        experiment_of(plain, {"lr": 1, "layers": (1, 2)})
    assert [one.hint for one in error.value.diagnostics] == ["use a list"]
