"""What every view can do: one model, four renderings.

In a notebook HTML and plain text always stand beside the live widget, so that GitHub, nbconvert, a
terminal, and a notebook without a kernel show the same facts.
"""

from abc import ABC, abstractmethod
from importlib.util import find_spec
from typing import Any

WIDGET_HINT = (
    "This view does not react, because ipywidgets is not installed where the kernel runs. To fix "
    "it: python -m pip install ipywidgets, then restart the kernel."
)


class View(ABC):
    """A view. A subclass writes its model three ways and, if it has controls, builds a widget."""

    __slots__ = ("_widget",)  # a control whose name is mistyped must not vanish in a __dict__

    @abstractmethod
    def to_html(self) -> str:
        """Return the view as an HTML fragment without style sheet and script."""

    @abstractmethod
    def to_markdown(self) -> str:
        """Return the view as Markdown."""

    @abstractmethod
    def to_text(self) -> str:
        """Return the view as plain text."""

    def build_widget(self) -> Any:
        """Return a new live widget of this view, None if it has no controls."""
        return None

    @property
    def widget(self) -> Any:
        """The live widget, made on first use; None for a view without controls.

        Raises:
            ModuleNotFoundError: ipywidgets is not installed; the message says how to fix it.
        """
        if not hasattr(self, "_widget"):
            self._widget = self.build_widget()
        return self._widget

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        bundle: dict[str, Any] = {"text/html": self.to_html(), "text/plain": self.to_text()}
        if type(self).build_widget is View.build_widget:
            return bundle
        if find_spec("ipywidgets") is None:
            bundle["text/html"] += f"<p>{WIDGET_HINT}</p>"
            bundle["text/plain"] += f"\n{WIDGET_HINT}\n"
            return bundle
        return {**self.widget._repr_mimebundle_(), **bundle}
