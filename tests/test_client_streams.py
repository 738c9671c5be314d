"""Streams and retries of the client: against the sandbox, over loopback, and bad servers."""

import json

import httpx
import pytest

import skyl_nb as skyl
from skyl_nb.client import LONGEST_WAIT, retry_delay
from skyl_nb.signal import WEATHER

PROMPTS = ["What is the capital of France?", "Who are you?", "The weather in Lima and Paris?"]
TRUNCATED = {
    "anthropic": [
        {"type": "message_start", "message": {"usage": {"input_tokens": 3}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text"}},
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "text_delta", "text": "half"},
        },
    ],
    "openai": [{"choices": [{"delta": {"content": "half"}}]}],
    "openaicompat": [{"choices": [{"delta": {"content": "half"}}]}],
    "gemini": [{"candidates": [{"content": {"parts": [{"text": "half"}]}}]}],
}
IN_STREAM = [
    ("anthropic", {"type": "error", "error": {"type": "overloaded_error", "message": "m"}},
     skyl.ServerError, 529),
    ("anthropic", {"type": "error", "error": {"type": "rate_limit_error", "message": "m"}},
     skyl.RateLimitError, 429),
    ("openai", {"error": {"message": "m", "type": "server_error"}}, skyl.ServerError, 500),
    ("openaicompat", {"error": {"message": "m", "code": "tool_use_failed",
                                "type": "invalid_request_error"}}, skyl.BadRequestError, 400),
    ("openaicompat", {"error": "m"}, skyl.ServerError, 500),
    ("gemini", {"error": {"code": 503, "message": "m", "status": "UNAVAILABLE"}},
     skyl.ServerError, 503),
]  # fmt: skip


def request(talk, prompt):
    messages = [skyl.user_text(prompt)]
    return skyl.Request(model=talk.model, messages=messages, tools=[WEATHER])


def sse(*payloads):
    data = "".join(f"data: {json.dumps(payload)}\n\n" for payload in payloads)
    return httpx.Response(200, text=data, headers={"content-type": "text/event-stream"})


def client(wire, *answers, **options):
    waiting = list(answers)
    transport = httpx.MockTransport(lambda _: waiting.pop(0))
    return skyl.Client(wire, base_url="http://x", api_key="k", transport=transport, **options)


def gathered(events):
    events = list(events)
    text = "".join(event.text for event in events)
    calls = [(one.tool_call.name, one.tool_call.arguments) for one in events if one.tool_call]
    assert [event.type for event in events[-2:]] == ["usage", "stop"]
    return text, calls, events[-1].stop_reason, events[-2].usage.output_tokens


def whole(response):
    calls = [(call.name, call.arguments) for call in response.tool_calls]
    return response.text, calls, response.stop_reason, response.usage.output_tokens


@pytest.mark.parametrize("wire", skyl.WIRES)
@pytest.mark.parametrize("prompt", PROMPTS)
def test_a_stream_says_what_the_whole_answer_says(wire, prompt):
    talk = skyl.sandbox_client(wire)
    asked = request(talk, prompt)
    assert gathered(talk.stream(asked)) == whole(talk.complete(asked))


@pytest.mark.parametrize("wire", skyl.WIRES)
def test_a_live_client_over_loopback(wire):
    sandbox = skyl.Sandbox()
    path = {"anthropic": "/anthropic", "openai": "/openai/v1", "gemini": "/gemini/v1beta"}
    with sandbox.serving() as url:
        base_url = url + path.get(wire, "/compat/v1")
        with skyl.live_client(wire, api_key="sandbox-key", base_url=base_url) as talk:
            for prompt in PROMPTS:
                asked = request(talk, prompt)
                assert gathered(talk.stream(asked)) == whole(talk.complete(asked))
        with skyl.live_client(wire, api_key="wrong", base_url=base_url) as wrong:
            with pytest.raises((skyl.AuthError, skyl.BadRequestError)) as refused:
                list(wrong.stream(asked))
            assert refused.value.status in (400, 401)
    assert "wrong" not in repr(sandbox.journal)


@pytest.mark.parametrize("wire", skyl.WIRES)
def test_a_stream_that_ends_early_raises(wire):
    events = client(wire, sse(*TRUNCATED[wire])).stream(request(skyl.sandbox_client(wire), "x"))
    assert next(events).text == "half"
    with pytest.raises(skyl.ServerError, match="ended before the answer was complete"):
        list(events)


@pytest.mark.parametrize(("wire", "payload", "error", "status"), IN_STREAM)
def test_an_error_inside_a_stream_is_raised_as_it_would_have_been_outside(
    wire, payload, error, status
):
    answer = sse(*TRUNCATED[wire], payload)
    with pytest.raises(error) as failed:
        list(client(wire, answer).stream(request(skyl.sandbox_client(wire), "x")))
    assert (failed.value.message, failed.value.status) == ("m", status)


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(200, json={"choices": []}),
        httpx.Response(200, text="<html>"),
        sse([1]),
        httpx.Response(200, text="data: {\n\n", headers={"content-type": "text/event-stream"}),
        sse({"choices": 7}),
        sse({"choices": [{"delta": {"tool_calls": [{"function": 1}]}}]}),
    ],
    ids=str,
)
def test_what_is_no_stream_is_a_server_error(answer):
    with pytest.raises(skyl.ServerError) as failed:
        list(client("openai", answer).stream(request(skyl.sandbox_client("openai"), "x")))
    assert "\n" not in str(failed.value)


def test_a_request_that_is_wrong_is_refused_before_the_iterator_is_asked():
    with pytest.raises(skyl.BadRequestError, match="model is required"):
        client("openai").stream(skyl.Request(model="", messages=[]))
    bad = skyl.Message(role="user", parts=[skyl.ToolResult(call_id="c", content="x")])
    with pytest.raises(skyl.UnsupportedError):
        client("openai").stream(skyl.Request(model="m", messages=[bad]))


def test_a_connection_that_breaks_is_a_server_error():
    def broken():
        yield b'data: {"choices": [{"delta": {"content": "half"}}]}\n\n'
        raise httpx.ReadError("connection reset")

    answer = httpx.Response(200, content=broken(), headers={"content-type": "text/event-stream"})
    events = client("openai", answer).stream(request(skyl.sandbox_client("openai"), "x"))
    assert next(events).text == "half"
    with pytest.raises(skyl.ServerError, match="broke off"):
        next(events)


def answers(*statuses, **headers):
    return [httpx.Response(status, json={"error": "m"}, headers=headers) for status in statuses]


GOOD = httpx.Response(200, json={"choices": [{"message": {"content": "x"}}]})


@pytest.mark.parametrize("status", [408, 409, 429, 500, 503, 529])
def test_what_may_pass_is_tried_again(status):
    waits = []
    talk = client("openai", *answers(status, status), GOOD, max_retries=2, sleep=waits.append)
    assert talk.complete(request(talk, "x")).text == "x"
    assert waits == [0.5, 1.0]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
def test_what_cannot_pass_is_not_tried_again(status):
    talk = client("openai", *answers(status), max_retries=2, sleep=pytest.fail)
    with pytest.raises(skyl.SkylError):
        talk.complete(request(talk, "x"))


def test_the_providers_wish_counts_up_to_a_cap():
    waits = []
    refused = answers(429, **{"retry-after": "3"}) + answers(429, **{"retry-after": "86400"})
    talk = client("openai", *refused, GOOD, max_retries=2, sleep=waits.append)
    talk.complete(request(talk, "x"))
    assert waits == [3.0, LONGEST_WAIT]


def test_the_last_error_is_raised_when_nothing_helps():
    waits = []
    talk = client("openai", *answers(503, 503, 429), max_retries=2, sleep=waits.append)
    with pytest.raises(skyl.RateLimitError):
        talk.complete(request(talk, "x"))
    assert len(waits) == 2


def test_an_answer_that_cannot_be_read_is_not_asked_for_again():
    talk = client("openai", httpx.Response(200, json={}), max_retries=2, sleep=pytest.fail)
    with pytest.raises(skyl.ServerError):
        talk.complete(request(talk, "x"))


def test_waits_grow_up_to_the_cap():
    waits = [retry_delay(skyl.ServerError("m"), attempt) for attempt in range(8)]
    assert waits == [0.5, 1, 2, 4, 8, 16, LONGEST_WAIT, LONGEST_WAIT]
