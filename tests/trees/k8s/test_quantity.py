"""Quantities against what resource.Quantity of Kubernetes 0.36 printed for the same texts."""

from __future__ import annotations

import pytest

from tjgen.trees.k8s.quantity import (
    ZERO,
    add,
    canonical,
    compare,
    multiply,
    parse,
    total,
)

PRINTED = [
    ("0.5", "500m"),
    ("1000m", "1"),
    ("1024Mi", "1Gi"),
    ("1.5Gi", "1536Mi"),
    ("0.1Gi", "107374182400m"),
    ("64G", "64G"),
    ("1500M", "1500M"),
    ("2000000k", "2G"),
    ("1e1", "10"),
    ("1e3", "1e3"),
    ("12e6", "12e6"),
    ("1000e3", "1e6"),
    ("512Ki", "512Ki"),
    ("0Gi", "0"),
    ("-1500m", "-1500m"),
    ("1n", "1n"),
    ("0.1n", "1n"),
    ("9223372036854775807Ei", "9223372036854775807"),
]
KEPT = ["1.500", "01Gi", "+5", "+1Gi", "1.500G", "1E3", "1028Ki"]
"""Texts that upstream takes for canonical, though it would print the amount otherwise."""


@pytest.mark.parametrize(("text", "printed"), PRINTED, ids=[text for text, _ in PRINTED])
def test_a_quantity_prints_as_the_api_server_prints_it(text: str, printed: str) -> None:
    assert canonical(text) == printed


@pytest.mark.parametrize("text", KEPT)
def test_a_text_that_upstream_takes_for_canonical_stays(text: str) -> None:
    assert canonical(text) == text


@pytest.mark.parametrize(("value", "printed"), [(2, "2"), (0, "0"), (0.5, "500m")], ids=str)
def test_a_number_of_yaml_is_a_quantity(value: float, printed: str) -> None:
    assert canonical(value) == printed


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("", "must match the regular expression", id="nothing"),
        pytest.param("1x", "must match the regular expression", id="a letter that is no suffix"),
        pytest.param("1.2.3", "must match the regular expression", id="two points"),
        pytest.param("1K", "unable to parse quantity's suffix", id="a suffix in the wrong case"),
        pytest.param("Pi", "unable to parse numeric part", id="a suffix alone on the long path"),
        pytest.param("1e5000", "unable to parse numeric part", id="an exponent beyond reason"),
    ],
)
def test_what_is_no_quantity_is_refused_in_upstreams_words(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parse(text)


def test_a_sum_keeps_the_format_of_its_first_amount() -> None:
    assert str(add(parse("1Gi"), parse("10M"))) == "1083741824"
    assert str(add(parse("1Gi"), parse("10Mi"))) == "1034Mi"
    assert str(add(ZERO, parse("1Gi"))) == "1Gi"


def test_a_product_does_not_change_the_format() -> None:
    assert [str(multiply(parse(text), 2)) for text in ("700m", "1500M", "512Mi")] == ["1400m", "3G", "1Gi"]


def test_amounts_are_compared_whatever_their_format() -> None:
    assert compare(parse("1Gi"), parse("1073741824")) == 0
    assert compare(parse("1G"), parse("1Gi")) == -1
    assert compare(parse("1"), parse("999m")) == 1


@pytest.mark.parametrize(("text", "units"), [("500m", 1), ("1500m", 2), ("2", 2), ("0", 0)])
def test_units_are_rounded_up(text: str, units: int) -> None:
    assert parse(text).value == units


def test_a_total_takes_texts_and_quantities() -> None:
    sums = total([{"cpu": "500m", "memory": "1Gi"}, {"cpu": parse("1")}])
    assert {name: str(amount) for name, amount in sums.items()} == {"cpu": "1500m", "memory": "1Gi"}
