"""What each client must show, and how its tests in another language are run and told one by one."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from skyl_nb.sandbox import Sandbox

HERE = Path(__file__).parent
REQUIRED = os.environ.get("SKYL_NB_CLIENTS") == "required"
PATIENCE = 120
"""Seconds for all the tests of one language."""

CASES = (
    "text",
    "tool call",
    "result",
    "failing result",
    "streamed text",
    "streamed tool call",
    "result without its call",
    "refused stream",
    "bad key",
    "models",
    "rate limit",
    "server error",
    "overloaded",
    "unauthorized",
    "unknown model",
    "truncated stream",
    "error in a stream",
)
ANTHROPIC = (*CASES, "tool runner")
GOOGLE = (*CASES, "chat", "streamed chat", "streamed chat with two calls")


@dataclass(frozen=True)
class Ran:
    """What came of each case, by client and case, and all that the run wrote."""

    passed: Mapping[tuple[str, str], bool]
    output: str

    def check(self, client: str, case: str) -> None:
        """Fail, with all that the run wrote, unless the case ran and passed."""
        if not self.passed.get((client, case), False):
            pytest.fail(f"{client}, {case}\n{self.output}", pytrace=False)


def pairs(clients: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    return [(client, case) for client, cases in clients.items() for case in cases]


def missing(reason: str) -> None:
    """Skip, or fail where the clients are required."""
    if REQUIRED:
        pytest.fail(f"SKYL_NB_CLIENTS=required, but {reason}", pytrace=False)
    pytest.skip(reason)


def run(command: Sequence[str], folder: Path, env: Mapping[str, str]) -> tuple[str, str]:
    """Run a command beside a sandbox that is served for it; return what it wrote."""
    with Sandbox().serving() as url:
        ran = subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, **env, "SKYL_SANDBOX_URL": url},
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            check=False,
            timeout=PATIENCE,
        )
    return ran.stdout, ran.stderr
