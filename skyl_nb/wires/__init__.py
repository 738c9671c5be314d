"""How a request is written, and a reply read, on each provider's wire. Pure functions, no I/O.

| module | wire | result that failed |
|---|---|---|
| `anthropic` | Messages | a field of its own: `is_error` |
| `openai` | Chat Completions, also of compatible hosts | a prefix; nothing if it is empty |
| `gemini` | generateContent | nothing |

What is written equals, as JSON, what skyl sends: `sandbox_data/golden/` holds the recorded cases.
An encoder assumes a request that `validate` accepts, and refuses with `UnsupportedError` what its
wire cannot say.
"""

from collections.abc import Mapping
from types import MappingProxyType

from skyl_nb.errors import BadRequestError
from skyl_nb.wires.anthropic import AnthropicWire
from skyl_nb.wires.gemini import GeminiWire
from skyl_nb.wires.openai import OpenAIWire
from skyl_nb.wires.wire import Wire

WIRES: Mapping[str, Wire] = MappingProxyType(
    {
        wire.name: wire
        for wire in (
            AnthropicWire(),
            OpenAIWire("openai", "OpenAI", cap="max_completion_tokens"),
            OpenAIWire("openaicompat", "OpenAI-compatible", cap="max_tokens"),
            GeminiWire(),
        )
    }
)


def wire_named(name: str) -> Wire:
    """Return the wire called `name`.

    Raises:
        BadRequestError: there is no such wire; the message lists the names there are.
    """
    if not isinstance(name, str) or name not in WIRES:
        raise BadRequestError(f"unknown wire {name!r}: use one of {', '.join(WIRES)}")
    return WIRES[name]
