"""A tree and the name of a Go type -> the tree as that type prints it again, with the API server's defaults.

Decoding into Go and printing again drops unknown fields, nulls, empty lists and maps and most zeros,
adds `{}` where a struct stands by value, and writes quantities canonically. The tables are
`gotypes.TYPES` and, for earlier releases, `gotypes_earlier.CHANGES`; structs are compiled when they are
first met.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tjgen.cluster.trainer.gotypes import TYPES
from tjgen.trees.fields.path import Tree
from tjgen.trees.k8s import quantity
from tjgen.trees.typing import Any, NamedTuple

Read = Callable[[Any], Any]


class DecodeError(Exception):
    """A value that its Go type cannot hold; `text` is what encoding/json says about it."""

    def __init__(self, value: Any, go_type: str, text: str = "") -> None:
        super().__init__(text)
        self.value = value
        self.go_type = go_type
        self.struct = ""
        self.path: tuple[str | int, ...] = ()
        self._fields: tuple[str, ...] = ()
        self._text = text

    def under(self, step: str | int, struct: str | None = "") -> DecodeError:
        """The same, seen from one level up; encoding/json counts neither positions nor the keys of maps (struct None)."""
        self.path = (step, *self.path)
        if isinstance(step, str) and struct is not None:
            self._fields = (*_embedding(struct, step), step, *self._fields)
            self.struct = self.struct or struct
        return self

    @property
    def text(self) -> str:
        if self._text:
            return self._text
        where = f"{self.struct}.{'.'.join(self._fields)} of type {self.go_type}"
        return f"json: cannot unmarshal {_json_word(self.value, self.go_type)} into Go struct field {where}"


class Field(NamedTuple):
    """How a field is read, whether an empty value of it is printed, and how strategic merge treats it."""

    read: Read
    keeps_empty: bool
    struct: str
    """The struct that the value, or each element of it, is; "" for others."""
    merge_key: str | None
    """The key of a merged list, "" for a merged list of scalars, None for everything else."""
    plain: type | None
    """The class whose values are taken as they are."""
    is_null: bool
    """Whether Go itself prints null where there is no value; the controller does not."""


class Struct(NamedTuple):
    """A compiled line of the table."""

    fields: dict[str, Field]
    defaults: tuple[tuple[str, Tree], ...]
    zeros: tuple[tuple[str, Tree], ...]
    """What is printed where nothing was set."""
    nulls: tuple[str, ...]
    """Fields that are printed as null where nothing was set."""
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
        return [(key, notation.partition("=")[0].rstrip("!?").partition("@")[0]) for key, notation in self.entries(name)]

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
        fields: dict[str, Field] = {}
        defaults: list[tuple[str, Tree]] = []
        zeros: list[tuple[str, Tree]] = []
        for key, entry in self.entries(name):
            notation, assigned, default = entry.partition("=")
            always = notation.endswith("!")
            go_type, merged, merge_key = notation.rstrip("!?").partition("@")
            fields[key] = Field(
                self._reader(go_type, defaulted),
                always or go_type[0] == "*",
                self._element(go_type),
                merge_key if merged else None,
                _PLAIN.get(go_type.lstrip("*")),
                notation.endswith("?"),
            )
            if assigned and defaulted:
                defaults.append((key, _default(go_type, default)))
            if always:
                zeros.append((key, self._zero(go_type)))
        frozen = (fields, tuple(defaults), tuple(zeros))
        nulls = tuple([key for key, field in fields.items() if field.is_null])
        return Struct(*frozen, nulls, _struct_reader(name, *frozen))

    def _reader(self, go_type: str, defaulted: bool) -> Read:
        go_type = go_type.lstrip("*")
        if go_type.startswith("[]"):
            return _list_reader(self._reader(go_type[2:], defaulted), go_type)
        if go_type.startswith("map["):
            return _map_reader(self._reader(go_type.partition("]")[2], defaulted), go_type)
        if go_type in _SCALARS:
            return _SCALARS[go_type]
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
        return _ZEROS.get(go_type, 0)


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
    name: str, fields: dict[str, Field], defaults: tuple[tuple[str, Tree], ...], zeros: tuple[tuple[str, Tree], ...]
) -> Read:
    def read(value: Any) -> Tree:
        if value.__class__ is not dict:
            raise DecodeError(value, _qualified(name))
        result: dict[str, Tree] = {}
        for key, item in value.items():
            field = fields.get(key)
            if field is None or item is None:
                continue
            if item.__class__ is field.plain:
                found = item
            else:
                try:
                    found = field.read(item)
                except DecodeError as error:
                    raise error.under(key, name) from None
            if found or field.keeps_empty:
                result[key] = found
        for key, default in defaults:
            if value.get(key) is None:
                result[key] = default
        for key, zero in zeros:
            if key not in result:
                result[key] = zero
        return result

    return read


def _list_reader(read: Read, go_type: str) -> Read:
    def read_list(value: Any) -> list[Tree]:
        if value.__class__ is not list:
            raise DecodeError(value, "[]" + _qualified(go_type[2:]))
        result = []
        for position, item in enumerate(value):
            try:
                result.append(read(item))
            except DecodeError as error:
                raise error.under(position) from None
        return result

    return read_list


def _map_reader(read: Read, go_type: str) -> Read:
    def read_map(value: Any) -> dict[str, Tree]:
        if value.__class__ is not dict:
            raise DecodeError(value, "v1.ResourceList" if go_type.endswith("Quantity") else go_type)
        result = {}
        for key, item in value.items():
            if item is not None:
                try:
                    result[key] = read(item)
                except DecodeError as error:
                    raise error.under(key, None) from None
        return result

    return read_map


def _qualified(name: str) -> str:
    """A type with its Go package: what a TrainJob alone has is of Trainer, everything else here of Kubernetes."""
    if name in _SCALARS or name.startswith(("[]", "map[", "*")):
        return name
    return f"{package_of(name)}.{name}"


def package_of(name: str) -> str:
    """The Go package of a struct, as Go prints it before the name."""
    return "v1alpha1" if name in _OF_TRAINER or name.endswith(_OF_OVERRIDES) else "v1"


def _string(value: Any) -> Tree:
    if value.__class__ is not str:
        raise DecodeError(value, "string")
    return value


def _boolean(value: Any) -> Tree:
    if value.__class__ is not bool:
        raise DecodeError(value, "bool")
    return value


def _integer(bits: int, go_type: str) -> Read:
    limit = 1 << (bits - 1)

    def read(value: Any) -> Tree:
        if value.__class__ is float and value.is_integer():
            value = int(value)
        if value.__class__ is not int or not -limit <= value < limit:
            raise DecodeError(value, go_type)
        return value

    return read


def _quantity(value: Any) -> Tree:
    if value.__class__ is bool or value.__class__ in (dict, list):
        raise DecodeError(value, "", quantity.WRONG_FORMAT)
    try:
        return quantity.canonical(value)
    except ValueError as error:
        raise DecodeError(value, "", str(error)) from None


def _integer_or_string(value: Any) -> Tree:
    return value if value.__class__ is str else _integer(32, "int32")(value)


_SCALARS: dict[str, Read] = {
    "string": _string,
    "bool": _boolean,
    "int": _integer(64, "int"),
    "int32": _integer(32, "int32"),
    "int64": _integer(64, "int64"),
    "Quantity": _quantity,
    "IntOrString": _integer_or_string,
    "Time": _string,
    "any": lambda value: value,
}


def _embedding(name: str, field: str) -> tuple[str, ...]:
    """The struct inside `name` that really has the field, where Go embeds one: encoding/json names it."""
    if name == "Volume" and field != "name":
        return ("VolumeSource",)
    return ("LocalObjectReference",) if name in _REFERRING and field == "name" else ()


_REFERRING = (
    "ConfigMapEnvSource",
    "ConfigMapKeySelector",
    "ConfigMapProjection",
    "ConfigMapVolumeSource",
    "SecretEnvSource",
    "SecretKeySelector",
    "SecretProjection",
)
_OF_OVERRIDES = ("Patch", "Override", "OverrideTargetJob")
_OF_TRAINER = ("DatasetInitializer", "Initializer", "ModelInitializer", "RuntimeRef", "TrainJobSpec", "Trainer")

_PLAIN = {"string": str, "bool": bool, "any": str}

_ZEROS: dict[str, Tree] = {"string": "", "bool": False, "Quantity": "0", "IntOrString": 0, "Time": None}


def _default(go_type: str, text: str) -> Tree:
    if go_type.endswith("bool"):
        return text == "true"
    return int(text) if "int" in go_type else text


def _json_word(value: Any, go_type: str) -> str:
    if value.__class__ is bool:
        return "bool"
    if value.__class__ in (int, float):
        # encoding/json shows a number only where the field holds numbers, but not such ones.
        return f"number {value}" if go_type.startswith("int") else "number"
    return {str: "string", list: "array", dict: "object"}.get(value.__class__, "null")
