"""Reading a tool's parameters: the part of JSON Schema that tools use, and Google's spelling of it.

Schemas are written by strangers, so nothing here trusts them: keywords of a wrong type are ignored,
references go in circles, bounds are giant. Every walk spends from one budget and has a floor.

`variants` takes a schema apart into flat ones: references followed, `allOf` merged, one
alternative of each `anyOf` and `oneOf` chosen. `fits` says whether a value satisfies a schema.
Keywords beside those named in this module are not looked at.
"""

import math
import re
from collections.abc import Iterator, Mapping
from functools import cache, reduce
from itertools import islice, product
from typing import Any

from skyl_nb.sandbox.patterns import matches

BUDGET = 5_000
_DEEPEST = 24
_CHOICES = ("anyOf", "oneOf")
_APART = ("$ref", "allOf", *_CHOICES)
_KINDS = {"string": str, "boolean": bool, "array": list, "object": dict, "null": type(None)}
_MOST = 500  # values of a list that are compared with each other
_UPPER = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
_LOWER = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")


def keyword(schema: Mapping[str, Any], name: str) -> Any:
    """Return a keyword in JSON Schema's spelling or, as Google also takes it, in snake case."""
    found = schema.get(name)
    if found is None:
        found = schema.get(snake(name))
    return found


def any_snake(name: str) -> str:
    """Return a name in snake case, as Google also spells it: `minItems` becomes `min_items`."""
    return re.sub("[A-Z]", lambda capital: "_" + capital[0].lower(), name)


snake = cache(any_snake)
"""The same for our own names alone: what a client sends must not stay in a cache."""


def number(schema: Mapping[str, Any], name: str) -> int | float | None:
    """Return a numeric keyword, also one that Google writes as a string; None if it is none."""
    found = keyword(schema, name)
    if isinstance(found, str) and re.fullmatch(r"-?\d{1,18}", found):
        return int(found)
    if isinstance(found, bool) or not isinstance(found, int | float) or not math.isfinite(found):
        return None
    return found


def types(schema: Mapping[str, Any]) -> list[str]:
    """Return the declared types in small letters, null last; empty if none is declared."""
    declared = schema.get("type")
    listed = declared if isinstance(declared, list) else [declared]
    names = [name.lower() for name in listed if isinstance(name, str)]
    if names and schema.get("nullable") is True:
        names.append("null")
    return sorted(dict.fromkeys(names), key=lambda name: name == "null")


def properties(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the declared properties; empty if there are none."""
    found = schema.get("properties")
    return found if isinstance(found, dict) else {}


def required(schema: Mapping[str, Any]) -> list[str]:
    """Return the names of the required properties; empty if there are none."""
    found = schema.get("required")
    listed = found if isinstance(found, list) else []
    return list(dict.fromkeys(name for name in listed if isinstance(name, str)))


def same(one: Any, other: Any) -> bool:
    """Say whether two JSON values are equal; unlike Python, JSON tells 1 from true."""
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


class Reader:
    """Reads one root schema, on which its local references stand, within one budget."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self.left = BUDGET

    def spend(self, amount: int = 1) -> bool:
        """Take from the budget; False when nothing is left."""
        self.left -= amount
        return self.left > 0

    # Taking apart

    def variants(self, schema: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
        """Yield flat schemas, each one way to satisfy `schema`; nothing if it is `false`."""
        if schema is False or depth > _DEEPEST or not self.spend():
            return
        if not isinstance(schema, dict):
            yield {}
            return
        plain = {name: value for name, value in schema.items() if name not in _APART}
        for chosen in islice(product(*self._choices(schema)), 32):
            flat = [list(islice(self.variants(each, depth + 1), 8)) for each in chosen]
            for parts in islice(product(*flat), 8):
                yield reduce(_merge, parts, plain)

    def _choices(self, schema: dict[str, Any]) -> list[list[Any]]:
        """Return what must hold beside the plain keywords: of each list, one entry."""
        choices = [[part] for part in _entries(schema, "allOf")]
        if isinstance(schema.get("$ref"), str):
            choices.append([self._resolve(schema["$ref"])])
        choices += [found for name in _CHOICES if (found := _entries(schema, name))]
        return choices

    def _resolve(self, reference: str) -> Any:
        """Return what a local reference points at; anything goes where it leads nowhere."""
        target = self.root
        if not reference.startswith("#"):
            return {}
        for step in filter(None, reference[1:].split("/")):
            name = step.replace("~1", "/").replace("~0", "~")
            if isinstance(target, dict) and name in target:
                target = target[name]
            elif isinstance(target, list) and name.isdecimal() and int(name) < len(target):
                target = target[int(name)]
            else:
                return {}
        return target

    # Testing a value

    def fits(self, value: Any, schema: Any, depth: int = 0) -> bool:
        """Say whether `value` satisfies `schema`; when the budget is spent, trust it."""
        if schema is False:
            return False
        if not isinstance(schema, dict) or depth > _DEEPEST or not self.spend():
            return True
        return (
            self._fits_choices(value, schema, depth + 1)
            and _fits_type(value, schema)
            and _fits_listed(value, schema)
            and self._fits_content(value, schema, depth + 1)
        )

    def _fits_choices(self, value: Any, schema: dict[str, Any], depth: int) -> bool:
        if isinstance(schema.get("$ref"), str) and not self.fits(
            value, self._resolve(schema["$ref"]), depth
        ):
            return False
        if not all(self.fits(value, part, depth) for part in _entries(schema, "allOf")):
            return False
        some, one = (
            [self.fits(value, part, depth) for part in _entries(schema, name)] for name in _CHOICES
        )
        return (not some or any(some)) and (not one or one.count(True) == 1)

    def _fits_content(self, value: Any, schema: dict[str, Any], depth: int) -> bool:
        if isinstance(value, dict):
            return self._fits_object(value, schema, depth)
        if isinstance(value, list):
            return self._fits_array(value, schema, depth)
        if isinstance(value, str):
            return _fits_string(value, schema)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return _fits_number(value, schema)
        return True

    def _fits_object(self, value: dict[str, Any], schema: dict[str, Any], depth: int) -> bool:
        if not _within(len(value), schema, "minProperties", "maxProperties"):
            return False
        if any(name not in value for name in required(schema)):
            return False
        known = properties(schema)
        other = keyword(schema, "additionalProperties")
        if "patternProperties" in schema and other is False:
            other = None  # which names those allow is not looked at
        return all(self.fits(value[name], known.get(name, other), depth) for name in value)

    def _fits_array(self, value: list[Any], schema: dict[str, Any], depth: int) -> bool:
        if not _within(len(value), schema, "minItems", "maxItems"):
            return False
        if keyword(schema, "uniqueItems") is True and not _distinct(value):
            return False
        first, rest = items(schema)
        return all(
            self.fits(item, first[place] if place < len(first) else rest, depth)
            for place, item in enumerate(value)
        )


def items(schema: Mapping[str, Any]) -> tuple[list[Any], Any]:
    """Return the schemas of an array's first items, and that of the others (None: anything)."""
    first = keyword(schema, "prefixItems")
    rest = schema.get("items")
    if isinstance(rest, list):  # as drafts before 2020 spelled it
        return rest, keyword(schema, "additionalItems")
    return (first if isinstance(first, list) else []), rest


def _entries(schema: Mapping[str, Any], name: str) -> list[Any]:
    found = keyword(schema, name)
    return found if isinstance(found, list) else []


def _distinct(values: list[Any]) -> bool:
    few = values[:_MOST]
    return not any(same(one, other) for place, one in enumerate(few) for other in few[:place])


def _fits_type(value: Any, schema: dict[str, Any]) -> bool:
    names = types(schema)
    return not names or any(_is(value, name) for name in names)


def _is(value: Any, name: str) -> bool:
    if name in ("integer", "number"):
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        return name == "number" or float(value).is_integer()
    return isinstance(value, _KINDS.get(name, object))


def _fits_listed(value: Any, schema: dict[str, Any]) -> bool:
    if "const" in schema and not same(value, schema["const"]):
        return False
    listed = schema.get("enum")
    return not isinstance(listed, list) or any(same(value, one) for one in listed)


def _fits_string(value: str, schema: dict[str, Any]) -> bool:
    if not _within(len(value), schema, "minLength", "maxLength"):
        return False
    pattern = schema.get("pattern")
    return not isinstance(pattern, str) or matches(pattern, value) is not False


def _fits_number(value: float, schema: dict[str, Any]) -> bool:
    least, most = number(schema, "exclusiveMinimum"), number(schema, "exclusiveMaximum")
    if not _within(value, schema, "minimum", "maximum"):
        return False
    if (least is not None and value <= least) or (most is not None and value >= most):
        return False
    # Draft 4 says with a boolean that the plain bound is exclusive.
    if keyword(schema, "exclusiveMinimum") is True and value == number(schema, "minimum"):
        return False
    if keyword(schema, "exclusiveMaximum") is True and value == number(schema, "maximum"):
        return False
    step = number(schema, "multipleOf")
    return step is None or step <= 0 or is_multiple(value, step)


def is_multiple(value: float, step: float) -> bool:
    """Say whether `value` is a multiple of `step`, as a validator that divides doubles sees it."""
    if isinstance(value, int) and isinstance(step, int):
        return value % step == 0
    try:
        return float(value / step).is_integer()
    except OverflowError:
        return False


def _within(size: float, schema: dict[str, Any], least: str, most: str) -> bool:
    low, high = number(schema, least), number(schema, most)
    return (low is None or size >= low) and (high is None or size <= high)


def _merge(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Return a flat schema that asks what both ask, as far as that can be said in one."""
    merged = {**other, **one}
    for name in one.keys() & other.keys():
        merged[name] = _both(name, one[name], other[name])
    if one.get("type") is not None and other.get("type") is not None:
        merged["type"] = _common_types(types(one), types(other))
    return merged


def _common_types(one: list[str], other: list[str]) -> list[str]:
    whole = ["integer"] if {"integer", "number"} <= {*one, *other} else []
    return [name for name in one if name in other] or whole or ["none"]


def _both(name: str, one: Any, other: Any) -> Any:
    if name == "properties" and isinstance(one, dict) and isinstance(other, dict):
        shared = {key: {"allOf": [one[key], other[key]]} for key in one if key in other}
        return {**one, **other, **shared}
    if name == "required":
        return required({name: one}) + required({name: other})
    if name == "enum" and isinstance(one, list) and isinstance(other, list):
        few = other[:_MOST]
        return [value for value in one[:_MOST] if any(same(value, each) for each in few)]
    if name in ("items", "additionalProperties"):
        return {"allOf": [one, other]}
    low, high = number({name: one}, name), number({name: other}, name)
    if low is not None and high is not None and name in (*_LOWER, *_UPPER):
        return max(low, high) if name in _LOWER else min(low, high)
    return one
