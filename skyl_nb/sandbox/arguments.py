"""Arguments for a tool: the fewest that satisfy its schema, and a city if it has a place for one.

Candidates are made from a flat schema, plain ones first, and the first that fits is taken; so the
maker may guess, `Reader.fits` decides. What is asked for is filled in, nothing else: required
properties, and the property that a city belongs into.
"""

import math
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from skyl_nb.sandbox.patterns import sample
from skyl_nb.sandbox.schema import Reader, items, keyword, number, properties, required, same, types

_PLACES = {"city", "location", "place", "town"}
_MOST = 200  # items or properties that we are willing to make
_LONGEST = 10_000  # characters of one string
_DEEPEST = 8
_FORMATS = {
    "date-time": "2026-01-31T12:00:00Z",
    "date": "2026-01-31",
    "time": "12:00:00Z",
    "duration": "P1D",
    "email": "someone@example.com",
    "idn-email": "someone@example.com",
    "hostname": "example.com",
    "idn-hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uri": "https://example.com/",
    "iri": "https://example.com/",
    "url": "https://example.com/",
    "uri-reference": "/example",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "json-pointer": "/example",
    "regex": "^a$",
    "byte": "dGV4dA==",
    "binary": "text",
}


def words(name: str) -> list[str]:
    """Return the words of a name in small letters: `get_weather` and `getWeather` give the same."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)]


def make_arguments(schema: Any) -> dict[str, Any]:
    """Return arguments that satisfy `schema`, as far as it can be satisfied; never raises.

    Args:
        schema: the tool's parameters, in JSON Schema or Google's form of it; anything else gives
            no arguments.
    """
    if not isinstance(schema, dict):
        return {}
    return _first_object(schema, schema) or {}


def name_city(schema: Any, city: str) -> dict[str, Any] | None:
    """Return arguments that name the city, None if the parameters have no place for it.

    Its place is a property that is named like one, else the first free string; a list of values
    that are allowed has to have the city in it.
    """
    if not isinstance(schema, dict):
        return None
    names = _names(schema, city)
    found = [(name, value) for name in names for value in _spelled(schema, name, city)]
    for name, value in sorted(found, key=lambda pair: _PLACES.isdisjoint(words(pair[0]))):
        wanted = {"properties": {name: {"const": value}}, "required": [name], "type": "object"}
        made = _first_object({"allOf": [wanted, schema]}, schema)
        if made is not None:
            return made
    return None


def _first_object(schema: dict[str, Any], root: dict[str, Any]) -> dict[str, Any] | None:
    made = _Maker(root).values(schema)
    return next((value for value in made if isinstance(value, dict)), None)


def _names(schema: dict[str, Any], city: str) -> list[str]:
    """Return the properties that could hold a city, in the schema's order."""
    reader = Reader(schema)
    return list(
        dict.fromkeys(
            name
            for flat in islice(reader.variants(schema), 8)
            for name, inner in islice(properties(flat).items(), _MOST)
            if any(_can_name(option, name, city) for option in islice(reader.variants(inner), 8))
        )
    )


def _can_name(flat: dict[str, Any], name: str, city: str) -> bool:
    named = keyword(flat, "format")
    if isinstance(named, str) and named in _FORMATS:
        return False
    listed = flat.get("enum")
    if isinstance(listed, list):
        return any(isinstance(one, str) and one.lower() == city.lower() for one in listed)
    return "string" in types(flat) or (not types(flat) and not _PLACES.isdisjoint(words(name)))


def _spelled(schema: dict[str, Any], name: str, city: str) -> list[str]:
    """Return the city as this property spells it: as an enum has it, else as it is."""
    reader = Reader(schema)
    spelled = [
        one
        for flat in islice(reader.variants(schema), 8)
        for option in islice(reader.variants(properties(flat).get(name)), 8)
        for one in _listed(option)
        if isinstance(one, str) and one.lower() == city.lower()
    ]
    return list(dict.fromkeys([city, *spelled]))


def _listed(flat: dict[str, Any]) -> list[Any]:
    listed = flat.get("enum")
    return listed[:_MOST] if isinstance(listed, list) else []


class _Maker(Reader):
    """Makes values for the schemas of one root."""

    def values(self, schema: Any, want: int = 1, depth: int = 0) -> list[Any]:
        """Return up to `want` different values that fit; fewer if it finds no more."""
        found: list[Any] = []
        if depth > _DEEPEST:
            return found
        for flat in self.variants(schema):
            for candidate in self._candidates(flat, want, depth):
                if not self.spend():
                    return found
                fresh = not any(same(candidate, other) for other in found)
                if fresh and self.fits(candidate, schema):
                    found.append(candidate)
                    if len(found) >= want:
                        return found
        return found

    def _candidates(self, flat: dict[str, Any], want: int, depth: int) -> Iterator[Any]:
        """Yield values that may fit, the plainest first."""
        if "const" in flat:
            yield flat["const"]
            return
        if isinstance(flat.get("enum"), list):
            yield from _listed(flat)
            return
        yield from (flat[name] for name in ("default", "example") if name in flat)
        examples = flat.get("examples")
        yield from examples[:want] if isinstance(examples, list) else ()
        for name in types(flat) or [_likely_type(flat)]:
            yield from self._of_type(name, flat, want, depth)

    def _of_type(self, name: str, flat: dict[str, Any], want: int, depth: int) -> Iterator[Any]:
        if name == "object":
            yield from self._objects(flat, want, depth)
        elif name == "array":
            yield from self._arrays(flat, want, depth)
        elif name == "string":
            yield from _strings(flat, want)
        elif name in ("integer", "number"):
            yield from _numbers(flat, want, whole=name == "integer")
        elif name == "boolean":
            yield from (True, False)
        elif name == "null":
            yield None

    def _objects(self, flat: dict[str, Any], want: int, depth: int) -> Iterator[dict[str, Any]]:
        known = properties(flat)
        other = keyword(flat, "additionalProperties")
        least = min(int(number(flat, "minProperties") or 0), _MOST)
        names = required(flat)[:_MOST]
        names += [name for name in known if name not in names][: max(least - len(names), 0)]
        names += [f"extra{place}" for place in range(len(names), least)]
        pools = {name: self.values(known.get(name, other), want, depth + 1) for name in names}
        if all(pools.values()):
            for row in range(want if pools else 1):
                yield {name: pool[row % len(pool)] for name, pool in pools.items()}

    def _arrays(self, flat: dict[str, Any], want: int, depth: int) -> Iterator[list[Any]]:
        least = min(int(number(flat, "minItems") or 0), _MOST)
        for length in dict.fromkeys((max(least, 1), least, *range(2, min(want, _MOST)))):
            yield from self._arrays_of(length, flat, want, depth)

    def _arrays_of(
        self, length: int, flat: dict[str, Any], want: int, depth: int
    ) -> Iterator[list[Any]]:
        first, rest = items(flat)
        unique = keyword(flat, "uniqueItems") is True
        few = want + length if unique else want
        pools = [self.values(inner, few, depth + 1) for inner in first[:length]]
        if length > len(pools):
            pools += [self.values(rest, few, depth + 1)] * (length - len(pools))
        if not all(pools):
            return
        for row in range(want):
            step = 1 if unique else 0
            yield [pool[(row + step * place) % len(pool)] for place, pool in enumerate(pools)]


def _likely_type(flat: dict[str, Any]) -> str:
    """Return the type that the other keywords speak of."""
    if {"properties", "required", "additionalProperties", "minProperties"} & flat.keys():
        return "object"
    if {"items", "prefixItems", "minItems", "uniqueItems"} & flat.keys():
        return "array"
    if {"minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum"} & flat.keys():
        return "number"
    return "string"


def _strings(flat: dict[str, Any], want: int) -> Iterator[str]:
    if isinstance(flat.get("format"), str) and flat["format"] in _FORMATS:
        yield _FORMATS[flat["format"]]
    least = min(int(number(flat, "minLength") or 0), _LONGEST)
    most = number(flat, "maxLength")
    pattern = flat.get("pattern")
    if isinstance(pattern, str):
        yield from _like(pattern, least)
    for place in range(want + 1):
        plain = f"text{place or ''}"
        yield plain.ljust(least, "x")
        if most is not None and most < len(plain):
            yield f"{place:0{max(int(most), 0)}x}"[: int(most)] if most >= 1 else ""
    yield from (city.ljust(least, "x") for city in ("a", "A", "1", "Kampala"))


def _like(pattern: str, least: int) -> Iterator[str]:
    text = sample(pattern)
    if text is not None:
        yield text
        # A repeated character may be repeated further: "^[a-z]+$" with a minimum length.
        yield text + text[-1:] * (least - len(text))


def _numbers(flat: dict[str, Any], want: int, *, whole: bool) -> Iterator[int | float]:
    bounds = {
        name: number(flat, name)
        for name in ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf")
    }
    lows = [bounds[name] for name in ("minimum", "exclusiveMinimum")]
    highs = [bounds[name] for name in ("maximum", "exclusiveMaximum")]
    low = max((bound for bound in lows if bound is not None), default=None)
    high = min((bound for bound in highs if bound is not None), default=None)
    step = bounds["multipleOf"]
    if step is None or step <= 0:
        step = 1
    yield from (1, 0, step)
    try:
        yield from islice(_counted(low, high, step), 4 * want + 4)
        if not whole and low is not None and high is not None:
            yield from (low + (high - low) * (n + 1) / (want + 1) for n in range(want))
            yield from (low, high)
        elif not whole:
            yield from (bound for bound in (low, high) if bound is not None)
            yield from (0.5, (low or 0) + 0.5, (high or 0) - 0.5)
    except OverflowError:
        return


def _counted(low: float | None, high: float | None, step: float) -> Iterator[int | float]:
    """Count up from the lower bound, or down from the upper one, in whole steps."""
    if low is None and high is not None:
        start, way = math.floor(high / step), -1
    else:
        start, way = math.ceil((low or 0) / step), 1
    while True:
        yield start * step
        start += way
