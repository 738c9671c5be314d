"""What survives, measured: against skyl's own table, golden bodies, and other clients' bodies."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonpointer import resolve_pointer

import skyl_nb as skyl
from skyl_nb.signal import tool_results, weather_request
from tests import golden
from tests.strategies import json_values, texts

WIRES = list(skyl.WIRES)

# What skyl's own adapters do (read in their source, 2026-11).
TABLE = {
    "anthropic": ("intact", "/messages/2/content/0/is_error", "intact"),
    "openai": ("prefixed", "/messages/2/content", "dropped"),
    "openaicompat": ("prefixed", "/messages/2/content", "dropped"),
    "gemini": ("dropped", "", "dropped"),
}


def test_the_survival_table_is_that_of_skyls_source():
    computed = {
        row.wire: (row.with_text.fate, row.with_text.pointer, row.when_empty.fate)
        for row in skyl.survival()
    }
    assert computed == TABLE
    assert list(computed) == WIRES


def golden_body(name, wire):
    return golden.cases("bodies")[name][wire]["complete"]["body"]


@pytest.mark.parametrize("wire", WIRES)
def test_the_golden_bodies_of_empty_results_tell_the_same(wire):
    failure, success = golden_body("failure-empty", wire), golden_body("success-empty", wire)
    assert skyl.compare_bodies(wire, failure, success).fate == TABLE[wire][2]


@pytest.mark.parametrize("wire", WIRES)
def test_the_results_in_a_body_are_given_as_they_stand_there(wire):
    body = golden_body("failure", wire)
    (result,) = tool_results(wire, body)
    place = {"anthropic": "/messages/2/content/0", "gemini": "/contents/2/parts/0"}
    assert result == resolve_pointer(body, place.get(wire, "/messages/2"))
    assert tool_results(wire, None) == []


@pytest.mark.parametrize("wire", ["openai", "openaicompat"])
def test_in_the_golden_bodies_a_success_can_look_like_a_failure(wire):
    failure = golden_body("failure", wire)
    success = golden_body("success-that-looks-like-a-failure", wire)
    assert skyl.compare_bodies(wire, failure, success).fate == "dropped"


@pytest.mark.parametrize("wire", WIRES)
def test_the_golden_failure_is_the_traced_failure(wire):
    body = golden_body("failure", wire)
    trace = skyl.trace_signal("no such city", wire)
    assert resolve_pointer(body, trace.result_pointer) == trace.failure


@given(texts, st.sampled_from(WIRES), st.sampled_from(["call_1", "get_weather", "ü/~"]))
def test_the_pointer_resolves_in_both_bodies(content, wire, call_id):
    trace = skyl.trace_signal(content, wire, call_id=call_id)
    bodies = [
        skyl.WIRES[wire].encode(weather_request(wire, build(call_id, content), call_id))
        for build in (skyl.tool_error_message, skyl.tool_result_message)
    ]
    failure, success = [resolve_pointer(body, trace.pointer) for body in bodies]
    if trace.fate == "dropped":
        assert trace.pointer == ""
        assert failure == success
    else:
        assert failure != success
    assert trace.fate == TABLE[wire][0 if content else 2]
    assert [resolve_pointer(body, trace.result_pointer) for body in bodies] == [
        trace.failure,
        trace.success,
    ]


def anthropic(**result):
    block = {"type": "tool_result", "tool_use_id": "a", "content": "x", **result}
    return {"messages": [{"role": "user", "content": [block]}]}


def openai(**result):
    return {"messages": [{"role": "tool", "tool_call_id": "a", "content": "x", **result}]}


def gemini(response, key="functionResponse", **fields):
    part = {key: {"name": "f", "response": response, **fields}}
    return {"contents": [{"role": "user", "parts": [part]}]}


# How other clients carry a failure, as nine libraries did on 2026-11-30.
OTHER_CLIENTS = [
    ("flag left out of a success", "anthropic", anthropic(is_error=True), anthropic(), "intact"),
    ("flag dropped", "anthropic", anthropic(), anthropic(), "dropped"),
    ("undeclared key", "openai", openai(is_error=True), openai(is_error=False), "intact"),
    ("prefix", "openai", openai(content="Error: x"), openai(), "prefixed"),
    ("wrapped", "openai", openai(content='{"error":"x"}'), openai(), "altered"),
    ("marker", "openai", openai(content="Error"), openai(content=""), "prefixed"),
    (
        "list of texts",
        "openai",
        openai(content=[{"type": "text", "text": "Error: x"}]),
        openai(content=[{"type": "text", "text": "x"}]),
        "prefixed",
    ),
    ("renamed key", "gemini", gemini({"error": "x"}), gemini({"output": "x"}), "altered"),
    (
        "prefix inside",
        "gemini",
        gemini({"result": "Error: x"}),
        gemini({"result": "x"}),
        "prefixed",
    ),
    (
        "flag beside",
        "gemini",
        gemini({"r": "x", "failed": True}),
        gemini({"r": "x", "failed": False}),
        "intact",
    ),
    (
        "status beside",
        "gemini",
        gemini({"r": "x", "status": "error"}),
        gemini({"r": "x", "status": "success"}),
        "intact",
    ),
    ("key beside", "gemini", gemini({"r": "x", "error": True}), gemini({"r": "x"}), "intact"),
    ("not an object", "gemini", gemini("x"), gemini({"r": "x"}), "altered"),
    (
        "snake case",
        "gemini",
        gemini({"r": "x"}, key="function_response"),
        gemini({"r": "x"}, key="function_response"),
        "dropped",
    ),
    (
        "beside the response",
        "gemini",
        gemini({"r": "x"}, failed=True),
        gemini({"r": "x"}),
        "intact",
    ),
    ("true is not 1", "openai", openai(is_error=True), openai(is_error=1), "intact"),
]


@pytest.mark.parametrize(
    ("wire", "failure", "success", "fate"),
    [pytest.param(*case[1:], id=case[0]) for case in OTHER_CLIENTS],
)
def test_bodies_of_other_clients(wire, failure, success, fate):
    trace = skyl.compare_bodies(wire, failure, success)
    assert trace.fate == fate
    resolve_pointer(failure, trace.pointer)


def test_new_ids_in_every_request_are_no_difference():
    call = {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "f"}}]}
    other = {"role": "assistant", "tool_calls": [{"id": "2", "function": {"name": "f"}}]}
    failure = {"messages": [call, *openai(tool_call_id="1")["messages"]]}
    success = {"messages": [other, *openai(tool_call_id="2")["messages"]]}
    assert skyl.compare_bodies("openai", failure, success).fate == "dropped"


def test_a_difference_outside_the_result_is_an_alteration():
    success = openai()
    failure = {"system": "the tool failed", **success}
    trace = skyl.compare_bodies("openai", failure, success)
    assert (trace.fate, trace.pointer) == ("altered", "/system")


def test_the_result_that_differs_is_the_one_that_is_traced():
    first, second = openai()["messages"], openai(content="y")["messages"]
    failing = openai(content="error: y")["messages"]
    trace = skyl.compare_bodies(
        "openai", {"messages": first + failing}, {"messages": first + second}
    )
    assert (trace.fate, trace.pointer, trace.prefix) == (
        "prefixed",
        "/messages/1/content",
        "error: ",
    )


def test_no_prefix_can_be_told_from_a_text_that_begins_so():
    failing = skyl.trace_signal("x", "openai").failure
    assert skyl.trace_signal("error: x", "openai").success == failing
    assert skyl.trace_signal("error: x", "anthropic").success != (
        skyl.trace_signal("x", "anthropic").failure
    )


def results(*pairs, wire="openai"):
    """A body with several results: (id, content) each."""
    if wire == "openai":
        return {"messages": [openai(tool_call_id=i, content=c)["messages"][0] for i, c in pairs]}
    blocks = [
        {"type": "tool_result", "tool_use_id": i, "content": c}
        if i
        else {"type": "text", "text": c}
        for i, c in pairs
    ]
    return {"messages": [{"role": "user", "content": blocks}]}


def test_results_in_another_order_are_paired_by_their_ids():
    failure = results(("a", "one"), ("b", "error: two"))
    success = results(("b", "two"), ("a", "one"))
    trace = skyl.compare_bodies("openai", failure, success)
    assert (trace.fate, trace.pointer) == ("prefixed", "/messages/1/content")
    same = skyl.compare_bodies(
        "openai", results(("a", "x"), ("b", "y")), results(("b", "y"), ("a", "x"))
    )
    assert same.fate == "dropped"


def test_a_result_that_one_body_lacks_is_an_alteration():
    both, one = results(("a", "x"), ("b", "y")), results(("a", "x"))
    assert skyl.compare_bodies("openai", both, one).fate == "altered"


def test_a_second_text_block_is_an_alteration():
    texts = [{"type": "text", "text": "x"}, {"type": "text", "text": "(failed)"}]
    trace = skyl.compare_bodies("anthropic", anthropic(content=texts), anthropic(content=texts[:1]))
    assert trace.fate == "altered"


def test_both_spellings_can_be_compared():
    failure = gemini({"error": "x"})
    success = gemini({"output": "x"}, key="function_response")
    assert skyl.compare_bodies("gemini", failure, success).fate == "altered"
    same = skyl.compare_bodies(
        "gemini", gemini({"r": "x"}), gemini({"r": "x"}, key="function_response")
    )
    assert same.fate == "dropped"


def test_one_object_for_a_list_and_null_leftovers_are_read():
    part = {
        "text": "note",
        "functionResponse": None,
        "function_response": {"name": "f", "response": {}},
    }
    body = {"contents": {"parts": part}}
    trace = skyl.compare_bodies("gemini", body, body)
    assert trace.result_pointer == "/contents/parts"
    assert trace.failure == {"function_response": {"name": "f", "response": {}}}


def test_an_odd_message_hides_no_result():
    failure = {"messages": ["odd", {"role": "user"}, *anthropic(is_error=True)["messages"]]}
    success = {"messages": ["odd", {"role": "user"}, *anthropic(is_error=False)["messages"]]}
    assert skyl.compare_bodies("anthropic", failure, success).fate == "intact"


@pytest.mark.parametrize("response", [5, "x", None, [], {"a": 1}])
@pytest.mark.parametrize("other", [5, "y", None, [], {"a": 2}])
def test_any_response_of_gemini_can_be_compared(response, other):
    trace = skyl.compare_bodies("gemini", gemini(response), gemini(other))
    assert trace.fate in ("altered", "dropped")
    odd = [{"contents": [{"parts": [{"functionResponse": one}]}]} for one in ("x", "y")]
    assert skyl.compare_bodies("gemini", *odd).fate == "altered"


@given(json_values, json_values)
def test_any_json_is_compared_or_refused(failure, success):
    for wire in WIRES:
        for body in (failure, {"messages": failure}, {"contents": failure}):
            try:
                skyl.compare_bodies(wire, body, success)
            except skyl.BadRequestError:
                continue


def test_a_body_that_holds_itself_is_refused():
    loop = openai()
    loop["self"] = loop
    other = openai()
    other["self"] = other
    with pytest.raises(skyl.BadRequestError, match="too deeply"):
        skyl.compare_bodies("openai", loop, other)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: skyl.trace_signal("x", "openrouter"), "use one of anthropic, openai"),
        (lambda: skyl.trace_signal("x", "gemini", call_id=""), "call_id is empty"),
        (lambda: skyl.trace_signal({"a": 1}, "gemini"), "json.dumps"),
        (lambda: skyl.compare_bodies("openai", {}, openai()), "the failing body holds no tool"),
        (lambda: skyl.compare_bodies("openai", openai(), gemini({})), "the succeeding body"),
        (lambda: skyl.compare_bodies("openai", None, openai()), "the failing body"),
        (lambda: skyl.compare_bodies("x", openai(), openai()), "unknown wire 'x'"),
        (lambda: skyl.compare_bodies([], openai(), openai()), "unknown wire []"),
    ],
)
def test_bad_input_is_one_sentence(call, words):
    with pytest.raises(skyl.BadRequestError) as refused:
        call()
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)
