"""A domain-prefixed path such as `acme.io/team` -> what is wrong with it.

Upstream: k8s.io/apimachinery v0.36 `validation.IsDomainPrefixedPath`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import at
from tjgen.cluster.validate.webhooks.answer import invalid
from tjgen.cluster.validate.wording import quote
from tjgen.trees import regex
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.k8s.syntax import dns1123_subdomain

_HTTP_PATH = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"
_is_http_path = regex.compile(_HTTP_PATH + r"\Z").match
_HINT = "use a name such as acme.io/team"


def domain_prefixed_path(path: FieldPath, text: str) -> Iterator[Fault]:
    """The errors on a value at `path`."""
    host, slash, rest = text.partition("/")
    if not text:
        yield at(path).required()
    elif not slash or not host or not rest:
        yield invalid(path, quote(text), 'must be a domain-prefixed path (such as "acme.io/foo")', _HINT)
    else:
        for words in dns1123_subdomain(host):
            yield invalid(path, quote(host), words, _HINT)
        if not _is_http_path(rest):
            yield invalid(path, quote(rest), f"Invalid path (regex used for validation is '{_HTTP_PATH}')", _HINT)
