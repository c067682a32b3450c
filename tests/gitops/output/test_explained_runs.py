"""`tjgen explain` with words as kubectl takes them: a run by its name, a kind in short, a path with positions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gitops.output.test_on_call import folder, manifest
from tests.program import tjgen

__all__ = ["folder"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("RUN jobset", "JobSet nlp/RUN  (preview: a controller makes it): "),
        ("RUN jobsets spec.suspend", "  spec.suspend: false  <- trainer:jobset\n"),
        ("RUN js suspend", "  field spec.suspend\n"),
        ("RUN pod image", "  field spec.containers[name=node].image\n"),
        ("RUN pod/RUN-node-0-0 spec.containers[0].image", "  spec.containers[name=node].image: registry.example.com/nlp/bert:1"),
        ("RUN pods .spec.containers.0.image", "  spec.containers[name=node].image: registry.example.com/nlp/bert:1"),
        ("RUN jobset spec.template.spec.containers[0].image", "  spec.replicatedJobs[name=node].template.spec.template.spec."),
        ("bert trainjob spec.trainer", "  spec.trainer.args[0]: train.py  <- experiment spec.script"),
        ("bert --env dev", "TrainJob nlp/RUN: "),
        ("trainjob/RUN spec.trainer", "  spec.trainer.args[0]: train.py  <- experiment spec.script"),
        ("trainjob RUN spec.trainer", "  spec.trainer.args[0]: train.py  <- experiment spec.script"),
        ("RUN trainjob.spec.trainer", "  spec.trainer.args[0]: train.py  <- experiment spec.script"),
        ("RUN spec.trainer.args[0]", "  spec.trainer.args[0]: train.py  <- experiment spec.script"),
        ("experiments/bert.yaml spec.containers[0].image", "Pod nlp/RUN-node-0-0  (preview: a controller makes it)\n"),
    ],
)
def test_words_of_kubectl_select_objects_and_fields(folder: Path, words: str, expected: str) -> None:
    run = manifest(folder).parent.name
    answer = tjgen(folder, "explain", *words.replace("RUN", run).split())
    assert (answer.code, answer.err) == (0, "")
    assert expected.replace("RUN", run) in answer.out


@pytest.mark.parametrize(
    ("words", "code", "hint"),
    [
        ("RUN jobst", "TJ025", 'did you mean "JobSet"?'),
        ("RUN jobst spec.suspend", "TJ026", 'did you mean "JobSet"?'),
        ("RUN spec.triner.args", "TJ025", 'did you mean "spec.trainer.args"?'),
        ("RUN pod spec.container[0].image", "TJ025", 'did you mean "spec.containers[name=node].image"?'),
        ("RUNx trainjob", "TJ020", 'did you mean "RUN"?'),
        ("brt trainjob", "TJ020", 'did you mean "bert"?'),
        ("bert.yaml trainjob", "TJ020", 'did you mean "experiments/bert.yaml"?'),
        ("RUN --env prod", "TJ020", "this run is in environment dev"),
        ("RUN --env pord", "TJ262", 'did you mean "prod"?'),
        ("RUN pod spec[[", "TJ024", "write it like spec.template.spec.containers[name=node].image"),
    ],
)
def test_words_that_select_nothing_get_the_nearest(folder: Path, words: str, code: str, hint: str) -> None:
    run = manifest(folder).parent.name
    project = folder / "tjgen.yaml"
    project.write_text(
        project.read_text(encoding="utf-8").replace("{dev: {}}", "{dev: {}, prod: {runs: promoted}}"), encoding="utf-8"
    )
    answer = tjgen(folder, "explain", *words.replace("RUN", run).split())
    assert (answer.code, answer.out) == (1, "")
    assert f"error[{code}]" in answer.err
    assert f"hint: {hint.replace('RUN', run)}" in answer.err


def test_a_name_without_a_project_is_an_unreadable_file(tmp_path: Path) -> None:
    answer = tjgen(tmp_path, "explain", "bert", "trainjob")
    assert (answer.code, answer.out) == (1, "")
    assert "error[TJ020] bert cannot be read" in answer.err
    assert "hint: name an experiment, a run, or a file that tjgen wrote" in answer.err
