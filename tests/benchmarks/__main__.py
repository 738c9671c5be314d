"""What speed costs, as ratios of one run: `python -m tests.benchmarks`. Prints Markdown.

A ratio compares two things measured side by side on the same machine, so it means something on
another one. No test asserts a time.
"""

import json
import subprocess
import sys
import timeit

import httpx

import skyl_nb as skyl
from skyl_nb.signal import weather_request
from tests.benchmarks import loopback

ROUNDS = 9


def best(function, number):
    """Return the least seconds that one call took, over several rounds."""
    return min(timeit.repeat(function, number=number, repeat=ROUNDS)) / number


def literal():
    """Build the OpenAI body of the same conversation by hand: the floor for an encoder."""
    return {
        "model": "gpt-5.6",
        "messages": [
            {"role": "user", "content": "What is the weather in Kampala?"},
            {
                "role": "assistant",
                "tool_calls": [
                    {
                        "id": "call_1",
                        "type": "function",
                        "function": {"name": "get_weather", "arguments": '{"city":"Kampala"}'},
                    }
                ],
            },
            {"role": "tool", "content": "error: no such city", "tool_call_id": "call_1"},
        ],
    }


def conversation(wire):
    request = weather_request(wire, skyl.tool_error_message("call_1", "no such city"), "call_1")
    return skyl.Request(model=request.model, messages=request.messages)


def encoders():
    floor = best(literal, 50_000)
    for name, wire in skyl.WIRES.items():
        request = conversation(name)
        took = best(lambda encode=wire.encode, request=request: encode(request), 50_000)
        yield f"encode, {name}", took, "the dict literal of the OpenAI body", floor


def import_time(statement):
    command = [sys.executable, "-c", statement]
    return best(lambda: subprocess.run(command, check=True), 1)


def imports():
    floor = import_time("import pydantic")
    for statement in ("import skyl_nb", "import skyl_nb; skyl_nb.WIRES"):
        yield statement, import_time(statement), "`import pydantic`", floor


def round_trips():
    payload = json.dumps(
        {"choices": [{"message": {"role": "assistant", "content": "x"}, "finish_reason": "stop"}]}
    ).encode()
    bare = httpx.Client(
        transport=httpx.MockTransport(lambda _: httpx.Response(200, content=payload))
    )
    body = json.dumps(literal()).encode()
    floor = best(lambda: bare.post("http://mock/v1/chat/completions", content=body), 500)
    for name in skyl.WIRES:
        client = skyl.sandbox_client(name)
        request = skyl.Request(
            model=conversation(name).model, messages=[skyl.user_text("Hello, who are you?")]
        )
        took = best(lambda client=client, request=request: client.complete(request), 500)
        yield f"sandbox round trip, {name}", took, "httpx with a bare MockTransport", floor


def main():
    print("| what | microseconds | of what | ratio |\n|---|---:|---|---:|")
    for rows in (encoders(), imports(), round_trips(), loopback.rows()):
        for what, took, of, floor in rows:
            print(f"| {what} | {took * 1e6:,.1f} | {of}: {floor * 1e6:,.1f} | {took / floor:.2f} |")


if __name__ == "__main__":
    main()
