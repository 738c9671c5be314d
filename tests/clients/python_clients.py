"""The official Python clients over loopback, in whichever versions this Python has.

A program of its own: the older versions live in environments that have nothing else. It reads the
base URL from SKYL_SANDBOX_URL and writes one line of JSON for each case.
"""

import asyncio
import json
import os
import sys
import traceback
from collections.abc import Callable
from typing import Any, ClassVar

import anthropic
import openai
from google import genai
from google.genai import errors, types

BASE = os.environ.get("SKYL_SANDBOX_URL", "")
KEY = "sandbox-key"
QUESTION = "What is the weather in Kampala and Lima?"
CAPITAL = "What is the capital of France?"
HELLO = "Hello, who are you?"
SCHEMA: Any = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
}


def refused(kind: type[Exception], ask: Callable[[], Any]) -> Any:
    try:
        ask()
    except kind as error:
        return error
    raise AssertionError("nothing was refused")


def equal(got: Any, want: Any) -> None:
    assert got == want, f"got {got!r}, want {want!r}"


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


class Claude:
    """anthropic."""

    lonely = user([{"type": "tool_result", "tool_use_id": "toolu_1", "content": "22C"}])

    def __init__(self, key: str = KEY) -> None:
        self.client = anthropic.Anthropic(api_key=key, base_url=f"{BASE}/anthropic")

    def params(self, *messages: Any) -> Any:
        tool = {"name": "get_weather", "input_schema": SCHEMA}
        return {
            "model": "claude-sonnet-5",
            "max_tokens": 99,
            "tools": [tool],
            "messages": messages,
        }

    def ask(self, *messages: Any) -> Any:
        return self.client.messages.create(**self.params(*messages))

    def turn(self, called: Any, failed: int = -1) -> list[Any]:
        results = [
            {
                "type": "tool_result",
                "tool_use_id": block.id,
                "content": ["22C", "19C"][number],
                **({"is_error": True} if number == failed else {}),
            }
            for number, block in enumerate(called.content)
        ]
        assistant = {"role": "assistant", "content": called.content}
        return [user(QUESTION), assistant, user(results)]

    def cities(self, called: Any) -> list[str]:
        equal({block.name for block in called.content}, {"get_weather"})
        return [block.input["city"] for block in called.content]

    def text(self) -> None:
        said = self.ask(user(CAPITAL))
        equal((said.content[0].text, said.stop_reason), ("Paris", "end_turn"))
        assert said._request_id

    def tool_call(self) -> None:
        called = self.ask(user(QUESTION))
        equal((self.cities(called), called.stop_reason), (["Kampala", "Lima"], "tool_use"))

    def result(self) -> None:
        said = self.ask(*self.turn(self.ask(user(QUESTION))))
        equal(said.content[0].text, "The tool said: 22C\nThe tool said: 19C")

    def failing_result(self) -> None:
        equal(self.cities(self.ask(*self.turn(self.ask(user(QUESTION)), failed=1))), ["Lima"])

    def streamed_text(self) -> None:
        with self.client.messages.stream(**self.params(user(HELLO))) as stream:
            pieces = list(stream.text_stream)
            said = stream.get_final_message()
        assert len(pieces) > 1
        equal("".join(pieces), self.ask(user(HELLO)).content[0].text)
        equal(said.stop_reason, "end_turn")

    def streamed_tool_call(self) -> None:
        with self.client.messages.stream(**self.params(user(QUESTION))) as stream:
            pieces = [event for event in stream if event.type == "input_json"]
            called = stream.get_final_message()
        assert len(pieces) > 2
        equal((self.cities(called), called.stop_reason), (["Kampala", "Lima"], "tool_use"))
        assert "22C" in self.ask(*self.turn(called)).content[0].text

    def tool_runner(self) -> None:
        @anthropic.beta_tool
        def get_weather(city: str) -> str:
            """Tell the weather.

            Args:
                city: where.
            """
            return f"{city} is sunny"

        params = {**self.params(user(QUESTION)), "tools": [get_weather]}
        said = self.client.beta.messages.tool_runner(**params).until_done()
        assert "Lima is sunny" in said.content[0].text

    def async_client(self) -> None:
        async def ask() -> Any:
            client = anthropic.AsyncAnthropic(api_key=KEY, base_url=f"{BASE}/anthropic")
            params = self.params(user(QUESTION))
            async with client, client.messages.stream(**params) as stream:
                return await stream.get_final_message()

        equal(self.cities(asyncio.run(ask())), ["Kampala", "Lima"])

    def result_without_its_call(self) -> None:
        error = refused(anthropic.BadRequestError, lambda: self.ask(user(QUESTION), self.lonely))
        equal(error.status_code, 400)
        assert error.request_id
        message = (
            "messages.1.content.0: unexpected `tool_use_id` found in `tool_result` blocks: "
            "toolu_1. Each `tool_result` block must have a corresponding `tool_use` block in the "
            "previous message."
        )
        equal(error.body["error"], {"type": "invalid_request_error", "message": message})

    def refused_stream(self) -> None:
        def ask() -> None:
            with self.client.messages.stream(**self.params(self.lonely)) as stream:
                stream.get_final_message()

        refused(anthropic.BadRequestError, ask)

    def bad_key(self) -> None:
        error = refused(anthropic.AuthenticationError, lambda: Claude("wrong").ask(user(CAPITAL)))
        equal(error.body["error"]["message"], "invalid x-api-key")

    def models(self) -> None:
        names = [model.id for model in self.client.models.list()]
        equal(names[:3], ["claude-opus-5", "claude-sonnet-5", "claude-haiku-4-5"])
        equal(self.client.models.retrieve("claude-opus-5").display_name, "Claude Opus 5")
        refused(anthropic.NotFoundError, lambda: self.client.models.retrieve("claude-2"))

    def fault(self, kind: type[Exception], model: str) -> Any:
        """Return the error that a model of the sandbox answers with, without a retry."""
        once = self.client.with_options(max_retries=0)
        params = {**self.params(user(HELLO)), "model": model}
        return refused(kind, lambda: once.messages.create(**params))

    def rate_limit(self) -> None:
        error = self.fault(anthropic.RateLimitError, "sandbox-status-429")
        equal((error.status_code, error.body["error"]["type"]), (429, "rate_limit_error"))
        equal(error.response.headers["retry-after"], "1")
        assert error.request_id

    def server_error(self) -> None:
        error = self.fault(anthropic.InternalServerError, "sandbox-status-500")
        equal((error.status_code, error.body["error"]["type"]), (500, "api_error"))

    def overloaded(self) -> None:
        # Older lines have a class of its own for it.
        error = self.fault(anthropic.APIStatusError, "sandbox-status-529")
        equal((error.status_code, error.body["error"]["type"]), (529, "overloaded_error"))

    def unauthorized(self) -> None:
        self.fault(anthropic.AuthenticationError, "sandbox-status-401")

    def unknown_model(self) -> None:
        error = self.fault(anthropic.NotFoundError, "claude-2")
        equal(error.body["error"]["message"], "model: claude-2")

    def broken_stream(self, model: str, seen: list[Any]) -> Any:
        params = {**self.params(user(HELLO)), "model": model}
        with self.client.messages.stream(**params) as stream:
            seen.extend(stream.text_stream)
            return stream.current_message_snapshot

    def truncated_stream(self) -> None:
        seen: list[Any] = []
        said = self.broken_stream("sandbox-stream-truncate", seen)
        assert "".join(seen)
        equal(said.stop_reason, None)

    def error_in_a_stream(self) -> None:
        seen: list[Any] = []
        model = "sandbox-stream-error"
        error = refused(anthropic.APIStatusError, lambda: self.broken_stream(model, seen))
        assert "".join(seen)
        equal(error.body["error"]["type"], "api_error")


class Gpt:
    """openai."""

    mount = "openai"
    lonely: ClassVar[Any] = {"role": "tool", "tool_call_id": "call_1", "content": "22C"}

    def __init__(self, key: str = KEY) -> None:
        self.client = openai.OpenAI(api_key=key, base_url=f"{BASE}/{self.mount}/v1")

    def params(self, *messages: Any) -> Any:
        function = {"name": "get_weather", "parameters": SCHEMA}
        tool = {"type": "function", "function": function}
        return {"model": "gpt-5.6", "messages": messages, "tools": [tool]}

    def ask(self, *messages: Any) -> Any:
        return self.client.chat.completions.create(**self.params(*messages)).choices[0]

    def turn(self, called: Any, *contents: str) -> list[Any]:
        results = [
            {"role": "tool", "tool_call_id": call.id, "content": content}
            for call, content in zip(called.tool_calls, contents, strict=True)
        ]
        return [user(QUESTION), called, *results]

    def cities(self, message: Any) -> list[str]:
        equal({call.function.name for call in message.tool_calls}, {"get_weather"})
        return [json.loads(call.function.arguments)["city"] for call in message.tool_calls]

    def text(self) -> None:
        said = self.ask(user(CAPITAL))
        equal((said.message.content, said.finish_reason), ("Paris", "stop"))

    def tool_call(self) -> None:
        called = self.ask(user(QUESTION))
        equal(self.cities(called.message), ["Kampala", "Lima"])
        equal(called.finish_reason, "tool_calls")

    def result(self) -> None:
        called = self.ask(user(QUESTION)).message
        said = self.ask(*self.turn(called, "22C", "19C")).message
        equal(said.content, "The tool said: 22C\nThe tool said: 19C")

    def failing_result(self) -> None:
        called = self.ask(user(QUESTION)).message
        again = self.ask(*self.turn(called, "22C", "error: the station is down")).message
        equal(self.cities(again), ["Lima"])

    def stream(self, prompt: str) -> tuple[list[Any], Any]:
        # It was in beta once, and was called as in beta.
        completions = self.client.chat.completions
        completions = (
            completions if hasattr(completions, "stream") else self.client.beta.chat.completions
        )
        usage = {"include_usage": True}
        with completions.stream(**self.params(user(prompt)), stream_options=usage) as stream:
            events = list(stream)
            return events, stream.get_final_completion()

    def streamed_text(self) -> None:
        events, done = self.stream(HELLO)
        pieces = [event.delta for event in events if event.type == "content.delta"]
        assert len(pieces) > 1
        equal("".join(pieces), self.ask(user(HELLO)).message.content)
        equal(done.choices[0].finish_reason, "stop")
        assert done.usage.total_tokens > 0

    def streamed_tool_call(self) -> None:
        events, done = self.stream(QUESTION)
        kind = "tool_calls.function.arguments.delta"
        assert len([event for event in events if event.type == kind]) > 2
        called = done.choices[0].message
        equal(self.cities(called), ["Kampala", "Lima"])
        assert "22C" in self.ask(*self.turn(called, "22C", "19C")).message.content

    def async_client(self) -> None:
        async def ask() -> str:
            async with openai.AsyncOpenAI(
                api_key=KEY, base_url=f"{BASE}/{self.mount}/v1"
            ) as client:
                params = self.params(user(CAPITAL))
                chunks = await client.chat.completions.create(**params, stream=True)
                return "".join([chunk.choices[0].delta.content or "" async for chunk in chunks])

        equal(asyncio.run(ask()), "Paris")

    def result_without_its_call(self) -> None:
        error = refused(openai.BadRequestError, lambda: self.ask(user(QUESTION), self.lonely))
        equal((error.status_code, error.type), (400, "invalid_request_error"))
        equal((error.param, error.code), ("messages.[1].role", None))
        message = (
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding "
            "message with 'tool_calls'."
        )
        equal(error.body["message"], message)

    def refused_stream(self) -> None:
        def ask() -> None:
            list(self.client.chat.completions.create(**self.params(self.lonely), stream=True))

        refused(openai.BadRequestError, ask)

    def bad_key(self) -> None:
        error = refused(openai.AuthenticationError, lambda: type(self)("wrong").ask(user(CAPITAL)))
        equal(error.code, "invalid_api_key")

    def models(self) -> None:
        names = [model.id for model in self.client.models.list()]
        equal(names[:2], ["gpt-5.6", "gpt-5.4-nano"])
        equal(self.client.models.retrieve("gpt-5.6").id, "gpt-5.6")
        error = refused(openai.NotFoundError, lambda: self.client.models.retrieve("gpt-1"))
        equal(error.code, "model_not_found")

    def fault(self, kind: type[Exception], model: str) -> Any:
        """Return the error that a model of the sandbox answers with, without a retry."""
        once = self.client.with_options(max_retries=0)
        params = {**self.params(user(HELLO)), "model": model}
        return refused(kind, lambda: once.chat.completions.create(**params))

    def rate_limit(self) -> None:
        error = self.fault(openai.RateLimitError, "sandbox-status-429")
        equal((error.status_code, error.type), (429, "rate_limit_error"))
        equal(error.response.headers["retry-after"], "1")
        assert error.request_id

    def server_error(self) -> None:
        error = self.fault(openai.InternalServerError, "sandbox-status-500")
        equal((error.status_code, error.type), (500, "server_error"))

    def overloaded(self) -> None:
        error = self.fault(openai.InternalServerError, "sandbox-status-529")
        equal((error.status_code, error.type), (529, "server_error"))

    def unauthorized(self) -> None:
        self.fault(openai.AuthenticationError, "sandbox-status-401")

    def unknown_model(self) -> None:
        equal(self.fault(openai.NotFoundError, "gpt-1").code, "model_not_found")

    def broken_stream(self, model: str, seen: list[Any]) -> None:
        params = {**self.params(user(HELLO)), "model": model}
        seen.extend(
            chunk.choices[0] for chunk in self.client.chat.completions.create(**params, stream=True)
        )

    def truncated_stream(self) -> None:
        seen: list[Any] = []
        self.broken_stream("sandbox-stream-truncate", seen)
        assert "".join(choice.delta.content or "" for choice in seen)
        equal({choice.finish_reason for choice in seen}, {None})

    def error_in_a_stream(self) -> None:
        seen: list[Any] = []
        model = "sandbox-stream-error"
        error = refused(openai.APIError, lambda: self.broken_stream(model, seen))
        assert "".join(choice.delta.content or "" for choice in seen)
        assert "breaks off" in error.message, error


class Compat(Gpt):
    """openai, with the base URL of a compatible host."""

    mount = "compat"


class Google:
    """google-genai."""

    version = "v1beta"
    model = "gemini-3.6-flash"

    def __init__(self, key: str = KEY) -> None:
        options = types.HttpOptions(base_url=f"{BASE}/gemini", api_version=self.version)
        self.client = genai.Client(api_key=key, http_options=options)
        function = types.FunctionDeclaration(name="get_weather", parameters_json_schema=SCHEMA)
        self.config = types.GenerateContentConfig(
            tools=[types.Tool(function_declarations=[function])]
        )
        self.asked = types.Content(role="user", parts=[types.Part(text=QUESTION)])

    def ask(self, contents: Any) -> Any:
        return self.client.models.generate_content(
            model=self.model, contents=contents, config=self.config
        )

    def stream(self, contents: Any) -> list[Any]:
        return list(
            self.client.models.generate_content_stream(
                model=self.model, contents=contents, config=self.config
            )
        )

    def results(self, *responses: dict[str, str]) -> types.Content:
        return types.Content(role="user", parts=self.parts(*responses))

    def parts(self, *responses: dict[str, str]) -> list[types.Part]:
        return [
            types.Part.from_function_response(name="get_weather", response=response)
            for response in responses
        ]

    def cities(self, *answers: Any) -> list[str]:
        calls = [call for answer in answers for call in answer.function_calls or ()]
        equal({call.name for call in calls}, {"get_weather"})
        return [call.args["city"] for call in calls]

    def text(self) -> None:
        said = self.ask(CAPITAL)
        equal((said.text, said.candidates[0].finish_reason.value), ("Paris", "STOP"))

    def tool_call(self) -> None:
        equal(self.cities(self.ask(self.asked)), ["Kampala", "Lima"])

    def result(self) -> None:
        called = self.ask(self.asked).candidates[0].content
        said = self.ask([self.asked, called, self.results({"output": "22C"}, {"output": "19C"})])
        equal(said.text, "The tool said: 22C\nThe tool said: 19C")

    def failing_result(self) -> None:
        called = self.ask(self.asked).candidates[0].content
        failed = self.results({"output": "22C"}, {"error": "the station is down"})
        equal(self.cities(self.ask([self.asked, called, failed])), ["Lima"])

    def streamed_text(self) -> None:
        chunks = self.stream(HELLO)
        assert len(chunks) > 1
        equal("".join(chunk.text or "" for chunk in chunks), self.ask(HELLO).text)

    def streamed_tool_call(self) -> None:
        chunks = self.stream(self.asked)
        assert len(chunks) > 1
        equal(self.cities(*chunks), ["Kampala", "Lima"])

    def chat(self) -> None:
        chat = self.client.chats.create(model=self.model, config=self.config)
        equal(self.cities(chat.send_message(QUESTION)), ["Kampala", "Lima"])
        said = chat.send_message(self.parts({"output": "22C"}, {"output": "19C"}))
        equal(said.text, "The tool said: 22C\nThe tool said: 19C")

    def streamed_chat(self) -> None:
        # The client keeps each piece of an answer as a content of its own and sends them all back.
        chat = self.client.chats.create(model=self.model, config=self.config)
        equal(self.cities(*chat.send_message_stream("What is the weather in Lima?")), ["Lima"])
        said = list(chat.send_message_stream(self.parts({"output": "22C"})))
        equal("".join(chunk.text or "" for chunk in said), "The tool said: 22C")
        said = list(chat.send_message_stream(CAPITAL))
        equal("".join(chunk.text or "" for chunk in said), "Paris")

    def streamed_chat_with_two_calls(self) -> None:
        # So it sends two contents of one call each before the results of both, which the provider
        # refuses: https://github.com/googleapis/go-genai/issues/692
        chat = self.client.chats.create(model=self.model, config=self.config)
        equal(self.cities(*chat.send_message_stream(QUESTION)), ["Kampala", "Lima"])
        both = self.parts({"output": "22C"}, {"output": "19C"})
        error = refused(errors.ClientError, lambda: list(chat.send_message_stream(both)))
        equal(error.code, 400)

    def automatic_calls(self) -> None:
        def get_weather(city: str) -> str:
            """Tell the weather."""
            return f"{city} is sunny"

        said = self.client.models.generate_content(
            model=self.model,
            contents=QUESTION,
            config=types.GenerateContentConfig(tools=[get_weather]),
        )
        assert "Lima is sunny" in str(said.text), said

    def async_client(self) -> None:
        async def ask() -> list[Any]:
            chunks = await self.client.aio.models.generate_content_stream(
                model=self.model, contents=QUESTION, config=self.config
            )
            return [chunk async for chunk in chunks]

        equal(self.cities(*asyncio.run(ask())), ["Kampala", "Lima"])

    def result_without_its_call(self) -> None:
        lonely = [self.asked, self.results({"output": "22C"})]
        error = refused(errors.ClientError, lambda: self.ask(lonely))
        equal((error.code, error.status), (400, "INVALID_ARGUMENT"))
        message = "function response turn comes immediately after a function call turn."
        equal(error.message, f"Please ensure that {message}")

    def refused_stream(self) -> None:
        lonely = [self.asked, self.results({"output": "22C"})]
        equal(refused(errors.ClientError, lambda: self.stream(lonely)).code, 400)

    def bad_key(self) -> None:
        error = refused(errors.ClientError, lambda: type(self)("wrong").ask(CAPITAL))
        equal((error.code, error.status), (400, "INVALID_ARGUMENT"))
        assert "API key not valid" in error.message

    def models(self) -> None:
        names = [model.name for model in self.client.models.list()]
        equal(names[:2], ["models/gemini-3.6-flash", "models/gemini-3.6-pro"])
        equal(self.client.models.get(model=self.model).name, f"models/{self.model}")
        error = refused(errors.ClientError, lambda: self.client.models.get(model="gemini-1"))
        equal(error.status, "NOT_FOUND")

    def fault(self, kind: type[Exception], model: str) -> Any:
        """Return the error that a model of the sandbox answers with. This client never retries."""
        return refused(
            kind, lambda: self.client.models.generate_content(model=model, contents=HELLO)
        )

    def rate_limit(self) -> None:
        error = self.fault(errors.ClientError, "sandbox-status-429")
        equal((error.code, error.status), (429, "RESOURCE_EXHAUSTED"))
        equal(error.response.headers["retry-after"], "1")

    def server_error(self) -> None:
        error = self.fault(errors.ServerError, "sandbox-status-500")
        equal((error.code, error.status), (500, "INTERNAL"))

    def overloaded(self) -> None:
        equal(self.fault(errors.ServerError, "sandbox-status-529").code, 529)

    def unauthorized(self) -> None:
        error = self.fault(errors.ClientError, "sandbox-status-401")
        equal((error.code, error.status), (401, "UNAUTHENTICATED"))

    def unknown_model(self) -> None:
        error = self.fault(errors.ClientError, "gemini-1")
        equal((error.code, error.status), (404, "NOT_FOUND"))

    def broken_stream(self, model: str, seen: list[Any]) -> None:
        seen.extend(self.client.models.generate_content_stream(model=model, contents=HELLO))

    def truncated_stream(self) -> None:
        seen: list[Any] = []
        self.broken_stream("sandbox-stream-truncate", seen)
        assert "".join(chunk.text or "" for chunk in seen)
        equal({chunk.candidates[0].finish_reason for chunk in seen}, {None})

    def error_in_a_stream(self) -> None:
        seen: list[Any] = []
        model = "sandbox-stream-error"
        error = refused(errors.APIError, lambda: self.broken_stream(model, seen))
        assert "".join(chunk.text or "" for chunk in seen)
        equal((error.code, error.status), (503, "UNAVAILABLE"))


class GoogleV1(Google):
    """google-genai, with the other version in its paths."""

    version = "v1"


CLIENTS: dict[str, type[Any]] = {
    "anthropic": Claude,
    "openai": Gpt,
    "compat": Compat,
    "genai": Google,
    "genai-v1": GoogleV1,
}
CASES = (
    "text",
    "tool call",
    "result",
    "failing result",
    "streamed text",
    "streamed tool call",
    "async client",
    "result without its call",
    "refused stream",
    "bad key",
    "models",
    "tool runner",
    "chat",
    "streamed chat",
    "streamed chat with two calls",
    "automatic calls",
    "rate limit",
    "server error",
    "overloaded",
    "unauthorized",
    "unknown model",
    "truncated stream",
    "error in a stream",
)


def main() -> None:
    for client, made in CLIENTS.items():
        for case in CASES:
            run = getattr(made, case.replace(" ", "_"), None)
            if run is None:
                continue
            why = ""
            try:
                run(made())
            except Exception:  # noqa: BLE001
                why = traceback.format_exc()
            sys.stdout.write(json.dumps({"client": client, "case": case, "why": why}) + "\n")


if __name__ == "__main__":
    main()
