"""What speed costs, as ratios of one run: `python -m tests.benchmarks`. Prints Markdown.

A ratio compares two things measured side by side on the same machine, so it means something on
another one. No test asserts a time.
"""

import json
import subprocess
import sys
import timeit
from functools import partial

import httpx

import skyl_nb as skyl
from skyl_nb.signal import weather_request
from tests.benchmarks import browser, loopback, memory, notebooks
from tests.sandbox.wire import KEYS, PATHS, SCHEMA
from tests.sandbox.wire import conversation as conversation_on

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


ROUND = [[("get_weather", {"city": "Kampala"}, "error: no such city", True)]]


def round_trips():
    """Post a tool conversation of three messages to the sandbox, and to a constant reply."""
    for mount, path in PATHS.items():
        tools = [("get_weather", SCHEMA)]
        payload = conversation_on(mount, "What is the weather?", tools=tools, rounds=ROUND)
        body, sandbox = json.dumps(payload).encode(), skyl.Sandbox()
        reply = sandbox.handle("POST", path, KEYS[mount], body)
        assert reply.status == 200, reply
        constant = httpx.MockTransport(
            lambda _, reply=reply: httpx.Response(200, headers=reply.headers, content=reply.body)
        )
        ours, bare = [
            partial(
                httpx.Client(transport=transport).post,
                f"http://sandbox{path}",
                content=body,
                headers=KEYS[mount],
            )
            for transport in (sandbox.transport(), constant)
        ]
        # By turns, so that what else the machine does weighs on both.
        both = [(best(ours, 100), best(bare, 100)) for _ in range(5)]
        took, floor = (min(column) for column in zip(*both, strict=True))
        yield f"sandbox round trip, {mount}", took, "httpx with a constant reply", floor


def main():
    print("| what | microseconds | of what | ratio |\n|---|---:|---|---:|")
    for rows in (encoders(), imports(), round_trips(), loopback.rows(), browser.rows()):
        for what, took, of, floor in rows:
            print(f"| {what} | {took * 1e6:,.1f} | {of}: {floor * 1e6:,.1f} | {took / floor:.2f} |")
    ours, bare = notebooks.suite()
    print("\n| what | seconds | of what | ratio |\n|---|---:|---|---:|")
    print(f"| the notebooks as tests | {ours:.1f} | bare kernels: {bare:.1f} | {ours / bare:.2f} |")
    few, many = memory.measured()
    print("\n| what | MiB | of what | ratio |\n|---|---:|---|---:|")
    print(
        f"| held after {memory.MANY:,} requests, the last 1,000 in the journal "
        f"| {many / 2**20:.1f} | after {memory.FEW:,}: {few / 2**20:.1f} | {many / few:.2f} |"
    )


if __name__ == "__main__":
    main()
