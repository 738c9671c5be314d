import asyncio
import types
from typing import Any

import httpx
import httpx2
import pytest

from skyl_nb.sandbox import Sandbox
from tests.sandbox.wire import KEYS, PATHS, conversation, send

MODULES = pytest.mark.parametrize("module", [httpx, httpx2], ids=["httpx", "httpx2"])
HELLO = conversation("anthropic", "What is the capital of France?")


@MODULES
def test_one_object_is_the_sync_and_the_async_transport(module: Any) -> None:
    transport = Sandbox().transport(module)
    assert isinstance(transport, module.BaseTransport)
    assert isinstance(transport, module.AsyncBaseTransport)


def test_httpx_is_the_default() -> None:
    assert isinstance(Sandbox().transport(), httpx.BaseTransport)


@MODULES
def test_it_answers_what_handle_answers(module: Any) -> None:
    sandbox = Sandbox()
    reply = send("anthropic", HELLO)
    url = f"http://sandbox{PATHS['anthropic']}"

    async def ask() -> Any:
        async with module.AsyncClient(transport=sandbox.transport(module)) as client:
            return await client.post(url, headers=KEYS["anthropic"], json=HELLO)

    with module.Client(transport=sandbox.transport(module)) as client:
        answers = [client.post(url, headers=KEYS["anthropic"], json=HELLO), asyncio.run(ask())]
    for answer in answers:
        assert answer.status_code == reply.status
        assert answer.content == reply.body
        assert reply.headers.items() <= dict(answer.headers).items()


@pytest.mark.parametrize(
    ("url", "mount", "path"),
    [
        ("https://api.anthropic.com/v1/models", "anthropic", "/anthropic/v1/models"),
        ("https://api.openai.com/v1/models", "openai", "/openai/v1/models"),
        ("https://generativelanguage.googleapis.com/v1/models", "gemini", "/gemini/v1/models"),
        ("http://127.0.0.1:8099/compat/v1/models", "compat", "/compat/v1/models"),
        ("https://example.com/v1/models?key=secret", "", "/v1/models"),
        ("https://api.openai.com:444/v1/a%2Fb?key=secret", "openai", "/openai/v1/a%2Fb"),
    ],
)
def test_the_providers_own_hosts_lead_to_their_mounts(url: str, mount: str, path: str) -> None:
    sandbox = Sandbox()
    httpx.Client(transport=sandbox.transport()).get(url)
    assert (sandbox.journal[-1].mount, sandbox.journal[-1].path) == (mount, path)


def test_a_module_without_transports_gets_one_clear_sentence() -> None:
    with pytest.raises(TypeError, match="json has no transports: pass httpx or a module like it"):
        Sandbox().transport(types.ModuleType("json"))
