"""Replies that are not as expected: one error that says so, never a traceback of ours."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skyl_nb import WIRES, Response, SkylError
from tests.strategies import json_values

SHAPES = [
    {},
    {"content": None},
    {"content": "text"},
    {"content": [{"type": "text"}]},
    {"content": [{"type": "tool_use", "id": 1, "name": "x"}]},
    {"choices": "x"},
    {"choices": [{}]},
    {"choices": [{"message": {"content": [1]}}]},
    {"choices": [{"message": {"tool_calls": [{"function": None}]}}]},
    {"candidates": [None]},
    {"candidates": [{"content": {"parts": ["x"]}}]},
    {"candidates": [{"content": {"parts": [{"functionCall": {}}]}}]},
]


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("payload", SHAPES, ids=str)
def test_an_odd_reply_is_one_error(wire, payload):
    try:
        assert isinstance(WIRES[wire].decode(payload), Response)
    except SkylError as error:
        assert error.provider == wire
        assert "\n" not in error.message


@given(
    st.sampled_from(sorted(WIRES)),
    st.dictionaries(
        st.sampled_from(
            ["content", "choices", "candidates", "usage", "usageMetadata", "promptFeedback", "id"]
        ),
        json_values,
    ),
)
def test_any_json_is_read_or_refused(wire, payload):
    try:
        WIRES[wire].decode(payload)
    except SkylError:
        pass
