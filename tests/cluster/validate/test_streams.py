"""A document of a file with many documents is what reading the whole file gives, and is reported at its place in the file."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.validate.test_recognition import answer_of_both, compare, texts_of_corpus, varied
from tests.program import cases
from tests.scaling.inputs import dumped, runtime, trainjob
from tjgen.cluster.validate import streams
from tjgen.cluster.validate.check import MANY, examine, read_documents
from tjgen.cluster.validate.recognition import DocumentOfStream
from tjgen.trees.budgets import DEFAULT, VALUES_OF_FILE, CommandBudgets
from tjgen.trees.session import STAMPS, Session
from tjgen.trees.source import reader
from tjgen.trees.source.document import Document

SERVICE = (
    "# source: a/{0}.yaml\napiVersion: v1\nkind: Service\nmetadata:\n  name: run-{0}\n  namespace: team\n"
    "spec:\n  clusterIP: None\n"
)


def services(number: int = MANY + 10) -> list[str]:
    return [SERVICE.format(position) for position in range(number)]


def read_both(text: str | bytes, budgets: CommandBudgets = DEFAULT) -> tuple[list[Document], list[Any]]:
    """Read a file with recognition, after a comparison with the file as a whole."""
    documents, problems = read_documents(text, "a.yaml", budgets, Session())
    expected, expected_problems = reader.read(text, "a.yaml", reader.KUBERNETES, budgets)
    assert problems == expected_problems
    assert len(documents) == len(expected)
    assert len({id(document.source) for document in documents}) <= 1
    for one, other in zip(documents, expected, strict=True):
        assert repr(one.value) == repr(other.value)
        assert (one.index, one.extent, one.text, one.own_text) == (other.index, other.extent, other.text, other.own_text)
        assert (one.file, one.dialect) == (other.file, other.dialect)
        for path in ((), ("kind",), ("metadata", "name"), ("spec",), ("metadata", "absent")):
            assert one.locate(path) == other.locate(path)
            assert one.locate(path, key=True) == other.locate(path, key=True)
    return documents, problems


def known_in(documents: list[Document]) -> int:
    return sum(isinstance(document, DocumentOfStream) for document in documents)


def test_documents_of_a_stream_are_recognized() -> None:
    documents, problems = read_both("---\n".join(services()))
    assert (known_in(documents), problems) == (MANY + 10, [])


def test_few_documents_are_read_as_a_whole() -> None:
    assert known_in(read_both("---\n".join(services(MANY)))[0]) == 0


def test_the_text_of_the_file_is_not_copied() -> None:
    documents, _ = read_both("---\n".join(services()))
    assert len({id(document.text) for document in documents}) == 1


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("", ""), ("---\n", ""), ("# a: b\n", ""), ("# c1\n---\n", ""), ("\n\n", ""), ("\ufeff", ""), ("---\n---\n", ""),
        ("", "---\n"), ("", "---\n---\n"), ("", "# the end\n"), ("", "---\n# the end\n"), ("", "\n\n"), ("", "---\n{}\n"),
        ("", "---\n- a\n- b\n"), ("", "---\nnull\n"), ("", "---\n\"a\\/b\"\n"), ("{}\n---\n", ""), ("  # c\n", ""),
    ],
)  # fmt: skip
def test_starts_and_ends_of_files(start: str, end: str) -> None:
    """Documents are recognized in all these files, except in the one that can be JSON."""
    documents, _ = read_both(start + "---\n".join(services()) + end)
    assert (known_in(documents) > MANY) == (not start.startswith("{") and "\\/" not in end)


@pytest.mark.parametrize(
    "odd",
    [
        "---\n", "--- \n", "---\t\n", "--- # c\n", "--- text\n", "--- {a: b}\n", "--- |\n  a\n", "...\n", "...\n---\n",
        "%YAML 1.1\n---\n", "%TAG ! a\n---\n", " ---\n", "----\n", "---a: b\n", "# c\n", "  # c\n", "\n\n", "\t\n", "a: b\n",
        "a: &x b\nc: *x\n", "a: *x\n", "apiVersion: v1\nkind: List\nitems:\n- a: b\n- c: d\n", "a: |\n  b\n  ---\n  c\n",
        "a: |\n  b\n---\n  c\n", "a: 'b\n---\nc'\n", 'a: "b\n---\nc"\n', "a: [b,\n---\nc]\n", "a: b\na: c\n", "a: !x b\n",
        "a: b: c\n", "a: {\n", "a\r\nb: c\n", "a: b\u2028---\nc\n", "a: \x85---\n", "\ufeffa: b\n", "a: \x01\n",
        "a: \ud800\n", "? a\n: b\n", "? - a\n: b\n", "a: <<\n", "<<: {a: b}\n", "? <<\n: {a: b}\n", "a: >-\n\n---\n",
        "a:\n  b: |2\n    c\n---\n", "a: 0x_1\n", "a: 1e999\n", "null: a\n", "{}\n", "[]\n", '{"a": "\\/"}\n',
        "a: \"\\/\"\n", "a: cat <<EOF\n", "- a\n", "a\n", "'a'\n", "|\n a\n",
    ],
)  # fmt: skip
@pytest.mark.parametrize("place", [0, 40, MANY + 9])
def test_an_odd_document_in_the_middle(odd: str, place: int) -> None:
    """With and without a separator before it and after it."""
    for before, after in (("", ""), ("---\n", "---\n"), ("---\n", ""), ("", "---\n")):
        texts = services()
        texts[place] = f"{texts[place]}{before}{odd}{after}{texts[place]}"
        read_both("---\n".join(texts))


def test_a_stream_of_other_encodings() -> None:
    text = "---\n".join(services())
    for content in (text.encode(), text.encode("utf-16"), text.encode() + b"\xff", text.encode() + b"\0"):
        read_both(content)


def test_budgets_of_a_file_with_recognized_documents() -> None:
    texts = services()
    text = "---\n".join(texts)
    values = 15 * len(texts)
    enough = -(-values // VALUES_OF_FILE)
    for number in (14, 20, enough - 1, enough, enough + 1, values):
        documents, problems = read_both(text, DEFAULT._replace(values=number))
        assert bool(problems) == (number < enough)
    for number in (len(texts) - 1, len(texts), len(texts) + 1):
        documents, problems = read_both(text, DEFAULT._replace(documents=number))
        assert bool(problems) == (number < len(texts))
    assert read_both(text, DEFAULT._replace(file_size=len(text) - 1))[0] == []
    assert known_in(documents) > MANY


def test_documents_of_the_corpus_and_variants_of_them() -> None:
    chance, known = random.Random(3), 0
    texts = [text for text in texts_of_corpus() if "---" not in text]
    for start in range(0, len(texts), 40):
        for rate in (0.0, 0.03, 0.3):
            some = [one for text in texts[start : start + 40] for one in (text, text)]
            some += [varied(text, chance) if chance.random() < rate else text for text in some]
            known += compare([("a.yaml", "---\n".join(some))])
    assert known > 100


def test_documents_of_cases_and_variants_of_them() -> None:
    chance, known = random.Random(4), 0
    for case in cases("cases")[::12]:
        texts: list[str] = []
        for file in sorted(case.glob("expected/**/*.yaml"))[:6]:
            texts += file.read_text(encoding="utf-8").split("\n---\n")[:4]
        for rate in (0, 0.02, 0.3):
            some = [chance.choice(texts) for _ in range(MANY * 2)] if texts else []
            some = [varied(text, chance) if chance.random() < rate else text for text in some]
            known += compare([("a.yaml", "\n---\n".join(some))])
    assert known > 300


def test_findings_are_at_their_lines() -> None:
    texts = [dumped(trainjob(f"run-{number}", trainer={"image": f"a:{number}"})) for number in range(MANY + 10)]
    bad = dumped(trainjob("run-bad", trainer={"numNodes": "two"}))
    texts[50] = bad
    text = "---\n".join(texts)
    problems = [one for one in examine(text, "a.yaml", session=Session()).diagnostics if one.code != "TJ529"]
    assert problems
    assert [one.span.line for one in problems if one.span] == [text[: text.index("two")].count("\n") + 1] * len(problems)
    assert problems == [one for one in examine(text, "a.yaml").diagnostics if one.code != "TJ529"]


def _with_runtimes(number: int, *, label: str = "", jobs: str = "node") -> list[str]:
    """TrainJobs with their runtimes in one file, and objects whose names are equal to some of theirs."""
    marked = [
        {**(one := runtime(f"runtime-{name}")), "metadata": {**one["metadata"], "labels": _support(label)}} for name in range(3)
    ]
    texts = list(map(dumped, marked))
    for position in range(number):
        reference = {"name": f"runtime-{position % 4}", "kind": "ClusterTrainingRuntime"}
        trainer = {"image": f"a:{position}", "env": [{"name": "SEED", "value": f"{position}"}]}
        patches = [{"manager": "a.io/b", "trainingRuntimeSpec": _patched(jobs if position % 9 == 8 else "node", position)}]
        texts.append(dumped(trainjob(f"run-{position % 70}", runtimeRef=reference, trainer=trainer, runtimePatches=patches)))
    return texts


def _support(label: str) -> dict[str, str]:
    return {"trainer.kubeflow.org/framework": "torch", "trainer.kubeflow.org/support": label}


def _patched(job: str, position: int) -> dict[str, Any]:
    spec = {"template": {"spec": {"priorityClassName": f"high-{position % 5}-a"}}} if position % 11 == 10 else {}
    return {"template": {"spec": {"replicatedJobs": [{"name": job, "template": {"spec": spec}}]}}}


@pytest.mark.parametrize("label", ["", "deprecated"])
@pytest.mark.parametrize("jobs", ["node", "absent-1", "runtime-1"])
def test_trainjobs_with_their_runtimes(label: str, jobs: str) -> None:
    """A webhook reads both, so a verdict holds for the same runtime only."""
    chance = random.Random(5)
    texts = _with_runtimes(MANY * 2, label=label, jobs=jobs)
    assert compare([("a.yaml", "---\n".join(texts))]) > MANY
    chance.shuffle(texts)
    files = [
        ("a.yaml", "---\n".join(texts)),
        ("b.yaml", "---\n".join(texts[3:])),
        *[(f"{n}.yaml", one) for n, one in enumerate(texts[:20])],
    ]
    assert compare(files) > MANY * 2


def _in_namespaces(number: int) -> list[str]:
    """Runtimes of one name in two namespaces, of which the second reserves a variable, and TrainJobs that set it."""
    texts = []
    for namespace, policy in (("team-1", {"numNodes": 1}), ("team-2", {"numNodes": 1, "torch": {}})):
        one = runtime("shared")
        spec = {**one["spec"], "mlPolicy": policy}
        metadata = {"name": "shared", "namespace": namespace}
        texts.append(dumped({**one, "kind": "TrainingRuntime", "metadata": metadata, "spec": spec}))
    for position in range(number):
        trainer = {"image": f"a:{position}", "env": [{"name": "PET_NNODES", "value": f"{position}"}]}
        one = trainjob(runtimeRef={"name": "shared", "kind": "TrainingRuntime"}, trainer=trainer)
        texts.append(dumped({**one, "metadata": {"name": f"run-{position}", "namespace": f"team-{position % 3 + 1}"}}))
    return texts


def test_a_verdict_holds_for_the_runtime_of_the_namespace() -> None:
    for seed in range(6):
        texts = _in_namespaces(MANY * 2)
        random.Random(seed).shuffle(texts)
        text = "---\n".join(texts)
        assert compare([("a.yaml", text)]) > MANY
        diagnostics = examine(text, "a.yaml", session=Session()).diagnostics
        refused = {one.subject.name for one in diagnostics if one.subject and one.code == "TJ530"}
        assert refused == {f"run-{position}" for position in range(1, MANY * 2, 3)}


FORMATS = ("text", "json")
COMMANDS = (
    ("check", "--no-cache"),
    ("check", "--no-cache", "--closed"),
    ("lint", "--gitops", "both"),
    ("lint", "--fix", "--diff"),
)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("label", ["", "deprecated"])
def test_output_is_the_same(command: tuple[str, ...], label: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = _with_runtimes(MANY * 2, label=label)
    texts[30] = texts[30].replace("run-", "Run_")
    texts[40] = "# tjgen: ignore TJ656: known\n" + texts[40]
    (tmp_path / "a.yaml").write_text("---\n".join([*texts, *services()]), encoding="utf-8")
    others = tmp_path / "others"
    others.mkdir()
    for number, text in enumerate(texts[60:90]):
        (others / f"{number}.yaml").write_text("---\n" + text.replace("run-", "job-"), encoding="utf-8")
    for form in FORMATS if "--diff" not in command else FORMATS[:1]:
        assert answer_of_both(tmp_path, monkeypatch, *command, "--format", form, ".").code == 1


def test_the_variable_turns_it_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(STAMPS, "off")
    assert streams.read("---\n".join(services()), "a.yaml", DEFAULT, Session()) is None
