"""A conversation as data: roles, parts, messages, and the functions that build them.

This is skyl's message.go in Python: the same names, in Python's spelling. All values are frozen
pydantic models with keyword arguments. A *type* that is wrong is refused when the value is built
(a tool's result is text, so a
dict is refused). A *value* that is wrong, such as an empty call id, can be built, as in Go:
`skyl_nb.validate` refuses it before anything is sent.
"""

import base64
import binascii
from enum import StrEnum
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    StrictStr,
    ValidationError,
)
from pydantic_core import CoreSchema, core_schema

from skyl_nb.errors import BadRequestError


class Value(BaseModel):
    """The base of every value in this package: frozen, strict, and without unknown fields."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        allow_inf_nan=False,  # no JSON body can hold them
        ser_json_bytes="base64",
        val_json_bytes="base64",
    )


class Says:
    """Annotates a field with the sentence that a value of a wrong type is told."""

    def __init__(self, sentence: str) -> None:
        self.sentence = sentence

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.custom_error_schema(
            handler(source), custom_error_type="wrong_type", custom_error_message=self.sentence
        )


def _from_base64(data: Any) -> Any:
    if not isinstance(data, str):
        return data
    try:
        return base64.b64decode(data, validate=True)
    except binascii.Error as error:
        raise ValueError(f"data as text must be base64: {error}") from None


class Role(StrEnum):
    """Who speaks. There is no system role: the system prompt is `Request.system`."""

    user = "user"
    assistant = "assistant"
    tool = "tool"


_, ASSISTANT, TOOL = Role  # a member is slow to look up on its class, and encoders compare many


def _known_role(role: Any) -> Any:
    known = isinstance(role, str) and role in Role.__members__
    return Role(role) if known else role


class _Part(Value):
    """The base of the four parts. The wires know these four alone, so no more can be made."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.__module__ != __name__:
            raise TypeError(f"{cls.__name__}: a part of a message cannot be subclassed")


class Text(_Part):
    """A run of plain text."""

    text: Annotated[StrictStr, Says("text must be a string (str)")]


class Image(_Part):
    """A picture: `data` (its bytes, or their base64 text) with a `media_type`, or a `url`."""

    media_type: StrictStr = ""
    data: Annotated[bytes, BeforeValidator(_from_base64)] = b""
    url: StrictStr = ""


class ToolCall(_Part):
    """The model asks to run the tool `name`. `arguments` is the JSON text that it wrote."""

    id: StrictStr
    name: StrictStr
    arguments: Annotated[
        StrictStr, Says("arguments is the JSON text of a call; use json.dumps(value) to make it")
    ] = "{}"


class ToolResult(_Part):
    """The outcome of the call `call_id`. `is_error` says that the tool failed."""

    call_id: Annotated[StrictStr, Says("call_id is the id of the call that this answers, a string")]
    content: Annotated[
        StrictStr,
        Says("the content of a tool result is text; use json.dumps(value) or str(value) first"),
    ]
    is_error: Annotated[bool, Says("is_error is True or False")] = False


Part = Text | Image | ToolCall | ToolResult


class Message(Value):
    """One turn: a role and its parts, in order. A list of parts is kept as a tuple."""

    role: Annotated[
        Role | StrictStr, Field(union_mode="left_to_right"), BeforeValidator(_known_role)
    ]
    parts: Annotated[
        tuple[Part, ...],
        Field(strict=False),
        Says("parts is a list of Text, Image, ToolCall and ToolResult values"),
    ]

    @property
    def text(self) -> str:
        """All text parts, joined without a separator."""
        return "".join([part.text for part in self.parts if isinstance(part, Text)])

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The tool calls, in order."""
        return tuple([part for part in self.parts if isinstance(part, ToolCall)])

    @property
    def tool_results(self) -> tuple[ToolResult, ...]:
        """The tool results, in order."""
        return tuple([part for part in self.parts if isinstance(part, ToolResult)])


def user_text(text: str) -> Message:
    """Return a user's turn that holds one text."""
    return Message(role=Role.user, parts=(_part(Text, text=text),))


def assistant_text(text: str) -> Message:
    """Return an assistant's turn that holds one text."""
    return Message(role=Role.assistant, parts=(_part(Text, text=text),))


def user_image(media_type: str, data: bytes, caption: str = "") -> Message:
    """Return a user's turn with an image (see `Image.data`) and, if given, a caption after it."""
    image = _part(Image, media_type=media_type, data=data)
    return Message(
        role=Role.user, parts=(image, _part(Text, text=caption)) if caption else (image,)
    )


def tool_result_message(call_id: str, content: str) -> Message:
    """Return the tool turn that answers `call_id` with a success.

    Raises:
        BadRequestError: `call_id` or `content` is not a string. (An empty one is found by
        `validate`.)
    """
    return _answer(call_id, content, is_error=False)


def tool_error_message(call_id: str, content: str) -> Message:
    """Return the tool turn that answers `call_id` with a failure.

    It differs from `tool_result_message` in `is_error` alone. Put the failure into `content` too:
    the flag reaches the model on one wire of four.

    Raises:
        BadRequestError: `call_id` or `content` is not a string.
    """
    return _answer(call_id, content, is_error=True)


def _answer(call_id: str, content: str, *, is_error: bool) -> Message:
    result = _part(ToolResult, call_id=call_id, content=content, is_error=is_error)
    return Message(role=Role.tool, parts=(result,))


def _part(kind: type[Part], **fields: Any) -> Part:
    """Build a part; a wrong type becomes one sentence, since learners call these constructors."""
    try:
        return kind(**fields)
    except ValidationError as error:
        raise BadRequestError(sentence(error)) from None


def sentence(error: ValidationError) -> str:
    """Return a pydantic error as one line: where, what was there, and what is wanted."""
    return "; ".join(
        f"{'.'.join(map(str, (error.title, *fault['loc'])))} "
        f"is {type(fault['input']).__name__}: {fault['msg']}"
        for fault in error.errors(include_url=False)
    )
