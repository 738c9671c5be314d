"""The official Node clients over loopback; their tests are in `node/`."""

import json
import shutil
from pathlib import Path

import pytest

from tests.clients.cases import ANTHROPIC, CASES, GOOGLE, HERE, Ran, missing, pairs, run

FOLDER = HERE / "node"
OPENAI = (*CASES, "tool runner")
CLIENTS = {
    "anthropic": ANTHROPIC,
    "anthropic-previous": ANTHROPIC,
    "openai": OPENAI,
    "openai-previous": OPENAI,
    "compat": OPENAI,
    "compat-previous": OPENAI,
    "genai": GOOGLE,
    "genai-v1": GOOGLE,
    "genai-previous": GOOGLE,
    "genai-previous-v1": GOOGLE,
}


@pytest.fixture(scope="module")
def ran() -> Ran:
    node = shutil.which("node")
    if node is None:
        missing("there is no Node; see https://nodejs.org")
    locked = versions(FOLDER / "package-lock.json")
    # npm keeps its own copy of the lock file of what it installed, and writes it last.
    there = versions(FOLDER / "node_modules" / ".package-lock.json")
    if stale := sorted(locked.items() - there.items()):
        missing(f"`npm ci` has not run in tests/clients/node: {stale[:3]} and so on are missing")
    out, err = run([str(node), "--test", "--test-reporter=./report.js"], FOLDER, {})
    lines = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    passed = {}
    for line in lines:
        client, colon, case = line.get("name", "").partition(": ")
        if colon:
            passed[client, case] = line["passed"]
    faults = [f"{line['name']}\n{line['why']}\n" for line in lines if line.get("why")]
    return Ran(
        passed, "\n".join([*faults, *(line["said"] for line in lines if "said" in line), err])
    )


def versions(lock: Path) -> dict[str, str]:
    """Return the version of each package that a lock file names; of no file, nothing."""
    if not lock.exists():
        return {}
    packages = json.loads(lock.read_text(encoding="utf-8"))["packages"]
    return {
        name: package["version"]
        for name, package in packages.items()
        if name and not package.get("optional")
    }


@pytest.mark.parametrize(("client", "case"), pairs(CLIENTS))
def test_case(ran: Ran, client: str, case: str) -> None:
    ran.check(client, case)


def test_every_case_is_listed(ran: Ran) -> None:
    assert set(ran.passed) == set(pairs(CLIENTS)), ran.output
