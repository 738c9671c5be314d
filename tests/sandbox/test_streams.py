"""Streams: what the official clients gather from one is what they get without one."""

import asyncio
import json
from typing import Any

import anthropic
import httpx
import httpx2
import openai
import pytest
from google import genai
from google.genai import types
from hypothesis import given
from hypothesis import strategies as st

import skyl_nb.sandbox.streams as streams
from skyl_nb.sandbox import Sandbox
from tests.sandbox.wire import MOUNTS, SCHEMA, claude, conversation, gemini, gpt, read, send, user

PROMPTS = {
    "text": "What is the capital of France?",
    "words": "Who are you, and what do you know?",
    "calls": "What is the weather in Kampala and Lima?",
}
TOOLS = [("get_weather", SCHEMA)]
STREAM_PATHS = {
    "anthropic": None,
    "openai": None,
    "compat": None,
    "gemini": "/gemini/v1beta/models/gemini-3.6-flash:streamGenerateContent",
}


def whole(mount: str, prompt: str) -> Any:
    return conversation(mount, prompt, tools=TOOLS)


def streamed(mount: str, payload: Any, query: str = "") -> Any:
    change: dict[str, Any] = {}
    if mount == "gemini":
        change["path"] = STREAM_PATHS[mount] + query
    else:
        payload = {**payload, "stream": True}
    return send(mount, payload, **change)


def events(reply: Any) -> list[Any]:
    """Read server-sent events as plainly as can be: by their blank lines and `data: `."""
    text = b"".join(reply.frames).decode().replace("\r\n", "\n")
    assert text.endswith("\n\n")
    lines = [block.split("\n")[-1] for block in text.split("\n\n")[:-1]]
    assert all(line.startswith("data: ") for line in lines)
    return [json.loads(line[6:]) for line in lines if line != "data: [DONE]"]


@pytest.fixture
def http() -> httpx2.Client:
    return httpx2.Client(transport=Sandbox().transport(httpx2))


def strip_ids(message: dict[str, Any]) -> dict[str, Any]:
    """Leave out what follows from the request: `stream` is a part of it, so ids differ."""
    return {key: value for key, value in message.items() if key not in ("id", "usage")}


@pytest.mark.parametrize("prompt", PROMPTS.values(), ids=PROMPTS)
def test_anthropic_s_client_gathers_the_same_message(prompt: str, http: httpx2.Client) -> None:
    client = anthropic.Anthropic(api_key="sandbox-key", http_client=http, max_retries=0)
    tools: Any = [{"name": "get_weather", "input_schema": SCHEMA}]
    request: Any = {
        "model": "claude-sonnet-5",
        "max_tokens": 99,
        "messages": [{"role": "user", "content": prompt}],
        "tools": tools,
    }
    plain = client.messages.create(**request)
    with client.messages.stream(**request) as stream:
        seen = [event.type for event in stream]
        gathered = stream.get_final_message()
    assert gathered.stop_reason == plain.stop_reason
    assert [strip_ids(block.model_dump(exclude_none=True)) for block in gathered.content] == [
        strip_ids(block.model_dump(exclude_none=True)) for block in plain.content
    ]
    assert gathered.usage.output_tokens == plain.usage.output_tokens
    assert seen[0] == "message_start"
    assert seen[-1] == "message_stop"


@pytest.mark.parametrize("prompt", PROMPTS.values(), ids=PROMPTS)
def test_openai_s_client_gathers_the_same_message(prompt: str, http: httpx2.Client) -> None:
    client = openai.OpenAI(api_key="sandbox-key", http_client=http, max_retries=0)
    request: Any = {
        "model": "gpt-5.6",
        "messages": [{"role": "user", "content": prompt}],
        "tools": [{"type": "function", "function": {"name": "get_weather", "parameters": SCHEMA}}],
    }
    plain = client.chat.completions.create(**request).choices[0]
    with client.chat.completions.stream(**request) as stream:
        gathered = stream.get_final_completion().choices[0]
    assert gathered.finish_reason == plain.finish_reason
    assert gathered.message.content == plain.message.content
    assert [call.function.arguments for call in gathered.message.tool_calls or ()] == [
        call.function.arguments for call in plain.message.tool_calls or ()
    ]


@pytest.mark.parametrize("asked", [True, False])
def test_openai_sends_usage_if_it_is_asked_for(asked: bool) -> None:
    options = {"stream_options": {"include_usage": True}} if asked else {}
    chunks = events(streamed("openai", {**gpt({"role": "user", "content": "hi"}), **options}))
    assert ["usage" in chunk for chunk in chunks] == [asked] * len(chunks)
    assert (chunks[-1]["choices"] == []) is asked


@pytest.mark.parametrize("version", ["v1", "v1beta"])
@pytest.mark.parametrize("prompt", PROMPTS.values(), ids=PROMPTS)
def test_gemini_s_client_gathers_the_same_content(prompt: str, version: str) -> None:
    options = types.HttpOptions(
        api_version=version, client_args={"transport": Sandbox().transport(httpx2)}
    )
    client = genai.Client(api_key="sandbox-key", http_options=options)
    declared = types.FunctionDeclaration(name="get_weather", parameters_json_schema=SCHEMA)
    config = types.GenerateContentConfig(
        tools=[types.Tool(function_declarations=[declared])],
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )
    request: Any = {"model": "gemini-3.6-flash", "contents": prompt, "config": config}
    plain = client.models.generate_content(**request).candidates[0]
    chunks = list(client.models.generate_content_stream(**request))
    parts = [part for chunk in chunks for part in chunk.candidates[0].content.parts]
    assert "".join(part.text or "" for part in parts) == "".join(
        part.text or "" for part in plain.content.parts
    )
    assert [part.function_call for part in parts if part.function_call] == [
        part.function_call for part in plain.content.parts if part.function_call
    ]
    assert chunks[-1].candidates[0].finish_reason == plain.finish_reason
    assert [chunk.candidates[0].finish_reason for chunk in chunks[:-1]] == [None] * (
        len(chunks) - 1
    )


def test_gemini_without_sse_is_a_json_array_also_when_it_refuses() -> None:
    reply = streamed("gemini", gemini({"parts": [{"text": "Who are you?"}]}))
    chunks = json.loads(b"".join(reply.frames))
    assert len(chunks) > 3
    assert reply.headers["content-type"].startswith("application/json")
    for query, shape in (("", list), ("?alt=sse", dict)):
        assert isinstance(read(streamed("gemini", {"contents": []}, query)), shape)


@pytest.mark.parametrize("mount", MOUNTS)
def test_the_same_request_has_the_same_frames_and_the_journal_their_text(mount: str) -> None:
    payload = whole(mount, PROMPTS["calls"])
    sandbox = Sandbox()
    query = "?alt=sse" if mount == "gemini" else ""
    path = {"path": STREAM_PATHS[mount] + query} if mount == "gemini" else {}
    sent = payload if mount == "gemini" else {**payload, "stream": True}
    first, second = [b"".join(send(mount, sent, sandbox, **path).frames) for _ in range(2)]
    assert first == second
    assert sandbox.journal[-1].reply == first.decode()


@pytest.mark.parametrize("mount", MOUNTS)
def test_a_stream_that_is_refused_is_a_plain_refusal(mount: str) -> None:
    payload = whole(mount, PROMPTS["text"])
    del payload["contents" if mount == "gemini" else "messages"]
    reply = streamed(mount, payload, "?alt=sse")
    assert reply.status == 400
    assert reply.frames is None


def test_anthropic_s_stream_has_a_ping_and_its_events_are_named() -> None:
    text = b"".join(streamed("anthropic", claude(user("hi"))).frames).decode()
    assert 'event: ping\ndata: {"type":"ping"}\n\n' in text
    for block in text.split("\n\n")[:-1]:
        name, data = block.split("\n")
        assert name == f"event: {json.loads(data[6:])['type']}"


@given(st.text())
def test_pieces_and_fragments_lose_nothing(text: str) -> None:
    assert "".join(streams.pieces(text)) == text
    assert "".join(streams.fragments(text)) == text


def test_an_httpx_client_sees_the_frames_as_they_come() -> None:
    body = {**claude(user("Who are you, please?")), "stream": True}
    headers = {"x-api-key": "sandbox-key", "anthropic-version": "2023-06-01"}

    def sync() -> list[bytes]:
        client = httpx.Client(transport=Sandbox().transport())
        with client.stream(
            "POST", "http://x/anthropic/v1/messages", json=body, headers=headers
        ) as r:
            return list(r.iter_raw())

    async def in_async() -> list[bytes]:
        client = httpx.AsyncClient(transport=Sandbox().transport())
        url = "http://x/anthropic/v1/messages"
        async with client.stream("POST", url, json=body, headers=headers) as r:
            return [frame async for frame in r.aiter_raw()]

    frames = sync()
    assert len(frames) > 5
    assert frames == asyncio.run(in_async())
