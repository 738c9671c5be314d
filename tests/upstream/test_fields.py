"""Do the stored tables still know what the official SDKs send?"""

import importlib
from typing import Any

import pytest
from packaging.version import Version

from tests.upstream.fields import SDKS, lines, merged, read_sdk, stored, union

REFRESH = "rewrite the tables with: python -m tests.upstream.fields"


def lacking(table: dict[str, Any], known: dict[str, Any]) -> list[str]:
    """Return what a table has and another one lacks: fields, and types of fields."""
    return [
        f"{name}.{field}{'' if have is None else f': {kinds}'}"
        for name, fields in table["objects"].items()
        for field, kinds in fields.items()
        if (have := known["objects"].get(name, {}).get(field)) is None
        or union(have, kinds) != union(have)
    ]


def behind(installed: dict[str, Any], known: dict[str, Any]) -> str:
    """Return how a stored table has fallen behind an installed SDK, `""` if it has not."""
    missing = lacking(installed, known)
    if not missing:
        return ""
    sdk, was = installed["sdk"], known["sdk"]["version"]
    return (
        f"{sdk['name']} {sdk['version']} sends what the stored table (read from {was}) lacks: "
        f"{', '.join(missing)}; {REFRESH}"
    )


def is_older(installed: dict[str, Any], known: dict[str, Any]) -> bool:
    """Say whether an SDK is of a line that the table was never read from."""
    version, read = installed["sdk"]["version"], known["sdk"]
    return Version(version) < Version(read["version"]) and version not in read["also"]


@pytest.mark.parametrize("provider", SDKS)
def test_the_stored_table_has_not_fallen_behind_the_installed_sdk(provider: str) -> None:
    importlib.import_module({"gemini": "google.genai"}.get(provider, provider))
    installed, known = read_sdk(provider), stored(provider)
    assert known is not None, REFRESH
    late = behind(installed, known)
    if late and is_older(installed, known):
        pytest.skip(f"the installed SDK is older than the table: {late}")
    assert not late, late


@pytest.mark.parametrize("provider", SDKS)
def test_writing_a_table_again_changes_nothing(provider: str) -> None:
    installed, known = read_sdk(provider), stored(provider)
    assert known is not None
    if installed["sdk"]["version"] != known["sdk"]["version"]:
        pytest.skip("another version is installed")
    assert lines(merged(installed, known)) == lines(known)


@pytest.mark.parametrize("provider", SDKS)
def test_a_newer_sdk_is_told_with_its_version_and_the_way_out(provider: str) -> None:
    known = stored(provider)
    assert known is not None
    root = known["root"]
    fields = known["objects"][root]
    newer = {
        **known,
        "sdk": {**known["sdk"], "version": "99.0"},
        "objects": {
            **known["objects"],
            root: {**fields, "brand_new": ["string"], "model": ["map"]},
        },
    }
    assert not behind(known, known)
    assert not is_older(newer, known)
    late = behind(newer, known)
    assert f"99.0 sends what the stored table (read from {known['sdk']['version']}) lacks" in late
    assert f"{root}.brand_new, " in f"{late}, " or f"{root}.brand_new;" in late
    assert f"{root}.model: ['map']" in late
    assert "python -m tests.upstream.fields" in late


def test_what_an_older_line_had_is_kept() -> None:
    older = {"sdk": {"version": "1", "also": []}, "objects": {"A": {"x": ["string"]}}}
    newer = {"sdk": {"version": "2", "also": []}, "objects": {"A": {"x": [["#B"]]}, "B": {}}}
    both = merged(newer, older)
    assert both["objects"] == {"A": {"x": ["string", ["#B"]]}, "B": {}}
    assert both["sdk"] == {"version": "2", "also": ["1"]}
    assert lacking(older, both) == lacking(newer, both) == []
    assert lacking(both, older) == ["A.x: ['string', ['#B']]"]
    assert lacking({"objects": {"A": {"y": []}}}, older) == ["A.y"]
    assert not is_older({"sdk": {"version": "1"}}, both)
    assert is_older({"sdk": {"version": "0.9"}}, both)
