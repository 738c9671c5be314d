"""What can go wrong, as exceptions. The classes and their meaning are skyl's own.

`BadRequestError` and `UnsupportedError` without a status were raised before anything was sent. The
others, and those with a status, are what a provider answered. In a notebook an error shows as its
message alone: a learner needs the sentence, not our call stack.
"""

from typing import Any


class SkylError(Exception):
    """The base of every error of this package.

    Attributes:
        message: what is wrong, as a sentence; of a provider's answer, the provider's own words.
        provider: the wire's name, `""` when the fault has nothing to do with one.
        status: the HTTP status, 0 when nothing was sent or no answer came.
        raw: the provider's answer as parsed JSON (or its text), None without an answer.
        retry_after: seconds to wait as the provider asked for, None when it did not.
    """

    def __init__(
        self,
        message: str,
        *,
        provider: str = "",
        status: int = 0,
        raw: Any = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.provider = provider
        self.status = status
        self.raw = raw
        self.retry_after = retry_after

    def __str__(self) -> str:
        where = " ".join(str(part) for part in (self.provider, self.status) if part)
        return f"{where}: {self.message}" if where else self.message

    def _render_traceback_(self) -> list[str]:
        """Tell IPython what to show instead of a traceback."""
        return [f"{type(self).__name__}: {self}"]


class BadRequestError(SkylError):
    """The request is wrong: refused here before it was sent, or by the provider.

    The provider's statuses are 400, 402, 413, 418 and 422.
    """


class AuthError(SkylError):
    """The credential is missing, wrong, or not allowed to do this (401, 403, 407)."""


class NotFoundError(SkylError):
    """No such model or path (404)."""


class RateLimitError(SkylError):
    """Too many requests (429); `retry_after` says how long to wait, if the provider did."""


class ServerError(SkylError):
    """The provider failed (408, 409, 5xx), or its answer cannot be read."""


class UnsupportedError(SkylError):
    """The wire has no place for what the request asks; nothing was sent."""


class RefusalError(SkylError):
    """The provider will not answer this prompt."""


def check_number(name: str, value: Any, most: int | None = None) -> None:
    """Refuse what is no whole number from 1 to `most`.

    Raises:
        BadRequestError: the sentence names the argument `name` and its value.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= (most or value):
        upper = f" to {most}" if most else " or more"
        raise BadRequestError(f"{name} is a whole number, 1{upper}, and not {value!r:.50}")
