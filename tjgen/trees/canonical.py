"""A plain value -> its canonical JSON text; a text -> its SHA-256. Names and identities are created from them.

`json` and `hashlib` would do. But a build begins with one of each, and they bring Python around a C encoder that is
reached directly here, and OpenSSL, which takes longer to load than a small build to hash all that it hashes.
"""

from __future__ import annotations

from sys import modules

from tjgen.trees.typing import Any

try:
    from _sha2 import sha256  # type: ignore[import-not-found]  # Python 3.12 and later
except ImportError:
    try:
        from _sha256 import sha256  # type: ignore[import-not-found]
    except ImportError:
        from hashlib import sha256


_LONG = 1_000
"""Bytes from which OpenSSL is faster."""


def sha256_hex(text: str) -> str:
    """SHA-256 of the text in UTF-8, in hexadecimal. OpenSSL hashes long texts, once something else has loaded it."""
    content = text.encode()
    if len(content) > _LONG and (hashlib := modules.get("hashlib")) is not None:
        return str(hashlib.sha256(content).hexdigest())
    return str(sha256(content).hexdigest())


def json_text(value: Any, *, ascii_only: bool = True) -> str:
    """JSON with sorted keys and no blanks; raises ValueError for a number that JSON cannot hold.

    The same as `json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=ascii_only, allow_nan=False)`.
    """
    return "".join(_encoder(ascii_only)(value, 0))


def _encoder(ascii_only: bool) -> Any:
    try:
        from _json import encode_basestring, encode_basestring_ascii, make_encoder
    except ImportError:
        from json import JSONEncoder

        plain = JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=ascii_only, allow_nan=False)
        return lambda value, _: plain.encode(value)
    spelled = encode_basestring_ascii if ascii_only else encode_basestring
    return make_encoder({}, _refuse, spelled, None, ":", ",", True, False, False)


def _refuse(value: Any) -> Any:
    raise TypeError(f"JSON has no {value.__class__.__name__}")
