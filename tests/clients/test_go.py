"""The official Go clients over loopback; their tests are in `go/`."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator

import pytest

from tests.clients.cases import ANTHROPIC, CASES, GOOGLE, HERE, Ran, missing, pairs, run

FOLDER = HERE / "go"
CLIENTS = {
    "TestAnthropic": ANTHROPIC,
    "TestOpenAI": CASES,
    "TestCompat": CASES,
    "TestGenAIV1Beta": GOOGLE,
    "TestGenAIV1": GOOGLE,
}
# Nothing is fetched in a test: what is not there is missing.
OFFLINE = {"GOPROXY": "off"}


@pytest.fixture(scope="module")
def ran() -> Ran:
    go = shutil.which("go")
    if go is None:
        missing("there is no Go; see https://go.dev/dl")
    here = subprocess.run(
        [str(go), "list", "-deps", "-test", "."],
        cwd=FOLDER,
        env={**os.environ, **OFFLINE},
        capture_output=True,
        text=True,
        check=False,
    )
    if here.returncode:
        missing(f"`go mod download` has not run in tests/clients/go: {here.stderr[-500:]}")
    command = [str(go), "test", "-json", "-count=1", "-vet=off", "."]
    out, err = run(command, FOLDER, OFFLINE)
    passed = dict(results(out))
    output = "".join(event.get("Output", "") for event in events(out))
    return Ran(passed, output + err)


def events(out: str) -> Iterator[dict[str, str]]:
    return (json.loads(line) for line in out.splitlines() if line.startswith("{"))


def results(out: str) -> Iterator[tuple[tuple[str, str], bool]]:
    for event in events(out):
        client, _, case = event.get("Test", "").partition("/")
        if case and event["Action"] in ("pass", "fail", "skip"):
            yield (client, case.replace("_", " ")), event["Action"] == "pass"


@pytest.mark.parametrize(("client", "case"), pairs(CLIENTS))
def test_case(ran: Ran, client: str, case: str) -> None:
    ran.check(client, case)


def test_every_case_is_listed(ran: Ran) -> None:
    assert set(ran.passed) == set(pairs(CLIENTS)), ran.output
