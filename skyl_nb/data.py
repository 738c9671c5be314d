"""Where the facts are: the files of `sandbox_data/`, read once.

In a checkout the folder stands beside the package; in a wheel it is inside the package. Facts are
JSON, so that anybody can read, correct and cite them without knowing our code.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).resolve().parent


def folder(name: str) -> Path:
    """Return a folder of the project: inside the package if installed, else beside it.

    Raises:
        FileNotFoundError: the folder is in neither place, so the installation is not whole.
    """
    for place in (_PACKAGE / name, _PACKAGE.parent / name):
        if place.is_dir():
            return place
    raise FileNotFoundError(
        f"the folder {name} of skyl notebooks is missing; install the package again"
    )


@cache
def facts(name: str) -> Any:
    """Return the parsed JSON of `sandbox_data/NAME`, e.g. `models.json`. Do not change it."""
    return json.loads((folder("sandbox_data") / name).read_text(encoding="utf-8"))
