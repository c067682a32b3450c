"""Rewriting of image references."""

from __future__ import annotations

import pytest

from tjgen.language.platform.images import normal, rewrite

MIRROR = {"docker.io": "mirror.example.com/docker", "ghcr.io/acme": "mirror.example.com/acme"}


@pytest.mark.parametrize(
    ("image", "wanted"),
    [
        pytest.param("python:3.13", "docker.io/library/python:3.13", id="an official image"),
        pytest.param("pytorch/pytorch", "docker.io/pytorch/pytorch", id="an image of an owner"),
        pytest.param("docker.io/python", "docker.io/library/python", id="an official image with its registry"),
        pytest.param("index.docker.io/a/b@sha256:00", "docker.io/a/b@sha256:00", id="another name of the registry"),
        pytest.param("ghcr.io/a/b/c:1", "ghcr.io/a/b/c:1", id="another registry"),
        pytest.param("localhost/a", "localhost/a", id="localhost is a registry"),
        pytest.param("registry:5000/a", "registry:5000/a", id="a host with a port is a registry"),
    ],
)
def test_long_form(image: str, wanted: str) -> None:
    assert normal(image) == wanted


@pytest.mark.parametrize(
    ("image", "rules", "wanted"),
    [
        pytest.param("python:3.13", MIRROR, "mirror.example.com/docker/library/python:3.13", id="official image by registry"),
        pytest.param("pytorch/pytorch:2", MIRROR, "mirror.example.com/docker/pytorch/pytorch:2", id="owned image by registry"),
        pytest.param("ghcr.io/acme/train:1", MIRROR, "mirror.example.com/acme/train:1", id="by registry and owner"),
        pytest.param("ghcr.io/acme-labs/train:1", MIRROR, "ghcr.io/acme-labs/train:1", id="a prefix ends at a part"),
        pytest.param("ghcr.io/acme/a:1", {"ghcr.io": "x.io", "ghcr.io/acme": "y.io"}, "y.io/a:1", id="the longest prefix wins"),
        pytest.param("python:3.13", {"python": "x.io/py"}, "x.io/py:3.13", id="an official image by its name"),
        pytest.param(
            "docker.io/python:3", {"docker.io/python": "x.io/py"}, "x.io/py:3", id="an official image with its registry"
        ),
        pytest.param("pytorch/pytorch:2", {"pytorch": "x.io/pt"}, "x.io/pt/pytorch:2", id="an owner by its name"),
        pytest.param("python:3.13", {"python:3.13": "x.io/py@sha256:0f"}, "x.io/py@sha256:0f", id="one tag becomes a digest"),
        pytest.param("python:3.12", {"python:3.13": "x.io/py"}, "python:3.12", id="another tag stays"),
        pytest.param("a/b@sha256:0f", {"a/b": "x.io/b"}, "x.io/b@sha256:0f", id="a digest is kept"),
        pytest.param("quay.io/a/b:1", {"": "x.io/all"}, "x.io/all/quay.io/a/b:1", id="the empty prefix holds every image"),
        pytest.param("x.io/all/quay.io/a/b:1", {"": "x.io/all"}, "x.io/all/quay.io/a/b:1", id="what is there already stays"),
        pytest.param(
            "docker.io/m/a/b", {"docker.io": "docker.io/m/"}, "docker.io/m/a/b", id="there already, in the same registry"
        ),
        pytest.param("registry:5000/a:1", {"registry:5000": "x.io"}, "x.io/a:1", id="a registry with a port"),
        pytest.param("python", {}, "python", id="no rules"),
        pytest.param("", MIRROR, "", id="no image"),
    ],
)
def test_rewrite(image: str, rules: dict[str, str], wanted: str) -> None:
    assert rewrite(image, rules) == wanted
    assert rewrite(wanted, rules) == wanted, "rewriting again changes nothing"
