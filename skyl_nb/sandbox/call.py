"""One request on its way through the checks, and what a mount must know of its provider.

A mount is a row of `sandbox_data/mounts.json`: where it hangs, which paths it has, whose dialect
it speaks. A dialect is a module (`anthropic`, `openai`, `gemini`) with the functions of
`Dialect`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any, Literal, Protocol

from skyl_nb.data import facts
from skyl_nb.sandbox import ids, jsonbody
from skyl_nb.sandbox.model import Answer, View
from skyl_nb.sandbox.rules import Refusal, Rule, changed, rule_book, switches

Does = Literal["", "complete", "stream", "models", "model", "health"]
COMPAT = "openaicompat"  # the wire of the mount that can speak like several hosts


@dataclass(frozen=True, slots=True)
class Route:
    """A path of a mount: what it matches (below the mount), and what each method does there."""

    pattern: re.Pattern[str]
    methods: Mapping[str, Does]


@dataclass(frozen=True, slots=True)
class Mount:
    """One place of the sandbox that speaks a provider's wire.

    Attributes:
        name: its name in the journal, `""` for everything outside the four mounts.
        wire: the wire that a client speaks here.
        prefix: the path under which it hangs.
        dialect: the name of its dialect, `""` for plain JSON.
        catalogue: the name of its models' list in `sandbox_data/models.json`.
        routes: its paths; the first that matches decides.
        max_bytes: the largest body, None for no limit.
        lone_surrogates: whether half a surrogate pair may stand in a body.
        error_types: the envelope's error type for a status, and for `4xx` and `5xx`.
        first_text: how many frames of a stream it takes to have said a first word.
        host: the provider's own host name, `""` for none.
        base: the base URL's path for the official clients.
        call_id: prefix and length of the ids that its calls get, or that they just count.
        envelope: the envelope of a refusal as a template, for a dialect of several envelopes.
        around: a template of an envelope around that one; `$raw` is what it wraps, as JSON text.
        arguments: whether those of a call are JSON text (`string`) or an `object`.
        reasons: whether answers tell their reasoning.
        stream_error: whether a stream is refused by its `status` or by an `sse_event`.
        model_info: what the list of models says of each.
        book: the rules as they are worded and switched here.
        switches: what the sandbox's owner changed in the rules; it wins over everything else.
    """

    name: str
    wire: str
    prefix: str
    dialect: str
    catalogue: str
    routes: tuple[Route, ...]
    max_bytes: int | None
    lone_surrogates: bool
    error_types: Mapping[str, str]
    first_text: int = 0
    host: str = ""
    base: str = ""
    call_id: Mapping[str, Any] = field(default_factory=dict)
    envelope: Any = None
    around: Any = None
    arguments: Literal["string", "object"] = "string"
    reasons: bool = False
    stream_error: Literal["status", "sse_event"] = "status"
    model_info: Mapping[str, Any] = field(default_factory=dict)
    book: Mapping[str, Rule] = field(default_factory=rule_book)
    switches: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def models(self) -> Mapping[str, Mapping[str, Any]]:
        """The models of this mount by their ids, in the order of the list."""
        return _models(self.catalogue, self.name)

    def model(self, name: str) -> Mapping[str, Any] | None:
        """Return a model by its name, also one with another number than the list's example."""
        row = self.models.get(name)
        if row is not None and "pattern" not in row:
            return row
        for row in self.models.values():
            found = re.fullmatch(row["pattern"], name) if "pattern" in row else None
            if found is not None:
                return {**row, "id": name, "number": int(found[1])}
        return None

    def error_type(self, refusal: Refusal) -> str:
        """Return the envelope's error type: the rule's own, else the one of the status."""
        status = str(refusal.status)
        kind = self.error_types.get(status) or self.error_types[f"{status[0]}xx"]
        return refusal.rule.type or kind


@dataclass(kw_only=True)
class Call:
    """One request, as it came, and what the checks have read in it so far.

    Attributes:
        mount: where it arrived.
        method: the HTTP method in capitals.
        path: the whole path without its query, and without what can be a credential in it.
        query: the query's names, and the values of each.
        headers: header names in small letters, and the values of each: one may come twice.
        body: the body's bytes.
        api_key: the credential that counts as a good one.
        does: what is asked for, set by the path check.
        model: the model's name, set by the path, or by the check of the body's own keys.
        row: the model's row of `sandbox_data/models.json`, set by the model check.
        version: the version in the path, where it has one.
        acts: what the model did, set when it has answered.
    """

    mount: Mount
    method: str
    path: str
    query: Mapping[str, Sequence[str]]
    headers: Mapping[str, Sequence[str]]
    body: bytes
    api_key: str
    does: Does = ""
    model: str = ""
    row: Mapping[str, Any] = field(default_factory=dict)
    version: str = ""
    acts: tuple[str, ...] = ()

    @cached_property
    def parsed(self) -> jsonbody.Parsed:
        """The body as JSON, parsed when somebody asks for it."""
        return jsonbody.parse(self.body, lone_surrogates=self.mount.lone_surrogates)

    @cached_property
    def canonical(self) -> str:
        """The body as canonical text, once it is known to be JSON."""
        return ids.canonical(self.parsed.value)

    @cached_property
    def payload(self) -> dict[str, Any]:
        """The body as an object, empty if it is none; the check of its own keys refuses that."""
        return self.parsed.value if isinstance(self.parsed.value, dict) else {}

    @property
    def asks_the_model(self) -> bool:
        """Whether an answer of the model is asked for, in one piece or as a stream."""
        return self.does in ("complete", "stream")

    @property
    def is_too_large(self) -> bool:
        """Whether the body is over the mount's limit; then nobody looks into it."""
        return self.mount.max_bytes is not None and len(self.body) > self.mount.max_bytes

    @property
    def streams(self) -> bool:
        """Whether the answer is asked for as a stream, by the path or in the body."""
        if self.does == "complete":
            return self.payload.get("stream") is True
        return self.does == "stream"

    def header(self, name: str) -> list[str]:
        """Return the values of a header that are not empty."""
        return [value for value in self.headers.get(name, ()) if value]

    @property
    def bearers(self) -> list[str]:
        """The tokens of all `Authorization: Bearer` headers."""
        split = [value.partition(" ") for value in self.header("authorization")]
        tokens = [token.strip() for scheme, _, token in split if scheme.lower() == "bearer"]
        return [token for token in tokens if token]


class Dialect(Protocol):
    """What a mount must know of its provider: how it is read, what it refuses, how it answers.

    A check yields each fault in the order in which it is to be reported, and nothing for none.
    When a check runs, those before it have found nothing, so it need not look again at what they
    looked at.
    """

    def credential(self, call: Call) -> Iterator[Refusal]:
        """Check the key, and the headers that must come with it."""

    def bad_json(self, fault: jsonbody.Fault) -> Refusal:
        """Word a body that is no JSON."""

    def shape(self, call: Call) -> Iterator[Refusal]:
        """Check the body's own keys: an object, with messages that are a list of objects."""

    def unknown_model(self, call: Call) -> Refusal:
        """Word a model that the mount does not have."""

    def schema(self, call: Call) -> Iterator[Refusal]:
        """Check each message by itself."""

    def sequence(self, call: Call) -> Iterator[Refusal]:
        """Check the messages against each other: calls and their results."""

    def view(self, call: Call) -> View:
        """Return what the model sees."""

    def reply(self, call: Call, answer: Answer, seed: bytes) -> dict[str, Any]:
        """Write the model's answer."""

    def frames(self, call: Call, payload: dict[str, Any]) -> Iterator[bytes]:
        """Cut a written answer into the frames of a stream."""

    def stream_type(self, call: Call) -> str:
        """Return the content type of a stream."""

    def error(self, call: Call, refusal: Refusal, request_id: str) -> Any:
        """Write a refusal."""

    def error_frame(self, call: Call, refusal: Refusal, payload: Any) -> bytes:
        """Write the frame that tells a written refusal in a stream."""

    def headers(self, seed: bytes) -> dict[str, str]:
        """Return the headers that every answer carries."""

    def model_row(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Write one model."""

    def model_list(self, rows: list[dict[str, Any]]) -> dict[str, Any]:
        """Write the list of models."""


@cache
def _models(catalogue: str, mount: str) -> Mapping[str, Mapping[str, Any]]:
    models = facts("models.json")
    ours = [row for row in models["sandbox"] if mount in row["mounts"]]
    return {row["id"]: row for row in (*models[catalogue], *ours)}


@cache
def mounts() -> tuple[Mount, ...]:
    """Return the mounts; the last one, without a prefix, takes every path that no other has."""
    return tuple(_mount(row) for row in facts("mounts.json"))


def _mount(row: Mapping[str, Any]) -> Mount:
    routes = tuple(Route(re.compile(route["path"]), route["methods"]) for route in row["routes"])
    known = {name: value for name, value in row.items() if name not in ("source", "confidence")}
    return Mount(**{**known, "routes": routes})


def configured(
    profile: str, toggles: Mapping[str, str], rules: Mapping[str, bool | int]
) -> tuple[Mount, ...]:
    """Return the mounts as the owner of a sandbox wants them.

    Args:
        profile: the host that the compat mount speaks like: a row of `sandbox_data/profiles.json`.
        toggles: what differs from that host, by names and values of `sandbox_data/toggles.json`.
        rules: what `switches` takes.

    Raises:
        ValueError: there is no such profile, toggle, value or rule.
    """
    _check(profile, toggles)
    host, changes = facts("profiles.json")[profile], switches(rules)
    return tuple(
        toggled(
            replace(_like(one, host), switches=changes),
            {**host["toggles"], **toggles},
            host["rules"],
        )
        for one in mounts()
    )


def _check(profile: str, toggles: Mapping[str, str]) -> None:
    known = {name: [*row["values"]] for name, row in facts("toggles.json").items()}
    hosts = [*facts("profiles.json")]
    if profile not in hosts:
        raise ValueError(
            f"there is no compat profile {profile!r}; choose one of: {', '.join(hosts)}"
        )
    for name, value in toggles.items():
        if name not in known:
            raise ValueError(f"there is no toggle {name!r}; choose one of: {', '.join(known)}")
        if value not in known[name]:
            raise ValueError(f"{name} cannot be {value!r}; choose one of: {', '.join(known[name])}")


def _like(mount: Mount, host: Mapping[str, Any]) -> Mount:
    return replace(mount, **host["mount"]) if mount.wire == COMPAT else mount


def toggled(
    mount: Mount, toggles: Mapping[str, str], texts: Mapping[str, Mapping[str, Any]] | None = None
) -> Mount:
    """Return a mount with those toggles set that are its own, and with a host's texts.

    What the owner switched stays as it is.
    """
    rows = [facts("toggles.json")[name]["values"][value] for name, value in toggles.items()]
    for row in (row for row in rows if row.get("wire", COMPAT) == mount.wire):
        mount = switched(replace(mount, **row.get("mount", {})), row.get("rules", {}))
    if mount.wire == COMPAT:
        mount = switched(mount, texts or {})
    return switched(mount, mount.switches)


def switched(mount: Mount, changes: Mapping[str, Mapping[str, Any]]) -> Mount:
    """Return a mount in whose rule book some rows are changed."""
    return replace(mount, book=changed(mount.book, changes)) if changes else mount
