"""Reads the golden cases into values of the package. `sandbox_data/README.md` has the format."""

from typing import Any

from skyl_nb.conversation import Image, Message, Part, Text, ToolCall, ToolResult
from skyl_nb.data import facts
from skyl_nb.request import Request, Tool, ToolChoice

KINDS: dict[str, type[Part]] = {
    "text": Text,
    "image": Image,
    "tool_call": ToolCall,
    "tool_result": ToolResult,
}


def cases(name: str) -> Any:
    return facts(f"golden/{name}.json")


def request(case: dict[str, Any]) -> Request:
    choice = case["tool_choice"]
    return Request(
        **{
            **case,
            "messages": [message(one) for one in case["messages"]],
            "tools": [Tool(**tool) for tool in case["tools"]],
            "tool_choice": choice and ToolChoice(**choice),
        }
    )


def message(case: dict[str, Any]) -> Message:
    return Message(role=case["role"], parts=[part(one) for one in case["parts"]])


def part(case: dict[str, Any]) -> Part:
    fields = {key: value for key, value in case.items() if key != "type"}
    return KINDS[case["type"]](**fields)
