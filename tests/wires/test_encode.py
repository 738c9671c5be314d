"""Encoding beyond the golden cases: any request is written or refused, and nothing is changed."""

import json
from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skyl_nb import WIRES, BadRequestError, Request, UnsupportedError, validate
from skyl_nb.conversation import Message, ToolCall, tool_result_message, user_text
from skyl_nb.request import Tool
from tests.strategies import requests

HUGE = "9" * 5000


@given(requests(), st.sampled_from(sorted(WIRES)), st.booleans())
def test_any_valid_request_is_written_or_refused_with_a_reason(request, wire, stream):
    try:
        validate(request)
    except BadRequestError:
        return
    before = request.model_dump()
    try:
        body = WIRES[wire].encode(request, stream=stream)
    except UnsupportedError as error:
        assert len(error.message) > 10
        assert "\n" not in error.message
    else:
        json.loads(json.dumps(body, allow_nan=False))
    assert request.model_dump() == before


@given(requests(), st.sampled_from(sorted(WIRES)))
def test_a_body_shares_nothing_with_its_request(request, wire):
    try:
        validate(request)
        body = WIRES[wire].encode(request)
    except (BadRequestError, UnsupportedError):
        return
    before = deepcopy(request)
    spoil(body)
    assert request == before


def spoil(value):
    """Change everything that can be changed, from the inside out."""
    if isinstance(value, dict):
        for item in value.values():
            spoil(item)
        value["spoiled"] = True
    elif isinstance(value, list):
        for item in value:
            spoil(item)
        value.append("spoiled")


def asking(arguments):
    call = Message(role="assistant", parts=[ToolCall(id="c", name="f", arguments=arguments)])
    return Request(model="m", messages=[user_text("x"), call, tool_result_message("c", "y")])


@pytest.mark.parametrize("wire", ["anthropic", "gemini"])
@pytest.mark.parametrize(
    "arguments",
    ["{", "nil", "NaN", '{"a":Infinity}', "[1,]", "1e999", HUGE, "[" * 500 + "]" * 500, "\ufeff{}"],
    ids=["open", "word", "nan", "infinity", "comma", "exponent", "digits", "deep", "bom"],
)
def test_arguments_that_no_body_can_carry(wire, arguments):
    with pytest.raises(UnsupportedError, match=r"message 1: .*arguments are not valid JSON"):
        WIRES[wire].encode(asking(arguments))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("9007199254740993", 9007199254740992),
        ("1e20", 100000000000000000000),
        ("1e21", 1e21),
        ("-0.0", 0),
        ("0.1", 0.1),
        ('{"a":[1.0,{"b":2.50}]}', {"a": [1, {"b": 2.5}]}),
        ('"text"', "text"),
        ("true", True),
    ],
)
def test_arguments_pass_through_a_64_bit_float_on_anthropic(arguments, expected):
    body = WIRES["anthropic"].encode(asking(arguments))
    sent = body["messages"][1]["content"][0]["input"]
    assert json.dumps(sent) == json.dumps(expected)


def test_a_lone_surrogate_in_arguments_stays_an_escape_on_gemini():
    body = WIRES["gemini"].encode(asking(r'{"a":"\ud83d"}'))
    assert r"\ud83d" in json.dumps(body)


@pytest.mark.parametrize("key", ["a.b", "a*", "?", "a|b", "#", "@x", "a:b", "a\\b", ""])
def test_anthropic_refuses_options_that_its_sdk_would_read_as_a_path(key):
    request = Request(model="m", messages=[user_text("x")], provider_options={key: 1})
    with pytest.raises(UnsupportedError, match="provider option"):
        WIRES["anthropic"].encode(request)
    assert WIRES["openai"].encode(request)[key] == 1


def test_options_can_end_a_stream_on_openai_and_not_on_anthropic():
    request = Request(model="m", messages=[user_text("x")], provider_options={"stream": False})
    assert WIRES["openai"].encode(request, stream=True)["stream"] is False
    assert WIRES["anthropic"].encode(request, stream=True)["stream"] is True


def test_anthropic_refuses_a_long_answer_without_a_stream():
    request = Request(model="m", messages=[user_text("x")], max_tokens=21334)
    with pytest.raises(UnsupportedError, match="21333"):
        WIRES["anthropic"].encode(request)
    assert WIRES["anthropic"].encode(request, stream=True)["max_tokens"] == 21334


@pytest.mark.parametrize(
    ("parameters", "schema"),
    [
        ({"type": "array"}, {"type": "object", "properties": {}}),
        ({"required": ["a", 1]}, {"type": "object", "properties": {}}),
        ({"required": "a"}, {"type": "object", "properties": {}}),
        ({"required": ["a"]}, {"type": "object", "properties": {}, "required": ["a"]}),
        ({"title": "T"}, {"type": "object", "properties": {}, "title": "T"}),
    ],
)
def test_anthropic_rebuilds_a_tools_schema(parameters, schema):
    tool = Tool(name="f", parameters=parameters)
    request = Request(model="m", messages=[user_text("x")], tools=[tool])
    assert WIRES["anthropic"].encode(request)["tools"][0]["input_schema"] == schema
    assert tool.parameters == parameters
