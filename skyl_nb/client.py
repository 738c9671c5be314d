"""Sends a request to a provider, or to the sandbox in this process, and reads the answer.

`sandbox_client` never leaves this process; `live_client` never answers from the sandbox. Which of
the two a program uses is written in the program, so a lesson cannot cost money by accident.
"""

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any

import httpx

from skyl_nb.data import facts
from skyl_nb.errors import (
    AuthError,
    BadRequestError,
    NotFoundError,
    RateLimitError,
    ServerError,
    SkylError,
)
from skyl_nb.request import Request, Response, validate
from skyl_nb.sandbox import Sandbox
from skyl_nb.wires import wire_named

TIMEOUT = 60.0
"""Seconds to wait for each part of an answer. A model may think for long."""

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
    ) -> None:
        self._wire = wire_named(provider)
        self._base_url = base_url.rstrip("/")
        self._headers = self._wire.headers(api_key) | {"content-type": "application/json"}
        self._http = httpx.Client(transport=transport, timeout=TIMEOUT)
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
        validate(request)
        body = json.dumps(self._wire.encode(request), allow_nan=False).encode("ascii")
        answer = self._post(self._wire.path(request.model), body)
        payload = _parse(answer.text)
        if not answer.is_success:
            raise classify(self.provider, answer.status_code, payload, answer.headers)
        if not isinstance(payload, dict):
            raise ServerError(
                f"the answer is not a JSON object, so {self.provider} did not write it; "
                "is the base URL right?",
                provider=self.provider,
                status=answer.status_code,
                raw=payload,
            )
        return self._wire.decode(payload)

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

    def _post(self, path: str, body: bytes) -> httpx.Response:
        try:
            return self._http.post(self._base_url + path, content=body, headers=self._headers)
        except httpx.InvalidURL as error:
            raise BadRequestError(
                f"the base URL is no URL: {error}", provider=self.provider
            ) from None
        except httpx.HTTPError as error:
            raise ServerError(
                f"no answer came ({error}); is the server running, and the base URL right?",
                provider=self.provider,
            ) from None


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


def live_client(provider: str, *, api_key: str, base_url: str = "") -> Client:
    """Return a client of the real provider, or of the server at `base_url`. It may cost money.

    Args:
        provider: a name in `WIRES`.
        api_key: the provider's key. `openaicompat` takes an empty one: some hosts need none.
        base_url: where the provider is; its own address if left out. `openaicompat` is no single
            host and needs one.

    Raises:
        BadRequestError: an unknown provider, or `openaicompat` without a base URL.
        AuthError: the key is empty.
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
    return Client(provider, base_url=base_url, api_key=api_key)


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


def provider_message(payload: Any) -> str:
    """Return the provider's own words, from any of the envelopes that hosts use.

    Those are an `error` object, an `error` text, a flat `message`, a list around either, and a
    whole error as a JSON string inside another (REPORTS 60, 69, 71, 75).
    """
    if isinstance(payload, str):
        return payload.strip()
    if isinstance(payload, list):
        return next(filter(None, map(provider_message, payload)), "")
    if not isinstance(payload, dict):
        return ""
    error = payload.get("error", payload)
    if not isinstance(error, dict):
        return str(error or "")
    metadata = error.get("metadata")
    raw = metadata.get("raw") if isinstance(metadata, dict) else None
    inner = provider_message(_parse(raw)) if isinstance(raw, str) else ""
    return inner or str(error.get("message") or "")


def _parse(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _seconds(value: str) -> float | None:
    try:
        seconds = float(value)
    except ValueError:
        return None
    return max(0.0, seconds) if isfinite(seconds) else None
