"""Do the stored tables still know what the official SDKs send?"""

import importlib
from typing import Any

import pytest

from tests.upstream.fields import SDKS, lines, merged, read_sdk, stored


def lacking(table: dict[str, Any], known: dict[str, Any]) -> list[str]:
    """Return the fields, as `Object.field`, that a table has and another one lacks."""
    return [
        f"{name}.{field}"
        for name, fields in table["objects"].items()
        for field in fields
        if field not in known["objects"].get(name, {})
    ]


@pytest.mark.parametrize("provider", SDKS)
def test_the_stored_table_has_every_field_of_the_installed_sdk(provider: str) -> None:
    importlib.import_module({"gemini": "google.genai"}.get(provider, provider))
    installed, known = read_sdk(provider), stored(provider)
    assert known is not None
    missing = lacking(installed, known)
    if installed["sdk"]["version"] != known["sdk"]["version"]:
        pytest.skip(f"{installed['sdk']} is not {known['sdk']}; it has beyond the table: {missing}")
    assert not missing, "run python -m tests.upstream.fields"


@pytest.mark.parametrize("provider", SDKS)
def test_writing_a_table_again_changes_nothing(provider: str) -> None:
    installed, known = read_sdk(provider), stored(provider)
    assert known is not None
    if installed["sdk"]["version"] != known["sdk"]["version"]:
        pytest.skip("another version is installed")
    assert lines(merged(installed, known)) == lines(known)


def test_what_an_older_line_had_is_kept() -> None:
    older = {"sdk": {"version": "1", "also": []}, "objects": {"A": {"x": ["string"]}}}
    newer = {"sdk": {"version": "2", "also": []}, "objects": {"A": {"x": [["#B"]]}, "B": {}}}
    both = merged(newer, older)
    assert both["objects"] == {"A": {"x": ["string", ["#B"]]}, "B": {}}
    assert both["sdk"] == {"version": "2", "also": ["1"]}
    assert lacking(older, both) == lacking(newer, both) == []
    assert lacking(both, older) == []
    assert lacking({"objects": {"A": {"y": []}}}, older) == ["A.y"]
