"""The official Python clients over loopback: the versions that are here, and the lines before."""

import sys

import pytest

from skyl_nb.sandbox import Sandbox
from tests.clients import old_python
from tests.clients.cases import ANTHROPIC, CASES, GOOGLE, REQUIRED, pairs

OPENAI = (*CASES, "async client")
GEMINI = (*GOOGLE, "async client", "automatic calls")
CLIENTS = {
    "anthropic": (*ANTHROPIC, "async client"),
    "openai": OPENAI,
    "compat": OPENAI,
    "genai": GEMINI,
    "genai-v1": GEMINI,
}


@pytest.fixture(scope="module")
def here() -> old_python.Results:
    with Sandbox().serving() as url:
        return old_python.ask(sys.executable, url)


@pytest.fixture(scope="module")
def before() -> dict[str, old_python.Results]:
    if not REQUIRED:
        pytest.skip("SKYL_NB_CLIENTS=required installs the lines before, which takes a while")
    return old_python.run()


@pytest.mark.parametrize(("client", "case"), pairs(CLIENTS))
def test_case(here: old_python.Results, client: str, case: str) -> None:
    assert here.get((client, case), "the case did not run") == ""


@pytest.mark.parametrize("line", old_python.LINES)
@pytest.mark.parametrize(("client", "case"), pairs(CLIENTS))
def test_case_in_the_lines_before(
    before: dict[str, old_python.Results], line: str, client: str, case: str
) -> None:
    assert before[line].get((client, case), "the case did not run") == ""


def test_every_case_is_listed(here: old_python.Results) -> None:
    assert set(here) == set(pairs(CLIENTS))
