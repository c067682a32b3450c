"""The names of `typing`, `types` and `functools` that a build needs, without the time that these modules take.

Importing `typing` takes as long as half of Python's own start, and each NamedTuple that it makes compiles every
annotation and a source text: together more than all the work of a small build. Type checkers read the real names.
Annotations are not read at run time, and a NamedTuple consists of code that is compiled already.
"""

from __future__ import annotations

__all__ = [
    "TYPE_CHECKING",
    "Any",
    "ClassVar",
    "Literal",
    "MappingProxyType",
    "NamedTuple",
    "NoReturn",
    "Protocol",
    "Self",
    "TypeAlias",
    "cast",
    "lru_cache",
    "partial",
]

TYPE_CHECKING = False

if TYPE_CHECKING:
    from functools import lru_cache, partial
    from types import MappingProxyType
    from typing import Any, ClassVar, Literal, NamedTuple, NoReturn, Protocol, Self, TypeAlias, cast
else:
    from _collections import _tuplegetter
    from _functools import _lru_cache_wrapper, partial

    FunctionType = type(lambda: None)
    MappingProxyType = type(type.__dict__)

    class Any:
        """Placeholder for every name that only annotations use."""

    ClassVar = Literal = NoReturn = Protocol = Self = TypeAlias = Any

    def cast(_kind, value):
        """Return the value: a cast is only for type checkers."""
        return value

    def lru_cache(maxsize):
        """The decorator of functools, for functions that are never inspected."""
        return lambda function: _lru_cache_wrapper(function, maxsize, False, tuple)

    class _Maker(type):
        """Turn the body of `class Point(NamedTuple)` into a class of tuples; its annotations are the fields."""

        def __new__(cls, name, bases, body):
            if not bases:
                return type.__new__(cls, name, bases, body)
            fields = tuple(body.pop("__annotations__", ()))
            defaults = tuple([body.pop(field) for field in fields if field in body])
            getters = {field: _tuplegetter(position, None) for position, field in enumerate(fields)}
            if len(fields) < len(_NEW):
                code = _NEW[len(fields)].__code__.replace(co_varnames=("cls", *fields), co_name=name, co_qualname=name)
                new = FunctionType(code, globals(), name, defaults)
            else:
                new = _new_of_many(fields, dict(zip(fields[-len(defaults) :], defaults, strict=False)))
            extra = {"__new__": new, "__slots__": (), "__match_args__": fields, "_fields": fields}
            return type(name, (_Named,), {**body, **getters, **extra})

    class NamedTuple(metaclass=_Maker):
        """A tuple whose elements have names, as `typing.NamedTuple`."""

    class _Named(tuple):
        """What all of them can do."""

        __slots__ = ()

        def _replace(self, /, **changed):
            fields, values = self._fields, list(self)
            for field, value in changed.items():
                if field not in fields:
                    raise ValueError(f"{self.__class__.__name__} has no field {field}")
                values[fields.index(field)] = value
            return _tuple(self.__class__, values)

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self):
            shown = [f"{field}={value!r}" for field, value in zip(self._fields, self, strict=True)]
            return f"{self.__class__.__name__}({', '.join(shown)})"

        def __getnewargs__(self):
            return tuple(self)

    _tuple = tuple.__new__
    _NEW = (
        lambda cls: _tuple(cls, ()),
        lambda cls, a: _tuple(cls, (a,)),
        lambda cls, a, b: _tuple(cls, (a, b)),
        lambda cls, a, b, c: _tuple(cls, (a, b, c)),
        lambda cls, a, b, c, d: _tuple(cls, (a, b, c, d)),
        lambda cls, a, b, c, d, e: _tuple(cls, (a, b, c, d, e)),
        lambda cls, a, b, c, d, e, f: _tuple(cls, (a, b, c, d, e, f)),
        lambda cls, a, b, c, d, e, f, g: _tuple(cls, (a, b, c, d, e, f, g)),
        lambda cls, a, b, c, d, e, f, g, h: _tuple(cls, (a, b, c, d, e, f, g, h)),
        lambda cls, a, b, c, d, e, f, g, h, i: _tuple(cls, (a, b, c, d, e, f, g, h, i)),
        lambda cls, a, b, c, d, e, f, g, h, i, j: _tuple(cls, (a, b, c, d, e, f, g, h, i, j)),
        lambda cls, a, b, c, d, e, f, g, h, i, j, k: _tuple(cls, (a, b, c, d, e, f, g, h, i, j, k)),
        lambda cls, a, b, c, d, e, f, g, h, i, j, k, m: _tuple(cls, (a, b, c, d, e, f, g, h, i, j, k, m)),
    )
    """By the number of fields: the function that creates a tuple. Each class has its own parameter names."""

    def _new_of_many(fields, defaults):
        """The function that creates a tuple with more fields: to compile one takes longer than to call this one often."""

        def new(cls, *values, **named):
            rest = fields[len(values) :]
            if len(values) > len(fields) or not named.keys() <= set(rest):
                raise TypeError(f"{cls.__name__} has no such field: {[*values[len(fields) :], *(named.keys() - set(rest))]}")
            try:
                return _tuple(cls, (*values, *[named[field] if field in named else defaults[field] for field in rest]))
            except KeyError as missing:
                raise TypeError(f"{cls.__name__} needs the field {missing}") from None

        return new
