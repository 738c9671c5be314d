"""A conversation about a tool with one provider, as an exercise needs it: to be continued."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from skyl_nb.client import sandbox_client
from skyl_nb.conversation import Message, Role, user_text
from skyl_nb.endings import Ending, ending
from skyl_nb.errors import SkylError
from skyl_nb.exercises.exercise import FaultError
from skyl_nb.request import Request, Tool
from skyl_nb.sandbox import Sandbox
from skyl_nb.sandbox.journal import Entry
from skyl_nb.signal import PROMPT, WEATHER
from skyl_nb.views.visible import shorten, visible


class Heard(NamedTuple):
    """What came back.

    Attributes:
        entry: the exchange, from the sandbox's journal.
        words: what was said: the provider's refusal, or the model's answer or calls.
        ending: how the conversation ended, for a tool that failed.
        turn: the model's turn; empty if the provider refused.
    """

    entry: Entry
    words: str
    ending: Ending
    turn: Message

    @property
    def seen(self) -> str:
        """What was seen, in a line."""
        return f"{self.ending.word}: {self.words}"


class Talk:
    """A conversation that has come as far as the model's calls.

    Attributes:
        wire: the wire's name.
        sandbox: who answers; it has seen nothing but this conversation.
        client: who asks it.
        question: the user's turn.
        first: what came back to it: the model's calls.
    """

    def __init__(self, wire: str, prompt: str = PROMPT, tool: Tool = WEATHER) -> None:
        self.wire = wire
        self.sandbox = Sandbox()
        self.client = sandbox_client(wire, self.sandbox)
        self._tool = tool
        self.question = user_text(prompt)
        self.first = self.send([self.question])

    def request(self, messages: Sequence[Message]) -> Request:
        """Return a request with these messages, and with the tool declared."""
        return Request(model=self.client.model, messages=tuple(messages), tools=(self._tool,))

    def send(self, messages: Sequence[Message]) -> Heard:
        """Send a whole conversation, and return what comes back.

        Raises:
            FaultError: `not-sent`: skyl refuses it before any provider sees it.
        """
        try:
            answer = self.client.complete(self.request(messages))
            calls = [f"{call.name}({call.arguments})" for call in answer.tool_calls]
            words, turn = answer.text or ", ".join(calls), answer.message
        except SkylError as error:
            if not error.status:
                raise FaultError("not-sent", words=error.message) from None
            words, turn = error.message, Message(role=Role.assistant, parts=())
        entry = self.sandbox.journal[-1]
        return Heard(
            entry, visible(shorten("; ".join(words.splitlines()))), ending(entry, failed=True), turn
        )

    def answered(self, turns: Iterable[Message]) -> Heard:
        """Send the conversation so far, with these turns after the model's calls."""
        return self.send([self.question, self.first.turn, *turns])
