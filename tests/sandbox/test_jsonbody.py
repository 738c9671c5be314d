import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skyl_nb.sandbox.jsonbody import DEEPEST, parse

# What orjson 3.13.0 says, measured.
MEASURED = [
    ("", "Input is a zero-length, empty document: line 1 column 1 (char 0)"),
    (" ", "input data is empty: line 1 column 1 (char 0)"),
    ("\ufeff{}", "UTF-8 byte order mark (BOM) is not supported: line 1 column 1 (char 0)"),
    ('"a\\ud83d b"', "no low surrogate in string: line 1 column 3 (char 2)"),
    ('"\\udc00x"', "invalid high surrogate in string: line 1 column 2 (char 1)"),
    ('"\\ud83d\\u0041"', "invalid low surrogate in string: line 1 column 2 (char 1)"),
    ('"\\ud83d\\u00"', "invalid escape in string: line 1 column 2 (char 1)"),
    ('"\\ud83d', "unexpected end of data: line 1 column 8 (char 7)"),
    ('{"a":NaN}', "unexpected character, expected a JSON value: line 1 column 6 (char 5)"),
    ('{"a":Infinity}', "unexpected character, expected a JSON value: line 1 column 6 (char 5)"),
    ('{"a":-Infinity}', "no digit after sign: line 1 column 7 (char 6)"),
    ("[1e999]", "number is infinity when parsed as double: line 1 column 2 (char 1)"),
    ("1" * 5000, "number is infinity when parsed as double: line 1 column 1 (char 0)"),
    ("[-01]", "number with leading zero is not allowed: line 1 column 3 (char 2)"),
    ("[1.]", "no digit after decimal point: line 1 column 4 (char 3)"),
    ("[1e+]", "no digit after exponent sign: line 1 column 5 (char 4)"),
    ("+1", "no digit after sign: line 1 column 1 (char 0)"),
    ('{"a":', "unexpected end of data: line 1 column 6 (char 5)"),
    ('{"a":1,}', "trailing comma is not allowed: line 1 column 7 (char 6)"),
    ("[1,]", "trailing comma is not allowed: line 1 column 3 (char 2)"),
    ("[,]", "unexpected character, expected a JSON value: line 1 column 2 (char 1)"),
    ("{,}", "unexpected character, expected a string key: line 1 column 2 (char 1)"),
    ('{"a":1,,}', "unexpected character, expected a string key: line 1 column 8 (char 7)"),
    ('{"a" 1}', "unexpected character, expected ':' after key: line 1 column 6 (char 5)"),
    ('{"a":1 "b":2}', "unexpected character, expected ',' or '}': line 1 column 8 (char 7)"),
    ("[1}", "unexpected character, expected ',' or ']': line 1 column 3 (char 2)"),
    ("{}{}", "unexpected content after document: line 1 column 3 (char 2)"),
    ("[trux]", "invalid literal, expected 'true': line 1 column 2 (char 1)"),
    ("[1,tru", "unexpected end of data: line 1 column 7 (char 6)"),
    ('"a\\x"', "invalid escaped sequence in string: line 1 column 3 (char 2)"),
    ('"\\u12"', "invalid escaped sequence in string: line 1 column 2 (char 1)"),
    ('"a\x00b"', "unexpected control character in string: line 1 column 3 (char 2)"),
    ('{"a":\n 1,\n}', "trailing comma is not allowed: line 2 column 3 (char 8)"),
    ('{"\u00fc":NaN}', "unexpected character, expected a JSON value: line 1 column 6 (char 5)"),
]


@pytest.mark.parametrize(("text", "words"), MEASURED, ids=lambda value: repr(value)[:30])
def test_a_fault_reads_as_orjson_words_it(text: str, words: str) -> None:
    assert str(parse(text.encode()).fault) == words


@pytest.mark.parametrize("body", [b"\xff", b'["\xff"]', b'{"a":"\xed\xa0\x80"}'])
def test_what_is_not_utf_8_is_refused(body: bytes) -> None:
    words = "str is not valid UTF-8: surrogates not allowed: line 1 column 1 (char 0)"
    assert str(parse(body).fault) == words


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b'{"a":1,"a":2}', {"a": 2}),
        (b'"\\u0000"', "\x00"),
        (b'"\\ud83d\\ude00"', "\U0001f600"),
        (b'"\\\\ud83d"', "\\ud83d"),
        (b"18446744073709551615", 2**64 - 1),
        (b"18446744073709551616", float(2**64)),
        (b" [ ] ", []),
        (b"null", None),
    ],
)
def test_what_orjson_accepts_is_accepted(body: bytes, value: object) -> None:
    parsed = parse(body)
    assert parsed.fault is None
    assert parsed.value == value
    assert type(parsed.value) is type(value)


def test_half_a_surrogate_pair_may_be_let_pass_and_other_faults_still_are_not() -> None:
    assert parse(b'"\\ud83d b"', lone_surrogates=True).value == "\ud83d b"
    assert str(parse(b'["\\ud83d",]', lone_surrogates=True).fault).startswith("trailing comma")


@pytest.mark.parametrize("bracket", ["[]", "{}"])
@pytest.mark.parametrize("depth", [DEEPEST, DEEPEST + 1, 2_000, 200_000])
def test_nesting_has_a_floor(bracket: str, depth: int) -> None:
    opening = "[" if bracket == "[]" else '{"a":'
    fault = parse((opening * depth + "1" + bracket[1] * depth).encode()).fault
    assert (fault is None) is (depth <= DEEPEST)
    if fault:
        assert fault.reason == "depth limit exceeded"


def test_many_brackets_side_by_side_are_not_deep() -> None:
    assert parse(("[" + "[]," * 5_000 + "[]]").encode()).fault is None


def test_the_context_is_what_google_prints() -> None:
    fault = parse(b'{"contents":[{"parts":[{"text":NaN}]}]}').fault
    assert fault is not None
    assert fault.context() == ':[{"parts":[{"text":NaN}]}]}\n' + " " * 20 + "^"


@given(st.text(alphabet='{}[]",:\\u0dD8c1.-eE+tfn \n\x00é', max_size=30))
def test_the_parser_and_the_scanner_agree_with_the_standard_library(text: str) -> None:
    parsed = parse(text.encode())
    try:
        value = json.loads(text)
    except ValueError:
        assert parsed.fault is not None
        return
    if parsed.fault is None:
        assert parsed.value == value
    else:  # the only two things in which we are stricter
        assert (
            "surrogate" in parsed.fault.reason
            or "infinity" in parsed.fault.reason
            or ("escape" in parsed.fault.reason)
        )
