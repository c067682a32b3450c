"""Words that were probably meant."""

from __future__ import annotations

import pytest

from tjgen.trees.k8s.nearest import nearest

TARGETS = ("trainjob", "jobset", "volcanojob", "pytorchjob", "tfjob", "mpijob", "xgboostjob", "jaxjob", "paddlejob")


@pytest.mark.parametrize(
    ("word", "known", "meant"),
    [
        pytest.param("volcanjob", TARGETS, "volcanojob", id="a slip"),
        pytest.param("PyTorchJob", TARGETS, "pytorchjob", id="capitals"),
        pytest.param("node", ("code", "mode", "nodes"), "nodes", id="the same first letter before others"),
        pytest.param("volcano", TARGETS, "volcanojob", id="the beginning of one word"),
        pytest.param("Xgb", TARGETS, "xgboostjob", id="three letters of one word"),
        pytest.param("xg", TARGETS, None, id="two letters"),
        pytest.param("run", ("runtimeClass", "runsInQueue"), None, id="the beginning of two words"),
        pytest.param("batch", TARGETS, None, id="another word"),
        pytest.param("v" * 101, ("v" * 150,), None, id="too long"),
    ],
)
def test_the_word_that_was_meant(word: str, known: tuple[str, ...], meant: str | None) -> None:
    """A word with few edits, or else the only longer one."""
    assert nearest(word, known) == meant
