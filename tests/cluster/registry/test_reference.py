"""The parts of an image reference, and the words for what is not one."""

from __future__ import annotations

import pytest

from tjgen.cluster.registry.failure import INVALID, RegistryError
from tjgen.cluster.registry.reference import Reference

LONG = "a" * (255 - len("registry.example.com") - 1)


@pytest.mark.parametrize(
    "image",
    [
        *("a/b:1", "localhost:5000/a:1", "[::1]:5000/a/b:1", "registry.example.com:65535/a__b/c--d/e.f:v1.0-rc_1"),
        *(f"registry.example.com/{LONG}:1", f"a/b:{'t' * 128}", "A-b.example.com/a:_1"),
    ],
)
def test_a_reference_reads_back(image: str) -> None:
    parts = Reference.of(image)
    assert f"{parts.registry}/{parts.repository}:{parts.tag}" == image


@pytest.mark.parametrize(
    ("image", "words"),
    [
        ("-a.example.com/b:1", '"-a.example.com" is not the name of a registry'),
        ("a.example.com:123456/b:1", '"a.example.com:123456" is not the name of a registry'),
        ("/b:1", '"" is not the name of a registry'),
        ("a/B:1", '"B" is not the name of a repository'),
        ("a/b..c:1", '"b..c" is not the name of a repository'),
        ("a/b/:1", '"b/" is not the name of a repository'),
        ("a/b", '"" is not the name of a repository'),
        ("a/b:", '"" is not a tag'),
        ("a/b:-1", '"-1" is not a tag'),
        (f"a/b:{'t' * 129}", f'"{"t" * 129}" is not a tag'),
        (f"registry.example.com/{LONG}a:1", "its name has more than 255 characters"),
    ],
)
def test_what_is_no_reference(image: str, words: str) -> None:
    with pytest.raises(RegistryError) as error:
        Reference.of(image)
    assert (error.value.kind, error.value.message) == (INVALID, words)


def test_docker_hub_answers_under_another_name() -> None:
    assert Reference.of("docker.io/library/python:3").host == "registry-1.docker.io"
    assert Reference.of("quay.io/a/b:3").host == "quay.io"
