"""Events of a stream -> documents and diagnostics, with an explicit stack: depth and growth are bounded, nothing recurses."""

from __future__ import annotations

from tjgen.trees.budgets import DEFAULT, VALUES_OF_FILE, CommandBudgets
from tjgen.trees.fields.path import Tree
from tjgen.trees.source import problems
from tjgen.trees.source.anchors import Anchor, AnchorGrowth
from tjgen.trees.source.directives import check_start, is_blank
from tjgen.trees.source.document import Document
from tjgen.trees.source.escapes import has_slash_escapes
from tjgen.trees.source.findings import Range, SourceFindings, extent
from tjgen.trees.source.keys import key_range, read_key
from tjgen.trees.source.libyaml import (
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    Parser,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)
from tjgen.trees.source.scalars import MERGE, TAG_PREFIX, Dialect, OddScalar, clip
from tjgen.trees.source.text import Text
from tjgen.trees.typing import Any

MOST_LEVELS = 200
"""Nesting allowed in one document: several times what any Kubernetes object has, and less than Python's stack."""
MOST_ALIASED = 400_000
"""The number of values of one document's aliases (go-yaml v2 has a similar limit near the same number)."""
_LEVEL_OF_ITEMS = 3
"""The level of the items of a List. kubectl reads each as an object, so its values count by themselves."""

_NO_KEY: Any = object()
_OPEN_KEY: Any = object()
"""The key of an entry while the container in its place is read."""
_REFUSED: Any = object()
"""The key of an entry that cannot be kept: its value is read and dropped."""


class Builder:
    """Builds the values of one stream; `documents` and `findings` have the results so far, also after an error."""

    def __init__(self, source: Text, dialect: Dialect, budgets: CommandBudgets = DEFAULT) -> None:
        self.documents: list[Document] = []
        self._begun = 0
        self._count = 0  # values so far, including those of aliases
        self._budgets = budgets
        self.findings = SourceFindings(source)
        self._source = source
        self._dialect = dialect
        self._plain = dialect.plain
        self._has_slash_escapes = dialect.follows_go and not dialect.is_json(source.content) and has_slash_escapes(source.content)
        self._begin()

    def run(self, parser: Parser) -> None:
        """Read the stream to its end.

        Raises YAMLError where the text is not YAML, CompileError where it goes beyond a limit.
        """
        take = {
            ScalarEvent: self._scalar,
            MappingStartEvent: self._open_mapping,
            MappingEndEvent: self._close,
            SequenceStartEvent: self._open_sequence,
            SequenceEndEvent: self._close,
            AliasEvent: self._alias,
            DocumentStartEvent: self._start_document,
            DocumentEndEvent: self._end_document,
        }
        get_event = parser.get_event
        get_event()  # the start of the stream
        while (event := get_event()).__class__ is not StreamEndEvent:
            take[event.__class__](event)

    def _begin(self) -> None:
        self._start = 0
        self._node: Any = []  # the open container; at first a list that receives the document itself
        self._keys: dict[Any, int] | None = None  # of an open mapping: key -> index of its text
        self._key: Any = _NO_KEY  # the key that waits for its value
        self._stack: list[tuple[Any, dict[Any, int] | None, Any, AnchorGrowth | None]] = []
        self._anchors: dict[str, Anchor] = {}
        self._aliased = 0  # values of aliases in this document
        self._deepest = 0

    def _start_document(self, event: Any) -> None:
        self._begun += 1
        if self._begun > self._budgets.documents:
            self.findings.exceed("documents", self._begun, self._budgets.documents, extent(event))
        self._most = min(self._count + self._budgets.values, VALUES_OF_FILE * self._budgets.values)
        self._begin()
        # A document without a separator can begin indented; its places are found in the text from the line's start.
        self._start = event.start_mark.index - event.start_mark.column
        check_start(event, self._source, self._dialect, self.findings)

    def _end_document(self, event: Any) -> None:
        value = self._node[0]
        start, end = self._start, event.end_mark.index
        if value is not None or not is_blank(self._source.content[start:end]):
            index = len(self.documents)
            self.documents.append(Document(value, self._source, self._dialect, index=index, start=start, end=end))

    def _scalar(self, event: Any) -> None:
        self._count += 1
        if self._count > self._most:
            self.findings.exceed_values(self._count, self._most, self._budgets.values, extent(event))
        if self._keys is not None and self._key is _NO_KEY:
            self._take_key(read_key(event, self._dialect), event)
            if self._has_slash_escapes and event.style == '"':
                self._check_escapes(event)
            if event.anchor is not None:
                self._anchors[event.anchor] = Anchor(self._scalar_value(event), 1, 0, event)
            return
        if event.tag is None:
            # The ordinary cases of _scalar_value, in place: this runs for every value.
            if event.implicit[0]:
                value = self._plain[event.value]
                if value.__class__ is OddScalar:
                    value = self._odd_scalar(value, event)
            else:
                value = event.value
                if self._has_slash_escapes and event.style == '"':
                    self._check_escapes(event)
        else:
            value = self._scalar_value(event)
        if event.anchor is not None:
            self._anchors[event.anchor] = Anchor(value, 1, 0, event)
        self._add(value, event)

    def _check_escapes(self, event: Any) -> None:
        if has_slash_escapes(self._source.content[event.start_mark.index : event.end_mark.index]):
            message = "kubectl does not know the escape \\/, which YAML 1.2 has"
            self.findings.add(problems.ESCAPE, message, extent(event), "write / without a backslash")

    def _scalar_value(self, event: Any) -> Tree:
        if event.tag is not None:
            value = self._dialect.tagged(event.tag, event.value)
        else:
            value = self._plain[event.value] if event.implicit[0] else event.value
        return self._odd_scalar(value, event) if value.__class__ is OddScalar else value

    def _odd_scalar(self, odd: OddScalar, event: Any) -> Tree:
        self.findings.add(odd.problem, odd.message, extent(event), odd.hint)
        return odd.value

    def _take_key(self, key: Any, event: Any) -> None:
        if key.__class__ is OddScalar:
            key = self._odd_scalar(key, event)
        keys = self._keys
        assert keys is not None
        if key not in keys:
            keys[key] = event.start_mark.index
        elif key is not MERGE or not self._dialect.follows_go:
            name = "<<" if key is MERGE else clip(key)
            hint = "give the merge key a list: <<: [*first, *second]" if key is MERGE else "remove one of the two"
            first = self.findings.note("first defined here", self._place_of(key))
            self.findings.add(problems.DUPLICATE, f'the mapping has the key "{name}" twice', extent(event), hint, (first,))
        self._key = key

    def _add(self, value: Tree, event: Any) -> None:
        key = self._key
        if self._keys is None:
            self._node.append(value)
        elif key is MERGE:
            self._merge(value, event)
            self._key = _NO_KEY
        else:
            if key is not _REFUSED:
                self._node[key] = value
            self._key = _NO_KEY

    def _merge(self, value: Tree, event: Any) -> None:
        """Take over the keys of one mapping or several, of which the first wins."""
        from tjgen.trees.source.mergekey import merge  # few files have one

        assert self._keys is not None
        follows_go = self._dialect.follows_go
        is_refused = follows_go and event.__class__ is AliasEvent and value.__class__ is list
        overridden = None if is_refused else merge(self._node, self._keys, value, follows_go=follows_go)
        if overridden is None:
            message = "the value of the merge key << is neither a mapping nor a list of mappings"
            hint = "write an alias of a mapping, or a list of such: <<: [*first, *second]"
            self.findings.add(problems.MERGE, message, extent(event), hint)
            return
        for key in overridden:
            self._warn_of_override(key)

    def _warn_of_override(self, key: str) -> None:
        message = f'to kubectl this merge key overrides the key "{clip(key)}" before it; to other readers it does not'
        hint = "move the merge key to the top of its mapping"
        written = self.findings.note("set here", self._place_of(key))
        self.findings.add(problems.OVERRIDE, message, self._place_of(MERGE), hint, (written,))

    def _place_of(self, key: Any) -> Range:
        """The range of a key of the open mapping."""
        assert self._keys is not None
        return key_range(key, self._keys[key], self._source.content)

    def _open_mapping(self, event: Any) -> None:
        self._open(event, {}, "map")
        self._keys = {}

    def _open_sequence(self, event: Any) -> None:
        self._open(event, [], "seq")
        self._keys = None

    def _open(self, event: Any, node: Any, kind: str) -> None:
        if event.tag is not None and event.tag not in ("!", TAG_PREFIX + kind):
            self._odd_scalar(self._dialect.stray_tag(event.tag, node), event)
        if self._keys is not None and self._key is _NO_KEY:
            self.findings.add(problems.KEY, "a mapping or a list is used as a key", extent(event), "use a string as the key")
            self._key = _OPEN_KEY
        level = len(self._stack) + 1
        if level == _LEVEL_OF_ITEMS and self._keys is None and self._stack[-1][2] == "items":
            self._most = min(self._count + self._budgets.values, VALUES_OF_FILE * self._budgets.values)
        self._count += 1
        if self._count > self._most:
            self.findings.exceed_values(self._count, self._most, self._budgets.values, extent(event))
        self._check_level(level, event)
        growth = None
        if event.anchor is not None:
            self._anchors[event.anchor] = Anchor(node, 0, 0, None)
            growth = AnchorGrowth(event.anchor, self._count, self._deepest)
            self._deepest = level
        self._stack.append((self._node, self._keys, self._key, growth))
        self._node = node
        self._key = _NO_KEY

    def _close(self, event: Any) -> None:
        value = self._node
        level = len(self._stack)
        self._node, self._keys, self._key, growth = self._stack.pop()
        if growth is not None:
            size = self._count - growth.values + 1
            if self._anchors[growth.anchor].value is value:
                self._anchors[growth.anchor] = Anchor(value, size, self._deepest - level + 1, event)
            self._deepest = max(self._deepest, growth.deepest)
        if self._key is _OPEN_KEY:
            self._key = _REFUSED
        else:
            self._add(value, event)

    def _alias(self, event: Any) -> None:
        anchor = self._anchors.get(event.anchor)
        is_key = self._keys is not None and self._key is _NO_KEY
        if anchor is None or anchor.event is None:
            self._report_alias(anchor, event)
            if is_key:
                self._key = _REFUSED
            else:
                self._add(None, event)
            return
        self._check_growth(anchor, event)
        if not is_key:
            self._add(anchor.value, event)
        elif anchor.event.__class__ is ScalarEvent:
            key = read_key(anchor.event, self._dialect)
            self._take_key("<<" if key is MERGE else key, event)
        else:
            self.findings.add(problems.KEY, "a mapping or a list is used as a key", extent(event), "use a string as the key")
            self._key = _REFUSED

    def _report_alias(self, anchor: Anchor | None, event: Any) -> None:
        name = clip(event.anchor)
        if anchor is None:
            message = f"the alias *{name} has no anchor before it"
            hint = f"quote it if text is meant, or write &{name} before the value"
        else:
            message, hint = f"the alias *{name} is inside its own anchor", "remove the alias"
        self.findings.add(problems.ALIAS, message, extent(event), hint)

    def _check_growth(self, anchor: Anchor, event: Any) -> None:
        self._count += anchor.values
        self._aliased += anchor.values
        if self._aliased > MOST_ALIASED:
            message = f"the aliases of this document expand to more than {MOST_ALIASED} values"
            self.findings.stop(message, extent(event), "write fewer aliases of aliases")
        self._check_level(len(self._stack) + anchor.levels, event)

    def _check_level(self, level: int, event: Any) -> None:
        if level > MOST_LEVELS:
            message = f"the document is nested more than {MOST_LEVELS} levels deep"
            self.findings.stop(message, extent(event), "flatten it, or close the bracket that was left open")
        self._deepest = max(self._deepest, level)
