"""The name of a string format and a text -> whether the text has that format.

Mirrors k8s.io/kube-openapi `validation/strfmt`. Times are in `times.py`, base64 as Go reads it is here, and other formats are in
`textformats.py`. Every text matches a format that none of them defines.
"""

from __future__ import annotations

import re

from tjgen.cluster.schema.times import is_date_time

_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?\Z")


def matches(name: str, text: str) -> bool:
    """Whether `text` has the format `name`."""
    if name == "date-time":
        return is_date_time(text)
    from tjgen.cluster.schema.textformats import CHECKS  # only kinds that users bring have others

    check = CHECKS.get(name.replace("-", ""))
    return check is None or bool(check(text))


def is_base64(text: str) -> bool:
    """Standard base64 with padding; line breaks are skipped (encoding/base64 StdEncoding)."""
    return _BASE64.match(text.replace("\r", "").replace("\n", "")) is not None
