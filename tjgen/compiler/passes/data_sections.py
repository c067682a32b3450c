"""`data` of an experiment -> its data sets: the only one, or those that have names."""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.compiler.lower import SPEC
from tjgen.language.spec.objects import DataSet, Experiment, Items, Slices
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.typing import NamedTuple


class DataSection(NamedTuple):
    """One data set of an experiment. A data set without a name is the only one."""

    name: str
    at: FieldPath
    volume: str
    path: str | None
    items: Items | None
    slices: Slices | None
    shared: bool
    isolate: bool

    @property
    def field(self) -> str:
        """The name of its field in a message."""
        return ".".join(map(str, self.at[len(SPEC) :]))

    @property
    def items_at(self) -> FieldPath:
        """The path of its items."""
        return (*self.at, "items")

    @property
    def slices_at(self) -> FieldPath:
        """The path of its slices."""
        return (*self.at, "slices")

    def named(self, text: str) -> str:
        """`text` of the only data set, and `text-NAME` of a data set with a name."""
        return f"{text}-{self.name}" if self.name else text

    def folder(self, path: str) -> str:
        """The folder `path` of the only data set, and `path/NAME` of a data set with a name."""
        return f"{path.rstrip('/')}/{self.name}" if self.name else path

    def variable(self, name: str) -> str:
        """The variable `name` of the only data set, and `name_NAME` of a data set with a name."""
        return f"{name}_{self.name.upper().replace('-', '_')}" if self.name else name


def data_sections(experiment: Experiment) -> Sequence[DataSection]:
    """The data sets of an experiment, by name."""
    data = experiment.spec.data
    if data is None:
        return ()
    at: FieldPath = (*SPEC, "data")
    if not data.sets:
        return (_section("", data, at),)
    return [_section(name, one, (*at, "sets", name)) for name, one in data.sets.items()]


def _section(name: str, data: DataSet, at: FieldPath) -> DataSection:
    assert data.volume is not None, "a rule requires it"
    return DataSection(name, at, data.volume, data.path, data.items, data.slices, data.shared, data.isolate)
