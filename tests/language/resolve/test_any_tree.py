"""Whatever stands in an experiment or an overlay, it ends in runs or in errors that have a place."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.language.resolve.texts import overlay
from tests.language.spec.trees import ANYTHING, fitting, nearly_fitting
from tjgen.language.resolve.overlays import Surroundings
from tjgen.language.resolve.project import alone
from tjgen.language.resolve.variants import variants
from tjgen.language.spec import compact
from tjgen.trees.diagnostics.model import has_errors
from tjgen.trees.source.reader import CORE, read
from tjgen.trees.source.writer import dump

PATHS = st.sampled_from(
    ["env.LR", "gpu", "gpu.count", "nodes", "volumes.d.pvc", "pod.labels", "metadata.labels.a", "nonsense", "a..b", "name"]
)
SWEEPS = st.fixed_dictionaries(
    {},
    optional={
        "matrix": st.dictionaries(PATHS, st.lists(ANYTHING, min_size=1, max_size=2), max_size=2),
        "zip": st.dictionaries(PATHS, st.lists(ANYTHING, min_size=1, max_size=2), max_size=2),
        "include": st.lists(st.dictionaries(PATHS, ANYTHING, max_size=2), max_size=2),
        "exclude": st.lists(st.dictionaries(PATHS, ANYTHING, max_size=2), max_size=1),
    },
)
SPECS = st.one_of(
    ANYTHING,
    nearly_fitting(compact.EXPERIMENT_SPEC),
    st.builds(lambda spec, sweep: {**spec, "runtime": "a", "sweep": sweep}, fitting(compact.EXPERIMENT_SPEC), SWEEPS | ANYTHING),
)
OVERLAYS = [
    overlay(
        "below",
        "layer: default\nexperiment: {volumes: {d: {pvc: x, mountPath: /d}}, gpu: h100:8, env: {LR: 1, A: null}, nodes: null}",
    ),
    overlay(
        "over",
        "experiment: {volumes: {d: {readOnly: true}}, gpu: {count: 2}, env: {LR: {secret: s, key: k}}, pod: {labels: {a: b}}}",
    ),
]


@example({"image": "0", "tasks": {"a": {}}}, {})
@example({"image": "0", "tasks": {"a": {}}}, [])
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(SPECS, st.one_of(st.just({"name": "a"}), ANYTHING))
def test_any_experiment(spec: Any, metadata: Any) -> None:
    tree = {"apiVersion": "tjgen.dev/v1alpha1", "kind": "Experiment", "metadata": metadata, "spec": spec}
    (document,), _ = read(dump(tree), "e.yaml", CORE)
    found = variants(document, Surroundings(alone()._replace(overlays=tuple(OVERLAYS))))
    assert bool(found.runs) != has_errors(found.diagnostics)
    assert all(diagnostic.span is not None for diagnostic in found.diagnostics)
