"""Views with controls: values that can be set, are checked, and are watched by a live widget."""

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any

from pydantic import ValidationError
from traitlets import HasTraits

from skyl_nb.conversation import Message, ToolResult, sentence
from skyl_nb.errors import BadRequestError
from skyl_nb.views.view import View

IS_ERROR_LABEL = "The tool failed (is_error)"


class ControlledView(View):
    """A view with controls. Setting one changes what is shown, also live."""

    __slots__ = ("controls",)

    controls: HasTraits

    @abstractmethod
    def checked(self, values: dict[str, Any]) -> dict[str, Any]:
        """Return the values of all controls as they may be set.

        Raises:
            BadRequestError: one of them has a wrong type.
        """


def control(name: str, doc: str) -> property:
    """Return an attribute of a `ControlledView` that reads and sets one of its controls."""

    def change(view: ControlledView, value: Any) -> None:
        values = view.checked({**view.controls.trait_values(), name: value})
        view.controls.set_trait(name, values[name])

    return property(lambda view: getattr(view.controls, name), change, doc=doc)


def tool_result(**fields: Any) -> ToolResult:
    """Return a tool result.

    Raises:
        BadRequestError: a field has a wrong type; one sentence says which.
    """
    try:
        return ToolResult(**fields)
    except ValidationError as error:
        raise BadRequestError(sentence(error)) from None


def one_of(name: str, value: Any, known: Iterable[str]) -> str:
    """Return the value of a control that knows some texts.

    Raises:
        BadRequestError: it is none of them; the message lists them.
    """
    if not isinstance(value, str) or value not in known:
        raise BadRequestError(f"{name} is one of {listed(known)}, and not {value!r:.60}")
    return value


def flag(name: str, value: Any) -> bool:
    """Return the value of a control that is on or off.

    Raises:
        BadRequestError: it is neither True nor False.
    """
    if not isinstance(value, bool):
        raise BadRequestError(f"{name} is True or False, and not {value!r:.60}")
    return value


def listed(known: Iterable[str]) -> str:
    """Return texts as a list for people, each in quotes."""
    return ", ".join([f'"{one}"' for one in known])


def one_result(value: ToolResult | Message, view: str) -> ToolResult:
    """Return the tool result that a learner handed to a view, alone or in its message.

    Args:
        value: what was handed over.
        view: the name of the function that makes the view, for the errors.

    Raises:
        BadRequestError: it is no tool result, and no message that holds one and no more.
    """
    if isinstance(value, ToolResult):
        return value
    if not isinstance(value, Message):
        raise BadRequestError(
            f"{view} shows a ToolResult or a message that holds one, "
            f"not {type(value).__name__}; for a text write {view}(content=...)"
        )
    if len(value.tool_results) != 1:
        raise BadRequestError(
            f"the message holds {len(value.tool_results)} tool results, and {view} shows "
            "one: pass one of message.tool_results"
        )
    return value.tool_results[0]


def given(**values: Any) -> dict[str, Any]:
    """Return the arguments that were given: None stands for one that was left out."""
    return {name: value for name, value in values.items() if value is not None}
