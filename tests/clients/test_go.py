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
# These SDKs are a million lines. Without optimizations they take a third less time to compile.
BUILD = ("test", "-c", "-vet=off", "-gcflags=all=-N -l", "-ldflags=-s -w")


def in_folder(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=FOLDER,
        env={**os.environ, **OFFLINE},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    go = shutil.which("go") or ""
    if not go:
        missing("there is no Go; see https://go.dev/dl")
    listed = in_folder(go, "list", "-deps", "-test", ".")
    if listed.returncode:
        missing(f"`go mod download` has not run in tests/clients/go: {listed.stderr[-500:]}")
    program = str(tmp_path_factory.mktemp("go") / "clients.exe")
    # Minutes when Go's cache is empty, and then half a minute: no time limit is right for both.
    built = in_folder(go, *BUILD, "-o", program, ".")
    assert built.returncode == 0, built.stdout + built.stderr
    out, err = run([go, "tool", "test2json", program, "-test.v=test2json"], FOLDER, OFFLINE)
    output = "".join(event.get("Output", "") for event in events(out))
    return Ran(dict(results(out)), output + err)


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
