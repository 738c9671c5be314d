"""The client against the sandbox, against recorded errors, and against servers that misbehave."""

import json

import httpx
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import skyl_nb as skyl
from skyl_nb.client import classify
from skyl_nb.envelopes import provider_message
from skyl_nb.signal import WEATHER
from tests import golden
from tests.strategies import texts

ERRORS = [
    pytest.param(wire, case, id=f"{wire}-{case['status']}-{number}")
    for wire, cases in golden.cases("errors").items()
    for number, case in enumerate(cases)
]


@pytest.mark.parametrize(("wire", "case"), ERRORS)
def test_a_refusal_becomes_skyls_class_with_the_providers_words(wire, case):
    error = classify(wire, case["status"], case["payload"])
    assert type(error).__name__ == case["class"]
    assert (error.provider, error.status, error.raw) == (wire, case["status"], case["payload"])
    assert error.message in json.dumps(case["payload"], ensure_ascii=False)
    assert error.message


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        ({"error": {"message": "m"}}, "m"),
        ({"error": "m"}, "m"),
        ({"object": "error", "message": "m"}, "m"),
        ([{"error": {"message": "m"}}], "m"),
        ({"error": {"message": "Provider returned error",
                    "metadata": {"raw": '{"error":{"message":"m"}}'}}}, "m"),
        ({"error": {"message": "outer", "metadata": {"raw": ""}}}, "outer"),
        (" <html>bad gateway</html>\n", "<html>bad gateway</html>"),
        ({}, ""), ({"error": None}, ""), ([], ""), (None, ""), (7, ""),
        ({"error": {"message": None}}, ""), ({"error": {"message": {"a": 1}}}, "{'a': 1}"),
    ],
    ids=str,
)  # fmt: skip
def test_the_providers_words_are_found_in_any_envelope(payload, words):
    assert provider_message(payload) == words


def test_a_page_in_place_of_an_answer_is_shortened_and_kept_whole():
    page = "<html>" + "bad gateway " * 1_000 + "</html>"
    error = classify("openai", 502, page)
    assert len(error.message) < 400
    assert error.message.startswith("<html>bad gateway")
    assert error.message.endswith(f"… ({len(page) - 300:,} characters not shown; see .raw)")
    assert error.raw == page
    assert provider_message("x" * 300) == "x" * 300
    wrapped = {"error": {"message": "m", "metadata": {"raw": page}}}
    assert "characters not shown" in provider_message(wrapped)


def test_lists_within_lists_hold_no_message():
    payload = "m"
    for _ in range(900):
        payload = [payload]
    assert provider_message(payload) == ""


@pytest.mark.parametrize("wire", [name for name in skyl.WIRES if name != "anthropic"])
def test_an_integer_that_no_json_holds_is_refused_before_it_is_sent(wire):
    client = skyl.sandbox_client(wire)
    settings = {"max_tokens": 10**5_000}, {"provider_options": {"seed": -(10**5_000)}}
    for one in settings:
        request = skyl.Request(model=client.model, messages=[skyl.user_text("hi")], **one)
        for ask in (client.complete, client.stream):
            with pytest.raises(skyl.BadRequestError, match="cannot be written as JSON") as refused:
                ask(request)
            assert (refused.value.provider, refused.value.status) == (wire, 0)
    assert client.sandbox.journal == ()


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("7", 7.0), ("0.5", 0.5), ("-1", 0.0), ("soon", None), ("nan", None), ("inf", None)],
)
def test_retry_after_is_read_in_seconds(value, seconds):
    assert classify("openai", 429, {}, {"retry-after": value}).retry_after == seconds


def client(handler, wire="openai"):
    return skyl.Client(
        wire, base_url="http://test/v1", api_key="k", transport=httpx.MockTransport(handler)
    )


REQUEST = skyl.Request(model="gpt-5.6", messages=[skyl.user_text("Hello")])


def test_nothing_is_sent_when_validate_refuses():
    sent = []
    with pytest.raises(skyl.BadRequestError, match="model is required"):
        client(sent.append).complete(skyl.Request(model="", messages=[]))
    with pytest.raises(skyl.UnsupportedError, match="message 0"):
        client(sent.append).complete(
            skyl.Request(
                model="m", messages=[skyl.Message(role="tool", parts=[skyl.Text(text="x")])]
            )
        )
    assert sent == []


@pytest.mark.parametrize("wire", skyl.WIRES)
def test_what_is_sent_is_the_encoded_body_with_the_wires_headers(wire):
    def handler(request):
        assert json.loads(request.content) == skyl.WIRES[wire].encode(REQUEST)
        assert request.url.raw_path.decode() == "/v1" + skyl.WIRES[wire].path(REQUEST.model)
        for name, value in skyl.WIRES[wire].headers("k").items():
            assert request.headers[name] == value
        return httpx.Response(418, json={"error": {"message": "seen"}})

    with pytest.raises(skyl.BadRequestError, match="seen"):
        client(handler, wire).complete(REQUEST)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (httpx.Response(200, text="<html>hello</html>"), "is not a JSON object"),
        (httpx.Response(200, json=[]), "is not a JSON object"),
        (httpx.Response(200, json={"choices": []}), "response contained no choices"),
        (httpx.Response(200, json={"nothing": 1}), "'choices' is missing"),
        (httpx.Response(502), "HTTP status 502"),
        (httpx.Response(302, headers={"location": "http://elsewhere/"}), "302"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_answer_that_is_none_is_a_server_error(answer, words):
    with pytest.raises(skyl.ServerError, match=words) as failed:
        client(lambda _: answer).complete(REQUEST)
    assert "\n" not in str(failed.value)


def test_a_server_that_is_not_there_is_a_server_error():
    def handler(request):
        raise httpx.ConnectError("connection refused", request=request)

    with pytest.raises(skyl.ServerError, match="is the server running"):
        client(handler).complete(REQUEST)
    live = skyl.live_client("openai", api_key="k", base_url="http://127.0.0.1:9", max_retries=0)
    with live, pytest.raises(skyl.ServerError, match="no answer came"):
        live.complete(REQUEST)


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: skyl.sandbox_client("openrouter"), skyl.BadRequestError, "use one of"),
        (lambda: skyl.live_client("x", api_key="k"), skyl.BadRequestError, "use one of"),
        (lambda: skyl.live_client("openai", api_key=""), skyl.AuthError, "use sandbox_client"),
        (lambda: skyl.live_client("openaicompat", api_key="k"), skyl.BadRequestError, "base_url"),
    ],
)
def test_a_client_that_cannot_work_is_not_made(make, error, words):
    with pytest.raises(error, match=words):
        make()


@pytest.mark.parametrize("key", ["sk-SECRET\n", " sk-SECRET", "sk-SÉCRET", "sk-SECRET\0", 5])
def test_a_key_that_no_header_can_carry_is_refused_and_never_shown(key):
    with pytest.raises(skyl.AuthError) as refused:
        skyl.live_client("openai", api_key=key)
    assert "SECRET" not in str(refused.value)
    handmade = skyl.Client("openai", base_url="http://127.0.0.1:9", api_key=str(key))
    if key != 5:
        with pytest.raises(skyl.SkylError) as failed:
            handmade.complete(REQUEST)
        assert "SECRET" not in repr(failed.value) + str(failed.value)


def test_a_live_client_never_asks_the_sandbox():
    live = skyl.live_client("anthropic", api_key="secret-key")
    assert live.sandbox is None
    assert "secret" not in repr(live)
    assert repr(skyl.sandbox_client("gemini")) == "<sandbox client of gemini>"


@pytest.mark.parametrize("wire", skyl.WIRES)
def test_a_key_that_is_wrong_is_refused_by_the_sandbox(wire):
    sandbox = skyl.Sandbox(api_key="another")
    wrong = skyl.Client(
        wire,
        base_url=skyl.sandbox_client(wire)._base_url,
        api_key="wrong",
        transport=sandbox.transport(),
    )
    expected = skyl.BadRequestError if wire == "gemini" else skyl.AuthError
    with pytest.raises(expected):
        wrong.complete(REQUEST)


@pytest.mark.parametrize("wire", skyl.WIRES)
def test_a_tool_loop_in_the_sandbox(wire):
    talk = skyl.sandbox_client(wire)
    question = skyl.user_text("What is the weather in Kampala and in Nairobi?")
    asked = talk.complete(skyl.Request(model=talk.model, messages=[question], tools=[WEATHER]))
    assert asked.stop_reason == "tool_use"
    assert [json.loads(call.arguments) for call in asked.tool_calls] == [
        {"city": "Kampala"},
        {"city": "Nairobi"},
    ]
    results = [
        skyl.ToolResult(call_id=call.id, content=text)
        for call, text in zip(asked.tool_calls, ["22C", "19C"], strict=True)
    ]
    answer = talk.complete(
        skyl.Request(
            model=talk.model,
            messages=[question, asked.message, skyl.Message(role="tool", parts=results)],
            tools=[WEATHER],
        )
    )
    assert answer.stop_reason == "end_turn"
    assert "22C" in answer.text
    assert "19C" in answer.text


@given(st.sampled_from(sorted(skyl.WIRES)), texts)
def test_reading_a_reply_loses_no_text_and_no_call(wire, content):
    talk = skyl.sandbox_client(wire)
    question = skyl.user_text("Weather in Paris and London, please")
    asked = talk.complete(skyl.Request(model=talk.model, messages=[question], tools=[WEATHER]))
    check_against_the_raw_reply(wire, asked)
    results = [skyl.ToolResult(call_id=call.id, content=content) for call in asked.tool_calls]
    request = skyl.Request(
        model=talk.model,
        messages=[question, asked.message, skyl.Message(role="tool", parts=results)],
        tools=[WEATHER],
    )
    try:
        answer = talk.complete(request)
    except skyl.BadRequestError as refused:
        assume("\ud83d" not in content)
        raise AssertionError(content) from refused
    check_against_the_raw_reply(wire, answer)


def check_against_the_raw_reply(wire, response):
    """Count texts and calls in the provider's own JSON, without our reader."""
    raw_texts, raw_calls = RAW[wire](response.raw)
    assert response.text == "".join(raw_texts)
    assert [(call.name, json.loads(call.arguments)) for call in response.tool_calls] == raw_calls


def raw_anthropic(raw):
    blocks = raw["content"]
    calls = [(block["name"], block["input"]) for block in blocks if block["type"] == "tool_use"]
    return [block["text"] for block in blocks if block["type"] == "text"], calls


def raw_openai(raw):
    message = raw["choices"][0]["message"]
    functions = [call["function"] for call in message.get("tool_calls") or []]
    calls = [(function["name"], json.loads(function["arguments"])) for function in functions]
    return [message["content"] or ""], calls


def raw_gemini(raw):
    parts = raw["candidates"][0]["content"]["parts"]
    calls = [part["functionCall"] for part in parts if "functionCall" in part]
    found = [(call["name"], call["args"]) for call in calls]
    return [part["text"] for part in parts if "text" in part], found


RAW = {
    "anthropic": raw_anthropic,
    "openai": raw_openai,
    "openaicompat": raw_openai,
    "gemini": raw_gemini,
}


@pytest.mark.parametrize(
    ("wire", "kind"),
    [("anthropic", skyl.BadRequestError), ("openai", skyl.BadRequestError)],
)
def test_what_is_too_large_is_refused_in_one_sentence(wire, kind):
    talk = skyl.sandbox_client(wire)
    huge = skyl.user_text("x" * (33_554_433 if wire == "anthropic" else 10_485_761))
    with pytest.raises(kind) as refused:
        talk.complete(skyl.Request(model=talk.model, messages=[huge]))
    assert refused.value.status == (413 if wire == "anthropic" else 400)
    assert "\n" not in str(refused.value)
    assert talk.sandbox.explain(talk.sandbox.journal[-1]).text
