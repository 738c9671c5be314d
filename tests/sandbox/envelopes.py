"""Whether a reply is one of its provider's: the official SDKs' own types read it, strictly.

A field that a type does not know is a fault of ours, and so is a missing one.
"""

import json
from collections.abc import Iterator
from typing import Any

import anthropic.types as claude
import openai.types as gpt
from anthropic.types import ErrorResponse, Message, RawMessageStreamEvent
from google.genai import types as google
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.shared import ErrorObject
from pydantic import BaseModel, TypeAdapter

from skyl_nb.sandbox import Reply, Sandbox

TOLD_IN_A_STREAM = {"sandbox-stream-error", "compat-tool-use-failed"}

EVENT: TypeAdapter[Any] = TypeAdapter(RawMessageStreamEvent)
# What is said beyond the types: reasoning by hosts of the compat mount, and the details by which
# Anthropic's own tool runner knows that it has to send whole histories.
MORE = {"reasoning_content", "details"}
# The hosts that word their errors in envelopes of their own; test_profiles.py holds them.
OWN_ENVELOPES = {"mistral", "ollama", "vllm"}
ODD = {"compat-list-error", "compat-nested-error", "compat-tool-use-failed"}


def check_reply(reply: Reply, sandbox: Sandbox, *, model: bool = True) -> None:
    """Fail unless a reply, whole or streamed, is what its mount's provider would send.

    Args:
        reply: what came.
        sandbox: the sandbox that it came from.
        model: whether an accepted request was answered by the model, and not with models.
    """
    assert (reply.rule is None) is (reply.status == 200) or told_in_stream(reply)
    assert sandbox.explain(reply).text
    assert all(value.isascii() and value.isprintable() for value in reply.headers.values())
    if reply.frames is not None:
        check_stream(reply.mount, b"".join(reply.frames).decode(), reply.headers["content-type"])
    elif reply.status != 200:
        odd = reply.rule in ODD or (reply.mount == "compat" and sandbox.profile in OWN_ENVELOPES)
        check_error("odd" if odd else reply.mount, reply.status, json.loads(reply.body))
    elif reply.mount and model:
        check_answer(reply.mount, json.loads(reply.body))


def told_in_stream(reply: Reply) -> bool:
    """Tell whether a refusal came as an event of a stream that had begun."""
    return reply.frames is not None and reply.rule in TOLD_IN_A_STREAM


def check_error(mount: str, status: int, said: Any) -> None:
    """Fail unless a refusal comes in its provider's envelope and says something."""
    if mount == "odd":
        assert "message" in json.dumps(said) or said["detail"][0]["msg"]
    elif mount == "anthropic":
        assert said["error"]["message"]
        if said["error"]["type"] == "request_too_large":  # real (REPORTS 24), but not in the SDK
            said["error"]["type"] = "invalid_request_error"
        whole(ErrorResponse, said)
        assert said["request_id"].startswith("req_")
    elif mount == "gemini":
        if isinstance(said, list):  # a stream without alt=sse is a JSON array
            (said,) = said
        error = said.pop("error")
        assert not said
        assert error.keys() - {"details"} == {"code", "message", "status"}
        assert (error["code"], bool(error["message"])) == (status, True)
        assert error["status"].isupper()
    elif mount:
        error = said.pop("error")
        assert not said
        whole(ErrorObject, error)
        assert error["message"]
    else:
        assert said.keys() == {"error"}
        assert isinstance(said["error"], str)


def check_answer(mount: str, said: Any) -> None:
    """Fail unless an answer of the model is its provider's."""
    if mount == "gemini":
        google.GenerateContentResponse.model_validate(said)  # refuses unknown fields by itself
    else:
        whole(Message if mount == "anthropic" else ChatCompletion, said)


def check_models(mount: str, said: Any) -> None:
    """Fail unless each model of a list is its provider's."""
    for row in said["models" if mount == "gemini" else "data"]:
        check_model(mount, row)


def check_model(mount: str, said: Any) -> None:
    """Fail unless a model is described as its provider describes one."""
    if mount == "gemini":
        assert {"name", "supportedGenerationMethods"} <= said.keys()
        known = {key for key in said if key != "supportedGenerationMethods"}
        google.Model.model_validate({key: said[key] for key in known})
    elif mount == "anthropic":
        extras_of(claude.ModelInfo.model_validate(said))
    else:
        whole(gpt.Model, said)


def check_stream(mount: str, text: str, content_type: str) -> None:
    """Fail unless every piece of a stream is its provider's."""
    if mount == "gemini" and content_type.startswith("application/json"):
        check_gemini_array(text)
        return
    for event in events(text):
        if "error" in event and mount != "anthropic":
            check_error("odd" if mount == "compat" else mount, event["error"].get("code"), event)
        elif mount == "gemini":
            google.GenerateContentResponse.model_validate(event)
        elif mount == "anthropic" and event["type"] == "error":
            whole(ErrorResponse, event)
        elif mount == "anthropic":
            # The SDK passes pings over before it looks for a type.
            assert event == {"type": "ping"} or whole(EVENT, event)
        else:
            whole(ChatCompletionChunk, event)


def check_gemini_array(text: str) -> None:
    """Fail unless a stream is a JSON array of answers; one that was cut short lacks its end."""
    for piece in json.loads(text if text.endswith("]\n") else text + "]"):
        if "error" in piece:
            check_error("gemini", piece["error"]["code"], piece)
        else:
            google.GenerateContentResponse.model_validate(piece)


def events(text: str) -> Iterator[Any]:
    """Yield the data of each server-sent event of a stream."""
    for line in text.replace("\r\n", "\n").split("\n"):
        if line.startswith("data: ") and line != "data: [DONE]":
            yield json.loads(line[6:])


def whole(model: Any, said: Any) -> bool:
    """Fail unless a type reads a value strictly, and knows each of its fields."""
    parsed = (
        model.validate_python(said, strict=True)
        if isinstance(model, TypeAdapter)
        else model.model_validate(said, strict=True)
    )
    extras_of(parsed)
    return True


def extras_of(value: Any) -> None:
    """Fail if a field somewhere in what was read is not the type's own."""
    if isinstance(value, BaseModel):
        unknown = (value.model_extra or {}).keys() - MORE
        assert not unknown, f"{type(value).__name__} has no {sorted(unknown)}"
        for name in type(value).model_fields:
            extras_of(getattr(value, name))
    elif isinstance(value, list):
        for one in value:
            extras_of(one)
