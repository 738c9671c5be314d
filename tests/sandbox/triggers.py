"""For each refusal the smallest request that triggers it, and what is answered.

Rows are (name, rule, mount, payload, message) or, where the request is special, with a sixth
field: what is changed in it. The name carries the number of the report.
"""

from typing import Any

from tests.sandbox.wire import (
    IMAGE,
    IMAGE_URL,
    KEYS,
    a,
    answers,
    asks,
    assistant,
    calls,
    claude,
    gemini,
    gpt,
    result,
    t,
    text,
    u,
    use,
    user,
)

UNANSWERED = (
    "messages.{}: `tool_use` ids were found without `tool_result` blocks immediately after:"
    " {}. Each"
    " `tool_use` block must have a corresponding `tool_result` block in the next message."
)
ORPHAN = (
    "messages.{}.content.{}: unexpected `tool_use_id` found in `tool_result` blocks: {}. Each"
    " `tool_result`"
    " block must have a corresponding `tool_use` block in the previous message."
)
EMPTY_ERROR = "messages.2.content.0.tool_result: content cannot be empty if `is_error` is true"
EMPTY_MESSAGE = (
    "messages.{}: all messages must have non-empty content except for the optional final"
    " assistant message"
)
NO_TOOLS = "Requests which include `tool_use` or `tool_result` blocks must define tools."
GPT_ORPHAN = (
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with"
    " 'tool_calls'."
)
GPT_UNANSWERED = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each"
    " 'tool_call_id'. The following tool_call_ids did not have response messages: {}"
)
GPT_NULL = "Invalid value for 'content': expected a string, got null."
COUNT = (
    "Please ensure that the number of function response parts is equal to the number of"
    " function call"
    " parts of the function call turn."
)
CALL_PLACE = (
    "Please ensure that function call turn comes immediately after a user turn or after a function"
    " response turn."
)
RESPONSE_PLACE = (
    "Please ensure that function response turn comes immediately after a function call turn."
)
NAMELESS = (
    "* GenerateContentRequest.contents[{}].parts[{}].function_response.name: Name cannot be"
    " empty.\n"
)
EMPTY_PART = (
    "* GenerateContentRequest.contents[0].parts[{}].data: required oneof field 'data' must have one"
    " initialized field\n"
)


BAD_NAME = (
    "* GenerateContentRequest.tools[0].function_declarations[{}].name: Invalid function name. Must"
    " start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_),"
    " dots (.), colons (:), or dashes (-), with a maximum length of 64.\n"
)


def signed(content: dict[str, Any], signature: str) -> dict[str, Any]:
    """Put a signature beside the first part."""
    first, *others = content["parts"]
    return {**content, "parts": [{**first, "thoughtSignature": signature}, *others]}


def responded(said: Any) -> dict[str, Any]:
    response = {"functionResponse": {"name": "tide", "response": said}}
    return gemini(asks(), calls("tide"), {"role": "user", "parts": [response]})


def with_field(kind: str, **more: Any) -> dict[str, Any]:
    return {"role": "user", "parts": [{kind: {"name": "tide", "response": {}, **more}}]}


def searched(name: str) -> dict[str, Any]:
    return {"type": "web_search_tool_result", "tool_use_id": name, "content": []}


def failing(content: Any) -> dict[str, Any]:
    return claude(user("tide?"), assistant(use("t1")), user(result("t1", content, is_error=True)))


def keys(mount: str, **changes: str | None) -> dict[str, Any]:
    """Change the headers of a request; None takes one away, `_` in a name is a dash."""
    named = {name.replace("_", "-"): value for name, value in changes.items()}
    merged = {**KEYS[mount], **named}
    return {"headers": {name: value for name, value in merged.items() if value is not None}}


def switched(**rules: bool | int) -> dict[str, Any]:
    """Switch rules of the sandbox; `_` in a name is a dash."""
    return {"sandbox": {"rules": {name.replace("_", "-"): on for name, on in rules.items()}}}


HELLO = claude(user("hello"))
HI = gpt(u())
ASK = gemini(asks())

ANTHROPIC = [
    (
        "1-unanswered",
        "anthropic-unanswered-call",
        claude(user("tide?"), assistant(use("toolu_a1")), user("never mind")),
        UNANSWERED.format(2, "toolu_a1"),
    ),
    (
        "1-last-message",
        "anthropic-unanswered-call",
        claude(user("tide?"), assistant(use("toolu_a1"))),
        UNANSWERED.format(2, "toolu_a1"),
    ),
    (
        "1-after-a-good-round",
        "anthropic-unanswered-call",
        claude(
            user("tide?"),
            assistant(use("t1")),
            user(result("t1")),
            assistant(use("t2")),
            user("well?"),
        ),
        UNANSWERED.format(4, "t2"),
    ),
    (
        "2-some-unanswered",
        "anthropic-unanswered-call",
        claude(
            user("tide?"),
            assistant(use("toolu_a1"), use("toolu_a2"), use("toolu_a3")),
            user(result("toolu_a2", "ok")),
        ),
        UNANSWERED.format(2, "toolu_a1, toolu_a3"),
    ),
    (
        "3-no-call",
        "anthropic-orphan-result",
        claude(user(result("toolu_zz", "12"))),
        ORPHAN.format(0, 0, "toolu_zz"),
    ),
    (
        "3-no-call-no-tools",
        "anthropic-orphan-result",
        claude(user(result("toolu_zz", "12")), tools=[]),
        ORPHAN.format(0, 0, "toolu_zz"),
    ),
    (
        "3-mistyped",
        "anthropic-orphan-result",
        claude(user("tide?"), assistant(use("t1")), user(result("t2"))),
        ORPHAN.format(2, 0, "t2"),
    ),
    (
        "3-too-late",
        "anthropic-orphan-result",
        claude(
            user("tide?"),
            assistant(use("t1")),
            user(result("t1")),
            assistant("12"),
            user("well", result("t1")),
        ),
        ORPHAN.format(4, 1, "t1"),
    ),
    (
        "3-84-server-result-without-its-call",
        "anthropic-orphan-server-result",
        claude(user("tide?"), assistant(searched("srvtoolu_1"), "12"), user("so?")),
        (
            "messages.1.content.0: unexpected `tool_use_id` found in `web_search_tool_result`"
            " blocks: srvtoolu_1. Each `web_search_tool_result` block must have a corresponding"
            " `server_tool_use` block before it."
        ),
    ),
    (
        "4-text-first",
        "anthropic-text-before-result",
        claude(user("tide?"), assistant(use("toolu_a1")), user("note", result("toolu_a1"))),
        UNANSWERED.format(2, "toolu_a1"),
    ),
    (
        "4-text-between",
        "anthropic-text-before-result",
        claude(
            user("tide?"), assistant(use("t1"), use("t2")), user(result("t1"), "note", result("t2"))
        ),
        UNANSWERED.format(2, "t2"),
    ),
    (
        "4-text-first-in-a-message-of-its-own",
        "anthropic-text-before-result",
        claude(user("tide?"), assistant(use("t1")), user("note"), user(result("t1"))),
        UNANSWERED.format(2, "t1"),
    ),
    (
        "5-recorded",
        "anthropic-unanswered-call",
        claude(assistant(use("call_1"), "I will check."), user(result("call_1")), user("Use it.")),
        UNANSWERED.format(1, "call_1"),
    ),
    (
        "5-text-in-a-message-of-its-own",
        "anthropic-unanswered-call",
        claude(user("tide?"), assistant(use("t1")), assistant("wait"), user(result("t1"))),
        UNANSWERED.format(3, "t1"),
    ),
    (
        "7-same-id",
        "anthropic-duplicate-call",
        claude(user("tide?"), assistant(use("toolu_x"), use("toolu_x"))),
        "messages.1.content.1: `tool_use` ids must be unique",
    ),
    (
        "7-same-id-later",
        "anthropic-duplicate-call",
        claude(
            user("tide?"),
            assistant(use("t1")),
            user(result("t1")),
            assistant("so", use("t1")),
            user(result("t1")),
        ),
        "messages.3.content.1: `tool_use` ids must be unique",
    ),
    (
        "115-turn-twice",
        "anthropic-duplicate-call",
        claude(
            user("tide?"),
            assistant(use("t1"), use("t2")),
            user(result("t1")),
            assistant(use("t1"), use("t2")),
            user(result("t2")),
        ),
        "messages.3.content.0: `tool_use` ids must be unique",
    ),
    (
        "8-two-results",
        "anthropic-double-result",
        claude(user("tide?"), assistant(use("a1")), user(result("a1", "1"), result("a1", "2"))),
        (
            "messages.2.content.1: each tool_use must have a single result. Found multiple"
            " `tool_result` blocks with id: a1"
        ),
    ),
    (
        "8-two-results-two-messages",
        "anthropic-double-result",
        claude(user("tide?"), assistant(use("a1")), user(result("a1")), user(result("a1"))),
        (
            "messages.3.content.0: each tool_use must have a single result. Found multiple"
            " `tool_result` blocks with id: a1"
        ),
    ),
    (
        "6-split-results",
        "anthropic-split-results",
        claude(
            user("tide?"), assistant(use("a1"), use("a2")), user(result("a1")), user(result("a2"))
        ),
        UNANSWERED.format(2, "a2"),
        switched(anthropic_split_results=True),
    ),
    (
        "4-off-leaves-the-unanswered",
        "anthropic-unanswered-call",
        claude(user("tide?"), assistant(use("a1"), use("a2")), user("note", result("a2"))),
        UNANSWERED.format(2, "a1"),
        switched(anthropic_text_before_result=False),
    ),
    (
        "10-error-with-image",
        "anthropic-error-not-text",
        failing([text("broken"), IMAGE]),
        ("messages.2.content.0.tool_result: all content must be type `text` if `is_error` is true"),
    ),
    ("10-error-that-is-an-image", "anthropic-error-not-text", failing([IMAGE]), None),
    *(
        (
            f"15-{what}",
            "anthropic-id-characters",
            claude(user("tide?"), assistant(use(name)), user(result(name))),
            ("messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"),
        )
        for what, name in (
            ("colon", "Bash:12"),
            ("pipe", "call_x|fc_y"),
            ("empty", ""),
            ("line-end", "a1\n"),
            ("umlaut", "ä1"),
        )
    ),
    (
        "23-tool-names",
        "anthropic-tool-names",
        claude(user("hi"), tools=[{"name": "tide", "input_schema": {}}] * 2),
        "tools: Tool names must be unique.",
    ),
    *(
        (name, "anthropic-unknown-field", payload, f"{path}: Extra inputs are not permitted")
        for name, payload, path in (
            ("18-top-level", claude(user("hi"), response_format={}), "response_format"),
            ("18-in-a-message", claude({**user("hi"), "name": "Ada"}), "messages.0.name"),
            (
                "18-in-a-result",
                claude(user("tide?"), assistant(use("a1")), user({**result("a1"), "name": "tide"})),
                "messages.2.content.0.tool_result.name",
            ),
            (
                "18-left-over-from-a-stream",
                claude(user("tide?"), assistant(use("a1", index=0)), user(result("a1"))),
                "messages.1.content.0.tool_use.index",
            ),
            (
                "18-in-a-tool",
                claude(user("hi"), tools=[{"name": "tide", "input_schema": {}, "parameters": {}}]),
                "tools.0.custom.parameters",
            ),
            (
                "114-annotations",
                claude(
                    user("tide?"),
                    assistant(use("a1")),
                    user(result("a1", [{**text("12"), "annotations": None}])),
                ),
                "messages.2.content.0.tool_result.content.0.text.annotations",
            ),
        )
    ),
    (
        "stop-a-number",
        "anthropic-type",
        claude(user("hi"), stop_sequences=3),
        "stop_sequences: Input should be a valid list",
    ),
    (
        "system-blocks-are-objects",
        "anthropic-type",
        claude(user("hi"), system=["be brief"]),
        "system.0: Input should be a valid dictionary",
    ),
    ("9-empty", "anthropic-empty-error", failing(""), EMPTY_ERROR),
    ("9-blank", "anthropic-empty-error", failing(" \n"), EMPTY_ERROR),
    ("9-empty-list", "anthropic-empty-error", failing([]), EMPTY_ERROR),
    ("9-null", "anthropic-empty-error", failing(None), EMPTY_ERROR),
    ("9-nested-empty", "anthropic-empty-error", failing([text("")]), EMPTY_ERROR),
    ("9-nested-blank", "anthropic-empty-error", failing([text(""), text("  ")]), EMPTY_ERROR),
    (
        "11-empty-text",
        "anthropic-empty-text",
        claude(user("tide?"), assistant("", use("a1")), user(result("a1"))),
        "messages: text content blocks must be non-empty",
    ),
    (
        "12-empty-content",
        "anthropic-empty-message",
        claude({"role": "user", "content": ""}),
        EMPTY_MESSAGE.format(0),
    ),
    (
        "12-empty-list",
        "anthropic-empty-message",
        claude(user("hi"), assistant(), user("hi")),
        EMPTY_MESSAGE.format(1),
    ),
    (
        "14-text",
        "anthropic-input-not-object",
        claude(user("tide?"), assistant(use("a1", input='{"n":3}')), user(result("a1"))),
        "messages.1.content.0.tool_use.input: Input should be a valid dictionary",
    ),
    (
        "14-list",
        "anthropic-input-not-object",
        claude(user("tide?"), assistant(use("a1", input=[])), user(result("a1"))),
        "messages.1.content.0.tool_use.input: Input should be a valid dictionary",
    ),
    ("16-role-tool", "anthropic-role", claude(user("hi"), {"role": "tool", "content": "12"}), None),
    ("16-role-function", "anthropic-role", claude({"role": "function", "content": "12"}), None),
    (
        "17-result",
        "anthropic-misplaced-block",
        claude(user("hi"), assistant(result("a1"))),
        "messages.1: `tool_result` blocks can only be in `user` messages",
    ),
    (
        "17-call",
        "anthropic-misplaced-block",
        claude(user(use("a1"))),
        "messages.0: `tool_use` blocks can only be in `assistant` messages",
    ),
    (
        "19-no-tools",
        "anthropic-undeclared-tools",
        claude(user("tide?"), assistant(use("a1")), user(result("a1")), tools=[]),
        NO_TOOLS,
    ),
    (
        "20-unknown-model",
        "anthropic-unknown-model",
        claude(user("hi"), model="claude-2"),
        "model: claude-2",
    ),
    (
        "21-bad-key",
        "anthropic-bad-key",
        HELLO,
        "invalid x-api-key",
        keys("anthropic", x_api_key="wrong"),
    ),
    (
        "21-bad-bearer",
        "anthropic-bad-key",
        HELLO,
        "invalid x-api-key",
        keys("anthropic", x_api_key=None, authorization="Bearer wrong"),
    ),
    (
        "21-no-key",
        "anthropic-no-key",
        HELLO,
        "x-api-key header is required",
        keys("anthropic", x_api_key=None),
    ),
    (
        "21-empty-key",
        "anthropic-no-key",
        HELLO,
        "x-api-key header is required",
        keys("anthropic", x_api_key="", authorization="Bearer "),
    ),
    (
        "no-version",
        "anthropic-no-version",
        HELLO,
        "anthropic-version: header is required",
        keys("anthropic", anthropic_version=None),
    ),
    (
        "22-half-a-pair",
        "anthropic-json",
        b'{"a":"\\ud83d b"}',
        "The request body is not valid JSON: no low surrogate in string: line 1 column 7 (char 6)",
    ),
    (
        "22-not-utf-8",
        "anthropic-json",
        b"\xff",
        (
            "The request body is not valid JSON: str is not valid UTF-8: surrogates not allowed:"
            " line 1 column 1 (char 0)"
        ),
    ),
    (
        "parser-empty",
        "anthropic-json",
        b"",
        (
            "The request body is not valid JSON: Input is a zero-length, empty document: line 1"
            " column 1 (char 0)"
        ),
    ),
    (
        "58-nan",
        "anthropic-json",
        b'{"a":NaN}',
        (
            "The request body is not valid JSON: unexpected character, expected a JSON value:"
            " line 1 column 6 (char 5)"
        ),
    ),
    ("too-deep", "anthropic-json", b"[" * 5000 + b"]" * 5000, None),
    ("not-an-object", "anthropic-type", b"[]", "body: Input should be a valid dictionary"),
    (
        "no-messages-key",
        "anthropic-required",
        {"model": "claude-sonnet-5", "max_tokens": 9},
        "messages: Field required",
    ),
    (
        "no-model",
        "anthropic-required",
        {"messages": [user("hi")], "max_tokens": 9},
        "model: Field required",
    ),
    (
        "no-max-tokens",
        "anthropic-required",
        {"model": "claude-sonnet-5", "messages": [user("hi")]},
        "max_tokens: Field required",
    ),
    (
        "112-text-left-out",
        "anthropic-required",
        claude(user("tide?"), assistant(use("a1")), user(result("a1", [{"type": "text"}]))),
        "messages.2.content.0.tool_result.content.0.text.text: Field required",
    ),
    (
        "114-type-left-out",
        "anthropic-required",
        claude(user("tide?"), assistant(use("a1")), user(result("a1", [{"text": "12"}]))),
        "messages.2.content.0.tool_result.content.0.type: Field required",
    ),
    (
        "messages-a-string",
        "anthropic-type",
        claude(messages="hi"),
        "messages: Input should be a valid list",
    ),
    (
        "message-a-string",
        "anthropic-type",
        claude("hi"),
        "messages.0: Input should be a valid dictionary",
    ),
    (
        "content-a-number",
        "anthropic-type",
        claude({"role": "user", "content": 3}),
        "messages.0.content: Input should be a valid list",
    ),
    (
        "block-a-string",
        "anthropic-type",
        claude({"role": "user", "content": ["hi"]}),
        "messages.0.content.0: Input should be a valid dictionary",
    ),
    (
        "result-a-number",
        "anthropic-type",
        claude(user("tide?"), assistant(use("a1")), user(result("a1", 12))),
        "messages.2.content.0.tool_result.content: Input should be a valid string",
    ),
    (
        "no-messages",
        "anthropic-no-messages",
        claude(),
        "messages: at least one message is required",
    ),
    ("24-too-large", "body-too-large", b" " * (32 * 1024 * 1024 + 1), None),
    ("thread", "anthropic-thread-unsupported", claude(user("hi"), thread={"type": "create"}), None),
    (
        "thread-continued",
        "anthropic-thread-unknown",
        claude(user(result("a1")), thread={"type": "continue", "previous_message_id": "msg_1"}),
        None,
    ),
]

LONG = 10_485_761
OPENAI = [
    ("25-no-call", "openai-orphan-result", gpt(u(), t("call_1", "12")), GPT_ORPHAN),
    ("25-first", "openai-orphan-result", gpt(t("c1")), GPT_ORPHAN),
    (
        "25-not-right-after",
        "openai-orphan-result",
        gpt(u(), a("c1"), t("c1"), u(), t("c1")),
        GPT_ORPHAN,
    ),
    (
        "26-unanswered",
        "openai-unanswered-call",
        gpt(u(), a("call_1", "call_2"), t("call_1"), u("next")),
        GPT_UNANSWERED.format("call_2"),
    ),
    (
        "26-last-message",
        "openai-unanswered-call",
        gpt(u(), a("c1", "c2")),
        GPT_UNANSWERED.format("c1, c2"),
    ),
    (
        "115-turn-twice",
        "openai-unanswered-call",
        gpt(u(), a("c1", "c2"), t("c1"), a("c1", "c2"), t("c2")),
        GPT_UNANSWERED.format("c2"),
    ),
    (
        "27-foreign",
        "openai-foreign-id",
        gpt(u(), a("call_1"), t("call_9", "x")),
        (
            "Invalid parameter: 'tool_call_id' of 'call_9' not found in 'tool_calls' of previous"
            " message."
        ),
    ),
    (
        "28-twice",
        "openai-double-result",
        gpt(u(), a("c1"), t("c1"), t("c1")),
        (
            "Invalid parameter: Duplicate value for 'tool_call_id' of 'c1', in messages[2] and"
            " messages[3]."
        ),
    ),
    (
        "29-no-id",
        "openai-no-call-id",
        gpt(u(), a("c1"), {"role": "tool", "content": "12"}),
        "Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.",
    ),
    ("30-tool", "openai-null-content", gpt(u(), a("c1"), t("c1", None)), GPT_NULL),
    ("30-user", "openai-null-content", gpt({"role": "user", "content": None}), GPT_NULL),
    (
        "30-assistant",
        "openai-null-content",
        gpt(u(), {"role": "assistant", "content": None}),
        GPT_NULL,
    ),
    (
        "31-object",
        "openai-invalid-type",
        gpt(u(), a("c1"), t("c1", {"c": 12})),
        (
            "Invalid type for 'messages[2].content': expected one of a string or array of"
            " objects, but got an object instead."
        ),
    ),
    (
        "31-number",
        "openai-invalid-type",
        gpt(u(), a("c1"), t("c1", 12)),
        (
            "Invalid type for 'messages[2].content': expected one of a string or array of"
            " objects, but got an integer instead."
        ),
    ),
    (
        "32-arguments",
        "openai-invalid-type",
        gpt(
            u(),
            a("c1", tool_calls=[{"id": "c1", "function": {"name": "tide", "arguments": {}}}]),
            t("c1"),
        ),
        (
            "Invalid type for 'messages[1].tool_calls[0].function.arguments': expected a string,"
            " but got an object instead."
        ),
    ),
    (
        "35-long",
        "openai-long-content",
        gpt(u("x" * LONG)),
        (
            f"Invalid 'messages[0].content': string too long. Expected a string with maximum"
            f" length {LONG - 1}, but got a string with length {LONG} instead."
        ),
    ),
    (
        "35-long-part",
        "openai-long-content",
        gpt(u([{"type": "text", "text": "x" * LONG}])),
        None,
    ),
    (
        "33-long-id",
        "openai-long-id",
        gpt(u(), a("c" * 65), t("c" * 65)),
        (
            "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with"
            " maximum length 64, but got a string with length 65 instead."
        ),
        switched(openai_long_id=True),
    ),
    (
        "33-shorter-limit",
        "openai-long-id",
        gpt(u(), a("c" * 41), t("c" * 41)),
        (
            "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with"
            " maximum length 40, but got a string with length 41 instead."
        ),
        switched(openai_long_id=40),
    ),
    (
        "34-image-in-tool",
        "openai-image-in-tool",
        gpt(u(), a("c1"), t("c1", [IMAGE_URL])),
        (
            "Invalid 'messages[2]'. Image URLs are only allowed for messages with role 'user', but"
            " this message with role 'tool' contains an image URL."
        ),
    ),
    (
        "36-empty",
        "openai-empty-messages",
        gpt(),
        (
            "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an"
            " empty array instead."
        ),
    ),
    (
        "37-unknown-model",
        "openai-unknown-model",
        gpt(u(), model="gpt-1"),
        "The model `gpt-1` does not exist or you do not have access to it.",
    ),
    ("37-no-model", "openai-no-model", {"messages": [u()]}, "you must provide a model parameter"),
    (
        "38-bad-key",
        "openai-bad-key",
        HI,
        (
            "Incorrect API key provided: ********. You can find your API key at"
            " https://platform.openai.com/account/api-keys."
        ),
        keys("openai", authorization="Bearer sk-secret"),
    ),
    ("38-no-key", "openai-no-key", HI, None, keys("openai", authorization=None)),
    ("38-no-bearer", "openai-no-key", HI, None, keys("openai", authorization="Basic sandbox-key")),
    ("39-json", "openai-json", b'{"a":1,}', None),
    ("39-empty", "openai-json", b"", None),
    ("58-nan", "openai-json", b'{"a":NaN}', None),
    ("22-half-a-pair", "openai-json", b'{"a":"\\ud83d b"}', None),
    ("22-not-utf-8", "openai-json", b"\xff", None),
    ("too-deep", "openai-json", b"[" * 5000 + b"]" * 5000, None),
    (
        "not-an-object",
        "openai-not-object",
        b'"hi"',
        "Invalid body: expected an object, but got a string instead.",
    ),
    (
        "no-messages-key",
        "openai-missing",
        {"model": "gpt-5.6"},
        "Missing required parameter: 'messages'.",
    ),
    (
        "no-role",
        "openai-missing",
        gpt({"content": "hi"}),
        "Missing required parameter: 'messages[0].role'.",
    ),
    (
        "no-id-in-call",
        "openai-missing",
        gpt(u(), a(tool_calls=[{"function": {"name": "n", "arguments": "{}"}}])),
        "Missing required parameter: 'messages[1].tool_calls[0].id'.",
    ),
    (
        "40-unknown-field",
        "openai-unknown-field",
        gpt(u(), nonsense=1),
        "Unrecognized request argument supplied: nonsense",
        switched(openai_unknown_field=True),
    ),
    (
        "temperature-a-string",
        "openai-invalid-type",
        gpt(u(), temperature="hot"),
        "Invalid type for 'temperature': expected a decimal, but got a string instead.",
    ),
    (
        "messages-a-string",
        "openai-invalid-type",
        gpt(messages="hi"),
        "Invalid type for 'messages': expected an array of objects, but got a string instead.",
    ),
    (
        "message-a-string",
        "openai-invalid-type",
        gpt("hi"),
        "Invalid type for 'messages[0]': expected an object, but got a string instead.",
    ),
    (
        "part-a-string",
        "openai-invalid-type",
        gpt({"role": "user", "content": ["hi"]}),
        "Invalid type for 'messages[0].content[0]': expected an object, but got a string instead.",
    ),
    ("unknown-role", "openai-role", gpt({"role": "model", "content": "hi"}), None),
]

GEMINI = [
    ("41-fewer", "gemini-count", gemini(asks(), calls("tide", "tide"), answers("tide")), COUNT),
    ("41-more", "gemini-count", gemini(asks(), calls("tide"), answers("tide", "tide")), COUNT),
    ("41-last-content", "gemini-count", gemini(asks(), calls("tide")), COUNT),
    ("41-orphan-call", "gemini-count", gemini(asks(), calls("tide"), asks("never mind")), COUNT),
    (
        "113-split",
        "gemini-count",
        gemini(asks(), calls("a", "b"), answers("a"), answers("b")),
        COUNT,
    ),
    (
        "115-turn-twice",
        "gemini-count",
        gemini(asks(), calls("a", "b"), answers("a"), calls("a", "b"), answers("b")),
        COUNT,
    ),
    ("42-first", "gemini-call-place", gemini(calls("tide")), CALL_PLACE),
    ("42-first-answered", "gemini-call-place", gemini(calls("tide"), answers("tide")), CALL_PLACE),
    (
        "42-after-the-model",
        "gemini-call-place",
        gemini(
            asks(), {"role": "model", "parts": [{"text": "wait"}]}, calls("tide"), answers("tide")
        ),
        CALL_PLACE,
    ),
    ("43-no-call", "gemini-response-place", gemini(asks(), answers("tide")), RESPONSE_PLACE),
    ("43-first", "gemini-response-place", gemini(answers("tide")), RESPONSE_PLACE),
    (
        "46-no-name",
        "gemini-empty-name",
        gemini(
            asks(),
            calls("tide"),
            {"role": "user", "parts": [{"functionResponse": {"response": {"c": 1}}}]},
        ),
        NAMELESS.format(2, 0),
    ),
    (
        "46-two-lines",
        "gemini-empty-name",
        gemini(asks(), calls("a", "b"), answers("", "")),
        NAMELESS.format(2, 0) + NAMELESS.format(2, 1),
    ),
    (
        "47-other-name",
        "gemini-name-mismatch",
        gemini(asks(), calls("tide"), answers("tool_result")),
        "Request contains an invalid argument.",
    ),
    (
        "47-name-twice",
        "gemini-name-mismatch",
        gemini(asks(), calls("a", "b"), answers("a", "a")),
        "Request contains an invalid argument.",
    ),
    (
        "48-response-a-string",
        "gemini-invalid-value",
        gemini(
            asks(),
            calls("tide"),
            {"parts": [{"function_response": {"name": "tide", "response": "12"}}]},
        ),
        (
            "Invalid value at 'contents[2].parts[0].function_response.response'"
            ' (type.googleapis.com/google.protobuf.Struct), "12"'
        ),
    ),
    *(
        (f"48-response-{what}", "gemini-invalid-value", responded(said), None)
        for what, said in (("a-number", 3), ("true", True))
    ),
    ("48-response-a-list", "gemini-not-repeating", responded([1]), None),
    *(
        (
            name,
            "gemini-unknown-field",
            payload,
            f"Invalid JSON payload received. Unknown name {said}",
        )
        for name, payload, said in (
            ("18-top-level", gemini(asks(), seed=3), '"seed": Cannot find field.'),
            (
                "53-unknown-field",
                gemini(asks(), calls("tide"), with_field("functionResponse", call_id="1")),
                "\"call_id\" at 'contents[2].parts[0].function_response': Cannot find field.",
            ),
            (
                "18-in-a-config",
                gemini(asks(), generation_config={"stop": ["a"]}),
                "\"stop\" at 'generation_config': Cannot find field.",
            ),
            (
                "18-in-a-tool",
                gemini(asks(), tools={"functionDeclarations": {"name": "tide", "strict": True}}),
                "\"strict\" at 'tools.function_declarations': Cannot find field.",
            ),
        )
    ),
    (
        "temperature-a-word",
        "gemini-invalid-value",
        gemini(asks(), generationConfig={"temperature": "hot"}),
        "Invalid value at 'generation_config.temperature' (TYPE_FLOAT), \"hot\"",
    ),
    (
        "49-typeless",
        "gemini-typeless-value",
        responded({"rows": None}),
        (
            "Invalid function_response.response: field `rows` has an empty value. All values must"
            " have a type (null, bool, number, string, list, or object)."
        ),
        switched(gemini_typeless_value=True),
    ),
    (
        "50-blank-text",
        "gemini-empty-part",
        gemini({"role": "user", "parts": [{"text": ""}]}),
        EMPTY_PART.format(0),
    ),
    (
        "59-tool-names",
        "gemini-tool-name",
        gemini(
            asks(), tools=[{"functionDeclarations": [{"name": "mcp/tide"}, {"name": "t" * 65}]}]
        ),
        BAD_NAME.format(0) + BAD_NAME.format(1),
    ),
    (
        "59-no-tool-name",
        "gemini-tool-name",
        gemini(asks(), tools={"function_declarations": {"description": "?"}}),
        BAD_NAME.format(0),
    ),
    (
        "json-with-tools",
        "gemini-json-with-tools",
        gemini(asks(), generationConfig={"responseMimeType": "application/json"}),
        "Function calling with a response mime type: 'application/json' is unsupported",
        switched(gemini_json_with_tools=True),
    ),
    (
        "50-no-parts",
        "gemini-empty-parts",
        gemini({"role": "user", "parts": []}),
        "* GenerateContentRequest.contents[0].parts: contents.parts must not be empty.\n",
    ),
    (
        "50-empty-part",
        "gemini-empty-part",
        gemini({"role": "user", "parts": [{"text": "hi"}, {}]}),
        EMPTY_PART.format(1),
    ),
    (
        "50-two-empty-parts",
        "gemini-empty-part",
        gemini({"role": "user", "parts": [{}, {"text": "hi"}, {"text": ""}]}),
        EMPTY_PART.format(0) + EMPTY_PART.format(2),
    ),
    (
        "51-no-contents",
        "gemini-no-contents",
        {"systemInstruction": {"parts": [{"text": "hi"}]}},
        "* GenerateContentRequest.contents: contents is not specified\n",
    ),
    (
        "51-empty-contents",
        "gemini-no-contents",
        gemini(),
        "* GenerateContentRequest.contents: contents is not specified\n",
    ),
    (
        "54-assistant",
        "gemini-role",
        gemini({"role": "assistant", "parts": [{"text": "hi"}]}),
        "Please use a valid role: user, model.",
    ),
    (
        "55-bad-key",
        "gemini-bad-key",
        ASK,
        "API key not valid. Please pass a valid API key.",
        keys("gemini", x_goog_api_key="wrong"),
    ),
    (
        "55-bad-bearer",
        "gemini-bad-key",
        ASK,
        "API key not valid. Please pass a valid API key.",
        keys("gemini", x_goog_api_key=None, authorization="Bearer x"),
    ),
    ("56-no-key", "gemini-no-key", ASK, None, keys("gemini", x_goog_api_key=None)),
    (
        "57-unknown-model",
        "gemini-unknown-model",
        ASK,
        (
            "models/gemini-1 is not found for API version v1beta, or is not supported for"
            " generateContent. Call ListModels to see the list of available models and their"
            " supported methods."
        ),
        {"path": "/gemini/v1beta/models/gemini-1:generateContent"},
    ),
    (
        "58-nan",
        "gemini-json",
        b'{"a":NaN}',
        'Invalid JSON payload received. Unexpected token.\n{"a":NaN}\n     ^',
    ),
    ("empty-body", "gemini-json", b"", "Invalid JSON payload received. Unexpected token.\n\n^"),
    ("not-utf-8", "gemini-json", b"\xff", None),
    ("too-deep", "gemini-json", b"[" * 5000 + b"]" * 5000, None),
    ("not-an-object", "gemini-not-object", b"[]", None),
    (
        "contents-a-string",
        "gemini-invalid-value",
        gemini(contents="hi"),
        (
            "Invalid value at 'contents'"
            ' (type.googleapis.com/google.ai.generativelanguage.v1beta.Content), "hi"'
        ),
    ),
    (
        "part-a-string",
        "gemini-invalid-value",
        gemini({"parts": ["hi"]}),
        (
            "Invalid value at 'contents[0].parts[0]'"
            ' (type.googleapis.com/google.ai.generativelanguage.v1beta.Part), "hi"'
        ),
    ),
    (
        "text-a-number",
        "gemini-invalid-value",
        gemini({"parts": [{"text": 3}]}),
        "Invalid value at 'contents[0].parts[0].text' (TYPE_STRING), \"3\"",
    ),
    (
        "text-a-list",
        "gemini-not-repeating",
        gemini({"parts": [{"text": ["hi"]}]}),
        (
            "Invalid JSON payload received. Unknown name \"text\" at 'contents[0].parts[0]':"
            " Proto field is not repeating, cannot start list."
        ),
    ),
]

NULL_CALL = gpt(u(), a("c1"), t("c1"))
COMPAT = [
    (
        "68-null-content",
        "openai-null-call-content",
        NULL_CALL,
        "invalid message content type: <nil>",
        switched(openai_null_call_content=True),
    ),
    (
        "68-no-content-key",
        "openai-content-key",
        gpt(u(), {key: value for key, value in a("c1").items() if key != "content"}, t("c1")),
        None,
        switched(openai_content_key=True),
    ),
    (
        "40-null-leftover",
        "openai-null-leftover",
        gpt(u(), a("c1", function_call=None), t("c1")),
        (
            "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' :"
            " property 'function_call' is unsupported)]"
        ),
        switched(openai_null_leftover=True),
    ),
    (
        "66-reasoning-sent-back",
        "openai-reasoning",
        gpt(u(), a("c1", reasoning_content="hm"), t("c1")),
        "'messages.1' : property 'reasoning_content' is unsupported",
        switched(openai_reasoning=True),
    ),
    (
        "67-arguments-a-text",
        "openai-arguments-text",
        NULL_CALL,
        (
            "json: cannot unmarshal string into Go struct field ChatRequest.messages of type"
            " api.ToolCallFunctionArguments"
        ),
        switched(openai_arguments_text=True),
    ),
    (
        "70-template",
        "openai-template-arguments",
        NULL_CALL,
        "TypeError: Can only get item pairs from a mapping.",
        switched(openai_template_arguments=True),
    ),
    (
        "72-list-content",
        "openai-list-tool-content",
        gpt(u(), a("c1"), t("c1", [{"type": "text", "text": "12"}])),
        None,
        switched(openai_list_tool_content=True),
    ),
    (
        "64-id-shape",
        "openai-call-id-shape",
        gpt(u(), a("call_1"), t("call_1")),
        "Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.",
        switched(openai_call_id_shape=True),
    ),
    (
        "63-user-after-tool",
        "openai-role-order",
        gpt(u(), a("c1"), t("c1"), u()),
        "Unexpected role 'user' after role 'tool'",
        switched(openai_role_order=True),
    ),
    (
        "73-empty-id-echoed",
        "openai-empty-id",
        gpt(u(), a(""), t(""), model="sandbox-empty-ids"),
        "tool_calls.id and tool_calls.type are required",
    ),
    (
        "62-reasoning-left-out",
        "openai-no-reasoning",
        gpt(u(), a("c1"), t("c1"), model="sandbox-reasoning"),
        "The `reasoning_content` in the thinking mode must be passed back to the API.",
    ),
    (
        "65-tool-use-failed",
        "compat-tool-use-failed",
        gpt(u(), model="sandbox-tool-use-failed"),
        (
            "Failed to call a function. Please adjust your prompt. See 'failed_generation' for"
            " more details."
        ),
    ),
    ("60-list-error", "compat-list-error", gpt(u(), model="sandbox-list-error"), None),
    (
        "75-nested-error",
        "compat-nested-error",
        gpt(u(), model="sandbox-nested-error"),
        "Provider returned error",
    ),
]

SIGNATURES = {"path": "/gemini/v1beta/models/sandbox-signatures:generateContent"}
OWN = [
    (
        "anthropic-status",
        "sandbox-status",
        "anthropic",
        {**HELLO, "model": "sandbox-status-500"},
        None,
        {},
    ),
    ("openai-status", "sandbox-status", "openai", {**HI, "model": "sandbox-status-500"}, None, {}),
    ("compat-status", "sandbox-status", "compat", {**HI, "model": "sandbox-status-500"}, None, {}),
    (
        "gemini-status",
        "sandbox-status",
        "gemini",
        ASK,
        None,
        {"path": "/gemini/v1beta/models/sandbox-status-500:generateContent"},
    ),
    (
        "gemini-44-no-signature",
        "gemini-no-signature",
        "gemini",
        gemini(asks(), calls("tide"), answers("tide")),
        (
            "Function call is missing a thought_signature in functionCall parts. This is required"
            " for tools to work correctly, and missing thought_signature may lead to degraded model"
            " performance. Additional data, function call `default_api:tide` , position 2. Please"
            " refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details."
        ),
        SIGNATURES,
    ),
    (
        "gemini-45-foreign-signature",
        "gemini-foreign-signature",
        "gemini",
        gemini(asks(), signed(calls("tide"), "AAAA"), answers("tide")),
        "Corrupted thought signature.",
        SIGNATURES,
    ),
]

PLACES = [
    ("elsewhere", "unknown-place", "", None, None, {"path": "/v1/messages"}),
    ("near-a-mount", "unknown-place", "", None, None, {"path": "/anthropics/v1/messages"}),
    ("health-by-post", "wrong-method", "", None, None, {"path": "/healthz"}),
    (
        "anthropic-path",
        "unknown-path",
        "anthropic",
        HELLO,
        None,
        {"path": "/anthropic/v1/complete"},
    ),
    (
        "anthropic-count-tokens",
        "unknown-path",
        "anthropic",
        HELLO,
        None,
        {"path": "/anthropic/v1/messages/count_tokens"},
    ),
    ("anthropic-method", "wrong-method", "anthropic", HELLO, None, {"method": "GET"}),
    ("openai-path", "unknown-path", "openai", HI, None, {"path": "/openai/v1/responses"}),
    ("openai-method", "wrong-method", "openai", HI, None, {"method": "PUT"}),
    ("compat-path", "unknown-path", "compat", HI, None, {"path": "/compat/chat/completions"}),
    ("compat-method", "wrong-method", "compat", HI, None, {"path": "/compat/v1/models"}),
    (
        "gemini-path",
        "unknown-path",
        "gemini",
        ASK,
        None,
        {"path": "/gemini/v2/models/gemini-3.6-flash:generateContent"},
    ),
    (
        "gemini-count-tokens",
        "unknown-path",
        "gemini",
        ASK,
        None,
        {"path": "/gemini/v1beta/models/gemini-3.6-flash:countTokens"},
    ),
    ("gemini-method", "wrong-method", "gemini", ASK, None, {"method": "GET"}),
    (
        "max-tokens",
        "openai-max-tokens",
        "openai",
        gpt(u(), max_tokens=9),
        (
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use"
            " 'max_completion_tokens' instead."
        ),
        {},
    ),
]

TRIGGERS = [
    *((f"anthropic-{row[0]}", row[1], "anthropic", *row[2:], {})[:6] for row in ANTHROPIC),
    *((f"openai-{row[0]}", row[1], "openai", *row[2:], {})[:6] for row in OPENAI),
    *((f"compat-{row[0]}", row[1], "compat", *row[2:], {})[:6] for row in OPENAI),
    *((f"compat-{row[0]}", row[1], "compat", *row[2:], {})[:6] for row in COMPAT),
    *OWN,
    *((f"gemini-{row[0]}", row[1], "gemini", *row[2:], {})[:6] for row in GEMINI),
    *((f"place-{row[0]}", *row[1:]) for row in PLACES),
]
