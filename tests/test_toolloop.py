"""The tool loop against the sandbox, which refuses open calls and split results as providers do."""

import json
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

import skyl_nb as skyl
from skyl_nb.errors import SkylError
from skyl_nb.signal import WEATHER
from skyl_nb.toolloop import LONGEST_REASON
from tests.strategies import texts

ONE = "What is the weather in Kampala?"
TWO = "What is the weather in Kampala and in Nairobi?"
FOUR = "Weather in Kampala, Nairobi, Paris and London?"


def ask(client, prompt=ONE, **fields):
    return skyl.Request(
        model=client.model, messages=[skyl.user_text(prompt)], tools=[WEATHER], **fields
    )


def run(wire, tool, prompt=ONE, name="get_weather", **options):
    client = skyl.sandbox_client(wire)
    return skyl.run_tools(client, ask(client, prompt), {name: tool}, **options)


def results(done):
    return done.messages[2].tool_results


def raising(error):
    def tool(**_):
        raise error

    return tool


@pytest.fixture(params=skyl.WIRES)
def wire(request):
    return request.param


def test_it_ends_with_the_models_answer_and_the_whole_conversation(wire):
    done = run(wire, lambda city: f"22C in {city}")
    assert done.text == "The tool said: 22C in Kampala"
    assert [message.role for message in done.messages] == ["user", "assistant", "tool", "assistant"]
    assert done.messages[-1] == done.response.message
    assert [len(one.results) for one in done.rounds] == [1, 0]
    assert done.rounds[0].errors == (None,)


def test_without_a_call_it_asks_once(wire):
    done = run(wire, raising(AssertionError()), prompt="What is the capital of France?")
    assert (done.text, len(done.rounds)) == ("Paris", 1)


def test_two_calls_are_answered_in_one_message_in_call_order(wire):
    done = run(wire, lambda city: f"in {city}", TWO)
    assert [one.content for one in results(done)] == ["in Kampala", "in Nairobi"]
    assert len(done.messages) == 4


FAULTY = {
    "it raises": (raising(RuntimeError("HTTP 503")), "RuntimeError: HTTP 503"),
    "it raises without a text": (raising(TimeoutError()), "failed: TimeoutError."),
    "it leaves the program": (raising(SystemExit(2)), "SystemExit: 2"),
    "it stops an iteration": (raising(StopIteration()), "StopIteration"),
    "it takes no such argument": (lambda town: town, "missing a required argument: 'town'"),
    "it returns nothing": (lambda **_: None, "it returned NoneType"),
    "it returns a dict": (lambda city: {"city": city}, "it returned dict where a text is needed"),
    "it returns half a character": (lambda **_: "\ud800", "half a surrogate pair"),
    "it raises half a character": (raising(ValueError("\ud800")), r"ValueError: \ud800"),
    "it raises an endless text": (raising(ValueError("x" * 9_000)), "7,012 characters left out"),
}


async def later(city):
    return city


@pytest.mark.parametrize(
    ("tool", "words"), [*FAULTY.values(), (later, "async function")], ids=[*FAULTY, "it is async"]
)
def test_a_failure_is_reported_and_ends_the_loop_on_every_wire(tool, words, wire):
    done = run(wire, tool)
    (result,) = results(done)
    assert result.is_error
    assert result.content.startswith("ERROR: get_weather failed: ")
    assert words in result.content
    assert isinstance(done.rounds[0].errors[0], BaseException)
    assert "unavailable" in done.text
    assert len(done.rounds) == 2


def test_an_exception_that_cannot_say_what_it_is(wire):
    class MuteError(Exception):
        def __str__(self):
            raise RuntimeError("no words")

    assert "failed: MuteError." in results(run(wire, raising(MuteError())))[0].content


def test_an_unknown_tool_is_answered_with_the_names_there_are(wire):
    done = run(wire, str, name="get_rain")
    assert "there is no such tool" in results(done)[0].content
    assert "the tools there are: get_rain" in results(done)[0].content


def test_one_failure_of_two_leaves_the_other_result(wire):
    def tool(city):
        if city == "Kampala":
            raise TimeoutError
        return "19C"

    done = run(wire, tool, TWO)
    assert [one.is_error for one in results(done)] == [True, False]
    assert results(done)[1].content == "19C"


class Scripted:
    """A client whose model says what it is told to; it keeps the requests."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.requests = []
        self.model = "m"

    def complete(self, request):
        self.requests.append(request)
        skyl.validate(request)
        return skyl.Response(
            id="r", provider="openai", model="m", message=self.answers.pop(0),
            stop_reason=skyl.StopReason.end_turn, usage=skyl.Usage(), raw={},
        )  # fmt: skip


def calling(*calls):
    return skyl.Message(role=skyl.Role.assistant, parts=calls)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("{", "its arguments are no JSON"),
        ("[1]", "its arguments are no JSON object"),
        ("null", "its arguments are no JSON object"),
        ("[" * 100_000, "its arguments are no JSON"),
        ('{"town": "x"}', "its arguments do not fit"),
    ],
)
def test_bad_arguments_are_answered(arguments, words):
    call = skyl.ToolCall(id="c", name="get_weather", arguments=arguments)
    client = Scripted(calling(call), skyl.assistant_text("done"))
    done = skyl.run_tools(client, ask(client), {"get_weather": lambda city: city})
    assert words in results(done)[0].content
    assert "correct them" in results(done)[0].content


def test_empty_arguments_are_no_arguments():
    call = skyl.ToolCall(id="c", name="get_weather", arguments="")
    client = Scripted(calling(call), skyl.assistant_text("done"))
    done = skyl.run_tools(client, ask(client), {"get_weather": lambda: "22C"})
    assert results(done)[0].content == "22C"


def test_a_function_that_does_not_tell_its_parameters_is_called():
    call = skyl.ToolCall(id="c", name="get_weather", arguments='{"object": 1}')
    client = Scripted(calling(call), skyl.assistant_text("done"))
    done = skyl.run_tools(client, ask(client), {"get_weather": str})
    assert results(done)[0].content == "1"


def test_results_are_paired_by_position_where_ids_are_names():
    done = run("gemini", lambda city: city, TWO)
    assert [one.call_id for one in results(done)] == ["get_weather", "get_weather"]
    assert [one.content for one in results(done)] == ["Kampala", "Nairobi"]


def test_out_of_rounds_lists_the_calls_and_keeps_the_conversation(wire):
    with pytest.raises(skyl.ToolLoopError) as out:
        run(wire, lambda **_: "error: 503", max_rounds=3)
    error = out.value
    assert 'round 3: get_weather({"city":"Kampala"})' in str(error)
    assert len(error.rounds) == 3
    assert [message.role for message in error.messages] == ["user", *["assistant", "tool"] * 3]
    client = skyl.sandbox_client(wire)
    again = ask(client).model_copy(update={"messages": error.messages})
    assert client.complete(again).tool_calls


class SecretError(Exception):
    pass


@pytest.mark.parametrize("stop", [RuntimeError, SystemExit])
def test_an_error_that_cannot_say_what_it_is_is_reported_by_its_class(stop):
    class SilentError(Exception):
        def __str__(self):
            raise stop

    done = run("gemini", raising(SilentError()))
    assert "ERROR: get_weather failed: SilentError." in results(done)[0].content


def test_a_fatal_error_is_never_shown_to_the_model(wire):
    client = skyl.sandbox_client(wire)
    tool = raising(SecretError("password hunter2"))
    with pytest.raises(skyl.FatalToolError, match="get_weather") as fatal:
        skyl.run_tools(client, ask(client), {"get_weather": tool}, fatal=SecretError)
    assert isinstance(fatal.value.__cause__, SecretError)
    assert len(client.sandbox.journal) == 1
    assert "hunter2" not in json.dumps(client.sandbox.journal[0].request)
    assert fatal.value.messages == (skyl.user_text(ONE),)
    assert client.complete(ask(client).model_copy(update={"messages": fatal.value.messages}))


def test_what_ran_before_a_fatal_error_is_kept():
    def tool(city):
        if city == "Nairobi":
            raise SecretError
        return city

    with pytest.raises(skyl.FatalToolError) as fatal:
        run("openai", tool, TWO, fatal=[SecretError])
    assert [one.content for one in fatal.value.rounds[-1].results] == ["Kampala"]


def test_an_interrupt_answers_every_open_call(wire):
    def tool(city):
        if city == "Nairobi":
            raise KeyboardInterrupt
        return "22C"

    with pytest.raises(KeyboardInterrupt) as stop:
        run(wire, tool, FOUR)
    *_, tools = stop.value.messages
    assert [one.is_error for one in tools.tool_results] == [False, True, True, True]
    assert "it was interrupted" in tools.tool_results[3].content
    assert_can_be_sent_again(wire, stop.value.messages)


def test_an_interrupt_keeps_what_other_tools_have_finished(wire):
    """London still runs when Nairobi is interrupted, and Paris is done: it is not run again."""
    paris_is_done, over = threading.Event(), threading.Event()

    def tool(city):
        if city == "Nairobi":
            assert paris_is_done.wait(20)
            raise KeyboardInterrupt
        if city == "London":  # a thread of two takes it once it is done with Paris
            paris_is_done.set()
            assert over.wait(20)
        return city

    try:
        with pytest.raises(KeyboardInterrupt) as stop:
            run(wire, tool, FOUR, concurrency=2)
    finally:
        over.set()
    *_, tools = stop.value.messages
    assert [one.is_error for one in tools.tool_results] == [False, True, False, True]
    assert tools.tool_results[2].content == "Paris"
    assert_can_be_sent_again(wire, stop.value.messages)


def assert_can_be_sent_again(wire, messages):
    client = skyl.sandbox_client(wire)
    assert client.complete(ask(client).model_copy(update={"messages": messages}))


def test_an_interrupt_while_the_model_is_asked_keeps_the_conversation():
    class Stopping(Scripted):
        def complete(self, request):
            raise KeyboardInterrupt

    client = Stopping()
    with pytest.raises(skyl.ToolLoopInterrupt) as stop:
        skyl.run_tools(client, ask(client), {})
    assert stop.value.messages == (skyl.user_text(ONE),)


def test_tools_of_one_turn_may_run_at_once_and_keep_their_order(wire):
    together = threading.Barrier(4, timeout=20)

    def tool(city):
        together.wait()
        return city

    done = run(wire, tool, FOUR, concurrency=4)
    assert [one.content for one in results(done)] == ["Kampala", "Nairobi", "Paris", "London"]


def test_no_more_run_at_once_than_allowed():
    running, most, lock = set(), [], threading.Lock()

    def tool(city):
        with lock:
            running.add(city)
            most.append(len(running))
        with lock:
            running.discard(city)
        return city

    run("openai", tool, FOUR, concurrency=2)
    assert max(most) <= 2


def test_by_default_no_thread_is_started():
    main = threading.current_thread()
    seen = []
    run("openai", lambda city: seen.append(threading.current_thread()) or city, FOUR)
    assert set(seen) == {main}


@pytest.mark.parametrize("mode", ["required", "tool"])
def test_a_forced_choice_holds_for_the_first_round_alone(mode):
    call = skyl.ToolCall(id="c", name="get_weather", arguments='{"city":"x"}')
    client = Scripted(calling(call), skyl.assistant_text("done"))
    forced = skyl.ToolChoice(mode=mode, name="get_weather" if mode == "tool" else "")
    skyl.run_tools(client, ask(client, tool_choice=forced), {"get_weather": lambda city: city})
    assert [request.tool_choice for request in client.requests] == [forced, None]


def test_another_choice_stays():
    client = Scripted(skyl.assistant_text("done"))
    choice = skyl.ToolChoice(mode="none")
    skyl.run_tools(client, ask(client, tool_choice=choice), {})
    assert client.requests[0].tool_choice == choice


def test_what_the_provider_refuses_is_raised(wire):
    client = skyl.sandbox_client(wire)
    request = skyl.Request(model="no-such-model", messages=[skyl.user_text(ONE)])
    with pytest.raises(SkylError):
        skyl.run_tools(client, request, {})


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"tools": [str]}, "tools maps each name to a function"),
        ({"tools": {"get_weather": "no"}}, "is str, no function"),
        ({"tools": {7: str}}, "tools[7]"),
        ({"max_rounds": 0}, "max_rounds is a whole number, 1 or more"),
        ({"max_rounds": True}, "max_rounds is a whole number"),
        ({"concurrency": 5}, "concurrency is a whole number, 1 to 4"),
        ({"fatal": [ValueError("x")]}, "fatal holds exception classes"),
        ({"fatal": 3}, "fatal holds exception classes"),
        ({"request": None}, "a Request is needed"),
        ({"client": "openai"}, "client is str; make one with sandbox_client"),
        ({"client": None}, "client is NoneType"),
    ],
    ids=str,
)
def test_bad_arguments_of_ours_are_one_sentence(options, words):
    client = skyl.sandbox_client("openai")
    usual = {"client": client, "request": ask(client), "tools": {}}
    with pytest.raises(skyl.BadRequestError) as refused:
        skyl.run_tools(**usual | options)
    assert words in str(refused.value)
    assert not client.sandbox.journal


@given(st.text(min_size=1).filter(str.strip), texts)
def test_a_portable_error_is_never_empty_and_names_tool_and_advice(tool, reason):
    text = skyl.portable_error(tool, reason)
    assert text.startswith("ERROR: ")
    assert "Do not retry" in text
    text.encode()


@given(texts)
def test_a_portable_error_stops_the_model_on_every_wire(reason):
    for wire in skyl.WIRES:
        done = run(wire, raising(RuntimeError(reason)))
        assert len(done.rounds) == 2
        assert "unavailable" in done.text


def test_the_advice_can_be_another():
    text = skyl.portable_error("get_weather", ValueError("no city."), "Ask the user for the city.")
    assert text == "ERROR: get_weather failed: ValueError: no city. Ask the user for the city."


def test_a_portable_error_says_that_there_is_no_reason():
    assert "it gave no reason" in skyl.portable_error("t", "  ")


def test_a_long_reason_is_cut_and_says_so():
    text = skyl.portable_error("t", "x" * (LONGEST_REASON + 5))
    assert "5 characters left out" in text


@pytest.mark.parametrize("fields", [{"tool_name": " "}, {"tool_name": 3}, {"advice": ""}])
def test_a_portable_error_needs_a_name_and_an_advice(fields):
    with pytest.raises(skyl.BadRequestError, match="must be a text that is not blank"):
        skyl.portable_error(**{"tool_name": "t", "error": "e", **fields})
