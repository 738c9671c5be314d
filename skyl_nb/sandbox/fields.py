"""Which fields the objects of a request may have, and of which types: `sandbox_data/fields/`.

The tables are read from the official SDKs' own request types (`tests/upstream/fields.py` writes
them and says what stands in them), of the current line and of the one before. What a user made
up (a tool's parameters and arguments, metadata) is opaque there: nothing inside it is looked at.

Of several objects that may stand in a place, the fields `type` and `role` tell which it is. An
object whose tag no table knows is left alone. A null is taken for a field that is not set.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from skyl_nb.data import facts
from skyl_nb.sandbox.schema import snake

Path = tuple[str | int, ...]
_KINDS: Mapping[type, tuple[str, ...]] = {
    str: ("string", "enum"),
    bool: ("boolean",),
    int: ("integer", "number"),
    float: ("number",),
}


@dataclass(frozen=True, slots=True)
class Fault:
    """A field that is not known, or whose value has a wrong type.

    Attributes:
        path: where it stands: names, indexes and, in a tagged table, the tags of objects.
        expected: the types that it may have, as the table spells them; None for an unknown field.
        value: what was sent.
    """

    path: Path
    expected: tuple[Any, ...] | None
    value: Any

    @property
    def unknown(self) -> bool:
        """Whether there is no such field."""
        return self.expected is None


class _Kinds:
    """The alternatives of a type, sorted by what a walk asks for."""

    def __init__(self, table: "Table", listed: Iterable[Any]) -> None:
        self.listed = tuple(listed)
        items = [one for kind in self.listed if isinstance(kind, list) for one in kind]
        words = {kind for kind in self.listed if isinstance(kind, str)}
        names = tuple(sorted(kind[1:] for kind in words if kind.startswith("#")))
        named = any(kind.startswith("=") for kind in words)
        self.items = _Kinds(table, items) if items else None
        self.objects = table.several(names) if names else None
        self.scalars = words | {"string"} if named else words
        self.fine = self._fine(words)

    def _fine(self, words: set[str]) -> frozenset[type]:
        """Return the types of the values that need no closer look: most of what is sent."""
        if "any" in words:
            return frozenset((type(None), list, dict, *_KINDS))
        scalars = (kind for kind, names in _KINDS.items() if not self.scalars.isdisjoint(names))
        opaque = (dict,) if "map" in words else ()
        return frozenset((type(None), *scalars, *opaque))


class _Objects:
    """The objects that may stand in one place: what tells them apart, and their fields."""

    def __init__(self, table: "Table", names: tuple[str, ...]) -> None:
        self.names = names
        self._table = table
        self._rows = [table.objects[name] for name in names]

    @cached_property
    def fields(self) -> Mapping[str, _Kinds]:
        """The fields of all, in every spelling that is taken, with their types."""
        known: dict[str, list[Any]] = {}
        for field, kinds in (item for row in self._rows for item in row.items()):
            for spelling in {field, snake(field)} if self._table.lenient else {field}:
                known[spelling] = known.get(spelling, []) + kinds
        return {spelling: _Kinds(self._table, kinds) for spelling, kinds in known.items()}

    @cached_property
    def types(self) -> tuple[str, ...]:
        """The words of the first one's field `type`."""
        kinds = map(str, self._rows[0].get("type", []))
        return tuple(kind[1:] for kind in kinds if kind.startswith("="))

    @cached_property
    def by_type(self) -> "_Apart":
        """What is left of these by the field `type`."""
        return self._apart("type")

    @cached_property
    def by_role(self) -> "_Apart":
        """What is left of these by the field `role`."""
        return self._apart("role")

    def _apart(self, tag: str) -> "_Apart":
        kinds = {name: self._table.objects[name].get(tag, []) for name in self.names}
        words = {one for listed in kinds.values() for one in listed if str(one)[:1] == "="}
        free = [name for name in self.names if words.isdisjoint(map(str, kinds[name]))]

        def left(word: str) -> _Objects:
            fitting = (name for name in self.names if word in kinds[name] or name in free)
            return self._table.several(tuple(fitting))

        null = left("null")
        return _Apart(
            words={word[1:]: left(word) for word in words},
            none=null if null.names else self,
            other=self._table.several(tuple(free)),
        )

    def chosen(self, value: Mapping[str, Any]) -> "_Objects":
        """Return those whose tags fit a value; none if no table knows the tag."""
        left = self
        if len(left.names) > 1:
            left = left.by_type.left(value.get("type"))
        if len(left.names) > 1:
            left = left.by_role.left(value.get("role"))
        return left


@dataclass(frozen=True, slots=True)
class _Apart:
    """Which of several objects a tag leaves: by its word, without one, with any other."""

    words: Mapping[str, _Objects]
    none: _Objects
    other: _Objects

    def left(self, word: Any) -> _Objects:
        if word is None:
            return self.none
        return self.words.get(word, self.other) if isinstance(word, str) else self.other


class Table:
    """The objects of one provider's requests.

    Args:
        rows: a file of `sandbox_data/fields/`.
        tagged: whether the tag of an object is part of a path, as pydantic shows it.
        lenient: whether objects are read as Google's parser reads them: names in either spelling,
            one value for a list of one.

    Both of these parsers also take a number or a boolean that is written as a text, and the like.
    """

    def __init__(self, rows: Mapping[str, Any], *, tagged: bool, lenient: bool) -> None:
        self.objects: Mapping[str, Mapping[str, list[Any]]] = rows["objects"]
        self.tagged = tagged
        self.lenient = lenient
        self._several: dict[tuple[str, ...], _Objects] = {}
        self._root = self.several((rows["root"],))

    def several(self, names: tuple[str, ...]) -> _Objects:
        """Return the objects of some names; the same ones are made once."""
        found = self._several.get(names)
        if found is None:
            found = self._several[names] = _Objects(self, names)
        return found

    def faults(self, body: Mapping[str, Any], leave: Iterable[str]) -> Iterator[Fault]:
        """Yield the faults of a body, but not inside the fields that are to be left alone."""
        alone = {name: None for name in leave if name in body}
        return self._in_object({**body, **alone}, self._root, ())

    def faults_in(self, body: Mapping[str, Any], name: str) -> Iterator[Fault]:
        """Yield the faults inside one field of a body."""
        yield from self._in(body.get(name), self._root.fields[name], (name,))

    # What is fine is left out before a walk begins, and a walk is an iterator only where there is
    # something to go over: bodies are mostly right, and are walked at each request.

    def _in(self, value: Any, kinds: _Kinds, path: Path) -> Iterable[Fault]:
        if type(value) in kinds.fine:
            return ()
        if isinstance(value, list) and kinds.items:
            return self._in_list(value, kinds.items, path)
        if isinstance(value, dict) and kinds.objects:
            return self._in_object(value, kinds.objects, path)
        if self.lenient and kinds.items and not isinstance(value, list):
            return self._in(value, kinds.items, path)
        if isinstance(value, list | dict) or not self._fits(value, kinds):
            return (Fault(path, kinds.listed, value),)
        return ()

    def _in_list(self, values: list[Any], kinds: _Kinds, path: Path) -> Iterator[Fault]:
        for place, value in enumerate(values):
            if type(value) not in kinds.fine:
                yield from self._in(value, kinds, (*path, place))

    def _in_object(
        self, value: Mapping[str, Any], objects: _Objects, path: Path
    ) -> Iterator[Fault]:
        chosen = objects.chosen(value)
        if not chosen.names:
            return
        if self.tagged and len(objects.names) > 1:
            path = (*path, *_tag(value, chosen))
        known = chosen.fields
        for name, inner in value.items():
            kinds = known.get(name)
            if kinds is None:
                yield Fault((*path, name), None, inner)
            elif type(inner) not in kinds.fine:
                yield from self._in(inner, kinds, (*path, name))

    def _fits(self, value: Any, kinds: _Kinds) -> bool:
        """Say whether a value that is not plainly of a fitting type is taken for one."""
        if isinstance(value, float) and value.is_integer() and "integer" in kinds.scalars:
            return True
        lax = self.tagged or self.lenient
        return lax and not kinds.scalars.isdisjoint(_also(value))


def _tag(value: Mapping[str, Any], chosen: _Objects) -> Path:
    given = value.get("type")
    return (given,) if isinstance(given, str) and chosen.types else chosen.types[:1]


def _also(value: Any) -> tuple[str, ...]:
    """Return the types that a lax parser reads a value as, beside its own."""
    if isinstance(value, str):
        numeric = value.removeprefix("-").replace(".", "", 1).isdecimal()
        return ("integer", "number") if numeric else ("boolean",) * (value in ("true", "false"))
    return ("enum", "boolean") if value in (0, 1) else ("enum",)


@cache
def table(provider: str, *, tagged: bool = False, lenient: bool = False) -> Table:
    """Return the table of `sandbox_data/fields/PROVIDER.json`."""
    return Table(facts(f"fields/{provider}.json"), tagged=tagged, lenient=lenient)


def dotted(path: Path) -> str:
    """Write a path as pydantic does: `messages.0.content`."""
    return ".".join(map(str, path))


def bracketed(path: Path) -> str:
    """Write a path as JavaScript would: `messages[0].content`."""
    return "".join(f"[{one}]" if isinstance(one, int) else f".{one}" for one in path).lstrip(".")


def plain(kinds: Iterable[Any]) -> list[str]:
    """Return the names of the types among alternatives, each once: also `array` and `object`."""
    found = [
        "array"
        if isinstance(kind, list)
        else {"#": "object", "=": "string"}.get(kind[0], "object" if kind == "map" else kind)
        for kind in kinds
    ]
    return list(dict.fromkeys(kind for kind in found if kind != "null"))
