import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skyl_nb.views.visible import json_lines, visible
from tests.strategies import json_values


@pytest.mark.parametrize(
    ("hidden", "shown"),
    [
        ("\u202e", r"\u202e"),
        ("\u2066", r"\u2066"),
        ("\u200b", r"\u200b"),
        ("\ufeff", r"\ufeff"),
        ("\u00a0", r"\u00a0"),
        ("\u3164", r"\u3164"),
        ("\ufe0f", r"\ufe0f"),
        ("\x00", r"\u0000"),
        ("\x7f", r"\u007f"),
        ("\ud83d", r"\ud83d"),
        ("\U000e0041", r"\udb40\udc41"),
        ("\n", r"\u000a"),
    ],
)
def test_invisible_characters_are_escapes(hidden, shown):
    assert visible(f"a{hidden}b") == f"a{shown}b"


@pytest.mark.parametrize("text", ["plain text", "Ü é 日本 🌍 مرحبا", "e\u0301"])
def test_visible_text_is_left_alone(text):
    assert visible(text) == text


@given(json_values)
def test_the_lines_are_the_value_as_json(value):
    lines = json_lines(value)
    assert json.loads("\n".join(line.text for line in lines)) == value
    assert all(line.text.isprintable() for line in lines)


@given(st.dictionaries(st.sampled_from(["a", "b/c", "~d"]), json_values, min_size=1))
def test_only_the_marked_place_is_marked(value):
    key = next(iter(value))
    pointer = "/" + key.replace("~", "~0").replace("/", "~1")
    marked = [line.text for line in json_lines(value, pointer) if line.marked]
    assert marked
    assert json.loads("{" + "\n".join(marked).rstrip(",") + "}") == {key: value[key]}
    assert not any(line.marked for line in json_lines(value))
