"""The models of ours: faults that a catalogue model does not have, in each provider's own shape."""

import asyncio
import base64
import itertools
import json
import time
from typing import Any

import anthropic
import anyio
import httpx
import httpx2
import openai
import pytest
from google import genai
from google.genai import errors, types

from skyl_nb.data import facts
from skyl_nb.sandbox import Reply, Sandbox
from skyl_nb.sandbox.call import mounts
from tests.sandbox.triggers import signed
from tests.sandbox.wire import (
    KEYS,
    MOUNTS,
    PATHS,
    SCHEMA,
    a,
    answers,
    asks,
    calls,
    conversation,
    gemini,
    gpt,
    read,
    send,
    t,
    text_of,
    u,
)

every_mount = pytest.mark.parametrize("mount", MOUNTS)
TOOLS = [("get_weather", SCHEMA)]
RAIN = "What is the weather in Kampala and Lima?"


def ask(mount: str, model: str, payload: Any = None, *, stream: bool = False) -> Reply:
    payload = payload or conversation(mount, RAIN, tools=TOOLS)
    path, body = addressed(mount, model, payload, stream=stream)
    return send(mount, body, path=path)


def addressed(mount: str, model: str, payload: Any, *, stream: bool) -> tuple[str, Any]:
    """Return the path and the body of a conversation with a model."""
    if mount != "gemini":
        return PATHS[mount], {**payload, "model": model, "stream": stream}
    does = "streamGenerateContent?alt=sse" if stream else "generateContent"
    return f"/gemini/v1beta/models/{model}:{does}", payload


def frames_of(reply: Reply) -> str:
    return b"".join(reply.frames or ()).decode()


# Numbered models


@every_mount
@pytest.mark.parametrize("status", [400, 404, 418, 429, 500, 503, 529, 599])
@pytest.mark.parametrize("stream", [True, False])
def test_a_status_is_answered_in_the_mount_s_envelope(
    mount: str, status: int, stream: bool
) -> None:
    reply = ask(mount, f"sandbox-status-{status}", stream=stream)
    assert (reply.status, reply.rule) == (status, "sandbox-status")
    assert str(status) in read(reply)["error"]["message"]
    assert reply.headers.get("retry-after") == ("1" if status == 429 else None)
    assert reply.frames is None
    assert Sandbox().explain(reply).confidence == "H"


@every_mount
@pytest.mark.parametrize("model", ["sandbox-status-429", "sandbox-status-529", "gone"])
def test_a_fault_names_its_request_where_the_provider_does(mount: str, model: str) -> None:
    reply = ask(mount, model)
    names = {"anthropic": "request-id", "openai": "x-request-id", "compat": "x-request-id"}
    found = {name: value for name, value in reply.headers.items() if "request-id" in name}
    assert list(found) == [names[name] for name in names if name == mount]
    assert all(value.startswith("req_") for value in found.values())
    if mount == "anthropic":
        assert read(reply)["request_id"] == found["request-id"]
    assert ask(mount, model).headers == reply.headers


@pytest.mark.parametrize(
    ("mount", "status", "kind"),
    [
        ("anthropic", 429, "rate_limit_error"),
        ("anthropic", 529, "overloaded_error"),
        ("anthropic", 500, "api_error"),
        ("anthropic", 418, "invalid_request_error"),
        ("openai", 503, "server_error"),
        ("gemini", 429, "RESOURCE_EXHAUSTED"),
        ("gemini", 503, "UNAVAILABLE"),
        ("gemini", 500, "INTERNAL"),
    ],
)
def test_the_error_type_fits_the_status(mount: str, status: int, kind: str) -> None:
    error = read(ask(mount, f"sandbox-status-{status}"))["error"]
    assert error["status" if mount == "gemini" else "type"] == kind


def test_gemini_s_code_is_the_status() -> None:
    assert read(ask("gemini", "sandbox-status-503"))["error"]["code"] == 503


@every_mount
@pytest.mark.parametrize("model", ["sandbox-status-399", "sandbox-status-600", "sandbox-slow-x"])
def test_other_numbers_are_no_models(mount: str, model: str) -> None:
    assert ask(mount, model).status == 404


@every_mount
def test_a_numbered_model_can_be_read_like_any_other(mount: str) -> None:
    path = PATHS[mount].rpartition("/")[0].replace("/chat", "")
    path = "/gemini/v1beta/models" if mount == "gemini" else f"{path.rstrip('/')}/models"
    reply = Sandbox().handle("GET", f"{path}/sandbox-status-503", KEYS[mount])
    assert reply.status == 200
    assert "sandbox-status-503" in reply.body.decode()


@every_mount
@pytest.mark.parametrize("stream", [True, False])
def test_slow_asks_the_doors_to_wait_and_changes_nothing_else(
    mount: str, stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "sleep", lambda _: pytest.fail("handle waits itself"))
    reply = ask(mount, "sandbox-slow-3000", stream=stream)
    assert (reply.status, reply.delay) == (200, 3.0)
    assert ask(mount, "sandbox-status-500").delay == 0


def test_the_transport_waits_without_holding_up_others(monkeypatch: pytest.MonkeyPatch) -> None:
    body = {"model": "sandbox-slow-60", "messages": [u()]}
    url = "http://x/compat/v1/chat/completions"
    waited: list[float] = []
    monkeypatch.setattr(time, "sleep", waited.append)
    for stream in (False, True):
        with httpx.Client(transport=Sandbox().transport(), headers=KEYS["compat"]) as client:
            assert client.post(url, json={**body, "stream": stream}).status_code == 200
    assert waited == [0.06] * 2

    async def twenty() -> None:
        together = asyncio.Barrier(20)

        async def wait_for_the_others(seconds: float) -> None:
            waited.append(seconds)
            await together.wait()

        monkeypatch.setattr(anyio, "sleep", wait_for_the_others)
        transport = Sandbox().transport()
        async with httpx.AsyncClient(transport=transport, headers=KEYS["compat"]) as client:
            await asyncio.gather(*(client.post(url, json=body) for _ in range(20)))

    asyncio.run(asyncio.wait_for(twenty(), timeout=60))
    assert waited == [0.06] * 22


def test_no_time_passes_but_for_the_slow_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both doors, every model, whole and streamed: they wait once, and as long as was asked."""
    waited: list[float] = []
    monkeypatch.setattr(time, "sleep", waited.append)
    sandbox = Sandbox()
    with sandbox.serving() as url, httpx.Client() as loopback:
        here = httpx.Client(transport=sandbox.transport())
        for mount in (one for one in mounts() if one.name):
            hello = conversation(mount.name, "hello")
            for name, stream in itertools.product(mount.models, (False, True)):
                path, payload = addressed(mount.name, name, hello, stream=stream)
                for client, base in ((here, "http://x"), (loopback, url)):
                    client.post(f"{base}{path}", json=payload, headers=KEYS[mount.name])
                slow = name.startswith("sandbox-slow")
                assert waited == [0.25, 0.25] * slow, name
                waited.clear()


# Streams that break off


@every_mount
@pytest.mark.parametrize("prompt", [RAIN, "Who are you?"])
@pytest.mark.parametrize("model", ["sandbox-stream-truncate", "sandbox-stream-error"])
def test_a_broken_stream_has_a_text_and_no_end(mount: str, prompt: str, model: str) -> None:
    payload = conversation(mount, prompt, tools=TOOLS)
    reply = ask(mount, model, payload, stream=True)
    said = frames_of(reply)
    assert reply.status == 200
    assert "This " in said
    assert not any(f'"{end}"' in said for end in ("stop", "STOP", "end_turn", "tool_use"))
    assert "[DONE]" not in said
    assert ("error" in said) is (model == "sandbox-stream-error")
    assert reply.rule == ("sandbox-stream-error" if model == "sandbox-stream-error" else None)


@every_mount
@pytest.mark.parametrize("model", ["sandbox-stream-truncate", "sandbox-stream-error"])
def test_without_streaming_they_answer_as_others_do(mount: str, model: str) -> None:
    payload = conversation(mount, "What is the capital of France?")
    assert "Paris" in text_of(mount, ask(mount, model, payload))


def test_each_provider_has_its_own_error_in_a_stream() -> None:
    last = {
        mount: frames_of(ask(mount, "sandbox-stream-error", stream=True)).strip().split("\n")[-2:]
        for mount in MOUNTS
    }
    assert last["anthropic"][0] == "event: error"
    assert json.loads(last["anthropic"][1][6:])["type"] == "error"
    assert json.loads(last["openai"][1][6:])["error"]["message"]
    assert last["openai"][0] == ""
    said = json.loads(last["gemini"][1][6:])
    assert [*said] == ["error"]
    assert said["error"]["code"] == 503


def test_gemini_s_array_stays_json_when_it_fails_and_not_when_it_is_cut() -> None:
    def array(model: str) -> str:
        path = f"/gemini/v1beta/models/{model}:streamGenerateContent"
        return frames_of(send("gemini", gemini(asks("Who are you?")), path=path))

    assert "error" in json.loads(array("sandbox-stream-error"))[-1]
    with pytest.raises(json.JSONDecodeError):
        json.loads(array("sandbox-stream-truncate"))


def test_the_official_clients_raise_on_an_error_in_a_stream() -> None:
    http = httpx2.Client(transport=Sandbox().transport(httpx2))
    claude = anthropic.Anthropic(api_key="sandbox-key", http_client=http, max_retries=0)
    hello: Any = [{"role": "user", "content": "hello"}]
    model: Any = "sandbox-stream-error"
    with (
        pytest.raises(anthropic.APIStatusError, match="breaks off"),
        claude.messages.stream(model=model, max_tokens=9, messages=hello) as stream,
    ):
        list(stream)
    gpt_client = openai.OpenAI(api_key="sandbox-key", http_client=http, max_retries=0)
    with pytest.raises(openai.APIError, match="breaks off"):
        list(gpt_client.chat.completions.create(model=model, messages=hello, stream=True))
    options = types.HttpOptions(client_args={"transport": Sandbox().transport(httpx2)})
    google = genai.Client(api_key="sandbox-key", http_options=options)
    with pytest.raises(errors.ServerError, match="breaks off"):
        list(google.models.generate_content_stream(model=model, contents="hello"))


# Gemini


def made_by(model: str) -> tuple[Any, list[Any]]:
    content = read(ask("gemini", model))["candidates"][0]["content"]
    return content, [part["functionCall"] for part in content["parts"]]


def loop(*turns: Any) -> Reply:
    return ask("gemini", "sandbox-signatures", gemini(asks(RAIN), *turns))


def test_44_45_the_first_call_has_a_signature_and_takes_it_back() -> None:
    content, made = made_by("sandbox-signatures")
    assert ["thoughtSignature" in part for part in content["parts"]] == [True, False]
    assert len(made) == 2
    answered = answers("get_weather", "get_weather")
    assert loop(content, answered).status == 200
    bare = {**content, "parts": [{"functionCall": call} for call in made]}
    assert loop(bare, answered).rule == "gemini-no-signature"
    swapped = signed(bare, content["parts"][0]["thoughtSignature"])
    swapped["parts"].reverse()
    assert loop(swapped, answered).rule == "gemini-no-signature"


def test_44_as_the_official_client_writes_it_in_url_safe_base64_and_in_snake_case() -> None:
    content, made = made_by("sandbox-signatures")
    signature = content["parts"][0]["thoughtSignature"]
    assert base64.urlsafe_b64encode(base64.b64decode(signature)).decode() == signature
    snake = [{"function_call": made[0], "thought_signature": signature}, *content["parts"][1:]]
    reply = loop({"role": "model", "parts": snake}, answers("get_weather", "get_weather"))
    assert reply.status == 200


def test_44_only_the_current_turn_is_checked() -> None:
    old = (calls("tide"), answers("tide"), asks("And now the weather?"))
    assert loop(*old).status == 200
    assert loop(*old, calls("tide"), answers("tide")).rule == "gemini-no-signature"
    last = read(loop(*old, calls("tide"), answers("tide")))["error"]["message"]
    assert "position 5" in last
    assert send("gemini", gemini(asks(), calls("tide"), answers("tide"))).status == 200


@pytest.mark.parametrize(
    "skip",
    [
        "skip_thought_signature_validator",
        base64.b64encode(b"skip_thought_signature_validator").decode(),
    ],
)
def test_45_the_sentinel_passes(skip: str) -> None:
    assert loop(signed(calls("tide"), skip), answers("tide")).status == 200


def test_52_one_model_gives_ids_and_pairs_by_them() -> None:
    content, made = made_by("sandbox-call-ids")
    kampala, lima = made
    assert kampala["id"].startswith("call_")
    assert kampala["id"] != lima["id"]

    def tell(**ids: str) -> str:
        said = [
            {"functionResponse": {"name": "get_weather", "response": {"error": "down"}, **lima_id}}
            for lima_id in ({"id": ids["bad"]},)
        ] + [
            {
                "functionResponse": {
                    "name": "get_weather",
                    "response": {"output": "ok"},
                    "id": ids["good"],
                }
            }
        ]
        payload = conversation("gemini", RAIN, tools=TOOLS)
        payload["contents"] += [content, {"role": "user", "parts": said}]
        again = read(ask("gemini", "sandbox-call-ids", payload))["candidates"][0]["content"]
        return str(again["parts"][0]["functionCall"]["args"]["city"])

    assert tell(bad=lima["id"], good=kampala["id"]) == "Lima"
    assert tell(bad=kampala["id"], good=lima["id"]) == "Kampala"
    assert all("id" not in call for call in made_by("gemini-3.6-flash")[1])


# Compat


def message_of_model(model: str, *, stream: bool = False) -> Any:
    reply = ask("compat", model, stream=stream)
    return reply if stream else read(reply)["choices"][0]["message"]


def test_73_calls_without_an_id_need_one_of_the_client_s() -> None:
    made = message_of_model("sandbox-empty-ids")["tool_calls"]
    assert [call["id"] for call in made] == ["", ""]
    minted = gpt(u(), a("mine"), t("mine"), model="sandbox-empty-ids")
    assert send("compat", minted).status == 200
    assert send("compat", gpt(u(), a(""), t(""))).status == 200  # only that model minds


def test_74_the_same_ids_in_every_round_pair_by_place() -> None:
    first = message_of_model("sandbox-round-ids")
    ids = [call["id"] for call in first["tool_calls"]]
    assert ids == ["get_weather:0", "get_weather:1"]
    told = [t(name, "error: down") for name in ids]
    payload = conversation("compat", RAIN, tools=TOOLS)
    payload["messages"] += [first, *told]
    second = read(ask("compat", "sandbox-round-ids", payload))["choices"][0]["message"]
    assert [call["id"] for call in second["tool_calls"]] == ids
    payload["messages"] += [second, *told]
    assert ask("compat", "sandbox-round-ids", payload).status == 200


def test_62_reasoning_is_given_and_wanted_back_on_calls() -> None:
    message = message_of_model("sandbox-reasoning")
    assert message["reasoning_content"]
    ids = [call["id"] for call in message["tool_calls"]]
    payload = conversation("compat", RAIN, tools=TOOLS)
    payload["messages"] += [message, *(t(name, "21") for name in ids)]
    assert ask("compat", "sandbox-reasoning", payload).status == 200
    del message["reasoning_content"]
    assert ask("compat", "sandbox-reasoning", payload).rule == "openai-no-reasoning"
    assert '"reasoning_content":"The ' in frames_of(
        message_of_model("sandbox-reasoning", stream=True)
    )


def test_65_a_call_that_cannot_be_read_is_an_event_in_a_stream() -> None:
    error = read(ask("compat", "sandbox-tool-use-failed"))["error"]
    assert set(error) == {"message", "type", "code", "failed_generation"}
    reply = ask("compat", "sandbox-tool-use-failed", stream=True)
    assert (reply.status, reply.rule) == (200, "compat-tool-use-failed")
    event, data = frames_of(reply).strip().split("\n")
    assert event == "event: error"
    assert json.loads(data[6:])["error"] == error


def test_60_an_error_in_a_list() -> None:
    reply = ask("compat", "sandbox-list-error")
    (said,) = read(reply)
    assert (reply.status, said["error"]["code"]) == (400, 400)


def test_75_an_error_inside_an_error() -> None:
    said = read(ask("compat", "sandbox-nested-error"))
    assert said["error"]["code"] == 400
    assert json.loads(said["error"]["metadata"]["raw"])["error"]["code"] == "invalid_type"
    assert said["user_id"]


@pytest.mark.parametrize(
    ("mount", "models"),
    [
        (
            mount,
            [row["id"] for row in facts("models.json")["sandbox"] if mount not in row["mounts"]],
        )
        for mount in MOUNTS
    ],
)
def test_a_mount_has_its_own_models_only(mount: str, models: list[str]) -> None:
    assert all(ask(mount, model).status == 404 for model in models)
