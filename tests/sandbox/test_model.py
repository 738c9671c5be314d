"""The rule sheet, rule by rule, on every mount: the model may know only what the wire carries."""

import json
from typing import Any

import pytest

from skyl_nb.sandbox import Reply, Sandbox
from skyl_nb.sandbox.model import Choice, Result, Tool, ToolUse, View, answer
from tests.sandbox.wire import (
    MOUNTS,
    SCHEMA,
    a,
    answers,
    asks,
    assistant,
    calls,
    calls_of,
    claude,
    conversation,
    gemini,
    gpt,
    read,
    result,
    send,
    t,
    text,
    text_of,
    u,
    use,
    user,
)

WEATHER = ("get_weather", SCHEMA)
TIDE = ("find_tide_table", {"type": "object", "properties": {"harbour": {"type": "string"}}})
KAMPALA = {"city": "Kampala"}

every_mount = pytest.mark.parametrize("mount", MOUNTS)


def ask(mount: str, prompt: str, tools: Any = (WEATHER,), choice: Any = None) -> Reply:
    return send(mount, conversation(mount, prompt, tools=tools, choice=choice))


def tell(mount: str, *contents: str, tools: Any = (WEATHER,), choice: Any = None) -> Reply:
    """Answer one call of get_weather for each content, which says by itself whether it failed."""
    cities = ("Kampala", "Nairobi", "Paris")
    one = [("get_weather", {"city": c}, said) for c, said in zip(cities, contents, strict=False)]
    return send(mount, conversation(mount, "weather?", tools=tools, choice=choice, rounds=[one]))


# Rule 1: no results


@every_mount
@pytest.mark.parametrize("prompt", ["What is the capital of France?", "the  CAPITAL of\nFrance"])
def test_1_the_capital_of_france_is_exactly_paris(mount: str, prompt: str) -> None:
    assert text_of(mount, ask(mount, prompt)) == "Paris"


@every_mount
@pytest.mark.parametrize(
    "prompt",
    [
        "What is the weather in Kampala?",
        "WEATHER: Kampala",
        "the weather's fine?",
        "use get_weather",
    ],
)
def test_1_a_prompt_that_names_the_tool_calls_it(mount: str, prompt: str) -> None:
    assert calls_of(mount, ask(mount, prompt)) == [("get_weather", KAMPALA)]


@every_mount
@pytest.mark.parametrize("prompt", ["get me a beer", "hello", "the weatherman", "get_weather_now"])
def test_1_other_prompts_are_answered_in_text(mount: str, prompt: str) -> None:
    reply = ask(mount, prompt)
    assert calls_of(mount, reply) == []
    assert "rule sheet" in text_of(mount, reply)


@every_mount
def test_1_each_city_gives_a_call_of_its_own_in_order(mount: str) -> None:
    reply = ask(mount, "weather in Lima, tokyo, Lima and London")
    cities = [arguments["city"] for _, arguments in calls_of(mount, reply)]
    assert cities == ["Lima", "Tokyo", "London"]


@every_mount
def test_1_without_a_place_for_a_city_there_is_one_call(mount: str) -> None:
    tools = [("get_weather", {"type": "object", "properties": {}})]
    assert calls_of(mount, ask(mount, "weather in Lima and Tokyo", tools)) == [("get_weather", {})]


@every_mount
def test_1_only_a_city_that_the_schema_allows_is_asked_for(mount: str) -> None:
    tools = [("get_weather", {"properties": {"city": {"enum": ["LIMA"]}}, "required": ["city"]})]
    made = calls_of(mount, ask(mount, "weather in Tokyo and Lima", tools))
    assert made == [("get_weather", {"city": "LIMA"})]


@every_mount
def test_1_the_whole_name_goes_before_a_word_of_another(mount: str) -> None:
    tools = [WEATHER, ("weather_v2", SCHEMA)]
    made = calls_of(mount, ask(mount, "the weather, by weather_v2, in Lima", tools))
    assert made == [("weather_v2", {"city": "Lima"})]


@every_mount
def test_1_none_is_obeyed(mount: str) -> None:
    reply = ask(mount, "weather in Lima", choice="none")
    assert calls_of(mount, reply) == []
    assert text_of(mount, reply)


@every_mount
@pytest.mark.parametrize(
    ("prompt", "tool"), [("hello", "get_weather"), ("the tide?", "find_tide_table")]
)
def test_1_required_takes_the_tool_that_is_named_else_the_first(
    mount: str, prompt: str, tool: str
) -> None:
    made = calls_of(mount, ask(mount, prompt, [WEATHER, TIDE], "required"))
    assert [name for name, _ in made] == [tool]


@every_mount
def test_1_a_forced_tool_is_called_whatever_the_prompt_names(mount: str) -> None:
    made = calls_of(mount, ask(mount, "weather in Lima", [WEATHER, TIDE], "find_tide_table"))
    assert made == [("find_tide_table", {"harbour": "Lima"})]


@every_mount
@pytest.mark.parametrize("choice", ["required", "get_weather"])
def test_1_a_choice_without_tools_calls_nothing(mount: str, choice: str) -> None:
    assert calls_of(mount, ask(mount, "hello", [], choice)) == []


@every_mount
def test_1_after_a_finished_round_the_last_user_text_is_the_prompt(mount: str) -> None:
    sent = conversation(
        mount, "weather?", tools=[WEATHER], rounds=[[("get_weather", KAMPALA, "error: down")]]
    )
    more = {"anthropic": user("hello"), "gemini": asks("hello")}.get(mount, u("hello"))
    sent["contents" if mount == "gemini" else "messages"].append(more)
    assert "rule sheet" in text_of(mount, send(mount, sent))


@every_mount
def test_1_arguments_satisfy_google_s_schema_too(mount: str) -> None:
    schema = {
        "type": "OBJECT",
        "properties": {"city": {"type": "STRING"}, "units": {"type": "STRING", "enum": ["metric"]}},
        "required": ["units"],
    }
    made = calls_of(mount, ask(mount, "weather in Lima", [("get_weather", schema)]))
    assert made == [("get_weather", {"units": "metric", "city": "Lima"})]


@pytest.mark.parametrize("name", ["parametersJsonSchema", "parameters_json_schema", "parameters"])
@pytest.mark.parametrize("declared", ["functionDeclarations", "function_declarations"])
def test_1_gemini_takes_every_spelling_of_the_parameters(name: str, declared: str) -> None:
    tools = [{declared: [{"name": "get_weather", name: SCHEMA}]}]
    reply = send("gemini", gemini(asks("weather in Lima"), tools=tools))
    assert calls_of("gemini", reply) == [("get_weather", {"city": "Lima"})]


@pytest.mark.parametrize(
    "config",
    [
        {
            "tool_config": {
                "function_calling_config": {"mode": "any", "allowed_function_names": "b_"}
            }
        },
        {"toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["b_"]}}},
    ],
)
def test_1_gemini_takes_every_spelling_of_the_choice(config: Any) -> None:
    tools = [{"functionDeclarations": [{"name": "a_"}, {"name": "b_"}]}]
    reply = send("gemini", gemini(asks("hello"), tools=tools, **config))
    assert calls_of("gemini", reply) == [("b_", {})]


@pytest.mark.parametrize("mode", ["auto", "required"])
def test_1_openai_takes_allowed_tools(mode: str) -> None:
    allowed = [{"type": "function", "function": {"name": "find_tide_table"}}]
    choice = {"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": allowed}}
    sent = conversation("openai", "weather", tools=[WEATHER, TIDE])
    made = calls_of("openai", send("openai", {**sent, "tool_choice": choice}))
    assert made == ([] if mode == "auto" else [("find_tide_table", {})])


def test_1_a_tool_that_the_provider_runs_is_not_called() -> None:
    tools = [{"type": "web_search_20260101", "name": "web_search"}]
    reply = send("anthropic", claude(user("search the web"), tools=tools))
    assert calls_of("anthropic", reply) == []


@pytest.mark.parametrize("tools", [[{}], [{"name": ""}], [{"name": None}], [None], "tools", 5, {}])
@pytest.mark.parametrize("mount", MOUNTS)
def test_1_tools_of_a_wrong_shape_are_refused_or_no_tools(mount: str, tools: Any) -> None:
    sent = {**conversation(mount, "hello"), "tools": tools}
    reply = send(mount, sent)
    assert reply.status in (200, 400)
    assert reply.status == 400 or calls_of(mount, reply) == []


# Rule 2: what has failed


@pytest.mark.parametrize(
    ("said", "failed"),
    [
        ("error: down", True),
        ("  \n Error", True),
        ("ERRORS happen", True),
        ('{"error": "x"}', True),
        ('{"error": ""}', True),
        ('{"error": null}', False),
        ('{"result": {"error": "x"}}', False),
        ('["error"]', False),
        ("no error", False),
        ("{error", False),
        ("[" * 100_000, False),
    ],
    ids=lambda value: str(value)[:30],
)
@every_mount
def test_2_a_text_may_say_that_the_tool_failed(mount: str, said: str, *, failed: bool) -> None:
    made = calls_of(mount, tell(mount, said))
    assert made == ([("get_weather", KAMPALA)] if failed else [])


@pytest.mark.parametrize("mount", ["anthropic", "gemini"])
def test_2_a_field_of_the_wire_may_say_that_the_tool_failed(mount: str) -> None:
    one = [("get_weather", KAMPALA, "no such city", True)]
    sent = conversation(mount, "weather?", tools=[WEATHER], rounds=[one])
    assert calls_of(mount, send(mount, sent)) == [("get_weather", KAMPALA)]


def test_2_openai_has_no_such_field_so_the_same_failure_is_a_success() -> None:
    assert text_of("openai", tell("openai", "no such city")) == "The tool said: no such city"


@pytest.mark.parametrize("flag", [None, False])
def test_2_only_a_true_flag_counts(flag: Any) -> None:
    sent = claude(user("?"), assistant(use("c")), user(result("c", "12", is_error=flag)))
    assert text_of("anthropic", send("anthropic", sent)) == "The tool said: 12"


@pytest.mark.parametrize(
    ("response", "said"),
    [
        ({"content": "12"}, "12"),
        ({"output": "12"}, "12"),
        ({"content": "12", "output": "13"}, "12"),
        ({"content": None, "output": "13"}, "13"),
        ({"result": "12"}, '{"result":"12"}'),
        ({"content": {"a": "\u00fc"}}, '{"a":"\u00fc"}'),
        ({"content": [1, 2]}, "[1,2]"),
        ({"output": 0}, "0"),
        ({"output": False}, "false"),
        ({"error": None, "output": "12"}, "12"),
    ],
    ids=str,
)
def test_2_where_gemini_s_text_stands(response: Any, said: str) -> None:
    reply = send("gemini", gemini(asks(), calls("tide"), answers("tide", **response)))
    assert text_of("gemini", reply) == f"The tool said: {said}"


@pytest.mark.parametrize("response", [{}, None, {"content": ""}, {"content": {}}, {"output": []}])
def test_2_where_gemini_has_no_text(response: Any) -> None:
    turn = {"role": "user", "parts": [{"functionResponse": {"name": "tide", "response": response}}]}
    reply = send("gemini", gemini(asks(), calls("tide"), turn))
    assert "made up" in text_of("gemini", reply)


def test_2_texts_beside_results_do_not_matter() -> None:
    beside = claude(user("?"), assistant(use("c")), user(result("c", "12"), "tide tide tide"))
    assert text_of("anthropic", send("anthropic", beside)) == "The tool said: 12"
    parts = [*answers("tide", output="12")["parts"], {"text": "tide tide"}]
    told = gemini(asks(), calls("tide"), {"role": "user", "parts": parts})
    assert text_of("gemini", send("gemini", told)) == "The tool said: 12"


def test_2_results_spread_over_messages_are_one_round() -> None:
    turns = user(result("a", "error: x")), user(result("b", "12"))
    sent = claude(user("?"), assistant(use("a"), use("b", input={"n": 1})), *turns)
    assert calls_of("anthropic", send("anthropic", sent)) == [("tide", {})]


# Rule 3: successes


@every_mount
def test_3_successes_are_quoted_to_the_letter(mount: str) -> None:
    said = ["22C \u00fc \U0001f600 {x} %s", "19C\n<b>"]
    reply = tell(mount, *said)
    assert calls_of(mount, reply) == []
    assert all(f"The tool said: {one}" in text_of(mount, reply) for one in said)


@every_mount
@pytest.mark.parametrize("nothing", ["", "  \n"])
def test_3_an_empty_success_is_made_up(mount: str, nothing: str) -> None:
    reply = tell(mount, nothing)
    assert "made up" in text_of(mount, reply)
    assert "The tool said" not in text_of(mount, reply)


@every_mount
def test_3_an_empty_success_beside_a_full_one(mount: str) -> None:
    said = text_of(mount, tell(mount, "", "19C"))
    assert "made up" in said
    assert "The tool said: 19C" in said


def test_3_the_texts_of_one_result_are_read_together() -> None:
    content = [text("22C"), text("sunny")]
    sent = claude(user("?"), assistant(use("c")), user(result("c", content)))
    assert text_of("anthropic", send("anthropic", sent)) == "The tool said: 22C\nsunny"
    told = gpt(u(), a("c"), t("c", content))
    assert text_of("openai", send("openai", told)) == "The tool said: 22C\nsunny"


# Rule 4: stop

STOP = [
    "do not retry",
    "Do NOT call this tool again",
    "do  not\ntry",
    "don't retry",
    "don\u2019t retry",
    "don\u2018t call",
    "don\u02bct try",
    "don`t retry",
    "You must not call it",
    "never retry this",
    "Stop calling the tool.",
    "Do not retry. It takes more than a day.",
    "do not retry; that needs more than patience",
]
GO_ON = [
    "no such city",
    "do not worry",
    "you may retry",
    "never mind",
    "do not retry more than twice",
    "Don't call this more than 3 times.",
    "never try it more than once",
    "do not country",
    "do not retrying",
    "undo not retry",
    "stop. calling is fine",
]


@every_mount
@pytest.mark.parametrize("words", STOP)
def test_4_words_that_forbid_another_attempt_end_it(mount: str, words: str) -> None:
    reply = tell(mount, f"error: {words}")
    assert calls_of(mount, reply) == []
    assert "unavailable" in text_of(mount, reply)


@every_mount
@pytest.mark.parametrize("words", GO_ON)
def test_4_other_words_do_not(mount: str, words: str) -> None:
    assert calls_of(mount, tell(mount, f"error: {words}")) == [("get_weather", KAMPALA)]


@every_mount
def test_4_words_inside_json_count_also_if_they_are_escaped(mount: str) -> None:
    said = json.dumps({"error": "down", "advice": ["don\u2019t\nretry"]})
    assert "\\u2019" in said
    assert "unavailable" in text_of(mount, tell(mount, said))


@every_mount
def test_4_sentences_inside_json_are_kept_apart(mount: str) -> None:
    said = json.dumps({"error": "do not retry", "note": "more than full"})
    assert "unavailable" in text_of(mount, tell(mount, said))


@every_mount
def test_4_the_words_mean_nothing_in_a_success(mount: str) -> None:
    assert text_of(mount, tell(mount, "do not retry")) == "The tool said: do not retry"


@every_mount
def test_4_a_tool_that_is_no_longer_declared_ends_it(mount: str) -> None:
    reply = tell(mount, "error: down", tools=[TIDE])
    assert calls_of(mount, reply) == []
    assert "unavailable" in text_of(mount, reply)


@every_mount
def test_4_one_failure_that_forbids_ends_it_for_all_and_successes_are_still_told(
    mount: str,
) -> None:
    reply = tell(mount, "22C", "error: do not retry", "error: down")
    assert calls_of(mount, reply) == []
    assert "The tool said: 22C" in text_of(mount, reply)
    assert "unavailable" in text_of(mount, reply)


# Rule 5: again


@every_mount
def test_5_only_the_failed_ones_are_called_again_with_their_arguments(mount: str) -> None:
    made = calls_of(mount, tell(mount, "error: x", "22C", "error: y"))
    assert made == [("get_weather", KAMPALA), ("get_weather", {"city": "Paris"})]


@every_mount
@pytest.mark.parametrize("choice", ["required", "find_tide_table"])
def test_5_a_forced_choice_changes_nothing_after_results(mount: str, choice: str) -> None:
    told = tell(mount, "22C", tools=[WEATHER, TIDE], choice=choice)
    assert text_of(mount, told) == "The tool said: 22C"
    again = tell(mount, "error: x", tools=[WEATHER, TIDE], choice=choice)
    assert calls_of(mount, again) == [("get_weather", KAMPALA)]


@every_mount
def test_5_none_is_obeyed_after_results(mount: str) -> None:
    reply = tell(mount, "error: x", choice="none")
    assert calls_of(mount, reply) == []
    assert "unavailable" in text_of(mount, reply)


def test_5_openai_repeats_arguments_to_the_letter() -> None:
    turn = a("c1")
    turn["tool_calls"][0]["function"]["arguments"] = '{ "city" : 1.0 '
    reply = send("openai", gpt(u(), turn, t("c1", "error: bad arguments")))
    call = read(reply)["choices"][0]["message"]["tool_calls"][0]
    assert call["function"]["arguments"] == '{ "city" : 1.0 '


def test_5_gemini_pairs_by_name_in_order_and_by_id_where_there_are_ids() -> None:
    def turn(role: str, key: str, *parts: dict[str, Any]) -> dict[str, Any]:
        return {"role": role, "parts": [{key: part} for part in parts]}

    called = turn(
        "model",
        "functionCall",
        {"name": "tide", "args": {"n": 1}, "id": "one"},
        {"name": "tide", "args": {"n": 2}, "id": "two"},
    )
    said = (
        {"name": "tide", "response": {"error": "x"}},
        {"name": "tide", "response": {"output": "y"}},
    )
    by_order = gemini(asks(), called, turn("user", "functionResponse", *said))
    assert calls_of("gemini", send("gemini", by_order)) == [("tide", {"n": 1})]
    named = ({**said[0], "id": "two"}, {**said[1], "id": "one"})
    by_id = gemini(asks(), called, turn("user", "functionResponse", *named))
    assert calls_of("gemini", send("gemini", by_id)) == [("tide", {"n": 2})]


def _ids(mount: str, reply: Reply) -> list[str]:
    said = read(reply)
    if mount == "anthropic":
        return [block["id"] for block in said["content"]]
    return [call["id"] for call in said["choices"][0]["message"]["tool_calls"]]


@pytest.mark.parametrize("mount", ["anthropic", "openai", "compat"])
def test_5_ids_are_new_in_every_round_for_ever(mount: str) -> None:
    seen: list[str] = []
    rounds: list[Any] = []
    for _ in range(12):
        sent = conversation(mount, "weather in Lima and Tokyo", tools=[WEATHER], rounds=rounds)
        reply = send(mount, sent)
        seen += _ids(mount, reply)
        made = calls_of(mount, reply)
        rounds.append([(name, arguments, "error: down") for name, arguments in made])
    assert len(seen) == len(set(seen)) == 24
    prefix = "toolu_" if mount == "anthropic" else "call_"
    assert all(one.startswith(prefix) and one.removeprefix(prefix).isalnum() for one in seen)


def test_5_gemini_gives_no_ids() -> None:
    call = read(ask("gemini", "weather"))["candidates"][0]["content"]["parts"][0]["functionCall"]
    assert set(call) == {"name", "args"}


# The same request gets the same bytes


@every_mount
def test_the_same_request_gets_the_same_bytes(mount: str) -> None:
    sent = conversation(mount, "weather in Lima", tools=[WEATHER])
    spaced = json.dumps(dict(reversed(sent.items())), indent=3).encode()
    one, other, third = send(mount, sent), send(mount, sent), send(mount, spaced)
    assert one == other == third
    assert send(mount, conversation(mount, "weather in Paris", tools=[WEATHER])).body != one.body


@every_mount
def test_the_sheet_itself_needs_no_wire(mount: str) -> None:
    tool = Tool("get_weather", SCHEMA)
    call = ToolUse("get_weather", '{"city":"Lima"}')
    assert answer(View("weather in Lima", (tool,))).calls == (call,)
    assert answer(View("weather", (tool,), Choice("none"))).calls == ()
    assert answer(View("", (tool,), results=(Result(call, "x", failed=True),))).calls == (call,)
    assert answer(View("", (), results=(Result(call, "x", failed=True),))).calls == ()


def test_the_sheet_can_be_printed() -> None:
    said = Sandbox().rules()
    assert all(f"\n{number}. " in said for number in range(1, 6))
    assert "not a language model" in said
    assert "unavailable" in said
    assert "made up" in said


# What it did, as the journal and `explain` tell it


@every_mount
@pytest.mark.parametrize(
    ("contents", "acts"),
    [
        (["22C"], ("quotes",)),
        ([""], ("makes-up",)),
        (["error: 503"], ("calls-again",)),
        (["error: 503. Do not retry."], ("gives-up",)),
        (["22C", ""], ("quotes", "makes-up")),
        (["22C", "error: do not retry"], ("quotes", "gives-up")),
        (["22C", "19C"], ("quotes",)),
    ],
    ids=str,
)
def test_what_the_model_did_is_known_beside_what_it_said(
    mount: str, contents: list[str], acts: tuple[str, ...]
) -> None:
    sandbox = Sandbox()
    cities = ("Kampala", "Nairobi")
    round_ = [("get_weather", {"city": c}, t) for c, t in zip(cities, contents, strict=False)]
    body = conversation(mount, "weather?", tools=(WEATHER,), rounds=[round_])
    reply = send(mount, body, sandbox)
    assert reply.acts == sandbox.journal[-1].acts == acts
    said = sandbox.explain(reply).text
    assert said.count("The model") == len(acts)


@every_mount
def test_without_results_it_calls_or_answers(mount: str) -> None:
    assert ask(mount, "weather?").acts == ("calls",)
    assert ask(mount, "hello").acts == ("answers",)
    assert send(mount, {}).acts == ()
