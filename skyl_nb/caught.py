"""Code that is not ours (a tool, a learner's function) may raise anything; here it becomes data."""

from types import TracebackType


class Caught:
    """A context that ends where its block raises one of `kinds`, and keeps it as `error`.

    with Caught(Exception) as caught:
        return tool()
    print(caught.error)
    """

    def __init__(self, *kinds: type[BaseException]) -> None:
        self.kinds = kinds
        self.error: BaseException = BaseException("nothing was raised")

    def __enter__(self) -> "Caught":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if not isinstance(error, self.kinds):
            return False
        self.error = error
        return True
