"""Which keys each object of a request may have, read from the official SDKs' own types.

    python -m tests.upstream.fields [PYTHON ...]

rewrites `sandbox_data/fields/*.json` with what the installed SDKs may send. Each PYTHON is the
interpreter of another environment, with older SDKs: what those may send is added. What is stored
already stays; delete a file to start anew.

A table is `{"sdk": {"name", "version", "also"}, "root", "objects": {name: {field: type}}}`. A type
is a list of alternatives: `string`, `enum` (a word, or on some wires its number), `integer`,
`number`, `boolean`, `null`, `map` (an object of any fields), `any`, `=word` (that very string),
`#Name` (an object of the table), or a list, which is an array of such alternatives.

This file needs nothing but the standard library and an SDK, so that it runs in any environment.
"""

import collections.abc
import enum
import importlib
import importlib.metadata
import json
import re
import subprocess
import sys
import types
import typing
from pathlib import Path
from typing import Any

STORED = Path(__file__).resolve().parents[2] / "sandbox_data" / "fields"
SDKS = {"anthropic": "anthropic", "openai": "openai", "gemini": "google-genai"}
# Objects that hold what a user made up: nothing inside them is a field of the provider.
OPAQUE = {
    "anthropic": ("input_schema", "input", "metadata", "schema"),
    "openai": ("parameters", "metadata", "schema"),
    "gemini": ("args", "response", "parameters", "responseSchema", "partMetadata", "labels"),
}
NOT_IN_THE_BODY = {"anthropic": ("betas",), "openai": (), "gemini": ()}
TAGS = ("type", "role")
SCALARS = {
    str: "string",
    bytes: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    type(None): "null",
}
# Google's SDK has no type for the body: its converters write these fields of it.
GEMINI_BODY = {
    "model": ["string"],
    "contents": [["#Content"]],
    "systemInstruction": ["#Content"],
    "tools": [["#Tool"]],
    "toolConfig": ["#ToolConfig"],
    "safetySettings": [["#SafetySetting"]],
    "generationConfig": ["#GenerationConfig"],
    "cachedContent": ["string"],
}


class _Objects:
    """Reads types, and keeps the objects that it meets."""

    def __init__(self, provider: str) -> None:
        self.provider = provider
        self.found: dict[str, dict[str, Any]] = {}
        self.seen: set[Any] = set()

    def add(self, kind: Any, name: str = "") -> str:
        """Keep an object's fields; return its name."""
        name = name or _name(kind)
        if (kind, name) not in self.seen:
            self.seen.add((kind, name))
            fields = self.found.setdefault(name, {})
            for field, what in _hints(kind).items():
                if field in NOT_IN_THE_BODY[self.provider]:
                    continue
                opaque = field in OPAQUE[self.provider]
                alternatives = ["map"] if opaque else self.read(what, tag=field in TAGS)
                fields[field] = union(fields.get(field, []), alternatives)
        return name

    def read(self, kind: Any, *, tag: bool = False) -> list[Any]:
        """Return the alternatives of a type."""
        origin, arguments = typing.get_origin(kind), typing.get_args(kind)
        if origin is typing.Annotated or str(origin).endswith(("Required", "NotRequired")):
            return self.read(arguments[0], tag=tag)
        if origin in (typing.Union, types.UnionType):
            return union(*(self.read(one, tag=tag) for one in arguments))
        if origin is typing.Literal:
            words = tag and all(isinstance(one, str) for one in arguments)
            return [f"={one}" for one in arguments] if words else self.read(type(arguments[0]))
        if _is_array(origin):
            return [self.read(arguments[0])]
        if origin in (dict, collections.abc.Mapping) or kind is dict:
            return ["map"]
        if isinstance(kind, type) and (_is_typed_dict(kind) or hasattr(kind, "model_fields")):
            return [f"#{self.add(kind)}"]
        if isinstance(kind, type) and issubclass(kind, enum.Enum):
            return ["enum"]
        return [SCALARS.get(kind, "any")]


def _is_array(origin: Any) -> bool:
    abstract = (collections.abc.Iterable, collections.abc.Sequence, list)
    return origin in abstract or getattr(origin, "__name__", "") == "SequenceNotStr"


def _is_typed_dict(kind: Any) -> bool:
    return issubclass(kind, dict) and hasattr(kind, "__total__")


def _hints(kind: Any) -> dict[str, Any]:
    """Return an object's fields, as they are called on the wire, and their types."""
    if hasattr(kind, "model_fields"):
        fields = kind.model_fields.items()
        return {field.alias or name: field.annotation for name, field in fields}
    module = importlib.import_module("typing_extensions")
    hints: dict[str, Any] = module.get_type_hints(kind)
    return hints


def _name(kind: Any) -> str:
    """Return an object's name; a class that does not name its module is named with it."""
    module = "".join(word.capitalize() for word in kind.__module__.split(".")[-1].split("_"))
    name = kind.__name__
    if kind.__module__.split(".")[-1] != "types" and module.lower() != name.lower():
        name = f"{module}.{name}"
    return re.sub(r"\bBeta(?=[A-Z])", "", name)


def union(*lists: list[Any]) -> list[Any]:
    """Return the alternatives of several types, each once; arrays become one array."""
    flat = [one for alternatives in lists for one in alternatives]
    plain = sorted({one for one in flat if isinstance(one, str)})
    arrays = [one for one in flat if isinstance(one, list)]
    return [*plain, union(*arrays)] if arrays else list(plain)


def read_sdk(provider: str) -> dict[str, Any]:
    """Return the table of the installed SDK."""
    objects = _Objects(provider)
    roots = {"anthropic": _anthropic, "openai": _openai, "gemini": _gemini}
    root = roots[provider](objects)
    version = importlib.metadata.version(SDKS[provider])
    return {
        "sdk": {"name": SDKS[provider], "version": version, "also": []},
        "root": root,
        "objects": objects.found,
    }


def _anthropic(objects: _Objects) -> str:
    for place in ("anthropic.types", "anthropic.types.beta"):
        params = importlib.import_module(f"{place}.message_create_params")
        for kind in (params.MessageCreateParamsNonStreaming, params.MessageCreateParamsStreaming):
            objects.add(kind, "MessageCreateParams")
    return "MessageCreateParams"


def _openai(objects: _Objects) -> str:
    params = importlib.import_module("openai.types.chat.completion_create_params")
    for kind in (params.CompletionCreateParamsNonStreaming, params.CompletionCreateParamsStreaming):
        objects.add(kind, "CompletionCreateParams")
    return "CompletionCreateParams"


def _gemini(objects: _Objects) -> str:
    kinds = importlib.import_module("google.genai.types")
    for name in ("Content", "Tool", "ToolConfig", "SafetySetting", "GenerationConfig"):
        objects.add(getattr(kinds, name))
    models = Path(str(importlib.import_module("google.genai.models").__file__))
    source = models.read_text(encoding="utf-8").partition("def _GenerateContentConfig_to_mldev")[2]
    writes = re.findall(r"setv\(\s*(\w+),\s*\['(\w+)'\]", source.partition("\ndef ")[0])
    body = {name: ["any"] for where, name in writes if where == "parent_object"}
    config = objects.found["GenerationConfig"]
    for name in (name for where, name in writes if where == "to_object"):
        config.setdefault(name, ["any"])
    objects.found["GenerateContentRequest"] = {**body, **GEMINI_BODY}
    return "GenerateContentRequest"


def merged(newer: dict[str, Any], older: dict[str, Any]) -> dict[str, Any]:
    """Return a table that allows what either of two allows."""
    objects: dict[str, dict[str, Any]] = {}
    for table in (newer, older):
        for name, fields in table["objects"].items():
            known = objects.setdefault(name, {})
            for field, kind in fields.items():
                known[field] = union(known.get(field, []), kind)
    versions = [older["sdk"]["version"], *older["sdk"]["also"], *newer["sdk"]["also"]]
    also = sorted({*versions} - {newer["sdk"]["version"]}, reverse=True)
    return {**newer, "sdk": {**newer["sdk"], "also": also}, "objects": _sorted(objects)}


def _sorted(objects: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {name: dict(sorted(objects[name].items())) for name in sorted(objects)}


def stored(provider: str) -> dict[str, Any] | None:
    """Return the stored table, None if there is none."""
    path = STORED / f"{provider}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def _elsewhere(python: str, provider: str) -> dict[str, Any] | None:
    """Return the table of another environment, None if it has no such SDK."""
    command = [python, __file__, "--print", provider]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "ModuleNotFoundError" in done.stderr:
        return None
    done.check_returncode()
    return json.loads(done.stdout)


def lines(table: dict[str, Any]) -> str:
    """Return a table as JSON with one line for each field."""
    objects = []
    for name, fields in table["objects"].items():
        rows = ",\n".join(f"      {json.dumps(key)}: {json.dumps(fields[key])}" for key in fields)
        objects.append(f"    {json.dumps(name)}: {{\n{rows}\n    }}")
    body = ",\n".join(objects)
    sdk, root = json.dumps(table["sdk"]), json.dumps(table["root"])
    return f'{{\n  "sdk": {sdk},\n  "root": {root},\n  "objects": {{\n{body}\n  }}\n}}\n'


def main(arguments: list[str]) -> None:
    """Print one table, or rewrite them all."""
    if arguments[:1] == ["--print"]:
        json.dump(read_sdk(arguments[1]), sys.stdout)
        return
    STORED.mkdir(exist_ok=True)
    for provider in SDKS:
        table = read_sdk(provider)
        for older in (stored(provider), *(_elsewhere(one, provider) for one in arguments)):
            table = merged(table, older or table)
        (STORED / f"{provider}.json").write_text(lines(table), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
