import time
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skyl_nb.sandbox.arguments import make_arguments, name_city, words
from skyl_nb.sandbox.patterns import matches, sample
from skyl_nb.sandbox.schema import Reader

STRING = {"type": "string"}


def needs(schema: Any) -> dict[str, Any]:
    """Parameters with one required property."""
    return {"type": "object", "properties": {"x": schema}, "required": ["x"]}


SCHEMAS: dict[str, dict[str, Any]] = {
    "nothing": {},
    "empty-object": {"type": "object", "properties": {}},
    "enum": needs({"enum": [None, 3, "b"]}),
    "const": needs({"const": {"a": [1]}}),
    "types": needs({"type": ["null", "integer"], "minimum": 5}),
    "string-bounds": needs({"type": "string", "minLength": 9, "maxLength": 9}),
    "one-character": needs({"type": "string", "maxLength": 1}),
    "no-character": needs({"type": "string", "maxLength": 0}),
    "bounds": needs({"type": "integer", "minimum": 17, "maximum": 18}),
    "exclusive": needs({"type": "integer", "exclusiveMinimum": 17, "exclusiveMaximum": 19}),
    "between": needs({"type": "number", "exclusiveMinimum": 0.2, "exclusiveMaximum": 0.3}),
    "negative": needs({"type": "integer", "maximum": -3}),
    "multiple": needs({"type": "integer", "multipleOf": 7, "minimum": 30}),
    "decimal-multiple": needs({"type": "number", "multipleOf": 0.25, "minimum": 1.1}),
    "boolean": needs({"type": "boolean"}),
    "null": needs({"type": "null"}),
    "array": needs({"type": "array", "items": {"type": "integer"}, "minItems": 3}),
    "no-items": needs({"type": "array", "maxItems": 0}),
    "unique-numbers": needs(
        {"type": "array", "items": {"type": "integer"}, "minItems": 5, "uniqueItems": True}
    ),
    "unique-enum": needs(
        {
            "type": "array",
            "items": {"enum": ["a", "b", 1, True]},
            "minItems": 4,
            "uniqueItems": True,
        }
    ),
    "unique-strings": needs(
        {
            "type": "array",
            "items": {"type": "string", "maxLength": 2},
            "minItems": 20,
            "uniqueItems": True,
        }
    ),
    "unique-objects": needs(
        {
            "type": "array",
            "items": needs({"type": "string"}),
            "minItems": 3,
            "uniqueItems": True,
        }
    ),
    "tuple": needs(
        {
            "type": "array",
            "prefixItems": [STRING, {"type": "integer"}],
            "items": False,
            "minItems": 2,
        }
    ),
    "nested": needs(needs(needs({"type": "array", "items": needs(STRING), "minItems": 1}))),
    "any-of": needs({"anyOf": [{"type": "integer", "minimum": 3}, STRING]}),
    "one-of": needs({"oneOf": [{"type": "integer"}, {"type": "number"}]}),
    "all-of": needs(
        {"allOf": [{"type": "number", "minimum": 3}, {"type": "integer", "maximum": 3}]}
    ),
    "all-of-objects": {
        "allOf": [needs(STRING), {"properties": {"y": {"enum": [4]}}, "required": ["y"]}]
    },
    "impossible-first": needs(
        {"anyOf": [False, {"type": "string", "minLength": 5, "maxLength": 2}, STRING]}
    ),
    "reference": {
        "$ref": "#/$defs/a~1b",
        "$defs": {"a/b": needs({"$ref": "#/$defs/n"}), "n": STRING},
    },
    "recursion": {
        "$ref": "#/$defs/node",
        "$defs": {
            "node": {
                "type": "object",
                "properties": {"v": STRING, "next": {"$ref": "#/$defs/node"}},
                "required": ["v"],
            }
        },
    },
    "recursion-that-may-end": needs({"anyOf": [{"$ref": "#"}, {"type": "null"}]}),
    "pattern": needs({"type": "string", "pattern": r"^[A-Z]{2}-\d{3,5}$"}),
    "pattern-and-length": needs({"type": "string", "pattern": "^[a-z]+$", "minLength": 12}),
    "date": needs({"type": "string", "format": "date"}),
    "default": needs({"type": "string", "default": "metric"}),
    "wrong-default": needs({"type": "integer", "default": "metric"}),
    "min-properties": {
        "type": "object",
        "minProperties": 3,
        "properties": {"a": STRING, "b": STRING},
    },
    "additional": {
        "type": "object",
        "required": ["k"],
        "additionalProperties": {"type": "integer"},
    },
    "closed": {**needs(STRING), "additionalProperties": False},
    "draft-4": needs({"type": "integer", "minimum": 3, "maximum": 5, "items": {}}),
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_arguments_satisfy_the_declared_schema(name: str) -> None:
    made = make_arguments(SCHEMAS[name])
    jsonschema.Draft202012Validator(SCHEMAS[name]).validate(made)


@pytest.mark.parametrize("format_", ["date", "date-time", "email", "ipv4", "ipv6", "uuid", "time"])
def test_formats_that_can_be_checked_hold(format_: str) -> None:
    schema = needs({"type": "string", "format": format_})
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    jsonschema.Draft202012Validator(schema, format_checker=checker).validate(make_arguments(schema))


def test_only_what_is_required_is_filled_in() -> None:
    schema = {"type": "object", "properties": {"a": STRING, "b": STRING}, "required": ["b"]}
    assert make_arguments(schema) == {"b": "text"}


def test_google_spells_types_in_capitals_and_keywords_in_snake_case() -> None:
    schema = {
        "type": "OBJECT",
        "properties": {
            "n": {"type": "ARRAY", "items": {"type": "INTEGER"}, "min_items": "2"},
            "s": {"any_of": [{"type": "STRING", "min_length": 6}]},
        },
        "required": ["n", "s"],
    }
    assert make_arguments(schema) == {"n": [1, 1], "s": "textxx"}


CITIES = [
    ("named", {"q": STRING, "city": STRING}, [], {"city": "Paris"}),
    ("inside-a-name", {"q": STRING, "homeTown": STRING}, [], {"homeTown": "Paris"}),
    ("not-velocity", {"velocity": STRING}, [], {"velocity": "Paris"}),
    ("first-free", {"date": {"type": "string", "format": "date"}, "q": STRING}, [], {"q": "Paris"}),
    ("enum-spelling", {"city": {"enum": ["kampala", "PARIS"]}}, ["city"], {"city": "PARIS"}),
    ("union", {"location": {"anyOf": [STRING, {"type": "null"}]}}, [], {"location": "Paris"}),
    ("typeless", {"place": {}}, [], {"place": "Paris"}),
    ("beside", {"city": STRING, "n": {"type": "integer"}}, ["n"], {"city": "Paris", "n": 1}),
]


@pytest.mark.parametrize(
    ("properties", "required", "made"), [c[1:] for c in CITIES], ids=[c[0] for c in CITIES]
)
def test_a_city_goes_where_it_belongs(properties: Any, required: Any, made: Any) -> None:
    schema = {"type": "object", "properties": properties, "required": required}
    assert name_city(schema, "Paris") == made


@pytest.mark.parametrize(
    "inner",
    [
        {"type": "integer"},
        {"enum": ["metric", "imperial"]},
        {"type": "string", "maxLength": 3},
        {"const": "x"},
        {"type": "string", "format": "date"},
    ],
    ids=str,
)
def test_where_a_city_does_not_fit_it_has_no_place(inner: Any) -> None:
    assert name_city(needs(inner), "Paris") is None
    jsonschema.validate(make_arguments(needs(inner)), needs(inner))


HOSTILE: list[Any] = [
    None,
    True,
    False,
    7,
    "object",
    [],
    {"$ref": "#"},
    {"$ref": "#/nowhere/0"},
    {"$ref": "https://example.com/schema"},
    {"$ref": 5, "allOf": 3, "anyOf": {"a": 1}, "type": {}, "properties": [], "required": "x"},
    {"allOf": [{"$ref": "#"}, {"$ref": "#"}]},
    {"anyOf": [{"$ref": "#"}] * 60, "oneOf": [{"$ref": "#"}] * 60},
    needs({"$ref": "#"}),
    needs({"type": "string", "minLength": 10**15}),
    needs({"type": "array", "minItems": 10**15, "items": {"type": "array", "minItems": 10**15}}),
    needs({"type": "array", "minItems": 10**15, "uniqueItems": True}),
    needs({"type": "array", "uniqueItems": True, "default": list(range(30_000))}),
    needs({"type": "integer", "minimum": 2**63, "multipleOf": 5e-324}),
    needs({"type": "number", "minimum": 1e308, "exclusiveMinimum": 1e308}),
    needs({"type": "number", "multipleOf": 0}),
    needs({"type": "string", "pattern": "(a+)+$", "default": "a" * 60 + "!"}),
    needs({"type": "string", "pattern": "(" * 150}),
    needs({"type": "string", "pattern": "a{999}{999}{999}"}),
    needs({"type": "string", "pattern": "[z-a]"}),
    needs({"enum": []}),
    {"type": "object", "required": [f"x{n}" for n in range(5_000)]},
    {"type": "object", "minProperties": 10**9},
    {"properties": {"city": {"$ref": "#/properties/city"}}, "required": ["city"]},
    {"type": ["object"] * 500, "required": [1, None, {}]},
]


@pytest.mark.parametrize("schema", HOSTILE, ids=lambda schema: str(schema)[:40])
def test_hostile_schemas_cost_little_and_raise_nothing(schema: Any) -> None:
    start = time.process_time()
    assert isinstance(name_city(schema, "Paris") or make_arguments(schema), dict)
    assert time.process_time() - start < 2


def schemas() -> st.SearchStrategy[dict[str, Any]]:
    """Schemas that can be satisfied, nested and combined."""
    bounds = st.integers(-50, 50)
    leaves = st.one_of(
        st.just({"type": "boolean"}),
        st.just({"type": "null"}),
        st.builds(
            lambda low, room: {"type": "integer", "minimum": low, "maximum": low + room},
            bounds,
            st.integers(0, 9),
        ),
        st.builds(
            lambda low, step: {"type": "integer", "minimum": low, "multipleOf": step},
            bounds,
            st.integers(1, 9),
        ),
        st.builds(
            lambda low, room: {"type": "number", "exclusiveMinimum": low, "maximum": low + room},
            bounds,
            st.integers(1, 9),
        ),
        st.builds(
            lambda low, room: {"type": "string", "minLength": low, "maxLength": low + room},
            st.integers(0, 12),
            st.integers(0, 5),
        ),
        st.lists(st.one_of(st.text(max_size=4), st.integers(), st.booleans()), min_size=1).map(
            lambda values: {"enum": values}
        ),
        st.sampled_from(["", "a", 1, 0, None, True]).map(lambda value: {"const": value}),
        st.sampled_from(["date", "email", "uuid"]).map(lambda f: {"type": "string", "format": f}),
    )
    return st.recursive(leaves, _combined, max_leaves=12).map(needs)


def _combined(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    names = st.sampled_from(["a", "b", "city", "d"])
    objects = st.dictionaries(names, inner, max_size=3).flatmap(
        lambda properties: st.builds(
            lambda required, closed: {
                "type": "object",
                "properties": properties,
                "required": sorted(required),
                "additionalProperties": closed,
            },
            st.sets(st.sampled_from(sorted(properties))) if properties else st.just(set()),
            st.booleans(),
        )
    )
    arrays = st.builds(
        lambda items, least: {"type": "array", "items": items, "minItems": least},
        inner,
        st.integers(0, 3),
    )
    tuples = st.lists(inner, min_size=1, max_size=3).map(
        lambda first: {
            "type": "array",
            "prefixItems": first,
            "minItems": len(first),
            "items": False,
        }
    )
    return st.one_of(
        objects,
        arrays,
        tuples,
        st.lists(inner, min_size=1, max_size=3).map(lambda options: {"anyOf": options}),
        inner.map(lambda one: {"allOf": [one, {}]}),
        inner.map(lambda one: {"oneOf": [{"not": {}, "type": "none"}, one]}).map(
            lambda schema: {"anyOf": schema["oneOf"][1:]}
        ),
    )


@given(schemas())
def test_arguments_satisfy_generated_schemas(schema: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator(schema).validate(make_arguments(schema))
    named = name_city(schema, "Paris")
    if named is not None:
        jsonschema.Draft202012Validator(schema).validate(named)


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.floats(-2, 2), st.text(max_size=3)),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abx"), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(json_values, schemas().map(lambda schema: schema["properties"]["x"]))
def test_fits_says_what_a_validator_says(value: Any, schema: dict[str, Any]) -> None:
    assert Reader(schema).fits(value, schema) == jsonschema.Draft202012Validator(schema).is_valid(
        value
    )


keywords = st.sampled_from(
    [
        "type",
        "enum",
        "properties",
        "required",
        "items",
        "prefixItems",
        "minItems",
        "uniqueItems",
        "anyOf",
        "oneOf",
        "allOf",
        "$ref",
        "minimum",
        "maximum",
        "multipleOf",
        "pattern",
        "minLength",
        "format",
        "additionalProperties",
        "default",
        "examples",
        "minProperties",
        "const",
        "exclusiveMinimum",
    ]
)
nonsense = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.sampled_from(["object", "string", "array", "integer", "#", "#/properties/city", "a+"]),
    ),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(keywords | st.sampled_from(["city", "x"]), inner, max_size=5)
    ),
    max_leaves=25,
)


@given(nonsense)
def test_nonsense_never_raises(schema: Any) -> None:
    assert isinstance(name_city(schema, "Paris") or make_arguments(schema), dict)


@pytest.mark.parametrize(
    "pattern",
    [
        r"^\d{5}$",
        "^[a-z0-9_-]+$",
        r"^#[0-9a-f]{6}$",
        r"^(GET|POST)$",
        r"^\+?[1-9]\d{1,14}$",
        "^[^,]+$",
        r"^\d{4}-\d{2}-\d{2}$",
        r"^(?:[a-z]+\.)+[a-z]{2,}$",
        r"\bkey\b",
        "^a?b*c+d{0}$",
        "^.{3}$",
    ],
)
def test_a_sample_matches_its_pattern(pattern: str) -> None:
    import re

    text = sample(pattern)
    assert text is not None
    assert re.search(pattern, text)


@pytest.mark.parametrize(
    "pattern", ["(?=a)b", "[", "(", ")", "*", r"\p{L}", "(?P<n>a)", "a{2}{3}{4}" * 60]
)
def test_what_is_beyond_the_sampler_gives_none(pattern: str) -> None:
    assert sample(pattern) is None


def test_a_search_that_could_take_for_ever_is_not_started() -> None:
    start = time.process_time()
    assert matches("(a+)+$", "a" * 60 + "!") is None
    assert matches("a*" * 30 + "b", "a" * 60) is None
    assert time.process_time() - start < 0.1


@pytest.mark.parametrize(
    "name", ["get_weather", "getWeather", "GetWeather", "get-weather", "GET_WEATHER"]
)
def test_a_name_falls_into_words(name: str) -> None:
    assert words(name) == ["get", "weather"]
