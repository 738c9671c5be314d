"""Which fields the objects of a request may have, and of which types: `sandbox_data/fields/`.

The tables are read from the official SDKs' own request types (`tests/upstream/fields.py` writes
them and says what stands in them), of the current line and of the one before. What a user made
up (a tool's parameters and arguments, metadata) is opaque there: nothing inside it is looked at.

Of several objects that may stand in a place, the fields `type` and `role` tell which it is. An
object whose tag no table knows is left alone. A null is taken for a field that is not set.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from skyl_nb.data import facts
from skyl_nb.sandbox.schema import snake

Path = tuple[str | int, ...]
_TAGS = ("type", "role")
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

    def __init__(self, listed: Iterable[Any]) -> None:
        self.listed = tuple(listed)
        items = [one for kind in self.listed if isinstance(kind, list) for one in kind]
        words = {kind for kind in self.listed if isinstance(kind, str)}
        self.items = _Kinds(items) if items else None
        self.any = "any" in words
        self.map = "map" in words
        self.names = tuple(sorted(kind[1:] for kind in words if kind.startswith("#")))
        named = any(kind.startswith("=") for kind in words)
        self.scalars = words | {"string"} if named else words


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
        self.root = rows["root"]
        self.tagged = tagged
        self.lenient = lenient
        self._known: dict[tuple[str, ...], Mapping[str, _Kinds]] = {}
        self._told_apart: dict[tuple[tuple[str, ...], str], Mapping[str, tuple[str, ...]]] = {}

    def faults(self, body: Mapping[str, Any], leave: Iterable[str]) -> Iterator[Fault]:
        """Yield the faults of a body, but not inside the fields that are to be left alone."""
        alone = {name: None for name in leave if name in body}
        return self._walk_object({**body, **alone}, (self.root,), ())

    def faults_in(self, body: Mapping[str, Any], name: str) -> Iterator[Fault]:
        """Yield the faults inside one field of a body."""
        return self._walk(body.get(name), self._fields((self.root,))[name], (name,))

    def _walk(self, value: Any, kinds: _Kinds, path: Path) -> Iterator[Fault]:
        if value is None or kinds.any:
            return
        if isinstance(value, list) and kinds.items:
            for place, item in enumerate(value):
                yield from self._walk(item, kinds.items, (*path, place))
        elif isinstance(value, dict) and (kinds.map or kinds.names):
            if not kinds.map:
                yield from self._walk_object(value, kinds.names, path)
        elif self.lenient and kinds.items and not isinstance(value, list):
            yield from self._walk(value, kinds.items, path)
        elif isinstance(value, list | dict) or not self._fits(value, kinds):
            yield Fault(path, kinds.listed, value)

    def _walk_object(
        self, value: dict[str, Any], names: tuple[str, ...], path: Path
    ) -> Iterator[Fault]:
        chosen = self._chosen(value, names)
        if not chosen:
            return
        if self.tagged and len(names) > 1:
            path = (*path, *self._tag(value, chosen))
        known = self._fields(chosen)
        for name, inner in value.items():
            if name in known:
                yield from self._walk(inner, known[name], (*path, name))
            else:
                yield Fault((*path, name), None, inner)

    def _chosen(self, value: Mapping[str, Any], names: tuple[str, ...]) -> tuple[str, ...]:
        """Return those of several objects whose tags fit; none if no table knows the tag."""
        for tag in _TAGS:
            if len(names) < 2:
                break
            apart = self._apart(names, tag)
            word = value.get(tag)
            if word is None:
                names = apart["null"] or names
            else:
                names = apart.get(f"={word}" if isinstance(word, str) else "", apart[""])
        return names

    def _apart(self, names: tuple[str, ...], tag: str) -> Mapping[str, tuple[str, ...]]:
        """Return which of several objects a tag's word leaves; `""` stands for any other word."""
        found = self._told_apart.get((names, tag))
        if found is None:
            kinds = {name: self.objects[name].get(tag, []) for name in names}
            words = {one for listed in kinds.values() for one in listed if str(one)[:1] == "="}
            free = [name for name in names if words.isdisjoint(map(str, kinds[name]))]
            found = {"": tuple(free)} | {
                word: tuple(name for name in names if word in kinds[name] or name in free)
                for word in ("null", *words)
            }
            self._told_apart[names, tag] = found
        return found

    def _tag(self, value: Mapping[str, Any], chosen: tuple[str, ...]) -> Path:
        kinds = self.objects[chosen[0]].get("type", [])
        words = [str(kind)[1:] for kind in kinds if str(kind).startswith("=")]
        given = value.get("type")
        return (given,) if isinstance(given, str) and words else tuple(words[:1])

    def _fields(self, names: tuple[str, ...]) -> Mapping[str, _Kinds]:
        """Return the fields of objects, in every spelling that is taken, with their types."""
        found = self._known.get(names)
        if found is None:
            known: dict[str, list[Any]] = {}
            for field, kinds in (item for name in names for item in self.objects[name].items()):
                for spelling in {field, snake(field)} if self.lenient else {field}:
                    known[spelling] = known.get(spelling, []) + kinds
            found = {spelling: _Kinds(kinds) for spelling, kinds in known.items()}
            self._known[names] = found
        return found

    def _fits(self, value: Any, kinds: _Kinds) -> bool:
        if not kinds.scalars.isdisjoint(_KINDS[type(value)]):
            return True
        if isinstance(value, float) and value.is_integer() and "integer" in kinds.scalars:
            return True
        lax = self.tagged or self.lenient
        return lax and not kinds.scalars.isdisjoint(_also(value))


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
