"""A tree and the name of a Go type -> the tree as that type prints it again, with the API server's defaults.

Decoding into Go and printing again drops unknown fields, nulls, empty lists and maps and most zeros,
adds `{}` for a struct that is embedded by value, and writes quantities canonically. The tables are
`gotypes.TYPES` and, for earlier releases, `gotypes_earlier.CHANGES`. Structs are compiled at their first value, and fields
at the first value that has them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tjgen.cluster.trainer.goread import PLAIN, SCALARS, ZEROS, DecodeError, Read, list_reader, map_reader, qualified
from tjgen.cluster.trainer.gotypes import TYPES
from tjgen.trees.fields.path import Tree
from tjgen.trees.typing import Any, NamedTuple, partial


class GoField(NamedTuple):
    """How a field is read, whether an empty value of it is printed, and how strategic merge treats it."""

    read: Read
    keeps_empty: bool
    struct: str
    """The struct that the value, or each element of it, is; "" for others."""
    merge_key: str | None
    """The key of a merged list, "" for a merged list of scalars, None for everything else."""
    plain: type | None
    """The class whose values are taken as they are."""


class Fields(dict[str, GoField | None]):
    """The compiled fields of a struct, and None for others. `notations` has its fields in their order."""

    def __init__(self, notations: Mapping[str, str], compiled: Callable[[str], GoField]) -> None:
        super().__init__()
        self.notations = notations
        self._compiled = compiled

    def __missing__(self, key: str) -> GoField | None:
        notation = self.notations.get(key)
        if notation is None:
            return None
        field = self[key] = self._compiled(notation)
        return field


class Struct(NamedTuple):
    """A compiled line of the table."""

    fields: Fields
    defaults: tuple[tuple[str, Tree], ...]
    zeros: tuple[tuple[str, Tree], ...]
    """What is printed if nothing was set."""
    nulls: tuple[str, ...]
    """Fields that Go itself prints as null if nothing was set; the controller does not."""
    read: Read


class Types:
    """The Go types of a release."""

    __slots__ = ("_defaulted", "_structs", "_table")

    def __init__(self, table: Mapping[str, str]) -> None:
        self._table = table
        self._structs: dict[str, Struct] = {}
        self._defaulted: dict[str, Struct] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._table

    def entries(self, name: str) -> list[tuple[str, str]]:
        """Name and notation of each field of a struct, in their order."""
        return [(key, notation) for key, _, notation in (entry.partition(":") for entry in self._table[name].split())]

    def fields(self, name: str) -> list[tuple[str, str]]:
        """Name and Go type of each field of a struct, in their order."""
        return [(key, _go_type(notation.partition("=")[0])) for key, notation in self.entries(name)]

    def typed(self, tree: Tree, name: str) -> Tree:
        """`tree` as the Go type `name` prints it; raises DecodeError for a value that the type cannot hold."""
        return self.struct(name, defaulted=True).read(tree)

    def struct(self, name: str, *, defaulted: bool = False) -> Struct:
        """The compiled struct of that name, which fills in the API server's defaults or leaves that to others."""
        structs = self._defaulted if defaulted else self._structs
        known = structs.get(name)
        if known is None:
            known = structs[name] = self._compile(name, defaulted)
        return known

    def _compile(self, name: str, defaulted: bool) -> Struct:
        notations: dict[str, str] = {}
        defaults: list[tuple[str, Tree]] = []
        zeros: list[tuple[str, Tree]] = []
        for key, entry in self.entries(name):
            notation, assigned, default = entry.partition("=")
            notations[key] = notation
            if assigned and defaulted:
                defaults.append((key, _default(_go_type(notation), default)))
            if notation[-1] == "!":
                zeros.append((key, self._zero(_go_type(notation))))
        frozen = (Fields(notations, partial(self._field, defaulted)), tuple(defaults), tuple(zeros))
        nulls = tuple([key for key, notation in notations.items() if notation[-1] == "?"])
        return Struct(*frozen, nulls, _struct_reader(name, *frozen))

    def _field(self, defaulted: bool, notation: str) -> GoField:
        go_type, merged, merge_key = notation.rstrip("!?").partition("@")
        return GoField(
            self._reader(go_type, defaulted),
            notation[-1] == "!" or go_type[0] == "*",
            self._element(go_type),
            merge_key if merged else None,
            PLAIN.get(go_type.lstrip("*")),
        )

    def _reader(self, go_type: str, defaulted: bool) -> Read:
        go_type = go_type.lstrip("*")
        if go_type.startswith("[]"):
            return list_reader(self._reader(go_type[2:], defaulted), go_type)
        if go_type.startswith("map["):
            return map_reader(self._reader(go_type.partition("]")[2], defaulted), go_type)
        if go_type in SCALARS:
            return SCALARS[go_type]
        return self._lazy_reader(go_type, defaulted)

    def _lazy_reader(self, name: str, defaulted: bool) -> Read:
        """A struct's reader, compiled when a value of it is met: types refer to each other, and few are used."""
        compiled: Read | None = None

        def read(value: Any) -> Tree:
            nonlocal compiled
            if compiled is None:
                compiled = self.struct(name, defaulted=defaulted).read
            return compiled(value)

        return read

    def _element(self, go_type: str) -> str:
        name = go_type.lstrip("*")
        name = name[2:] if name.startswith("[]") else name
        return name if name in self._table else ""

    def _zero(self, go_type: str) -> Tree:
        if go_type[0] == "*":
            return None
        if go_type in self._table:
            return dict(self.struct(go_type).zeros)
        return ZEROS.get(go_type, 0)


NEWEST = Types(TYPES)
_earlier: dict[str, Types] = {}


def types_of(version: str) -> Types:
    """The types of a release of Trainer, such as v2.1.0; those of the newest for a version that has no line of its own."""
    if not _earlier:
        from tjgen.cluster.trainer.gotypes_earlier import CHANGES  # most builds are for the newest release

        table = dict(TYPES)
        for name, changes in CHANGES.items():
            table = {key: line for key, line in {**table, **changes}.items() if line is not None}
            _earlier[name] = Types(table)
    return _earlier.get(version, NEWEST)


def metadata_of(tree: Tree) -> dict[str, Any]:
    """What counts of an object's metadata: its names, labels and annotations; raises DecodeError as typed does."""
    written = tree.get("metadata")
    if written is None:
        return {}
    try:
        return NEWEST.typed(written, "ObjectMeta")  # type: ignore[no-any-return]  # a struct reads as a dict
    except DecodeError as error:
        raise error.under("metadata") from None


def _struct_reader(
    name: str, fields: Fields, defaults: tuple[tuple[str, Tree], ...], zeros: tuple[tuple[str, Tree], ...]
) -> Read:
    def read(value: Any) -> Tree:
        if value.__class__ is not dict:
            raise DecodeError(value, qualified(name))
        result: dict[str, Tree] = {}
        for key, item in value.items():
            field = fields[key]
            if field is None or item is None:
                continue
            if item.__class__ is field.plain:
                item_value = item
            else:
                try:
                    item_value = field.read(item)
                except DecodeError as error:
                    raise error.under(key, name) from None
            if item_value or field.keeps_empty:
                result[key] = item_value
        for key, default in defaults:
            if value.get(key) is None:
                result[key] = default
        for key, zero in zeros:
            if key not in result:
                result[key] = zero
        return result

    return read


def _go_type(notation: str) -> str:
    return notation.rstrip("!?").partition("@")[0]


def _default(go_type: str, text: str) -> Tree:
    if go_type.endswith("bool"):
        return text == "true"
    return int(text) if "int" in go_type else text
