"""JSON values -> what scalars, lists and maps of Go hold of them; DecodeError for values that they cannot hold."""

from __future__ import annotations

from collections.abc import Callable

from tjgen.trees.fields.path import Tree
from tjgen.trees.k8s import quantity
from tjgen.trees.typing import Any

Read = Callable[[Any], Any]


class DecodeError(Exception):
    """A value that does not fit its Go type; `text` is the error of encoding/json."""

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


def list_reader(read: Read, go_type: str) -> Read:
    """The reader of lists of that Go type, whose elements `read` reads."""

    def read_list(value: Any) -> list[Tree]:
        if value.__class__ is not list:
            raise DecodeError(value, "[]" + qualified(go_type[2:]))
        result = []
        for position, item in enumerate(value):
            try:
                result.append(read(item))
            except DecodeError as error:
                raise error.under(position) from None
        return result

    return read_list


def map_reader(read: Read, go_type: str) -> Read:
    """The reader of maps of that Go type, whose values `read` reads."""

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


SCALARS: dict[str, Read] = {
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
"""Go type -> its reader."""
PLAIN = {"string": str, "bool": bool, "any": str}
"""Go type -> the class whose values it takes as they are."""
ZEROS: dict[str, Tree] = {"string": "", "bool": False, "Quantity": "0", "IntOrString": 0, "Time": None}
"""Go type -> its zero, where that is not 0."""


def qualified(name: str) -> str:
    """A type with its Go package: what a TrainJob alone has is of Trainer, everything else here of Kubernetes."""
    if name in SCALARS or name.startswith(("[]", "map[", "*")):
        return name
    return f"{package_of(name)}.{name}"


def package_of(name: str) -> str:
    """The Go package of a struct, as Go prints it before the name."""
    return "v1alpha1" if name in _OF_TRAINER or name.endswith(_OF_OVERRIDES) else "v1"


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


def _json_word(value: Any, go_type: str) -> str:
    if value.__class__ is bool:
        return "bool"
    if value.__class__ in (int, float):
        # encoding/json shows a number only where the field holds numbers, but not such ones.
        return f"number {value}" if go_type.startswith("int") else "number"
    return {str: "string", list: "array", dict: "object"}.get(value.__class__, "null")
