"""Answers that are right though they look like no solution of ours, by the name of the exercise."""

import json
from concurrent.futures import ThreadPoolExecutor

import skyl_nb as skyl


def with_a_class(error):
    return "Error: " + type(error).__name__ + " " + str(error)


def as_json(error):
    return json.dumps({"error": repr(error)})


def in_small_letters(tool_name, error):
    why = str(error) or type(error).__name__
    return f"error in {tool_name}: {why}. Never call it again, and tell the user."


def as_json_with_advice(tool_name, error):
    advice = "do not retry, tell the user"
    return json.dumps({"error": f"{tool_name}: {error!r}", "advice": advice})


def sorted_first(calls, finished):
    pairs = zip(calls, sorted(finished), strict=True)
    return [skyl.ToolResult(call_id=call.id, content=text) for call, (_, text) in pairs]


def emptying_what_it_gets(calls, finished):
    results = [None] * len(calls)
    while finished:
        position, text = finished.pop()
        results[position] = skyl.ToolResult(call_id=calls[position].id, content=text)
    return tuple(results)


def at_once(calls, run):
    def one(call):
        try:
            return skyl.ToolResult(call_id=call.id, content=run(call))
        except OSError as error:
            text = f"error: {error}"
            return skyl.ToolResult(call_id=call.id, content=text, is_error=True)

    with ThreadPoolExecutor() as pool:
        return [skyl.Message(role="tool", parts=list(pool.map(one, calls)))]


def as_json_with_the_call(calls, run):
    results = []
    for call in calls:
        try:
            said = {"call": call.id, "result": run(call)}
        except ConnectionError as error:
            said = {"call": call.id, "error": str(error)}
        failed = "error" in said
        text = json.dumps(said)
        results.append(skyl.ToolResult(call_id=call.id, content=text, is_error=failed))
    return skyl.Message(role="tool", parts=results)


def with_the_city_before_it(calls, run):
    results = []
    for call in calls:
        city = json.loads(call.arguments)["city"]
        try:
            text = f"{city}: {run(call)}"
        except ConnectionError as error:
            text = f"ERROR: {city}: {error}"
        results.append(skyl.ToolResult(call_id=call.id, content=text))
    return (skyl.Message(role="tool", parts=results),)


def with_the_flag_where_it_belongs(calls, finished):
    texts = dict(finished)
    return [
        skyl.ToolResult(call_id=call.id, content=text, is_error=text.startswith("ERROR"))
        for call, text in zip(calls, map(texts.get, range(len(calls))), strict=True)
    ]


class Reporter:
    def report(self, tool_name, error):
        return skyl.portable_error(tool_name, error, "Do not retry. Ask the user to wait.")


GOOD = {
    "never-empty": [with_a_class, as_json, lambda error: f"ERROR {error!r}"],
    "portable-error": [
        in_small_letters,
        as_json_with_advice,
        skyl.portable_error,
        Reporter().report,
    ],
    "pair-by-position": [sorted_first, emptying_what_it_gets, with_the_flag_where_it_belongs],
    "answer-every-call": [at_once, as_json_with_the_call, with_the_city_before_it],
    "stop-the-retry-loop": [
        "error: get_weather is down. Don\u2019t call it again, tell the user.",
        '{"error": "get_weather is down", "advice": "never retry"}',
        "  Error! get_weather: HTTP 503. You must not try again.",
        "ERROR (get_weather): HTTP 503. Stop calling it, and say so.",
    ],
}
