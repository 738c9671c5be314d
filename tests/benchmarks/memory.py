"""What a sandbox that answers for hours holds, in bytes. It takes minutes: each one is traced."""

import gc
import json
import tracemalloc

from skyl_nb.sandbox import Sandbox
from tests.sandbox.wire import KEYS, MOUNTS, PATHS, SCHEMA, conversation

FEW, MANY = 10_000, 100_000


def ask(sandbox: Sandbox, number: int) -> None:
    """Send a request that no other is equal to: a tool conversation, good, streamed or refused."""
    mount = MOUNTS[number % len(MOUNTS)]
    name = f"get_weather_{number}"
    rounds = [[(name, {"city": f"Lima {number}"}, f"error {number}", True)]]
    body = conversation(mount, f"weather {number}?", tools=[(name, SCHEMA)], rounds=rounds)
    if number % 3 == 1:
        body["stream"] = True  # which Gemini does not know
    if number % 3 == 2:
        body[f"field{number}"] = number
    sandbox.handle("POST", PATHS[mount], KEYS[mount], json.dumps(body))


def measured() -> tuple[int, int]:
    """Return how many bytes are held after few and after many requests."""
    sandbox = Sandbox()
    sizes = []
    tracemalloc.start()
    for start, end in ((0, FEW), (FEW, MANY)):
        for number in range(start, end):
            ask(sandbox, number)
        gc.collect()
        sizes.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert len(sandbox.journal) == 1_000
    return sizes[0], sizes[1]
