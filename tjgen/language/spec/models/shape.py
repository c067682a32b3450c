"""The form that all models share: closed, frozen, strict, camelCase in YAML; and the scalar types of the language.

A model declares shape only. `short` names the keys that a scalar sets (split at ":" when there
are several); `alternatives` are groups of keys of which at most one group may be used, and one must
be where that is `needed`; below a `partial` model nothing is required; in what the `verbatim` keys
hold, null is a value like others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, StringConstraints, WithJsonSchema
from pydantic.alias_generators import to_camel

from tjgen.language.spec.calls import Call, caller
from tjgen.language.spec.models.identity import Counts

Alternatives: TypeAlias = tuple[tuple[str, ...], ...]

QUANTITY = r"^([0-9]+|[0-9]+\.[0-9]*|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]{1,3})?$"
"""Every text of this shape is one that `trees.k8s.quantity.parse` reads (with at most 100 characters)."""
LABEL = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
OBJECT_NAME = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
LABEL_KEY = r"^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-._A-Za-z0-9]{0,61}[A-Za-z0-9])?$"
RUN_NAME = r"^[a-z]([-a-z0-9]*[a-z0-9])?$"


class Shape(BaseModel):
    """A mapping with known keys.

    A model that a Python program creates keeps its values unchecked, and the place of the call: a build checks them as it checks
    a file. `model_validate` checks them at once.
    """

    model_config = ConfigDict(
        alias_generator=to_camel,
        defer_build=True,
        extra="forbid",
        frozen=True,
        protected_namespaces=(),
        strict=True,
        use_attribute_docstrings=True,
        validate_by_alias=True,
    )

    short: ClassVar[tuple[str, ...]] = ()
    alternatives: ClassVar[Alternatives] = ()
    needed: ClassVar[bool] = False
    partial: ClassVar[bool] = False
    verbatim: ClassVar[tuple[str, ...]] = ()
    implied: ClassVar[tuple[str, ...]] = ()
    """Fields whose defaults a Python program can rely on, and that its YAML contains."""

    _call: Call | None = PrivateAttr(None)

    def __init__(self, /, **values: Any) -> None:
        """Take fields by their names in Python or in YAML."""
        known = type(self).model_construct(**values)
        names = {name for one, field in type(self).model_fields.items() for name in (one, field.validation_alias)}
        others = {name: value for name, value in values.items() if name not in names}
        object.__setattr__(self, "__dict__", {**known.__dict__, **others})
        object.__setattr__(self, "__pydantic_fields_set__", {*known.model_fields_set, *others})
        object.__setattr__(self, "__pydantic_extra__", None)
        object.__setattr__(self, "__pydantic_private__", {"_call": caller(_is_inside)})

    @property
    def call(self) -> Call | None:
        """The call that created the model; None if `model_validate` created it."""
        return self._call

    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]  # `model_validate` does not call it

    def __eq__(self, other: object) -> bool:
        """Whether both are of one class and have equal fields; the place of their creation does not matter."""
        if not isinstance(other, Shape):
            return NotImplemented
        return type(self) is type(other) and self.__dict__ == other.__dict__ and self.model_fields_set == other.model_fields_set

    def __repr_args__(self) -> Iterator[tuple[str, Any]]:
        """The fields that were given."""
        return ((name, value) for name, value in self.__dict__.items() if name in self.model_fields_set)

    __hash__ = None  # type: ignore[assignment]  # fields are mappings


def _is_inside(module: str) -> bool:
    """Whether a module is part of what creates models."""
    return module in (__name__, "tjgen.experiment") or module.startswith("pydantic.")


def expects(words: str) -> Any:
    """What a value that does not fit should have been, for the hint of the diagnostic."""
    return Field(json_schema_extra={"x-tjgen-expects": words})


Text: TypeAlias = Annotated[str, StringConstraints(min_length=1)]
Texts: TypeAlias = Annotated[list[Text], Field(min_length=1)]
Scalar: TypeAlias = str | bool | int | float
QuantityText: TypeAlias = Annotated[str, StringConstraints(pattern=QUANTITY, max_length=100)]
_AMOUNT = Field(ge=0, le=2**63 - 1)
QuantityNumber: TypeAlias = Annotated[int, _AMOUNT] | Annotated[float, _AMOUNT]
Quantity: TypeAlias = Annotated[QuantityText | QuantityNumber, expects("write a quantity such as 8, 500m or 64Gi")]
Whole: TypeAlias = Annotated[int, Field(ge=0, le=2**31 - 1)]
Count: TypeAlias = Annotated[int, Field(ge=1, le=2**31 - 1)]
Deadline: TypeAlias = Annotated[
    str,
    StringConstraints(pattern=r"^[1-9][0-9]{0,4}[smhd]$"),
    expects("write a number and s, m, h or d, such as 12h"),
]
Seconds: TypeAlias = Annotated[
    Count | Deadline,
    Field(
        json_schema_extra={"x-tjgen-expects": "write seconds, or a number with s, m, h or d: 7200 or 2h", "x-tjgen-seconds": True}
    ),
]
"""A time in seconds, which can also be written with its unit. It counts as the number of seconds."""
Label: TypeAlias = Annotated[
    str,
    StringConstraints(pattern=LABEL, max_length=63),
    expects("use at most 63 lowercase letters, digits and '-'"),
]
ObjectName: TypeAlias = Annotated[
    str,
    StringConstraints(pattern=OBJECT_NAME, max_length=253),
    expects("use lowercase letters, digits, '-' and '.'"),
]
"""The name of an object, which the API server compares with `IsDNS1123Subdomain`."""
LabelKey: TypeAlias = Annotated[
    str,
    StringConstraints(pattern=LABEL_KEY),
    expects("name a node label, such as topology.kubernetes.io/zone"),
]
RunName: TypeAlias = Annotated[
    str,
    StringConstraints(pattern=RUN_NAME, max_length=63),
    expects("use at most 63 lowercase letters, digits and '-', and start with a letter"),
]
Subtree: TypeAlias = Annotated[dict[str, Any], WithJsonSchema({"type": "object", "x-kubernetes-preserve-unknown-fields": True})]
"""A mapping in the words of Kubernetes; the API server's schema judges it in the manifest."""


class ResourceAmount(Shape):
    """Amount of a resource: what each pod requests, and its limit. A number sets both."""

    short: ClassVar[tuple[str, ...]] = ("request", "limit")

    request: Counts[Quantity | None] = None
    """Amount that the scheduler reserves. The default is the limit."""
    limit: Counts[Quantity | None] = None
    """Maximum amount that the container can use. By default, there is no limit."""


AccessMode: TypeAlias = Literal["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"]
ApiVersion: TypeAlias = Literal["tjgen.dev/v1alpha1"]
System: TypeAlias = Literal["volcano", "coscheduling", "kueue", "none"]
