"""Amounts for people."""

from __future__ import annotations

import pytest

from tjgen.trees.k8s.quantity import multiply, parse
from tjgen.trees.k8s.readable import readable


@pytest.mark.parametrize(
    ("amount", "shown"),
    [
        ("611500m", "611.5"),
        ("250m", "250m"),
        ("1000m", "1"),
        ("1001m", "1.001"),
        ("8", "8"),
        ("5609672Mi", "5478.2Gi"),
        ("2048Mi", "2Gi"),
        ("512Mi", "512Mi"),
        ("6644Gi", "6644Gi"),
        ("10G", "10G"),
        ("1500M", "1500M"),
    ],
)
def test_an_amount_is_readable(amount: str, shown: str) -> None:
    assert readable(parse(amount)) == shown


def test_a_product_is_readable() -> None:
    assert readable(multiply(parse("1.5Gi"), 3)) == "4.5Gi"
