"""A module's text -> its mutants: each is the text with one small change of meaning.

Left alone: docstrings, annotations, aliases of types, imports, `__all__`, blocks under `if TYPE_CHECKING`, and the bodies of
protocols (`...`), which no test can tell apart.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator
from dataclasses import dataclass

COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}
ARITHMETIC: dict[type[ast.operator], str] = {ast.Add: "-", ast.Sub: "+", ast.Mult: "//", ast.FloorDiv: "*", ast.Mod: "*"}
REMOVED = (ast.Expr, ast.Raise, ast.Continue, ast.Break, ast.AugAssign, ast.Delete)
"""Statements that can be removed; so can assignments to an element or an attribute."""


@dataclass(frozen=True)
class Mutant:
    """One change: the characters from `start` to `end` of the file become `text`.

    `owner` is the function or method that holds the change, empty where the change is evaluated at import.
    """

    file: str
    line: int
    operator: str
    owner: str
    start: int
    end: int
    text: str

    def applied(self, source: str) -> str:
        """The text of the file with the change."""
        return source[: self.start] + self.text + source[self.end :]

    def diff(self, source: str) -> list[str]:
        """The lines that the change removes ("- ...") and adds ("+ ...")."""
        lines = difflib.unified_diff(source.splitlines(), self.applied(source).splitlines(), n=0, lineterm="")
        return [f"{line[0]} {line[1:].strip()}" for line in lines if line[0] in "+-" and line[:3] not in ("+++", "---")]

    def key(self, source: str) -> tuple[str, str, str]:
        """What names the mutant as long as its line stays the same: owner, removed text, added text."""
        lines = self.diff(source)
        removed = " ".join(line[2:] for line in lines if line[0] == "-")
        return self.owner, removed, " ".join(line[2:] for line in lines if line[0] == "+")


def mutants(file: str, source: str) -> list[Mutant]:
    """Every mutant of a module, in the order of the text."""
    found = list(_Finder(file, source).of_body(ast.parse(source).body, ""))
    return sorted(dict.fromkeys(found), key=lambda one: (one.start, one.end, one.operator))


class _Finder:
    def __init__(self, file: str, source: str) -> None:
        self.file = file
        self.source = source
        self.offsets = [0]
        for line in source.splitlines(keepends=True):
            self.offsets.append(self.offsets[-1] + len(line))
        self.lines = source.splitlines()

    def position(self, line: int, column: int) -> int:
        """Offset in characters; ast counts columns in bytes of UTF-8."""
        return self.offsets[line - 1] + len(self.lines[line - 1].encode()[:column].decode())

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.position(node.lineno, node.col_offset), self.position(node.end_lineno, node.end_col_offset)

    def text(self, node: ast.expr | ast.stmt) -> str:
        start, end = self.span(node)
        return self.source[start:end]

    def change(self, node: ast.expr | ast.stmt, operator: str, owner: str, text: str) -> Mutant:
        start, end = self.span(node)
        return Mutant(self.file, node.lineno, operator, owner, start, end, text)

    def of_body(self, body: list[ast.stmt], owner: str) -> Iterator[Mutant]:
        for number, node in enumerate(body):
            is_docstring = (
                isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
            )
            if not is_docstring:
                yield from self.of_statement(node, owner, is_alone=len(body) == 1 and number == 0)

    def of_statement(self, node: ast.stmt, owner: str, *, is_alone: bool) -> Iterator[Mutant]:
        match node:
            case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant()):
                return
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                return
            case ast.Assign(value=ast.Subscript(value=ast.Name(id="Callable"))):
                return  # an alias of a type
            case ast.FunctionDef():
                for given in [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]:
                    yield from self.of_expression(given, owner)
                # A function inside another one is part of the outer one's code.
                inside = owner if owner and not owner.endswith(".") else f"{owner}{node.name}"
                yield from self.of_body(node.body, inside)
            case ast.ClassDef():
                for given in node.decorator_list:
                    yield from self.of_expression(given, owner)
                yield from self.of_body(node.body, f"{owner}{node.name}." if not owner or owner.endswith(".") else owner)
            case _:
                yield from self.of_plain(node, owner, is_alone=is_alone)

    def of_plain(self, node: ast.stmt, owner: str, *, is_alone: bool) -> Iterator[Mutant]:
        place = owner if not owner.endswith(".") else ""
        if isinstance(node, REMOVED) or (
            isinstance(node, ast.Assign) and isinstance(node.targets[0], (ast.Subscript, ast.Attribute))
        ):
            is_empty_generator = isinstance(node, ast.Expr) and isinstance(node.value, (ast.Yield, ast.YieldFrom)) and is_alone
            # A generator stays one: without its only yield it would be a function that returns None.
            yield self.change(node, "remove statement", place, "yield from ()" if is_empty_generator else "pass")
        if isinstance(node, ast.Return) and node.value is not None:
            yield from self.of_return(node.value, place)
        if isinstance(node, (ast.If, ast.While)):
            yield from self.negated(node.test, place)
        if isinstance(node, ast.AnnAssign):
            if node.value is not None and not (isinstance(node.target, ast.Name) and node.target.id == "__all__"):
                yield from self.of_expression(node.value, place)
            return
        if isinstance(node, ast.AugAssign) and type(node.op) in ARITHMETIC:
            start, end = self.span(node.target)[1], self.span(node.value)[0]
            text = self.source[start:end].replace("+=", "-=") if isinstance(node.op, ast.Add) else self.source[start:end]
            if text != self.source[start:end]:
                yield Mutant(self.file, node.lineno, "arithmetic", place, start, end, text)
        for _, value in ast.iter_fields(node):
            for child in value if isinstance(value, list) else [value]:
                yield from self.of_child(child, owner, place, value)

    def of_child(self, child: object, owner: str, place: str, siblings: object) -> Iterator[Mutant]:
        if isinstance(child, ast.stmt):
            is_alone = isinstance(siblings, list) and len(siblings) == 1
            yield from self.of_statement(child, owner, is_alone=is_alone)
        elif isinstance(child, ast.expr):
            yield from self.of_expression(child, place)
        elif isinstance(child, (ast.ExceptHandler, ast.match_case)):
            yield from self.of_body(child.body, owner)
            if isinstance(child, ast.match_case) and child.guard is not None:
                yield from self.of_expression(child.guard, place)
        elif isinstance(child, ast.withitem):
            yield from self.of_expression(child.context_expr, place)

    def of_return(self, value: ast.expr, owner: str) -> Iterator[Mutant]:
        if isinstance(value, ast.Tuple) and len(value.elts) == 2:
            first, second = map(self.text, value.elts)
            start, end = self.span(value.elts[0])[0], self.span(value.elts[1])[1]
            if first != second and self.source[start:end].removeprefix(first).removesuffix(second).strip() == ",":
                yield Mutant(self.file, value.lineno, "swap returned values", owner, start, end, f"{second}, {first}")
        elif not isinstance(value, ast.Constant):
            yield self.change(value, "return None", owner, "None")

    def negated(self, test: ast.expr, owner: str) -> Iterator[Mutant]:
        if not isinstance(test, ast.Compare) and not (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)):
            yield self.change(test, "negate condition", owner, f"not ({self.text(test)})")

    def of_expression(self, node: ast.expr, owner: str) -> Iterator[Mutant]:
        match node:
            case ast.JoinedStr():
                # Positions inside an f-string are wrong before Python 3.12.
                return
            case ast.Constant(value=bool(truth)):
                yield self.change(node, "flip boolean", owner, str(not truth))
            case ast.Constant(value=int(number)):
                yield self.change(node, "off by one", owner, str(number + 1))
            case ast.Constant(value=str(text)):
                yield self.change(node, "replace text", owner, '"mutated"' if text != "mutated" else '""')
            case ast.Compare(ops=[only]):
                start, end = self.span(node.left)[1], self.span(node.comparators[0])[0]
                between = self.source[start:end]
                if not set(between) & {"(", ")", "#"}:
                    yield Mutant(self.file, node.lineno, "comparison", owner, start, end, f" {COMPARISONS[type(only)]} ")
            case ast.BoolOp():
                other = "or" if isinstance(node.op, ast.And) else "and"
                for left, right in zip(node.values, node.values[1:], strict=False):
                    start, end = self.span(left)[1], self.span(right)[0]
                    word = "and" if other == "or" else "or"
                    if self.source[start:end].count(word) == 1 and "#" not in self.source[start:end]:
                        text = self.source[start:end].replace(word, other)
                        yield Mutant(self.file, node.lineno, "and/or", owner, start, end, text)
            case ast.UnaryOp(op=ast.Not()):
                yield self.change(node, "remove not", owner, f"({self.text(node.operand)})")
            case ast.BinOp() if type(node.op) in ARITHMETIC:
                start, end = self.span(node.left)[1], self.span(node.right)[0]
                if not set(self.source[start:end]) & {"(", ")", "#"}:
                    yield Mutant(self.file, node.lineno, "arithmetic", owner, start, end, f" {ARITHMETIC[type(node.op)]} ")
            case ast.IfExp():
                yield from self.negated(node.test, owner)
            case ast.Call(keywords=[_, *_]):
                yield from self.without_keywords(node, owner)
            case _:
                pass
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield from self.of_expression(child, owner)
            elif isinstance(child, ast.keyword):
                yield from self.of_expression(child.value, owner)
            elif isinstance(child, ast.comprehension):
                yield from self.of_expression(child.iter, owner)
                for test in child.ifs:
                    yield from self.negated(test, owner)
                    yield from self.of_expression(test, owner)

    def without_keywords(self, node: ast.Call, owner: str) -> Iterator[Mutant]:
        for keyword in node.keywords:
            if keyword.arg is None:
                continue
            start, (_, end) = self.position(keyword.lineno, keyword.col_offset), self.span(keyword.value)
            while (
                end < len(self.source)
                and self.source[end] in ")"
                and self.source[start:end].count("(") > self.source[start:end].count(")")
            ):
                end += 1
            if self.source[end : end + 1] == ",":
                end += 1
            if self.source[start:end].count("(") == self.source[start:end].count(")"):
                yield Mutant(self.file, node.lineno, "drop keyword argument", owner, start, end, "")
