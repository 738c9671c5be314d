"""Every golden case on every wire: bodies, paths, headers and replies are what skyl itself has."""

import pytest

from skyl_nb.errors import SkylError, UnsupportedError
from skyl_nb.wires import WIRES
from tests import golden

BODIES = [
    pytest.param(golden.cases("requests")[name], wire, mode, expected, id=f"{name}-{wire}-{mode}")
    for name, wires in golden.cases("bodies").items()
    for wire, modes in wires.items()
    for mode, expected in modes.items()
]
REPLIES = [
    pytest.param(wire, case, id=f"{wire}-{name}")
    for wire, cases in golden.cases("replies").items()
    for name, case in cases.items()
]
PATHS = [
    pytest.param(wire, case, id=f"{wire}-{case['model']}-{'stream' if case['stream'] else 'plain'}")
    for wire, cases in golden.cases("paths").items()
    for case in cases["paths"]
]


def test_no_golden_case_is_left_out():
    names = golden.cases("requests").keys()
    assert len(BODIES) == len(names) * len(WIRES) * 2 == 448
    assert golden.cases("bodies").keys() == names


@pytest.mark.parametrize(("case", "wire", "mode", "expected"), BODIES)
def test_body(case, wire, mode, expected):
    request = golden.request(case)
    if "refused" in expected:
        with pytest.raises(UnsupportedError) as refused:
            WIRES[wire].encode(request, stream=mode == "stream")
        assert refused.value.provider == wire
        assert "\n" not in refused.value.message
        return
    body = WIRES[wire].encode(request, stream=mode == "stream")
    assert exact(body) == exact(expected["body"])


@pytest.mark.parametrize(("wire", "case"), REPLIES)
def test_reply(wire, case):
    if "error" in case:
        with pytest.raises(SkylError) as refused:
            WIRES[wire].decode(case["payload"])
        assert (type(refused.value).__name__, refused.value.message) == (
            case["error"],
            case["message"],
        )
        return
    response = WIRES[wire].decode(case["payload"])
    expected = case["response"]
    assert response.provider == wire
    assert response.raw == case["payload"]
    assert (response.id, response.model, response.text) == (
        expected["id"],
        expected["model"],
        expected["text"],
    )
    assert response.stop_reason == expected["stop_reason"]
    assert response.usage.model_dump() == expected["usage"]
    assert [call.model_dump() for call in response.tool_calls] == expected["tool_calls"]


@pytest.mark.parametrize(("wire", "case"), PATHS)
def test_path(wire, case):
    assert WIRES[wire].path(case["model"], stream=case["stream"]) == case["path"]


@pytest.mark.parametrize("wire", WIRES)
def test_headers(wire):
    expected = golden.cases("paths")[wire]["headers"]
    assert lower(WIRES[wire].headers("KEY")) == lower(expected)


def test_a_compatible_host_may_need_no_key():
    assert WIRES["openaicompat"].headers("") == {}


def exact(value):
    """Return JSON to compare by `==`: 1 and 1.0 are one number there, but true is not 1."""
    if isinstance(value, bool):
        return repr(value)
    if isinstance(value, dict):
        return {key: exact(item) for key, item in value.items()}
    if isinstance(value, list):
        return [exact(item) for item in value]
    return value


def lower(headers):
    return {name.lower(): value for name, value in headers.items()}
