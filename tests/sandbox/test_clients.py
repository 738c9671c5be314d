"""The official clients, unmodified, in process: an answer, a call, its result, and a typed refusal.

What they read is validated by their own response types, as strictly as pydantic can.
"""

import asyncio
from typing import Any

import anthropic
import httpx2
import openai
import pytest
from anthropic.types import Message
from google import genai
from google.genai import errors, types
from openai.types.chat import ChatCompletion

from skyl_nb.sandbox import Sandbox
from skyl_nb.sandbox.call import mounts
from tests.sandbox.envelopes import check_answer, check_model, check_models, check_reply
from tests.sandbox.wire import (
    KEYS,
    MOUNTS,
    SCHEMA,
    calls,
    conversation,
    gemini,
    read,
    send,
    text_of,
)

QUESTION = "What is the weather in Kampala and Lima?"
DECLARED = {"name": "get_weather", "description": "Current weather.", "input_schema": SCHEMA}
FUNCTION = {"type": "function", "function": {"name": "get_weather", "parameters": SCHEMA}}


@pytest.fixture
def sandbox() -> Sandbox:
    return Sandbox()


@pytest.fixture
def claude(sandbox: Sandbox) -> anthropic.Anthropic:
    client = httpx2.Client(transport=sandbox.transport(httpx2))
    return anthropic.Anthropic(api_key="sandbox-key", http_client=client, max_retries=0)


@pytest.fixture
def gpt(sandbox: Sandbox) -> openai.OpenAI:
    client = httpx2.Client(transport=sandbox.transport(httpx2))
    return openai.OpenAI(api_key="sandbox-key", http_client=client, max_retries=0)


@pytest.fixture
def google(sandbox: Sandbox) -> genai.Client:
    options = types.HttpOptions(client_args={"transport": sandbox.transport(httpx2)})
    return genai.Client(api_key="sandbox-key", http_options=options)


def test_anthropic(claude: anthropic.Anthropic, sandbox: Sandbox) -> None:
    def say(messages: Any) -> Any:
        return claude.messages.create(
            model="claude-sonnet-5", max_tokens=99, messages=messages, tools=[DECLARED]
        )

    assert (
        say([{"role": "user", "content": "What is the capital of France?"}]).content[0].text
        == "Paris"
    )
    turn: list[Any] = [{"role": "user", "content": QUESTION}]
    called = say(turn)
    assert called.stop_reason == "tool_use"
    assert [block.input["city"] for block in called.content] == ["Kampala", "Lima"]
    results = [
        {"type": "tool_result", "tool_use_id": block.id, "content": f"{n}C"}
        for n, block in enumerate(called.content)
    ]
    turn.append({"role": "assistant", "content": called.content})
    said = say([*turn, {"role": "user", "content": results}])
    assert said.content[0].text == "The tool said: 0C\nThe tool said: 1C"
    assert said.stop_reason == "end_turn"
    failed = say(
        [*turn, {"role": "user", "content": [results[0], {**results[1], "is_error": True}]}]
    )
    assert [block.input["city"] for block in failed.content] == ["Lima"]
    with pytest.raises(anthropic.BadRequestError, match=r"messages\.2: `tool_use` ids") as refused:
        say([*turn, {"role": "user", "content": results[:1]}])
    assert refused.value.request_id
    assert sandbox.journal[-1].rule == "anthropic-unanswered-call"


def test_anthropic_errors_are_typed(claude: anthropic.Anthropic) -> None:
    with pytest.raises(anthropic.NotFoundError, match="model: claude-2"):
        claude.messages.create(
            model="claude-2", max_tokens=9, messages=[{"role": "user", "content": "x"}]
        )
    with pytest.raises(anthropic.AuthenticationError, match="invalid x-api-key"):
        claude.with_options(api_key="wrong").models.list()
    names = [model.id for model in claude.models.list()]
    assert names[:3] == ["claude-opus-5", "claude-sonnet-5", "claude-haiku-4-5"]
    assert claude.models.retrieve("claude-opus-5").id == "claude-opus-5"


def test_anthropic_s_tool_runner_works_without_stored_threads(
    claude: anthropic.Anthropic, sandbox: Sandbox
) -> None:
    @anthropic.beta_tool
    def get_weather(city: str) -> str:
        """Tell the weather.

        Args:
            city: where.
        """
        return f"{city} is sunny"

    runner = claude.beta.messages.tool_runner(
        model="claude-sonnet-5",
        max_tokens=99,
        tools=[get_weather],
        messages=[{"role": "user", "content": QUESTION}],
    )
    said = runner.until_done()
    assert "Lima is sunny" in said.content[0].text
    assert sandbox.journal[-1].rule is None


def test_openai(gpt: openai.OpenAI, sandbox: Sandbox) -> None:
    def say(messages: Any) -> Any:
        done = gpt.chat.completions.create(model="gpt-5.6", messages=messages, tools=[FUNCTION])
        return done.choices[0]

    question = {"role": "user", "content": "What is the capital of France?"}
    assert say([question]).message.content == "Paris"
    turn: list[Any] = [{"role": "user", "content": QUESTION}]
    called = say(turn)
    assert called.finish_reason == "tool_calls"
    turn.append(called.message)  # the client dumps it with its nulls
    results = [
        {"role": "tool", "tool_call_id": call.id, "content": f"{n}C"}
        for n, call in enumerate(called.message.tool_calls)
    ]
    assert say([*turn, *results]).message.content == "The tool said: 0C\nThe tool said: 1C"
    again = say([*turn, results[0], {**results[1], "content": "error: down"}])
    assert [call.function.arguments for call in again.message.tool_calls] == ['{"city":"Lima"}']
    with pytest.raises(openai.BadRequestError, match="did not have response messages") as refused:
        say([*turn, results[0]])
    assert refused.value.param == "messages.[3].role"
    assert sandbox.journal[-1].mount == "openai"


def test_openai_errors_are_typed(gpt: openai.OpenAI) -> None:
    with pytest.raises(openai.NotFoundError) as missing:
        gpt.chat.completions.create(model="gpt-1", messages=[{"role": "user", "content": "x"}])
    assert missing.value.code == "model_not_found"
    with pytest.raises(openai.AuthenticationError) as refused:
        gpt.with_options(api_key="wrong").models.list()
    assert refused.value.code == "invalid_api_key"
    assert [model.id for model in gpt.models.list()][:2] == ["gpt-5.6", "gpt-5.4-nano"]
    assert gpt.models.retrieve("gpt-5.6").id == "gpt-5.6"


def test_openai_s_client_reaches_the_compat_mount_by_a_base_url(
    gpt: openai.OpenAI, sandbox: Sandbox
) -> None:
    compat = gpt.with_options(base_url="http://anywhere/compat/v1")
    compat.chat.completions.create(
        model="gpt-5.6", max_tokens=9, messages=[{"role": "user", "content": "x"}]
    )
    assert sandbox.journal[-1].mount == "compat"


@pytest.mark.parametrize("version", ["v1", "v1beta"])
def test_google(sandbox: Sandbox, version: str) -> None:
    options = types.HttpOptions(
        api_version=version, client_args={"transport": sandbox.transport(httpx2)}
    )
    google = genai.Client(api_key="sandbox-key", http_options=options)
    function = types.FunctionDeclaration(name="get_weather", parameters_json_schema=SCHEMA)
    config = types.GenerateContentConfig(tools=[types.Tool(function_declarations=[function])])

    def say(contents: Any) -> types.GenerateContentResponse:
        return google.models.generate_content(
            model="gemini-3.6-flash", contents=contents, config=config
        )

    assert say("What is the capital of France?").text == "Paris"
    called = say(QUESTION)
    made = called.function_calls or []
    assert [call.args for call in made] == [{"city": "Kampala"}, {"city": "Lima"}]
    assert called.candidates
    user = types.Content(role="user", parts=[types.Part(text=QUESTION)])

    def responses(*said: Any) -> types.Content:
        parts = [
            types.Part.from_function_response(name=str(call.name), response=one)
            for call, one in zip(made, said, strict=False)
        ]
        return types.Content(role="tool", parts=parts)

    turn = [user, called.candidates[0].content]
    said = say([*turn, responses({"output": "22C"}, {"output": "19C"})])
    assert said.text == "The tool said: 22C\nThe tool said: 19C"
    again = say([*turn, responses({"output": "22C"}, {"error": "down"})])
    assert [call.args for call in again.function_calls or []] == [{"city": "Lima"}]
    with pytest.raises(errors.ClientError, match="number of function response parts") as refused:
        say([*turn, responses({"output": "22C"})])
    assert (refused.value.code, refused.value.status) == (400, "INVALID_ARGUMENT")
    assert sandbox.journal[-1].path.startswith(f"/gemini/{version}/")


def test_google_errors_are_typed(google: genai.Client, sandbox: Sandbox) -> None:
    with pytest.raises(errors.ClientError) as missing:
        google.models.generate_content(model="gemini-1", contents="x")
    assert (missing.value.code, missing.value.status) == (404, "NOT_FOUND")
    options = types.HttpOptions(client_args={"transport": sandbox.transport(httpx2)})
    stranger = genai.Client(api_key="wrong", http_options=options)
    with pytest.raises(errors.ClientError, match="API key not valid") as refused:
        stranger.models.get(model="gemini-3.6-flash")
    assert refused.value.code == 400
    assert google.models.get(model="gemini-3.6-flash").name == "models/gemini-3.6-flash"
    names = [model.name for model in google.models.list()]
    assert names[:2] == ["models/gemini-3.6-flash", "models/gemini-3.6-pro"]


def test_the_async_clients_use_the_same_object(sandbox: Sandbox) -> None:
    async def ask() -> list[Any]:
        http = httpx2.AsyncClient(transport=sandbox.transport(httpx2))
        claude = anthropic.AsyncAnthropic(api_key="sandbox-key", http_client=http)
        gpt = openai.AsyncOpenAI(api_key="sandbox-key", http_client=http)
        options = types.HttpOptions(async_client_args={"transport": sandbox.transport(httpx2)})
        google = genai.Client(api_key="sandbox-key", http_options=options)
        message: Any = [{"role": "user", "content": "capital of France"}]
        one = await claude.messages.create(model="claude-sonnet-5", max_tokens=9, messages=message)
        two = await gpt.chat.completions.create(model="gpt-5.6", messages=message)
        three = await google.aio.models.generate_content(
            model="gemini-3.6-flash", contents="capital of France"
        )
        said: Any = one.content[0]
        return [said.text, two.choices[0].message.content, three.text]

    assert asyncio.run(ask()) == ["Paris", "Paris", "Paris"]


# The response types, strictly: unknown and missing fields are faults of ours


ROUND = [("get_weather", {"city": "Lima"}, "22C")]
FAILED = [("get_weather", {"city": "Lima"}, "error: down", True)]
CASES = [
    {"prompt": "hello"},
    {"prompt": QUESTION, "tools": [("get_weather", SCHEMA)]},
    {"prompt": QUESTION, "tools": [("get_weather", SCHEMA)], "rounds": [ROUND]},
    {"prompt": QUESTION, "tools": [("get_weather", SCHEMA)], "rounds": [FAILED]},
]
CASE = pytest.mark.parametrize("case", CASES, ids=["text", "calls", "results", "failing-result"])
EACH_MODEL = [(mount.name, name) for mount in mounts() if mount.name for name in mount.models]


@CASE
@pytest.mark.parametrize("mount", MOUNTS)
def test_replies_fit_the_sdk_s_own_types(mount: str, case: Any) -> None:
    reply = read(send(mount, conversation(mount, **case)))
    check_answer(mount, reply)
    if mount != "gemini":
        model = Message if mount == "anthropic" else ChatCompletion
        parsed = model.model_validate(reply, strict=True)
        assert parsed.model_dump(mode="json", exclude_unset=True) == reply


@CASE
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize(("mount", "name"), EACH_MODEL)
def test_each_reply_of_each_model_fits_the_sdk_s_own_types(
    mount: str, name: str, stream: bool, case: Any
) -> None:
    payload = conversation(mount, **case)
    sandbox = Sandbox()
    if mount == "gemini":
        does = "streamGenerateContent?alt=sse" if stream else "generateContent"
        reply = send(mount, payload, sandbox, path=f"/gemini/v1/models/{name}:{does}")
    else:
        reply = send(mount, {**payload, "model": name, "stream": stream}, sandbox)
    assert reply.rule is None or name.startswith("sandbox-") or "reasoning" in reply.rule
    check_reply(reply, sandbox)


@pytest.mark.parametrize("mount", MOUNTS)
def test_models_fit_the_sdk_s_own_types(mount: str) -> None:
    sandbox = Sandbox()
    place = f"/{mount}/v1/models"
    rows = read(sandbox.handle("GET", place, KEYS[mount]))
    check_models(mount, rows)
    for name in [name for where, name in EACH_MODEL if where == mount]:
        check_model(mount, read(sandbox.handle("GET", f"{place}/{name}", KEYS[mount])))


def test_a_client_s_own_name_for_its_calls_is_kept() -> None:
    turn = calls("tide")
    turn["parts"][0]["functionCall"]["id"] = "call_1"
    told = {"name": "tide", "id": "call_1", "response": {"result": "12"}}
    sent = gemini({"parts": [{"text": "?"}]}, turn, {"parts": [{"functionResponse": told}]})
    assert text_of("gemini", send("gemini", sent)) == 'The tool said: {"result":"12"}'
