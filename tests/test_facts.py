"""Each fact says where it is from and how sure we are of it; the folder says what is in it."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import anthropic
import openai
import pytest

from skyl_nb.data import facts, folder
from skyl_nb.sandbox.call import mounts
from skyl_nb.wires import WIRES

DATA = folder("sandbox_data")
RULES = ("common", "anthropic", "openai", "gemini")


def rows() -> Iterator[tuple[str, Any]]:
    """Every row of every file that states facts about providers, and what it is called."""
    for name in RULES:
        yield from ((f"rules/{name} {row['id']}", row) for row in facts(f"rules/{name}.json"))
    for name in ("fates", "profiles", "providers"):
        yield from ((f"{name} {key}", row) for key, row in facts(f"{name}.json").items())
    for key, row in facts("reports.json").items():
        yield f"reports {key}", {**row, "source": ", ".join(row["where"])}
    for group in facts("models.json").values():
        yield from ((f"models {row['id']}", row) for row in group)
    yield from ((f"mounts {row['name']}", row) for row in facts("mounts.json"))
    for name, toggle in facts("toggles.json").items():
        for value, row in toggle["values"].items():
            yield f"toggles {name} {value}", row
            yield from _texts(f"toggles {name} {value}", row)
    for name, row in facts("profiles.json").items():
        yield from _texts(f"profiles {name}", row)


def _texts(name: str, row: Any) -> Iterator[tuple[str, Any]]:
    """The rules that are worded anew; what is only switched has the source of its row."""
    for rule, change in row.get("rules", {}).items():
        if "text" in change:
            yield f"{name} {rule}", change


ROWS = list(rows())


@pytest.mark.parametrize("row", [row for _, row in ROWS], ids=[name for name, _ in ROWS])
def test_a_fact_has_a_source_and_a_confidence(row: Any) -> None:
    cited = row.get("reports", [])
    assert cited or row["source"]
    assert all(facts("reports.json")[str(number)]["where"] for number in cited)
    assert row.get("source", "-")  # left out rather than empty
    assert row["confidence"] in ("H", "M", "L")


@pytest.mark.parametrize("name", RULES)
def test_a_rule_says_whether_it_is_on_only_where_that_is_not_the_default(name: str) -> None:
    for row in facts(f"rules/{name}.json"):
        if "on" in row:
            assert row["on"] is not (row.get("needed", False) or row["confidence"] != "L"), row[
                "id"
            ]


@pytest.mark.parametrize("provider", ["anthropic", "gemini", "openai"])
def test_a_table_of_fields_names_the_sdks_that_it_was_read_from(provider: str) -> None:
    sdk = facts(f"fields/{provider}.json")["sdk"]
    assert sdk["name"]
    assert all(re.fullmatch(r"[\d.]+", one) for one in (sdk["version"], *sdk["also"]))


def test_the_readme_of_the_folder_names_every_file_and_no_other() -> None:
    readme = (DATA / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\| `([\w/]+\.json)`", readme, re.MULTILINE))
    stored = {path.relative_to(DATA).as_posix() for path in DATA.rglob("*.json")}
    assert named == {name for name in stored if not name.startswith("exercises/")}
    assert "`exercises/`" in readme


def test_the_hosts_are_those_that_the_official_clients_call() -> None:
    hosts = {mount.wire: mount.host for mount in mounts()}
    assert hosts["anthropic"] == urlsplit(str(anthropic.Anthropic(api_key="x").base_url)).hostname
    assert hosts["openai"] == urlsplit(str(openai.OpenAI(api_key="x").base_url)).hostname
    for wire in WIRES:
        assert hosts[wire] == (urlsplit(facts("providers.json")[wire]["live"]).hostname or "")


def test_the_base_url_of_ours_lies_in_the_mount() -> None:
    for mount in mounts():
        if mount.wire:
            assert facts("providers.json")[mount.wire]["sandbox"].startswith(mount.base)
            assert mount.base.startswith(mount.prefix)
