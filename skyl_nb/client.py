"""Sends a request to a provider, or to the sandbox in this process, and reads the answer.

`sandbox_client` never leaves this process; `live_client` never answers from the sandbox. Which of
the two a program uses is written in the program, so a lesson cannot cost money by accident.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from math import isfinite
from typing import Any

import httpx
from httpx_sse import EventSource

from skyl_nb.data import facts
from skyl_nb.envelopes import parse, provider_message
from skyl_nb.errors import (
    AuthError,
    BadRequestError,
    NotFoundError,
    RateLimitError,
    ServerError,
    SkylError,
)
from skyl_nb.request import Request, Response, StreamEvent, validate
from skyl_nb.sandbox import Sandbox
from skyl_nb.wires import wire_named

TIMEOUT = 60.0
"""Seconds to wait for each part of an answer. A model may think for long."""

LONGEST_WAIT = 20.0
"""Seconds to wait before a retry at most, whatever the provider asks for."""

STATUS_OF_TYPE = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "overloaded_error": 529,
}
"""The status that an error inside a stream would have had, by the types that
docs.claude.com/en/api/errors lists; its type is all that such an error carries."""

CLASSES: dict[int, type[SkylError]] = {
    401: AuthError,
    403: AuthError,
    404: NotFoundError,
    407: AuthError,
    408: ServerError,
    409: ServerError,
    429: RateLimitError,
}
"""The class of a status; another 4xx is a bad request, and all else a fault of the server."""


class Client:
    """Talks to one provider's wire. Made by `sandbox_client` and `live_client`.

    Attributes:
        provider: the wire's name.
        model: a model of this provider that the sandbox has.
        sandbox: the sandbox that answers, None for a live client.
    """

    def __init__(
        self,
        provider: str,
        *,
        base_url: str,
        api_key: str,
        transport: httpx.BaseTransport | None = None,
        sandbox: Sandbox | None = None,
        max_retries: int = 0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._wire = wire_named(provider)
        self._base_url = base_url.rstrip("/")
        self._headers = self._wire.headers(api_key) | {"content-type": "application/json"}
        self._http = httpx.Client(transport=transport, timeout=TIMEOUT)
        self._max_retries = max_retries
        self._sleep = sleep
        self.provider = provider
        self.model: str = facts("providers.json")[provider]["model"]
        self.sandbox = sandbox

    def complete(self, request: Request) -> Response:
        """Send one request and return the whole answer.

        Raises:
            BadRequestError: `validate` refuses the request, before anything is sent.
            UnsupportedError: the wire has no place for it; nothing was sent.
            SkylError: another class of it, for what the provider refused or what went wrong.
        """
        answer = self._send(*self._written(request, stream=False), stream=False)
        payload = parse(answer.text)
        if not isinstance(payload, dict):
            raise self._not_an_answer(answer, payload)
        return self._wire.decode(payload)

    def stream(self, request: Request) -> Iterator[StreamEvent]:
        """Send one request and return the answer's events as they come.

        A request that `complete` would refuse is refused at once; what the provider refuses is
        raised by the iterator. Leaving the iterator early closes the connection.

        Raises:
            BadRequestError: `validate` refuses the request, before anything is sent.
            UnsupportedError: the wire has no place for it; nothing was sent.
        """
        return self._events(*self._written(request, stream=True))

    def _events(self, url: str, body: str) -> Iterator[StreamEvent]:
        answer = self._send(url, body, stream=True)
        try:
            yield from self._wire.events(self._payloads(answer))
        except httpx.HTTPError as error:
            raise ServerError(f"the stream broke off: {error}", provider=self.provider) from None
        finally:
            answer.close()

    def _payloads(self, answer: httpx.Response) -> Iterator[dict[str, Any]]:
        """Yield the data of each server-sent event; an error among them is raised."""
        if "text/event-stream" not in answer.headers.get("content-type", ""):
            raise self._not_an_answer(answer, answer.read().decode("utf-8", "replace"))
        for event in EventSource(answer).iter_sse():
            if event.data == "[DONE]":
                return
            payload = parse(event.data)
            if not isinstance(payload, dict):
                raise self._not_an_answer(answer, payload)
            if payload.get("error"):
                raise classify(self.provider, _status_inside(payload["error"]), payload)
            yield payload

    def _written(self, request: Request, *, stream: bool) -> tuple[str, str]:
        """Return the URL and the body of a request, or refuse it."""
        validate(request)
        try:
            body = json.dumps(self._wire.encode(request, stream=stream), allow_nan=False)
        except ValueError:  # Python writes no integer of more than 4,300 digits
            raise BadRequestError(
                "a number in the request cannot be written as JSON; use one that fits 64 bits",
                provider=self.provider,
            ) from None
        return self._base_url + self._wire.path(request.model, stream=stream), body

    def _send(self, url: str, body: str, *, stream: bool) -> httpx.Response:
        """Send a request, again if it is worth it; return an answer that is no refusal."""
        for attempt in range(self._max_retries):
            try:
                return self._exchange(url, body, stream=stream)
            except (RateLimitError, ServerError) as error:
                self._sleep(retry_delay(error, attempt))
        return self._exchange(url, body, stream=stream)

    def _exchange(self, url: str, body: str, *, stream: bool) -> httpx.Response:
        try:
            request = self._http.build_request("POST", url, content=body, headers=self._headers)
            answer = self._http.send(request, stream=stream)
            if not answer.is_success:
                answer.read()
        except httpx.InvalidURL as error:
            raise BadRequestError(
                f"the base URL is no URL: {error}", provider=self.provider
            ) from None
        except (httpx.LocalProtocolError, UnicodeEncodeError):
            # Its words quote the header, and so the key.
            raise AuthError(
                "the key holds a character that no header can carry", provider=self.provider
            ) from None
        except httpx.HTTPError as error:
            raise ServerError(
                f"no answer came ({error}); is the server running, and the base URL right?",
                provider=self.provider,
            ) from None
        if not answer.is_success:
            payload = parse(answer.text)
            raise classify(self.provider, answer.status_code, payload, answer.headers)
        return answer

    def _not_an_answer(self, answer: httpx.Response, payload: Any) -> ServerError:
        return ServerError(
            f"the answer is not a JSON object, so {self.provider} did not write it; "
            "is the base URL right?",
            provider=self.provider,
            status=answer.status_code,
            raw=payload,
        )

    def close(self) -> None:
        """Close the connections. The client cannot be used again."""
        self._http.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        where = "sandbox" if self.sandbox else "live"
        return f"<{where} client of {self.provider}>"


def sandbox_client(provider: str, sandbox: Sandbox | None = None) -> Client:
    """Return a client that the sandbox answers, in this process: no network, no key, no cost.

    Args:
        provider: a name in `WIRES`.
        sandbox: the sandbox to ask; a new one if left out. It is the client's `sandbox`.

    Raises:
        BadRequestError: an unknown provider.
    """
    wire_named(provider)
    sandbox = sandbox or Sandbox()
    base_url = "http://sandbox" + facts("providers.json")[provider]["sandbox"]
    transport = sandbox.transport()
    return Client(
        provider, base_url=base_url, api_key=sandbox.api_key, transport=transport, sandbox=sandbox
    )


def live_client(provider: str, *, api_key: str, base_url: str = "", max_retries: int = 2) -> Client:
    """Return a client of the real provider, or of the server at `base_url`. It may cost money.

    Args:
        provider: a name in `WIRES`.
        api_key: the provider's key. `openaicompat` takes an empty one: some hosts need none.
        base_url: where the provider is; its own address if left out. `openaicompat` is no single
            host and needs one.
        max_retries: how often a request is sent again after 408, 409, 429, 5xx, or no answer.

    Raises:
        BadRequestError: an unknown provider, or `openaicompat` without a base URL.
        AuthError: the key is empty, or holds what no header can carry. It is never shown.
    """
    wire_named(provider)
    base_url = base_url or facts("providers.json")[provider]["live"]
    if not base_url:
        raise BadRequestError(
            f'{provider} is no single host: pass base_url, for example "http://127.0.0.1:8000/v1"'
        )
    if not api_key and provider != "openaicompat":
        raise AuthError(
            f"api_key is empty: pass the key that {provider} gave you, or use sandbox_client"
        )
    if not isinstance(api_key, str) or not all("!" <= char <= "~" for char in api_key):
        raise AuthError(
            "api_key holds a blank, a line end or another character that no header can carry; "
            "read it with .strip(), and copy it again if that does not help"
        )
    return Client(provider, base_url=base_url, api_key=api_key, max_retries=max_retries)


def retry_delay(error: SkylError, attempt: int) -> float:
    """Return the seconds to wait before the next attempt; `attempt` counts from 0.

    The provider's wish counts, up to a cap: a lesson must not hang for an hour.
    """
    if error.retry_after is not None:
        return min(error.retry_after, LONGEST_WAIT)
    return float(min(0.5 * 2**attempt, LONGEST_WAIT))


def _status_inside(error: Any) -> int:
    """Return the status of an error that came inside a stream: its code, else its type's."""
    code = error.get("code") if isinstance(error, dict) else None
    if isinstance(code, int) and 400 <= code <= 599:
        return code
    kind = error.get("type") if isinstance(error, dict) else None
    return STATUS_OF_TYPE.get(str(kind), 500)


def classify(
    provider: str, status: int, payload: Any, headers: Mapping[str, str] | None = None
) -> SkylError:
    """Return the error that a provider's refusal becomes.

    Args:
        provider: the wire's name.
        status: the HTTP status, 400 or above.
        payload: the answer as parsed JSON, or as text if it is none.
        headers: the answer's headers; `Retry-After` in seconds is read.

    Returns:
        An error of the class for `status`, with the provider's own words as its message.
    """
    kind = CLASSES.get(status, BadRequestError if 400 <= status < 500 else ServerError)
    return kind(
        provider_message(payload) or f"HTTP status {status} without a message",
        provider=provider,
        status=status,
        raw=payload,
        retry_after=_seconds((headers or {}).get("retry-after", "")),
    )


def _seconds(value: str) -> float | None:
    try:
        seconds = float(value)
    except ValueError:
        return None
    return max(0.0, seconds) if isfinite(seconds) else None
