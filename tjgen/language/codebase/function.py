"""A Python function and its arguments -> the text of a program that calls it, and what keeps it from being a program.

The source of the function is the program. So it must use nothing but its parameters, builtins and what it imports itself: a name
of its module, or of a function around it, does not exist in a pod. What it uses is read from the compiled program.
"""

from __future__ import annotations

import ast
import builtins
import dis
import inspect
import keyword
import textwrap
from collections.abc import Callable, Iterator, Mapping
from math import isfinite
from types import CodeType, FunctionType, ModuleType

from tjgen.language.spec.calls import Call
from tjgen.trees.diagnostics.model import Diagnostic, Span
from tjgen.trees.typing import Any, NamedTuple

CODE = "TJ768"
_LOADS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
_STORES = ("STORE_GLOBAL", "STORE_NAME")
_OF_MODULE = ("__name__", "__file__", "__doc__", "__builtins__", "__module__", "__qualname__")
_PLAIN = "pass text, finite numbers, booleans, None, lists and dicts of them: not objects of classes derived from these types"
_DEF = "pass a function that a def statement defines"


class FunctionProgram(NamedTuple):
    """A program; empty if there are diagnostics."""

    text: str
    diagnostics: list[Diagnostic]


class _Source(NamedTuple):
    """The source of a function, as a statement of its own, and its first line in its file."""

    text: str
    node: ast.FunctionDef | ast.AsyncFunctionDef
    first: int
    indent: int


def program_of(function: object, arguments: Mapping[str, object], place: Span) -> FunctionProgram:
    """The program of a function. `place`: the call that passes it, for what is wrong with the arguments."""
    problem = _unsuitable(function)
    if problem is not None:
        return FunctionProgram("", [Diagnostic(CODE, problem[0], span=place, hint=problem[1])])
    assert isinstance(function, FunctionType), "others are refused"
    source = _source(function)
    if isinstance(source, str):
        hint = "define it in a file or in a cell of a notebook, and reload a file that has changed"
        return FunctionProgram("", [Diagnostic(CODE, f"the source of {function.__name__} {source}", span=place, hint=hint)])
    wrong = [*_decorated(function, source), *_arguments(function, arguments, place)]
    if any(one.span == place for one in wrong):
        return FunctionProgram("", wrong)
    text = _text(source, function, arguments)
    wrong += _foreign(function, source, text)
    return FunctionProgram("" if wrong else text, wrong)


def _unsuitable(function: object) -> tuple[str, str] | None:
    """Why an object is not the function of a program, and what to do."""
    name = getattr(function, "__name__", None) or repr(function)
    if inspect.ismethod(function):
        return f"{name} is a method, whose object does not exist in a pod", "pass a function, and create the object in it"
    if inspect.isbuiltin(function) or inspect.isclass(function) or not isinstance(function, FunctionType):
        kind = "class" if inspect.isclass(function) else type(function).__name__
        return f"{name} is a {kind}, not a function with a source", _DEF
    if function.__name__ == "<lambda>":
        return "a lambda is not a program", "use a def function instead of a lambda"
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        return (
            f"{name} contains yield: a call would not run it",
            "remove yield, or iterate over the generator in another function",
        )
    if hasattr(function, "__wrapped__"):
        return f"{name} is decorated, and the decorator does not exist in a pod", "pass the function without its decorator"
    return None


def _source(function: FunctionType) -> _Source | str:
    """The source of a function; why there is none."""
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError, SyntaxError, IndentationError):
        return "is not available"
    text = "".join(lines)
    text = text if text.endswith("\n") else text + "\n"
    indent = len(text) - len(text.lstrip(" \t"))
    node, dedented = _statement(text if not indent else f"if True:\n{text}"), textwrap.dedent(text)
    plain = _statement(dedented)
    if node is None:
        return "is not one statement: it shares a line with others"
    if plain is None or ast.dump(plain) != ast.dump(node):
        # The lines of a text in the function would lose their indentation.
        return _checked(_Source(f"if True:\n{text}", node, first - 1, 0), function)
    return _checked(_Source(dedented, plain, first, indent), function)


def _checked(source: _Source, function: FunctionType) -> _Source | str:
    """The source, unless it is that of another function: the file may have changed since it was imported."""
    parameters = source.node.args
    names = [one.arg for one in (*parameters.posonlyargs, *parameters.args, *parameters.kwonlyargs)]
    code = function.__code__
    same = list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]) == names and source.node.name == code.co_name
    return source if same else "is that of another function: the file has changed"


def _statement(text: str) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """The function that is the only statement of a text, or of its `if`."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError):
        return None
    if len(body) == 1 and isinstance(body[0], ast.If):
        body = body[0].body
    return body[0] if len(body) == 1 and isinstance(body[0], (ast.FunctionDef, ast.AsyncFunctionDef)) else None


def _decorated(function: FunctionType, source: _Source) -> Iterator[Diagnostic]:
    for decorator in source.node.decorator_list:
        message = f"{function.__name__} is decorated with {ast.unparse(decorator)}, and the decorator does not exist in a pod"
        hint = "remove the decorator, or use it in the function"
        yield Diagnostic(CODE, message, span=_span(function, source, decorator), hint=hint)


def _arguments(function: FunctionType, arguments: Mapping[str, object], place: Span) -> Iterator[Diagnostic]:
    """Arguments that the function does not take, or that are not JSON."""
    for name, value in arguments.items():
        if type(name) is not str or not _is_json(value):
            message = f"argument {name} of {function.__name__} is not a JSON value: {value!r}"
            hint = "use a list" if isinstance(value, (tuple, set)) else _PLAIN
            yield Diagnostic(CODE, message, span=place, hint=hint)
            return
    try:
        inspect.signature(function).bind(**arguments)
    except TypeError as error:
        hint = f"its parameters are {inspect.signature(_without_annotations(function))}"
        yield Diagnostic(CODE, f"{function.__name__} cannot be called: {error}", span=place, hint=hint)


def _without_annotations(function: FunctionType) -> Callable[..., Any]:
    copy = FunctionType(function.__code__, {}, function.__name__, function.__defaults__, function.__closure__)
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


def _is_json(value: object) -> bool:
    if type(value) is dict:
        return all(type(key) is str and _is_json(one) for key, one in value.items())
    if type(value) is list:
        return all(map(_is_json, value))
    if type(value) is str:
        return not any("\ud800" <= sign <= "\udfff" for sign in value)
    return value is None or type(value) in (bool, int) or (type(value) is float and isfinite(value))


def _text(source: _Source, function: FunctionType, arguments: Mapping[str, object]) -> str:
    """The program. Annotations of parameters are not evaluated: they may name types of the module."""
    words = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
    if not all(str(name).isidentifier() and not keyword.iskeyword(name) for name in arguments):
        words = f"**{dict(arguments)!r}"
    call = f"{function.__name__}({words})"
    if isinstance(source.node, ast.AsyncFunctionDef):
        call = f"import asyncio\n\n    asyncio.run({call})"
    return f'from __future__ import annotations\n\n\n{source.text}\n\nif __name__ == "__main__":\n    {call}\n'


_HEAD = 3
"""Lines of a program in front of the function."""


def _foreign(function: FunctionType, source: _Source, text: str) -> Iterator[Diagnostic]:
    """The names that the program uses and does not define, each where it is used first."""
    if source.node.decorator_list:
        return  # a decorator is reported itself
    program = compile(text, "program.py", "exec", dont_inherit=True)
    defined = {*dir(builtins), *_OF_MODULE, function.__name__, *_stored(program)}
    seen: set[str] = set()
    for name, line, column, length in _loaded(program):
        if name not in defined and name not in seen and line <= _HEAD + len(source.text.splitlines()):
            seen.add(name)
            message, hint = _described(name, function)
            start = Call(function.__code__.co_filename, (source.first + line - 1 - _HEAD, column + source.indent, 0, 0))
            at = start._replace(position=(start.position[0], start.position[1], start.position[0], start.position[1] + length))
            yield Diagnostic(CODE, f"{function.__name__} uses {name}, {message}", span=at.span(), hint=hint)


def _described(name: str, function: FunctionType) -> tuple[str, str]:
    """What a name is in the program of the author, and what to do."""
    if name in function.__code__.co_freevars:
        return "a variable of the function around it, which does not exist in a pod", f"make {name} a parameter, and pass it"
    value = function.__globals__.get(name)
    if isinstance(value, ModuleType):
        other = "" if value.__name__ == name else f" ({value.__name__})"
        return f"a module{other} that is imported outside of it", f"import {value.__name__} in the function"
    if callable(value):
        module = getattr(value, "__module__", None)
        if module not in (None, "builtins", function.__module__):
            public = module.partition("._")[0]  # Path of pathlib is in pathlib._local since Python 3.13
            return f"which is imported from {public} outside of it", f"import {name} in the function"
        return "which is defined outside of it and does not exist in a pod", f"define {name} in the function"
    if name in function.__globals__:
        return "a variable of its module, which does not exist in a pod", f"make {name} a parameter, and pass it"
    return "which is not defined", f"define {name} in the function"


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _stored(program: CodeType) -> Iterator[str]:
    """Names of the module that the program assigns."""
    for code in _codes(program):
        for one in dis.get_instructions(code):
            if one.opname in _STORES and (code is program or one.opname == "STORE_GLOBAL"):
                yield str(one.argval)


def _loaded(program: CodeType) -> Iterator[tuple[str, int, int, int]]:
    """Each name that is looked up outside of functions, with its line, column and length."""
    for code in _codes(program):
        own = {str(one.argval) for one in dis.get_instructions(code) if one.opname == "STORE_NAME"}
        for one in dis.get_instructions(code):
            position = one.positions
            if one.opname in _LOADS and one.argval not in own and position is not None and position.lineno is not None:
                yield str(one.argval), position.lineno, position.col_offset or 0, len(str(one.argval).encode())


def _span(function: FunctionType, source: _Source, node: ast.expr) -> Span:
    line, end = source.first + node.lineno - 1, source.first + (node.end_lineno or node.lineno) - 1
    columns = (node.col_offset + source.indent, (node.end_col_offset or 0) + source.indent)
    return Call(function.__code__.co_filename, (line, columns[0], end, columns[1])).span()
