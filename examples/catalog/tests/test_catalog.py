"""What the catalog makes of experiments: each test has a file below __snapshots__ that holds it."""

import pytest

EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: own-image}
spec: {runtime: house-torch, image: registry.example.com/team/model:3, script: train.py}
"""


@pytest.mark.parametrize("env", ["lab", "prod"])
def test_trial(tjgen_snapshot, env):
    tjgen_snapshot("experiments/trial.yaml", env=env)


def test_what_the_controllers_make_of_it(tjgen_snapshot):
    tjgen_snapshot("experiments/trial.yaml", env="prod", expanded=True)


def test_an_image_of_its_own(tjgen_snapshot):
    tjgen_snapshot(EXPERIMENT, env="prod")


def test_an_overlay_that_is_not_in_use_yet(tjgen_snapshot, tmp_path):
    overlay = tmp_path / "large.yaml"
    overlay.write_text(
        "apiVersion: tjgen.dev/v1alpha1\nkind: Overlay\nmetadata: {name: large}\nspec: {experiment: {sharedMemory: 64Gi}}\n"
    )
    tjgen_snapshot("experiments/trial.yaml", env="prod", overlays=[overlay], set={"spec.nodes": 16})
