import pytest
from pydantic import ValidationError

import skyl_nb as skyl
from tests import golden

VALIDATION = [pytest.param(case, id=name) for name, case in golden.cases("validation").items()]


@pytest.mark.parametrize("case", VALIDATION)
def test_validate_says_what_skyl_says(case):
    request = golden.request(case["request"])
    if case["message"] is None:
        skyl.validate(request)
        return
    with pytest.raises(skyl.BadRequestError) as refused:
        skyl.validate(request)
    assert refused.value.message == case["message"]
    assert refused.value.status == 0


def test_faults_are_found_in_skyls_order():
    good = skyl.user_text("x")
    tool = skyl.Tool(name="")
    choice = skyl.ToolChoice(mode="maybe")
    bad = {"model": "", "messages": [], "max_tokens": -1, "tools": [tool], "tool_choice": choice}
    mend = {"model": "m", "messages": [good], "max_tokens": 0, "tools": [], "tool_choice": None}
    said = []
    for field, value in mend.items():
        with pytest.raises(skyl.BadRequestError) as refused:
            skyl.validate(skyl.Request(**bad))
        said.append(refused.value.message)
        bad[field] = value
    skyl.validate(skyl.Request(**bad))
    assert said == [
        "model is required",
        "at least one message is required",
        "max tokens must not be negative",
        "tool 0 has no name",
        'unknown tool choice mode "maybe"',
    ]


def test_content_and_order_are_not_skyls_to_check():
    skyl.validate(skyl.Request(model="m", messages=[skyl.tool_error_message("x", "")]))


@pytest.mark.parametrize(
    "fields",
    [
        {"temperature": float("nan")},
        {"top_p": float("inf")},
        {"max_tokens": "100"},
        {"provider_options": {"a": {1, 2}}},
        {"provider_options": {"a": float("nan")}},
        {"messages": ["hello"]},
        {"stop": "END"},
        {"unknown": 1},
    ],
    ids=str,
)
def test_what_no_body_can_hold_cannot_be_built(fields):
    with pytest.raises(ValidationError):
        skyl.Request(**{"model": "m", "messages": [skyl.user_text("x")], **fields})


def test_what_a_caller_changes_later_does_not_change_the_request():
    options = {"a": [1]}
    messages = [skyl.user_text("x")]
    request = skyl.Request(model="m", messages=messages, provider_options=options)
    options["a"].append(2)
    messages.append(skyl.user_text("y"))
    assert request.provider_options == {"a": [1]}
    assert len(request.messages) == 1


def test_a_setting_given_later_is_seen():
    request = skyl.Request(model="m", messages=[skyl.user_text("x")])
    assert not request.has_settings
    assert request.model_copy(update={"system": "s"}).has_settings
    assert skyl.Request(model="m", messages=[], system="").has_settings
