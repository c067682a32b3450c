"""What differs between the engines that evaluate policies: here that of the API server, which others override.

Mirrors k8s.io/apiserver 0.36 `pkg/admission/plugin/policy/validating/validator.go`.
"""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.cluster.policies.expressions import Expression
from tjgen.cluster.validate.cel.comprehensions import Scope
from tjgen.cluster.validate.cel.values import CelError
from tjgen.trees.typing import Any

RESULTED_IN_ERROR = " resulted in error: "
_LONGEST_MESSAGE = 5 * 1024


class Engine:
    """The API server."""

    absent: Any = None
    """The old object of a request that creates an object."""
    ignores_validations = True
    """Whether `failurePolicy: Ignore` also holds for errors of validations and audit annotations."""
    names_variables = True
    """Whether the error of a variable names it."""

    def error(self, expression: Expression, error: CelError) -> str:
        """The words for an expression that cannot be evaluated."""
        return f"expression '{expression.text}'{RESULTED_IN_ERROR}{error}"

    def errors_of_conditions(self, problems: Sequence[tuple[Expression, CelError]]) -> str:
        """The words for match conditions that cannot be evaluated."""
        words = list(dict.fromkeys(self.error(*one) for one in problems))
        return words[0] if len(words) == 1 else f"[{', '.join(words)}]"

    def error_of_annotation(self, key: str, expression: Expression, error: CelError) -> str:
        """The words for an audit annotation that cannot be evaluated."""
        return self.error(expression, error)

    def message(self, expression: Expression, message: str, worded: Expression | None, scope: Scope) -> str:
        """The message of a validation that fails; `worded` is the expression of the message."""
        text: Any = ""
        if worded is not None and not worded.unknown:
            try:
                text = worded.evaluate(scope)
            except CelError:
                text = ""
        text = text.strip() if text.__class__ is str else ""
        if len(text.encode()) > _LONGEST_MESSAGE or "\n" in text:
            text = ""
        return text or message or f"failed expression: {expression.text.strip()}"


SERVER = Engine()
