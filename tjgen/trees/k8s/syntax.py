"""A text -> what is wrong with it as a name, label or key, in the API server's words (nothing for a good one).

Mirrors k8s.io/apimachinery 0.36 `util/validation/validation.go` and `api/validate/content`; each
function answers with the messages that upstream's function of that name answers with, in order.
"""

from __future__ import annotations

from collections.abc import Callable

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_LABEL_1035 = "[a-z]([-a-z0-9]*[a-z0-9])?"
_KEY_NAME = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_LABEL_UNDERSCORE = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_SUBDOMAIN_UNDERSCORE = rf"{_LABEL_UNDERSCORE}(\.{_LABEL_UNDERSCORE})*"
_SUBDOMAIN_WORDS = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', "
    "and must start and end with an alphanumeric character"
)
_KEY_VALUE = f"({_KEY_NAME})?"
_CONFIG_KEY = "[-._a-zA-Z0-9]+"

# The same in words: five patterns would take longer to compile than all names of a run take to check.
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")
_DIGITS = frozenset("0123456789")
_LOWER = _LETTERS | _DIGITS
_ANY = _LOWER | frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_IN_LABEL = _LOWER | {"-"}
_IN_KEY = _ANY | frozenset("-_.")

Check = Callable[[str], list[str]]
"""What a check of this module is: the text -> messages."""


def dns1123_label(text: str) -> list[str]:
    """A lower-case DNS label of at most 63 characters (`IsDNS1123Label`)."""
    wrong = _too_long(text, 63, "characters")
    if not _is_label(text):
        if _is_subdomain(text):
            wrong.append("must not contain dots")
        else:
            wrong.append(
                "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
                "and must start and end with an alphanumeric character" + _shown(_LABEL, "my-name", "123-abc")
            )
    return wrong


def dns1123_subdomain(text: str) -> list[str]:
    """DNS labels joined by dots, at most 253 characters (`IsDNS1123Subdomain`)."""
    return _subdomain(text, "characters")


def dns1035_label(text: str) -> list[str]:
    """A DNS label that starts with a letter (`IsDNS1035Label`)."""
    wrong = _too_long(text, 63, "characters")
    if not _is_label(text) or text[0] not in _LETTERS:
        wrong.append(
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
            "and end with an alphanumeric character" + _shown(_LABEL_1035, "my-name", "abc-123")
        )
    return wrong


def label_key(text: str) -> list[str]:
    """A name with an optional DNS subdomain and slash before it (`IsLabelKey`, also called `IsQualifiedName`)."""
    prefix, slash, name = text.rpartition("/")
    if "/" in prefix:
        return [
            f"a valid label key {_key_characters()} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        ]
    wrong: list[str] = []
    if slash:
        wrong += [f"prefix part {message}" for message in (_subdomain(prefix, "bytes") if prefix else ["must be non-empty"])]
    if not name:
        wrong.append("name part must be non-empty")
    wrong += [f"name part {message}" for message in _too_long(name, 63, "bytes")]
    if not _is_key_name(name):
        wrong.append(f"name part {_key_characters()}")
    return wrong


def label_value(text: str) -> list[str]:
    """Nothing, or a name of at most 63 characters (`IsLabelValue`)."""
    wrong = _too_long(text, 63, "bytes")
    if text and not _is_key_name(text):
        wrong.append(
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
            "and must start and end with an alphanumeric character" + _shown(_KEY_VALUE, "MyValue", "my_value", "12345")
        )
    return wrong


def dns1123_subdomain_with_underscore(text: str) -> list[str]:
    """A subdomain whose labels may hold underscores, also at their beginning (`IsDNS1123SubdomainWithUnderscore`)."""
    wrong = _too_long(text, 253, "characters")
    parts = [label.removeprefix("_").replace("_", "-") if label[-1:] != "_" else "" for label in text.split(".")]
    if not all(map(_is_label, parts)):
        wrong.append(_SUBDOMAIN_WORDS + _shown(_SUBDOMAIN_UNDERSCORE, "example.com"))
    return wrong


def env_name(text: str) -> list[str]:
    """The name of an environment variable as newer servers take it (`IsRelaxedEnvVarName`)."""
    wrong = [] if text else ["environment variable name must be non-empty"]
    if not all(" " <= character <= "~" and character != "=" for character in text):
        wrong.append("a valid environment variable name must consist only of printable ASCII characters other than '='")
    return wrong


def c_identifier(text: str) -> list[str]:
    """A name as the language C has them (`IsCIdentifier`)."""
    if text and text[0] not in _DIGITS and (_ANY | {"_"}).issuperset(text):
        return []
    message = (
        "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'"
    )
    return [message + _shown("[A-Za-z_][A-Za-z0-9_]*", "my_name", "MY_NAME", "MyName")]


def port_number(port: int) -> list[str]:
    """1 to 65535 (`IsValidPortNum`)."""
    return [] if 1 <= port <= 65535 else ["must be between 1 and 65535, inclusive"]


def port_name(text: str) -> list[str]:
    """The name of a port, at most 15 characters (`IsValidPortName`)."""
    wrong = _too_long(text, 15, "characters")
    if not text or not _IN_LABEL.issuperset(text):
        wrong.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not _LETTERS.intersection(text):
        wrong.append("must contain at least one letter (a-z)")
    if "--" in text:
        wrong.append("must not contain consecutive hyphens")
    if text.startswith("-") or text.endswith("-"):
        wrong.append("must not begin or end with a hyphen")
    return wrong


def http_header(text: str) -> list[str]:
    """The name of an HTTP header (`IsHTTPHeaderName`)."""
    if text and (_ANY | {"-"}).issuperset(text):
        return []
    return ["a valid HTTP header must consist of alphanumeric characters or '-'" + _shown("[-A-Za-z0-9]+", "X-Header-Name")]


def percent(text: str) -> list[str]:
    """A percentage (`IsValidPercent`)."""
    if text.endswith("%") and text[:-1].isascii() and text[:-1].isdigit():
        return []
    message = "a valid percent string must be a numeric string followed by an ending '%'"
    return [message + _shown("[0-9]+%", "1%", "93%")]


def path_segment(text: str) -> list[str]:
    """A name that is valid in a URL path (`IsPathSegmentName`)."""
    if text in (".", ".."):
        return [f"may not be '{text}'"]
    return path_segment_prefix(text)


def path_segment_prefix(text: str) -> list[str]:
    """The beginning of a name that is valid in a URL path (`IsPathSegmentPrefix`)."""
    return [f"may not contain '{character}'" for character in "/%" if character in text]


def config_key(text: str) -> list[str]:
    """A key of a ConfigMap or Secret (`IsConfigMapKey`)."""
    wrong = _too_long(text, 253, "characters")
    if not text or not _IN_KEY.issuperset(text):
        wrong.append(
            "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
            + _shown(_CONFIG_KEY, "key.name", "KEY_NAME", "key-name")
        )
    if text in (".", ".."):
        wrong.append(f"must not be '{text}'")
    elif text.startswith(".."):
        wrong.append("must not start with '..'")
    return wrong


def _is_label(text: str) -> bool:
    return bool(text) and text[0] in _LOWER and text[-1] in _LOWER and _IN_LABEL.issuperset(text)


def _is_subdomain(text: str) -> bool:
    return all(map(_is_label, text.split(".")))


def _is_key_name(text: str) -> bool:
    return bool(text) and text[0] in _ANY and text[-1] in _ANY and _IN_KEY.issuperset(text)


def _key_characters() -> str:
    message = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
    return message + _shown(_KEY_NAME, "MyName", "my.name", "123-abc")


def _subdomain(text: str, unit: str) -> list[str]:
    wrong = _too_long(text, 253, unit)
    if not _is_subdomain(text):
        wrong.append(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
            "and must start and end with an alphanumeric character" + _shown(_SUBDOMAIN, "example.com")
        )
    return wrong


def _too_long(text: str, most: int, unit: str) -> list[str]:
    # Upstream counts bytes, although it calls them otherwise.
    return (
        [f"must be no more than {most} {unit}"]
        if len(text) * 4 > most and len(text.encode("utf-8", "surrogatepass")) > most
        else []
    )


def _shown(pattern: str, *examples: str) -> str:
    shown = " or ".join(f"'{example}', " for example in examples)
    return f" (e.g. {shown}regex used for validation is '{pattern}')"
