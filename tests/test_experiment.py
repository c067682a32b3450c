"""Experiments that a Python program creates: the same results as from files, with places in the program."""

from __future__ import annotations

import copy
import enum
import inspect
import pickle
import subprocess
import sys
import textwrap
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import yaml

import tjgen
from tests.checkout import ROOT, list_entries
from tjgen import models
from tjgen.language.spec.generate.exports import exported
from tjgen.models import Experiment, ExperimentSpec, Gpu, Metadata, Schedule, Volume

CASES = sorted(path.parent for path in list_entries(ROOT / "tests/rejects", "*/experiment.yaml"))


def sound(**fields: Any) -> Experiment:
    return Experiment(
        metadata=Metadata(name="resnet50", namespace="vision"),
        spec=ExperimentSpec(runtime="tjgen-torch", image="registry.example.com/a:1", script="train.py", **fields),
    )


def errors(built: tjgen.BuildResult) -> list[tuple[str, str]]:
    """Code, and the text of the program at the place, of each error."""
    lines = Path(__file__).read_text(encoding="utf-8").split("\n")
    found = []
    for one in built.diagnostics:
        if one.severity == "error":
            assert one.span is not None
            assert Path(one.span.file).resolve() == Path(__file__).resolve()
            end = one.span.end_column - 1 if one.span.end_line == one.span.line else None
            found.append((one.code, lines[one.span.line - 1][one.span.column - 1 : end]))
    return found


@pytest.mark.parametrize("name", ["resnet50", "large", "sweep", "tasks", "volcano", "roles"])
def test_a_file_and_the_same_mapping_build_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT / "examples")
    file = f"{name}.yaml"
    documents = list(yaml.safe_load_all(Path(file).read_text(encoding="utf-8")))
    assert tjgen.build(documents=documents).to_yaml() == tjgen.build([file]).to_yaml()


def test_models_and_their_yaml_build_the_same(tmp_path: Path) -> None:
    experiment = sound(
        nodes=2,
        gpu=Gpu(device_class="a100", count=8),
        volumes={"data": Volume(pvc="imagenet", mount_path="/data", read_only=True)},
        schedule=Schedule(priority_class_name="high"),
    )
    file = tmp_path / "experiment.yaml"
    file.write_text(experiment.to_yaml(), encoding="utf-8")
    assert yaml.safe_load(experiment.to_yaml())["spec"]["gpu"] == {"class": "a100", "count": 8}
    assert experiment.build().to_yaml() == tjgen.build([str(file)]).to_yaml()


def test_a_wrong_value_is_reported_where_the_program_writes_it() -> None:
    assert errors(sound(nodes="two").build()) == [
        ("TJ103", 'ExperimentSpec(runtime="tjgen-torch", image="registry.example.com/a:1", script="train.py", **fields)')
    ]
    spec = ExperimentSpec(runtime="tjgen-torch", nodes="two", gpu=Gpu(device_class="h100", count=0))  # type: ignore[arg-type]
    built = Experiment(metadata=Metadata(name="a"), spec=spec).build()
    assert errors(built) == [("TJ106", "0"), ("TJ103", '"two"')]


def test_an_unknown_field_is_reported_at_its_name() -> None:
    built = Experiment(metadata=Metadata(name="a"), spec=ExperimentSpec(runtime="tjgen-torch", nods=2)).build()
    assert errors(built) == [("TJ101", "nods")]
    assert 'hint: did you mean "nodes"?' in built.problems


def test_a_field_of_another_model_gets_a_hint_in_python() -> None:
    built = Experiment(name="a", spec=ExperimentSpec(runtime="tjgen-torch", priorityClassName="high")).build()
    assert errors(built) == [("TJ101", "name"), ("TJ101", "priorityClassName")]
    hints = [one.hint for one in built.diagnostics]
    assert hints == ["write metadata=Metadata(name=...)", "write schedule=Schedule(priorityClassName=...)"]


def test_values_in_mappings_lists_and_variables_have_places() -> None:
    volume = Volume(pvc="imagenet", mount_path=3)  # type: ignore[arg-type]
    spec = {"runtime": "tjgen-torch", "args": ["a", 5], "volumes": {"data": volume}}
    built = Experiment(metadata={"name": "a"}, spec=spec).build()  # type: ignore[arg-type]
    assert errors(built) == [("TJ103", "spec"), ("TJ103", "3")]


def test_a_missing_field_is_reported_at_the_model_that_lacks_it() -> None:
    built = Experiment(metadata=Metadata(), spec=ExperimentSpec(runtime="tjgen-torch")).build()
    assert ("TJ102", "Metadata()") in errors(built)


def test_two_experiments_of_one_name_are_reported_at_both_calls() -> None:
    built = tjgen.build(documents=[sound(), sound(nodes=2)])
    (found,) = [one for one in built.diagnostics if one.code == "TJ264"]
    assert errors(built) == [("TJ264", '"resnet50"')]
    assert found.related[0].span is not None


@pytest.mark.parametrize(
    "value",
    [{1, 2}, Path("a"), float("nan"), float("inf"), object(), b"bytes", "\ud800", {1: "a"}, complex(1)],
    ids=["set", "path", "nan", "infinity", "object", "bytes", "half a character", "key", "complex"],
)
def test_what_yaml_cannot_hold_is_refused(value: Any) -> None:
    built = sound(env={"A": value}).build()
    assert [one.code for one in built.diagnostics] == ["TJ765"]
    assert (built.runs, built.failed) == ([], True)
    with pytest.raises(tjgen.CompileError):
        sound(env={"A": value}).to_yaml()


def test_a_mapping_that_contains_itself_is_refused() -> None:
    circle: dict[str, Any] = {}
    circle["a"] = circle
    assert {one.code for one in sound(patches=circle).build().diagnostics} == {"TJ765"}


def test_members_of_enumerations_and_tuples_are_plain_values() -> None:
    class Size(str, enum.Enum):  # noqa: UP042  # the older form must work, too
        LARGE = "large"

    class Nodes(enum.IntEnum):
        TWO = 2

    tree = yaml.safe_load(sound(nodes=Nodes.TWO, env={Size.LARGE: Size.LARGE}, args=("a", "b"), cpu=None).to_yaml())
    assert tree["spec"]["nodes"] == 2
    assert tree["spec"]["env"] == {"large": "large"}
    assert tree["spec"]["args"] == ["a", "b"]
    assert "cpu" not in tree["spec"]


def test_the_mistakes_of_files_are_those_of_mappings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Code and message of each error about the shape of an experiment are the same from a file and from a mapping."""
    compared = 0
    for folder in CASES:
        monkeypatch.chdir(folder)
        text = (folder / "experiment.yaml").read_text(encoding="utf-8", errors="replace")
        of_file = tjgen.build(["experiment.yaml"])
        try:
            documents = [one for one in yaml.safe_load_all(text) if one is not None]
        except (yaml.YAMLError, ValueError):
            continue
        codes = {one.code for one in of_file.diagnostics}
        if not documents or not all(isinstance(one, dict) for one in documents) or codes & TEXTUAL:
            continue
        built = tjgen.build(documents=documents)
        assert _shape(built) == _shape(of_file), folder.name
        compared += len(_shape(built))
    assert compared > 30


TEXTUAL = {
    "TJ001",
    "TJ002",
    "TJ003",
    "TJ004",
    "TJ005",
    "TJ006",
    "TJ007",
    "TJ008",
    "TJ009",
    "TJ010",
    "TJ011",
    "TJ012",
    "TJ023",
    "TJ263",
}
"""Codes about the text of a file, which a mapping does not have."""


def _shape(built: tjgen.BuildResult) -> list[tuple[str, str]]:
    return sorted({(one.code, one.message) for one in built.diagnostics if one.code.startswith("TJ10")})


def test_a_copy_has_other_fields_and_the_same_place() -> None:
    base = sound(nodes=2)
    wide = base.model_copy(update={"spec": base.spec.model_copy(update={"nodes": 4})})
    assert yaml.safe_load(wide.to_yaml())["spec"]["nodes"] == 4
    assert yaml.safe_load(base.to_yaml())["spec"]["nodes"] == 2
    assert wide.call == base.call


def test_equal_experiments_are_equal_wherever_they_are_created() -> None:
    one, other = sound(nodes=2), sound(nodes=2)
    assert one == other
    assert one != sound(nodes=3)
    for same in (copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert same == one
        assert same.to_yaml() == one.to_yaml()


def test_one_path_or_name_needs_no_list() -> None:
    file = ROOT / "examples/resnet50.yaml"
    assert tjgen.build(file).to_yaml() == tjgen.build(str(file)).to_yaml() == tjgen.build([str(file)]).to_yaml()
    assert [one.message for one in sound().build(environments="dev").diagnostics] == [
        one.message for one in sound().build(environments=["dev"]).diagnostics
    ]


def test_experiments_among_the_paths_are_refused_with_the_argument_that_takes_them() -> None:
    with pytest.raises(TypeError, match=r"one is of type Experiment; .* write documents=\[...\]"):
        tjgen.build([sound()])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="one is of type NoneType"):
        tjgen.build([None])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        (sound(), "but is of type Experiment; write documents="),
        (sound().model_dump(), "but is of type dict; write documents="),
        ("a.yaml", "but is of type str; write documents="),
        (3, "but is of type int; write documents="),
        (["a.yaml"], "but one is of type str; for files, write paths="),
        ([sound(), None], "but one is of type NoneType; for files, write paths="),
    ],
    ids=["an experiment", "a mapping", "a string", "a number", "files", "a null"],
)
def test_documents_that_are_no_list_of_experiments_are_refused(documents: Any, message: str) -> None:
    with pytest.raises(TypeError, match=f"documents must be a list of experiments and mappings, {message}"):
        tjgen.build(documents=documents)


def test_documents_of_a_generator_are_built() -> None:
    assert len(tjgen.build(documents=(one for one in (sound(),))).runs) == 1  # type: ignore[arg-type]


def test_the_text_of_an_error_contains_the_hint() -> None:
    with pytest.raises(tjgen.CompileError, match=r"TJ101: unknown field \"name\" \(hint: write metadata=Metadata\(name=...\)\)"):
        Experiment(name="a", spec=ExperimentSpec(runtime="tjgen-torch")).to_yaml()


def test_no_documents_build_nothing() -> None:
    assert tjgen.build(documents=[]) == tjgen.BuildResult([], [])


def test_a_diff_names_the_run_that_is_replaced() -> None:
    changes = sound(nodes=4).build().diff(sound(nodes=2).build())
    assert not changes.is_empty
    assert "TrainJob spec.trainer.numNodes: 2 -> 4" in str(changes)
    assert sound().build().diff(sound().build()).is_empty
    with pytest.raises(tjgen.CompileError):
        sound().build().diff(sound(nodes=0).build())


class _Frames(HTMLParser):
    """The pages inside of frames."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.pages: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.pages += [value for name, value in attrs if name == "srcdoc" and value is not None]


def test_a_notebook_shows_the_report_and_the_diff() -> None:
    built = sound(nodes=2).build()
    frame = _Frames(built._repr_html_())
    (page,) = frame.pages
    assert frame.tags == ["iframe"]
    assert built.runs[0].name in page
    assert "<dt>Source<dd>tests/test_experiment.py</div>" in page
    (page,) = _Frames(sound(nodes=4).build().diff(built)._repr_html_()).pages
    assert "spec.trainer.numNodes" in page


def test_a_notebook_shows_what_is_wrong() -> None:
    for built in (sound(nodes="<b>").build(), sound(env={"A": {1}}).build(), tjgen.build(["missing.yaml"])):
        (page,) = _Frames(built._repr_html_()).pages
        assert built.diagnostics[0].code in page
        assert "<b>&quot;" not in page


def test_a_result_is_short_in_a_prompt() -> None:
    assert repr(sound().build()) == "<BuildResult: 1 run, 2 objects, no findings>"
    assert repr(sound(nodes=0).build()) == "<BuildResult: 0 runs, 0 objects, 1 error>"
    assert repr(Metadata(name="a")) == "Metadata(name='a')"


def test_every_model_is_exported() -> None:
    assert {one.__name__ for one in exported()} | {"Experiment"} == set(models.__all__)
    for one in exported():
        assert getattr(models, one.__name__) is one


def test_the_example_prints_manifests() -> None:
    done = subprocess.run([sys.executable, "examples/experiments.py"], cwd=ROOT, capture_output=True, text=True, check=True)
    names = [one["metadata"]["name"].rpartition("-")[0] for one in yaml.safe_load_all(done.stdout) if one["kind"] == "TrainJob"]
    assert names == ["lm-small", "lm-large"]


def test_a_program_on_standard_input_has_places() -> None:
    program = (
        'from tjgen.models import *\nprint(Experiment(metadata=Metadata(name="A"), spec=ExperimentSpec()).build().problems)\n'
    )
    done = subprocess.run([sys.executable, "-"], input=program, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "error[TJ105] <stdin>:2:" in done.stdout


def test_a_type_checker_reads_the_types(tmp_path: Path) -> None:
    program = """\
        import tjgen
        from tjgen.models import Experiment, ExperimentSpec, Gpu, Metadata

        good = Experiment(metadata=Metadata(name="a"), spec=ExperimentSpec(nodes=2, gpu=Gpu(device_class="h100", count=8)))
        reveal_type(good.build().manifests[0].kind)
        reveal_type(tjgen.build(documents=[good]).failed)
        ExperimentSpec(nodes="two")
        ExperimentSpec(nods=2)
        Metadata()
        """
    file = tmp_path / "program.py"
    file.write_text(textwrap.dedent(program), encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--cache-dir", str(tmp_path / "cache"), str(file)]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    found = [line.split(": ", 2)[2] for line in printed.splitlines() if line.startswith(str(file))]
    assert found == [
        'Revealed type is "str"',
        'Revealed type is "bool"',
        'Argument "nodes" to "ExperimentSpec" has incompatible type "str"; expected "int | None"  [arg-type]',
        'Unexpected keyword argument "nods" for "ExperimentSpec"; did you mean "nodes"?  [call-arg]',
        'Missing named argument "name" for "Metadata"  [call-arg]',
    ]


def test_the_stub_names_what_is_exported() -> None:
    stub = (ROOT / "tjgen/__init__.pyi").read_text(encoding="utf-8")
    named = {line.rpartition(" as ")[2] for line in stub.splitlines() if " as " in line}
    assert named == set(tjgen.__all__) - {"__version__"}


def test_the_signature_is_that_of_build() -> None:
    own = inspect.signature(Experiment.build).parameters
    whole = inspect.signature(tjgen.build).parameters
    assert [*own][1:] == [name for name in whole if name not in ("paths", "documents")]
