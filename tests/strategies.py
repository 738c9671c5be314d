"""Requests for hypothesis: every part in every role, odd texts, odd settings."""

from hypothesis import strategies as st

from skyl_nb.conversation import Image, Message, Role, Text, ToolCall, ToolResult
from skyl_nb.request import Request, Tool, ToolChoice

texts = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        ["", " ", "error: x", "\ud83d", "\u202e\u200b", "\x00", "<script>", "Ü 日本 🌍"]
    ),
)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
arguments = st.one_of(
    st.sampled_from(["", "{}", "null", '{"city":"Kampala"}', " [1.0] ", '{"a":', "1e999", "NaN"]),
    texts,
)
parts = st.one_of(
    st.builds(Text, text=texts),
    st.builds(
        Image,
        media_type=st.sampled_from(["", "image/png"]),
        data=st.binary(max_size=4),
        url=st.sampled_from(["", "https://example.org/cat.png"]),
    ),
    st.builds(ToolCall, id=texts, name=texts, arguments=arguments),
    st.builds(ToolResult, call_id=texts, content=texts, is_error=st.booleans()),
)
messages = st.builds(
    Message,
    role=st.sampled_from([*Role, "system"]),
    parts=st.lists(parts, max_size=3),
)
schemas = st.none() | st.dictionaries(
    st.sampled_from(["type", "properties", "required", "title"]), json_values, max_size=3
)


def requests():
    return st.builds(
        Request,
        model=texts,
        messages=st.lists(messages, max_size=4),
        system=texts,
        max_tokens=st.integers(min_value=-1, max_value=30000),
        temperature=st.none() | st.floats(allow_nan=False, allow_infinity=False),
        top_p=st.none() | st.floats(min_value=0, max_value=1),
        stop=st.lists(texts, max_size=2),
        tools=st.lists(
            st.builds(Tool, name=texts, description=texts, parameters=schemas), max_size=2
        ),
        tool_choice=st.none()
        | st.builds(
            ToolChoice, mode=st.sampled_from(["auto", "none", "required", "tool", "x"]), name=texts
        ),
        provider_options=st.dictionaries(texts, json_values, max_size=2),
    )
