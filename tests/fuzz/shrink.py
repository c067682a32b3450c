"""An input with a finding -> a smaller input with the same finding."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

from tests.fuzz.corpus import trees_of
from tests.fuzz.inputs import PROGRAM, UTF8, Input

Tree = Any


def shrunk(one: Input, is_found: Callable[[Input], bool], *, seconds: float = 20.0) -> Input:
    """The smallest input that was found within `seconds`; `is_found` tells whether an input has the finding still."""
    until = time.monotonic() + seconds
    is_smaller = True
    while is_smaller and time.monotonic() < until:
        is_smaller = False
        for smaller in _smaller(one):
            if time.monotonic() > until:
                break
            if smaller.size < one.size and is_found(smaller):
                one, is_smaller = smaller, True
                break
    return one


def _smaller(one: Input) -> Iterator[Input]:
    for name in one.files:
        yield one._replace(files={other: file for other, file in one.files.items() if other != name})
    for at in range(len(one.words) - 1, 0, -1):
        yield one._replace(words=one.words[:at] + one.words[at + 1 :])
    for name in one.variables:
        yield one._replace(variables={other: value for other, value in one.variables.items() if other != name})
    if one.output != UTF8:
        yield one._replace(output=UTF8)
    if one.replies:
        yield one._replace(replies=one.replies[:-1])
    for content in _smaller_content(one.stdin, is_json=one.call != PROGRAM and one.call not in ("read", "texts")):
        yield one._replace(stdin=content)
    for name, file in one.files.items():
        if isinstance(file, bytes):
            for content in _smaller_content(file, is_json=False):
                yield one._replace(files={**one.files, name: content})
    for at, word in enumerate(one.words):
        if at and len(word) > 12:
            yield one._replace(words=(*one.words[:at], word[: len(word) // 2], *one.words[at + 1 :]))


def _smaller_content(content: bytes, *, is_json: bool) -> Iterator[bytes]:
    if not content:
        return
    if is_json:
        for tree in _smaller_trees(json.loads(content)):
            yield json.dumps(tree).encode()
        return
    yield b""
    lines = content.splitlines(keepends=True)
    size = len(lines) // 2
    while size:
        for at in range(0, len(lines), size):
            yield b"".join(lines[:at] + lines[at + size :])
        size //= 2
    trees = trees_of(content)
    if trees and len(content) < 20_000:
        texts = [json.dumps(tree, default=str).encode("utf-8", "surrogatepass") for tree in trees]
        yield b"\n---\n".join(texts)
        for at, tree in enumerate(trees):
            for smaller in _smaller_trees(tree):
                yield b"\n---\n".join(
                    [*texts[:at], json.dumps(smaller, default=str).encode("utf-8", "surrogatepass"), *texts[at + 1 :]]
                )
    size = len(content) // 2
    while size >= (1 if len(content) < 200 else 8):
        for at in range(0, len(content), size):
            yield content[:at] + content[at + size :]
        size //= 2


def _smaller_trees(tree: Tree) -> Iterator[Tree]:
    """The tree without one part, parts of the upper levels first, or with a short text in place of a long one."""
    if isinstance(tree, dict):
        for key in tree:
            yield {name: value for name, value in tree.items() if name != key}
        for key, value in tree.items():
            for smaller in _smaller_trees(value):
                yield {**tree, key: smaller}
    elif isinstance(tree, list):
        for size in (len(tree) // 2, 1) if len(tree) > 2 else (1,):
            for at in range(0, len(tree), size):
                yield tree[:at] + tree[at + size :]
        for at, value in enumerate(tree):
            for smaller in _smaller_trees(value):
                yield [*tree[:at], smaller, *tree[at + 1 :]]
    elif isinstance(tree, str) and len(tree) > 4:
        yield tree[: len(tree) // 2]
        yield "a"
