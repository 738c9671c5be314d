"""`skyl-nb trace`: the fate of a failure in what the official clients sent."""

import json

import anthropic
import httpx2
import openai
import pytest
from click.testing import CliRunner
from google import genai
from google.genai import types

from skyl_nb.cli import main
from skyl_nb.sandbox import Sandbox


def journal(tmp_path, talk):
    sandbox = Sandbox()
    talk(sandbox.transport(httpx2))
    path = tmp_path / "sent.jsonl"
    lines = [json.dumps(entry.as_dict()) for entry in sandbox.journal]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def trace(path):
    return CliRunner().invoke(main, ["trace", path])


def with_anthropic(*flags):
    def talk(transport):
        client = anthropic.Anthropic(
            api_key="sandbox-key", http_client=httpx2.Client(transport=transport)
        )
        for flag in flags:
            result = {"type": "tool_result", "tool_use_id": "c", "content": "no such city"}
            client.messages.create(
                model="claude-sonnet-5",
                max_tokens=64,
                tools=[{"name": "get_weather", "input_schema": {"type": "object"}}],
                messages=[
                    {"role": "user", "content": "Weather?"},
                    {
                        "role": "assistant",
                        "content": [
                            {"type": "tool_use", "id": "c", "name": "get_weather", "input": {}}
                        ],
                    },
                    {"role": "user", "content": [result | flag]},
                ],
            )

    return talk


def with_openai(*contents):
    def talk(transport):
        client = openai.OpenAI(
            api_key="sandbox-key", http_client=httpx2.Client(transport=transport)
        )
        function = {"name": "get_weather", "arguments": "{}"}
        for content in contents:
            client.chat.completions.create(
                model="gpt-5.6",
                messages=[
                    {"role": "user", "content": "Weather?"},
                    {
                        "role": "assistant",
                        "tool_calls": [{"id": "c", "type": "function", "function": function}],
                    },
                    {"role": "tool", "tool_call_id": "c", "content": content},
                ],
            )

    return talk


def with_gemini(*responses):
    def talk(transport):
        client = genai.Client(
            api_key="sandbox-key",
            http_options=types.HttpOptions(client_args={"transport": transport}),
        )
        for response in responses:
            call = types.Part(function_call=types.FunctionCall(name="get_weather", args={}))
            answer = types.Part.from_function_response(name="get_weather", response=response)
            client.models.generate_content(
                model="gemini-3.6-flash",
                contents=[
                    types.Content(role="user", parts=[types.Part(text="Weather?")]),
                    types.Content(role="model", parts=[call]),
                    types.Content(role="user", parts=[answer]),
                ],
            )

    return talk


@pytest.mark.parametrize(
    ("talk", "row"),
    [
        (with_anthropic({"is_error": True}, {"is_error": False}),
         "Anthropic  intact               /messages/2/content/0/is_error"),
        (with_anthropic({"is_error": True}, {}),
         "Anthropic  intact               /messages/2/content/0/is_error"),
        (with_anthropic({}, {}), "Anthropic  dropped              nowhere"),
        (with_openai("Error: no", "no"), "OpenAI  prefixed             /messages/2/content"),
        (with_openai("no", "Error: no"), "OpenAI  prefixed             /messages/2/content"),
        (with_openai("no", "no"), "OpenAI  dropped              nowhere"),
        (with_gemini({"error": "no"}, {"output": "no"}),
         "Gemini  altered"),
    ],
)  # fmt: skip
def test_the_fate_in_what_an_official_client_sent(tmp_path, talk, row):
    ran = trace(journal(tmp_path, talk))
    assert ran.exit_code == 0, ran.stderr
    assert [line for line in ran.stdout.splitlines() if line.startswith(row)]


def test_a_client_that_loops_is_compared_by_its_first_round(tmp_path):
    """A failing tool makes a client send more rounds; those have no partner."""
    call = {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f"}}]}

    def round_of(*contents):
        results = [{"role": "tool", "tool_call_id": "c", "content": one} for one in contents]
        messages = [turn for result in results for turn in (call, result)]
        return json.dumps({"mount": "openai", "request": {"messages": messages}})

    path = tmp_path / "loop.jsonl"
    entries = [round_of(), round_of("Error: no"), round_of("Error: no", "Error: no"), round_of()]
    path.write_text("\n".join([*entries, round_of("no")]), encoding="utf-8")
    assert "prefixed" in trace(str(path)).stdout


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "cannot be read"),
        (b"\xff\xfe", "it is no text"),
        (b"{", "line 1"),
        (b"[]\n", "line 1"),
        (b'{"mount": "openai", "request": null}\n', "two requests with tool results"),
        (b"", "two requests with tool results"),
    ],
)
def test_a_file_that_is_no_such_journal_is_one_line(tmp_path, content, words):
    path = tmp_path / "x.jsonl"
    if content is not None:
        path.write_bytes(content)
    ran = trace(str(path))
    assert ran.exit_code == 1
    assert words in ran.stderr
    assert ran.stderr.count("\n") == 1
