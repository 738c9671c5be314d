import pickle

import pytest
from pydantic import ValidationError

import skyl_nb as skyl


def test_constructors_build_what_skyl_builds():
    assert skyl.user_text("hi") == skyl.Message(role="user", parts=[skyl.Text(text="hi")])
    assert skyl.assistant_text("hi").role == skyl.Role.assistant
    image = skyl.user_image("image/png", b"\x89PNG", "a cat")
    assert [type(part) for part in image.parts] == [skyl.Image, skyl.Text]
    assert len(skyl.user_image("image/png", b"\x89PNG").parts) == 1


def test_a_failure_and_a_success_differ_in_is_error_alone():
    failure = skyl.tool_error_message("call_1", "x").model_dump()
    success = skyl.tool_result_message("call_1", "x").model_dump()
    assert failure.pop("parts") == ({"call_id": "call_1", "content": "x", "is_error": True},)
    assert success.pop("parts")[0]["is_error"] is False
    assert failure == success


def test_text_calls_and_results_are_read_in_order():
    message = skyl.Message(
        role="assistant",
        parts=[
            skyl.Text(text="a"),
            skyl.ToolCall(id="1", name="f"),
            skyl.Text(text="b"),
            skyl.ToolCall(id="2", name="g"),
        ],
    )
    assert message.text == "ab"
    assert [call.id for call in message.tool_calls] == ["1", "2"]
    assert message.tool_results == ()
    assert message.tool_calls[0].arguments == "{}"


def test_values_are_frozen_and_take_no_unknown_field():
    text = skyl.Text(text="a")
    with pytest.raises(ValidationError):
        text.text = "b"
    with pytest.raises(ValidationError):
        skyl.Text(text="a", colour="red")
    with pytest.raises(TypeError):
        skyl.Text("a")


def test_a_wrong_role_can_be_built_and_a_known_one_is_a_role():
    assert skyl.Message(role="system", parts=[]).role == "system"
    assert skyl.Message(role="tool", parts=[]).role is skyl.Role.tool


def test_image_data_is_bytes_or_their_base64():
    assert skyl.Image(media_type="image/png", data="iVBORw==").data == b"\x89PNG"
    assert skyl.Image(media_type="image/png", data=b"\x89PNG").data == b"\x89PNG"
    with pytest.raises(ValidationError, match="base64"):
        skyl.Image(media_type="image/png", data="no base64!")


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: skyl.tool_result_message("c", {"a": 1}), ["content", "dict", "json.dumps"]),
        (lambda: skyl.tool_result_message("c", None), ["content", "NoneType", "text"]),
        (lambda: skyl.tool_error_message("c", ValueError("x")), ["content", "ValueError", "str("]),
        (lambda: skyl.tool_error_message("c", b"x"), ["content", "bytes"]),
        (lambda: skyl.tool_result_message(7, "x"), ["call_id", "int", "string"]),
        (lambda: skyl.user_text(3), ["text", "int"]),
        (lambda: skyl.user_image("image/png", 3), ["data", "int"]),
    ],
)
def test_a_wrong_type_is_one_sentence_with_what_where_and_how(build, words):
    with pytest.raises(skyl.BadRequestError) as refused:
        build()
    assert "\n" not in str(refused.value)
    for word in words:
        assert word in str(refused.value)


def test_arguments_must_be_the_json_text():
    with pytest.raises(ValidationError, match=r"json\.dumps"):
        skyl.ToolCall(id="1", name="f", arguments={"a": 1})


def test_parts_must_be_parts():
    with pytest.raises(ValidationError, match="Text, Image, ToolCall and ToolResult"):
        skyl.Message(role="user", parts=["hello"])


@pytest.mark.parametrize("data", [b"", b"\x89PNG"])
def test_a_message_survives_json_and_pickle(data):
    message = skyl.Message(
        role="tool",
        parts=[
            skyl.Image(media_type="image/png", data=data),
            skyl.ToolResult(call_id="1", content="x", is_error=True),
        ],
    )
    assert skyl.Message.model_validate_json(message.model_dump_json()) == message
    assert pickle.loads(pickle.dumps(message)) == message
