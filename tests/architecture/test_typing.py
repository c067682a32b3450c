"""`tjgen.trees.typing` at run time: its NamedTuple against the real one."""

from __future__ import annotations

import copy
import pickle
import typing
from typing import Any

import pytest

from tjgen.trees import typing as ours


class Real(typing.NamedTuple):
    """A point."""

    x: int
    y: Any = None
    z: tuple[int, ...] = ()

    @property
    def total(self) -> int:
        return self.x + sum(self.z)


class Made(ours.NamedTuple):
    """A point."""

    x: int
    y: Any = None
    z: tuple[int, ...] = ()

    @property
    def total(self) -> int:
        return self.x + sum(self.z)


def test_it_is_a_tuple_with_names() -> None:
    made, real = Made(1, z=(2, 3)), Real(1, z=(2, 3))
    plain: tuple[Any, ...] = real
    assert (made.x, made.y, made.z, made.total) == (1, None, (2, 3), 6)
    assert tuple(made) == tuple(real) == (1, None, (2, 3))
    assert (made == plain, hash(made) == hash(plain), made < Made(2)) == (True, True, True)
    assert (Made._fields, Made.__match_args__, Made.__doc__) == (Real._fields, Real.__match_args__, Real.__doc__)
    assert made._asdict() == real._asdict()
    assert repr(made) == "Made(x=1, y=None, z=(2, 3))"


class Many(ours.NamedTuple):
    """More fields than there are makers for."""

    a: int
    b: int
    c: int
    d: int
    e: int
    f: int
    g: int
    h: int
    i: int
    j: int
    k: int
    m: int
    n: int
    o: int = 15


def test_any_number_of_fields_will_do() -> None:
    made = Many(*range(13))
    assert tuple(made) == (*range(13), 15)
    assert (made.a, made.n, made._replace(b=9).b) == (0, 12, 9)
    named: Any = {"o": 7, "n": 12}
    assert tuple(Many(*range(12), **named)) == (*range(13), 7)
    assert pickle.loads(pickle.dumps(made)) == made


@pytest.mark.parametrize(
    ("values", "named"),
    [
        pytest.param(range(12), {}, id="too few"),
        pytest.param(range(15), {}, id="too many"),
        pytest.param(range(13), {"w": 2}, id="an unknown one"),
        pytest.param(range(13), {"a": 2}, id="one of them twice"),
    ],
)
def test_wrong_arguments_of_many_are_refused(values: range, named: dict[str, int]) -> None:
    with pytest.raises(TypeError, match="Many"):
        Many(*values, **named)


def test_a_cached_function_is_called_once_for_equal_arguments() -> None:
    calls = []

    @ours.lru_cache(maxsize=1)
    def double(number: int) -> int:
        calls.append(number)
        return 2 * number

    assert [double(2), double(2), ours.partial(double, 3)(), double(2)] == [4, 4, 6, 4]
    assert calls == [2, 3, 2]


def test_some_of_it_can_be_replaced_in_a_copy() -> None:
    made = Made(1, "a")
    changed, same = made._replace(y=None), made._replace()
    assert tuple(changed) == (1, None, ())
    assert same.__class__ is Made
    assert tuple(made) == (1, "a", ())
    unknown: dict[str, Any] = {"w": 1, "x": 2, "u": 3}
    with pytest.raises(ValueError, match="no field w"):
        made._replace(**unknown)


def test_its_fields_cannot_be_set_and_it_has_no_others() -> None:
    made: Any = Made(1)
    with pytest.raises(AttributeError):
        made.x = 2
    with pytest.raises(AttributeError):
        made.other = 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param({}, "missing 1 required positional argument: 'x'", id="too few"),
        pytest.param({"x": 1, "w": 2}, "unexpected keyword argument 'w'", id="an unknown one"),
    ],
)
def test_wrong_arguments_are_refused(arguments: dict[str, int], message: str) -> None:
    kinds: list[Any] = [Made, Real]
    for kind in kinds:
        with pytest.raises(TypeError, match=message):
            kind(**arguments)


def test_it_can_be_copied_and_pickled() -> None:
    made = Made(1, ["a"])
    assert copy.deepcopy(made) == pickle.loads(pickle.dumps(made)) == made


def test_every_number_of_fields_gets_its_fields_in_order() -> None:
    maker: Any = type(ours.NamedTuple)
    for count in range(13):
        names = [f"field_{position}" for position in range(count)]
        made = maker("Made", (ours.NamedTuple,), {"__annotations__": dict.fromkeys(names, "int")})
        assert made(*range(count)) == tuple(range(count))
        assert [getattr(made(*range(count)), name) for name in names] == list(range(count))
