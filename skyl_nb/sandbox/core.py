"""The sandbox: takes a request, checks it step by step, refuses it or lets the model answer.

The order of the checks is `STEPS`, the same on every mount: path and method, body size,
credential, JSON, the body's own keys, model, each message by itself, the messages against each
other. Which of several faults a real provider reports first is not evidenced, so
**this order is ours**. The first fault of the first step that finds one is the answer.

`handle` does no I/O, keeps no state but the journal, and knows no clock and no random number: the
same request always gets the same bytes.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

from skyl_nb.sandbox import anthropic, gemini, ids, model, openai, target
from skyl_nb.sandbox.call import Call, Dialect, Mount, configured, toggled
from skyl_nb.sandbox.journal import Entry, Journal
from skyl_nb.sandbox.reply import Explanation, Reply
from skyl_nb.sandbox.rules import Refusal, refuse

DIALECTS: Mapping[str, Dialect] = {
    "anthropic": anthropic,
    "openai": openai,
    "gemini": gemini,
}
_PAIR = (tuple, list)
SAYS_WHO_ANSWERS = {"x-skyl-sandbox": "rule sheet, not a language model"}


@dataclass(frozen=True, slots=True)
class Step:
    """One check: its name, what it does, and whether a `GET` passes through it too."""

    name: str
    check: Callable[[Call], Iterator[Refusal]]
    for_all: bool = False


def _path_and_method(call: Call) -> Iterator[Refusal]:
    """Find out what is asked for; the place below the mount decides."""
    place = target.plain(call.path).removeprefix(call.mount.prefix)
    for route in call.mount.routes:
        found = route.pattern.fullmatch(place)
        if found is None:
            continue
        if not route.methods:
            break
        if call.method not in route.methods:
            allowed = ", ".join(route.methods)
            yield refuse("wrong-method", method=call.method, path=place, allowed=allowed)
            return
        call.does = route.methods[call.method]
        call.model = found.groupdict().get("model") or ""
        call.version = found.groupdict().get("version") or ""
        return
    yield refuse(
        "unknown-path" if call.mount.name else "unknown-place", method=call.method, path=place
    )


def _body_size(call: Call) -> Iterator[Refusal]:
    if call.is_too_large:
        yield refuse("body-too-large")


def _credential(call: Call) -> Iterator[Refusal]:
    if call.does != "health":
        yield from _dialect(call).credential(call)


def _json(call: Call) -> Iterator[Refusal]:
    fault = call.parsed.fault
    if fault is not None:
        yield _dialect(call).bad_json(fault)


def _shape(call: Call) -> Iterator[Refusal]:
    return _dialect(call).shape(call)


def _model(call: Call) -> Iterator[Refusal]:
    # A list of models names none; everything else does, in its path or in its body.
    if not call.asks_the_model and call.does != "model":
        return
    row = call.mount.model(call.model)
    if row is None:
        yield _dialect(call).unknown_model(call)
        return
    call.row = row
    if "toggles" in row:
        call.mount = toggled(call.mount, row["toggles"])
    if "refuses" in row and call.asks_the_model:
        yield refuse(row["refuses"], status=row.get("number"))


def _each_message(call: Call) -> Iterator[Refusal]:
    return _dialect(call).schema(call)


def _sequence(call: Call) -> Iterator[Refusal]:
    return _dialect(call).sequence(call)


STEPS = (
    Step("path and method", _path_and_method, for_all=True),
    Step("body size", _body_size, for_all=True),
    Step("credential", _credential, for_all=True),
    Step("JSON", _json),
    Step("the body's own keys", _shape),
    Step("model", _model, for_all=True),
    Step("each message", _each_message),
    Step("calls and results", _sequence),
)


class Sandbox:
    """Four provider wires without a network; what it refuses and answers is in `sandbox_data/`.

    Args:
        api_key: the only credential that counts as a good one.
        profile: which host the compat mount speaks like: `openai`, `deepseek`, `mistral`, `vllm`,
            `ollama` or `groq`.
        toggles: what differs from that host, e.g. `{"error_shape": "nested_raw"}`; the names and
            values are those of `sandbox_data/toggles.json`.
        rules: switches rules on and off by their ids, e.g. `{"openai-image-in-tool": False}`; a
            rule with a limit takes the limit too, e.g. `{"openai-long-id": 40}`.

    Raises:
        ValueError: there is no such profile, toggle, or rule.

    Attributes:
        api_key: the good credential, e.g. for `sandbox_client`.
        journal: the last exchanges, newest last.
    """

    def __init__(
        self,
        api_key: str = "sandbox-key",
        profile: str = "openai",
        rules: Mapping[str, bool | int] | None = None,
        toggles: Mapping[str, str] | None = None,
    ) -> None:
        self._mounts = configured(profile, toggles or {}, rules or {})
        self.profile = profile
        self.api_key = api_key
        self._journal = Journal()

    @property
    def journal(self) -> tuple[Entry, ...]:
        """The last 1,000 exchanges, newest last; see `Entry`. Credentials are never in it.

        Of bodies that take more than 128 MiB together, the oldest are let go before that.
        """
        return self._journal.entries

    def handle(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str] | Iterable[tuple[str, str]] = (),
        body: bytes | str | None = b"",
    ) -> Reply:
        """Answer one request; does no I/O and never raises.

        Args:
            method: the HTTP method.
            path: the path with its query, e.g. `/anthropic/v1/messages`.
            headers: a mapping or pairs; names in any case.
            body: the body's bytes; a text is taken as UTF-8, None as an empty body.

        Returns:
            The model's answer, the answer to a GET, or a refusal in the words of the mount's
            provider.
        """
        return self.exchange(method, path, headers, body)[0]

    def exchange(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str] | Iterable[tuple[str, str]] = (),
        body: bytes | str | None = b"",
    ) -> tuple[Reply, Entry]:
        """Answer one request as `handle` does, and return its entry in the journal as well."""
        call = self._read(method, path, headers, body)
        return self._replied(call, first_refusal(call))

    def unread(self, method: str, path: str, status: int, why: str) -> tuple[Reply, Entry]:
        """Refuse a request that could not be read to its end, in the envelope of its mount.

        Args:
            method: the HTTP method, as far as it was read.
            path: the path with its query, as far as it was read.
            status: the HTTP status.
            why: what was wrong with its framing.
        """
        call = self._read(method, path, (), b"")
        return self._replied(call, _as_worded(call, refuse("bad-framing", status=status, why=why)))

    def _replied(self, call: Call, refusal: Refusal | None) -> tuple[Reply, Entry]:
        seed = _seed(call)
        payload = _refuse(call, refusal, seed) if refusal else _answer(call, seed)
        streams = (refusal is None or _is_told_in_stream(call)) and call.streams
        reply, said = (_stream if streams else _whole)(call, refusal, payload, seed)
        entry = Entry(
            mount=call.mount.name,
            method=call.method,
            path=call.path,
            sent=call.body if _is_json(call) else None,
            status=reply.status,
            said=said,
            rule=reply.rule,
            acts=reply.acts,
        )
        if call.does != "health":
            self._journal.add(entry)
        return reply, entry

    def explain(self, reply: Reply | Entry) -> Explanation:
        """Return the rule behind a reply (or an entry of the journal), its source and confidence.

        For a reply that is no refusal `rule` is None, and the text says what the model did and
        why.
        """
        if not isinstance(reply, Reply | Entry):
            raise TypeError(
                f"explain takes a Reply or an entry of the journal, such as sandbox.journal[-1], "
                f"not {type(reply).__name__}"
            )
        if reply.rule is None:
            text = "The request was accepted: no rule of this sandbox speaks against it."
            return Explanation(None, "", "", f"{text} {model.explained(reply.acts)}".strip())
        rule = self._mount(reply.mount).book[reply.rule]
        return Explanation(rule.id, rule.evidence, rule.confidence, rule.explain)

    def rules(self) -> str:
        """Return the rule sheet by which the model answers, as text to be printed."""
        return model.sheet()

    def transport(self, module: ModuleType | None = None) -> Any:
        """Return a transport, sync and async in one object, for clients of httpx or its like.

        Args:
            module: `httpx` (the default) or a module with the same classes, such as `httpx2`.

        Returns:
            An instance of the module's `BaseTransport` and `AsyncBaseTransport`. The three
            providers' own host names lead to their mounts; any other host uses the path as it is.

        The current official SDKs run on httpx2. The models are those of
        `sandbox_data/models.json`.

            http = httpx2.Client(transport=sandbox.transport(httpx2))
            anthropic.Anthropic(api_key="sandbox-key", http_client=http)
            openai.OpenAI(api_key="sandbox-key", http_client=http)
            genai.Client(api_key="sandbox-key", http_options=types.HttpOptions(
                client_args={"transport": sandbox.transport(httpx2)}))

        An OpenAI-compatible host is the base URL `http://sandbox/compat/v1`.
        """
        from skyl_nb.sandbox.transport import build  # loads httpx, which `handle` does not need

        return build(self.handle, module)

    def serving(
        self, host: str = "127.0.0.1", port: int = 0, log: Callable[[Entry], None] | None = None
    ) -> AbstractContextManager[str]:
        """Serve over HTTP for the length of a `with` block, which gets the base URL.

        Args:
            host: the address to listen on. Any client that reaches it is answered.
            port: the port, 0 for any that is free.
            log: called with the journal's entry of each request.

        Raises:
            SkylError: the address cannot be had, for example because the port is in use.
        """
        from skyl_nb.sandbox.server import serve  # loads sockets, which `handle` does not need

        return serve(self.exchange, self.unread, host, port, log)

    def __repr__(self) -> str:
        return f"Sandbox(profile={self.profile!r})"

    def _mount(self, name: str) -> Mount:
        return next(mount for mount in self._mounts if mount.name == name)

    def _mount_of(self, path: str) -> Mount:
        place = f"{target.plain(path)}/"
        for mount in self._mounts:
            if place.startswith(f"{mount.prefix}/"):
                return mount
        return self._mounts[-1]  # it also takes what is no path, as "*"

    def _read(self, method: Any, path: Any, headers: Any, body: Any) -> Call:
        bare, query = target.split(_text(path), self.api_key)
        return Call(
            mount=self._mount_of(bare),
            method=_text(method).upper(),
            path=bare,
            query=query,
            headers=_header_fields(headers),
            body=_bytes(body),
            api_key=self.api_key,
        )


def first_refusal(call: Call) -> Refusal | None:
    """Run the steps in their order; return the first fault whose rule is on, or None."""
    for step in STEPS:
        if not step.for_all and not call.asks_the_model:
            continue
        for refusal in step.check(call):
            if call.mount.book[refusal.rule.id].on:
                return _as_worded(call, refusal)
    return None


def _as_worded(call: Call, refusal: Refusal) -> Refusal:
    """Return a refusal in the words of the mount, whose rules may differ from the book's."""
    return replace(refusal, rule=call.mount.book[refusal.rule.id])


def _delay(call: Call) -> float:
    return call.row["number"] / 1000 if call.row.get("slow") and call.asks_the_model else 0.0


def _is_told_in_stream(call: Call) -> bool:
    """Say whether the host has begun to stream by then: it looks up the model first."""
    return call.mount.stream_error == "sse_event" and bool(call.row)


def _refuse(call: Call, refusal: Refusal, seed: bytes) -> Any:
    if not call.mount.dialect:
        return {"error": refusal.message}
    return _dialect(call).error(call, refusal, ids.request(seed))


def _answer(call: Call, seed: bytes) -> dict[str, Any]:
    if call.does == "health":
        return {"status": "ok"}
    dialect = _dialect(call)
    if call.does == "models":
        return dialect.model_list([_model_row(call, row) for row in call.mount.models.values()])
    if call.does == "model":
        return _model_row(call, call.row)
    answer = model.answer(dialect.view(call))
    call.acts = answer.acts
    if call.row.get("breaks") and call.streams:
        # A stream that breaks off has to have begun to speak.
        answer = replace(answer, text=answer.text or model.plain())
    return dialect.reply(call, answer, seed)


def _model_row(call: Call, row: Mapping[str, Any]) -> dict[str, Any]:
    return {**_dialect(call).model_row(row), **call.mount.model_info}


def _whole(call: Call, refusal: Refusal | None, payload: Any, seed: bytes) -> tuple[Reply, bytes]:
    """Return the reply in one piece, and what the journal keeps of it."""
    reply = Reply(
        status=refusal.status if refusal else 200,
        headers=_headers(call, refusal, seed),
        body=ids.encoded(ids.compact(payload)),
        rule=refusal.rule.id if refusal else None,
        mount=call.mount.name,
        delay=_delay(call),
        acts=call.acts,
    )
    return reply, reply.body


def _stream(call: Call, refusal: Refusal | None, payload: Any, seed: bytes) -> tuple[Reply, str]:
    """Return a stream (the frames of the answer, or some, or an error in it), and its text."""
    dialect = _dialect(call)
    breaks = call.row.get("breaks")
    frames = [] if refusal else list(dialect.frames(call, payload))
    if breaks:
        frames = frames[: call.mount.first_text]
    if breaks == "error":
        refusal = _as_worded(call, refuse("sandbox-stream-error"))
        payload = _refuse(call, refusal, seed)
    if refusal:
        frames.append(dialect.error_frame(call, refusal, payload))
    reply = Reply(
        status=200,
        headers=_headers(call, None, seed) | {"content-type": dialect.stream_type(call)},
        frames=iter(frames),
        rule=refusal.rule.id if refusal else None,
        mount=call.mount.name,
        delay=_delay(call),
        acts=call.acts,
    )
    return reply, b"".join(frames).decode()


def _headers(call: Call, refusal: Refusal | None, seed: bytes) -> dict[str, str]:
    headers = {"content-type": "application/json"}
    if call.mount.dialect:
        headers |= _dialect(call).headers(seed)
    if refusal is None and call.asks_the_model:
        headers |= SAYS_WHO_ANSWERS
    if refusal is not None and "allowed" in refusal.values:
        headers["allow"] = str(refusal.values["allowed"])
    if refusal is not None and refusal.status == 429:
        headers["retry-after"] = "1"
    return headers


def _seed(call: Call) -> bytes:
    """Return the seed of the ids: where the request went and what it says, however spaced."""
    said = call.canonical if _is_json(call) else call.body.decode("utf-8", "replace")
    return ids.seed(call.mount.name, call.method, call.path, said)


def _is_json(call: Call) -> bool:
    return not call.is_too_large and call.parsed.fault is None


def _dialect(call: Call) -> Dialect:
    return DIALECTS[call.mount.dialect]


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return value.decode("latin-1") if isinstance(value, bytes) else ""


def _bytes(value: Any) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    return bytes(value) if isinstance(value, bytearray | memoryview) else b""


def _header_fields(headers: Any) -> dict[str, list[str]]:
    """Return the headers with names in small letters; what is no name and value is left out."""
    pairs = headers.items() if isinstance(headers, Mapping) else headers
    if not isinstance(pairs, Iterable):
        return {}
    found: dict[str, list[str]] = {}
    for pair in pairs:
        if isinstance(pair, _PAIR) and len(pair) == 2:
            found.setdefault(_text(pair[0]).lower(), []).append(_text(pair[1]).strip(" \t"))
    return found
