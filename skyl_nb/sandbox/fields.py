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
        self._known: dict[tuple[str, ...], dict[str, list[Any]]] = {}

    def faults(self, body: Mapping[str, Any], leave: Iterable[str]) -> Iterator[Fault]:
        """Yield the faults of a body, but not inside the fields that are to be left alone."""
        alone = {name: None for name in leave if name in body}
        return self._walk({**body, **alone}, [f"#{self.root}"], ())

    def faults_in(self, body: Mapping[str, Any], name: str) -> Iterator[Fault]:
        """Yield the faults inside one field of a body."""
        return self._walk(body.get(name), self.objects[self.root][name], (name,))

    def _walk(self, value: Any, kinds: list[Any], path: Path) -> Iterator[Fault]:
        if value is None or "any" in kinds:
            return
        items = [one for kind in kinds if isinstance(kind, list) for one in kind]
        if isinstance(value, list):
            if not items:
                yield Fault(path, tuple(kinds), value)
            for place, item in enumerate(value if items else ()):
                yield from self._walk(item, items, (*path, place))
        elif isinstance(value, dict) and _names(kinds):
            yield from self._walk_object(value, _names(kinds), path)
        elif self.lenient and items:
            yield from self._walk(value, items, path)
        elif not ("map" in kinds if isinstance(value, dict) else self._fits(value, kinds)):
            yield Fault(path, tuple(kinds), value)

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
        """Return those of several objects whose tags fit; a tag may be absent where it is null."""
        if len(names) == 1:
            return names
        for tag in _TAGS:
            word = value.get(tag)
            wanted = "null" if word is None else f"={word}"
            fitting = [
                name
                for name in names
                if wanted in (kinds := self.objects[name].get(tag, [wanted]))
                or not any(str(kind).startswith("=") for kind in kinds)
            ]
            names = tuple(fitting) if fitting or word is not None else names
        return names

    def _tag(self, value: Mapping[str, Any], chosen: tuple[str, ...]) -> Path:
        kinds = self.objects[chosen[0]].get("type", [])
        words = [str(kind)[1:] for kind in kinds if str(kind).startswith("=")]
        given = value.get("type")
        return (given,) if isinstance(given, str) and words else tuple(words[:1])

    def _fields(self, names: tuple[str, ...]) -> Mapping[str, list[Any]]:
        """Return the fields of objects, in every spelling that is taken, with their types."""
        if names not in self._known:
            known: dict[str, list[Any]] = {}
            for field, kinds in (item for name in names for item in self.objects[name].items()):
                for spelling in {field, snake(field)} if self.lenient else {field}:
                    known[spelling] = known.get(spelling, []) + kinds
            self._known[names] = known
        return self._known[names]

    def _fits(self, value: Any, kinds: list[Any]) -> bool:
        wanted = {kind for kind in kinds if isinstance(kind, str)}
        if isinstance(value, str) and any(kind.startswith("=") for kind in wanted):
            return True
        lax = self.tagged or self.lenient
        taken = {*_KINDS[type(value)], *(_also(value) if lax else ())}
        whole = isinstance(value, float) and value.is_integer()
        return not taken.isdisjoint(wanted) or (whole and "integer" in wanted)


def _also(value: Any) -> tuple[str, ...]:
    """Return the types that a lax parser reads a value as, beside its own."""
    if isinstance(value, str):
        numeric = value.removeprefix("-").replace(".", "", 1).isdecimal()
        return ("integer", "number") if numeric else ("boolean",) * (value in ("true", "false"))
    return ("enum", "boolean") if value in (0, 1) else ("enum",)


def _names(kinds: list[Any]) -> tuple[str, ...]:
    """Return the objects among alternatives; none if any object may stand there."""
    if "map" in kinds:
        return ()
    return tuple(kind[1:] for kind in kinds if isinstance(kind, str) and kind.startswith("#"))


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
