"""The purpose of a helper container -> its image: the Platform's, or else a public one."""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.cluster.releases import DEFAULT_TRAINER

DEFAULTS: Mapping[str, str] = {
    "buildkit": "docker.io/moby/buildkit:v0.25.1-rootless",
    "copy": "docker.io/rclone/rclone:1.68.2",
    "dataset": f"ghcr.io/kubeflow/trainer/dataset-initializer:{DEFAULT_TRAINER.version}",
    "git": "docker.io/alpine/git:2.49.1",
    "kaniko": "gcr.io/kaniko-project/executor:v1.23.2",
    "kubectl": "docker.io/alpine/k8s:1.34.1",
    "model": f"ghcr.io/kubeflow/trainer/model-initializer:{DEFAULT_TRAINER.version}",
    "python": "docker.io/library/python:3.13.1-alpine3.21",
    "shell": "docker.io/library/busybox:1.37.0",
}
"""Purpose -> image, unless `images.helpers` of the Platform sets another."""
DIAGNOSE = "diagnose"
"""Purpose of the image with fio. No project publishes one that a version or digest names."""
PURPOSES = (*DEFAULTS, DIAGNOSE)
"""Every purpose of a helper."""


def helper_image(purpose: str, helpers: Mapping[str, str]) -> str:
    """Return the image of a helper, before the Platform's rewrites; `helpers` is the Platform's setting.

    `DIAGNOSE` has no default, so `helpers` must contain it.
    """
    return helpers.get(purpose) or DEFAULTS[purpose]
