"""What the sandbox gives back: an answer to one request, and the explanation of an answer."""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to one request.

    Attributes:
        status: the HTTP status.
        headers: header names (in lower case) and their values.
        body: the whole body; empty when the answer is a stream.
        frames: the pieces of a stream, in order; None when the answer is not one.
        rule: the id of the refusal, None when the request was accepted.
        mount: the name of the mount that answered, `""` outside the four.
        delay: seconds to wait before this leaves; the doors do so, the core never waits.
        acts: what the model did, as the `acts` of `sandbox_data/model_sheet.json` name it; empty
            when no model was asked.
    """

    status: int
    headers: dict[str, str]
    body: bytes = b""
    frames: Iterator[bytes] | None = None
    rule: str | None = None
    mount: str = ""
    delay: float = 0
    acts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a request was answered as it was.

    Attributes:
        rule: the id of the refusal, None when the request was accepted.
        source: where the rule is evidenced: public reports, a page, or our own ruling.
        confidence: `H` recorded, `M` one full report, `L` inferred; `""` without a rule.
        text: what is wrong and how to fix it, in our own words.
    """

    rule: str | None
    source: str
    confidence: str
    text: str

    def __str__(self) -> str:
        if self.rule is None:
            return self.text
        return f"{self.text} [{self.rule}; confidence {self.confidence}; {self.source}]"
