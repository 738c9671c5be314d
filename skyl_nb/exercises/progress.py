"""Which exercises a learner has solved: a plain file in the home folder, never needed.

It holds names and nothing else, `{"version": 1, "solved": ["never-empty"]}`. Set the environment
variable `SKYL_NB_PROGRESS` to `off` to keep none, or to a path to keep it elsewhere. A file that
cannot be read or written is as good as none: a check must not fail for it.
"""

import json
import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

SETTING = "SKYL_NB_PROGRESS"
FILE = ".skyl-notebooks.json"


def solved() -> frozenset[str]:
    """Return the names of the exercises that were solved, as far as the file tells."""
    path = _path()
    with suppress(OSError, ValueError, RecursionError):
        known = json.loads(path.read_text(encoding="utf-8")) if path else {}
        names = known.get("solved") if isinstance(known, dict) else None
        known_names = names if isinstance(names, list) else []
        return frozenset(name for name in known_names if isinstance(name, str))
    return frozenset()


def record(name: str) -> None:
    """Note that an exercise was solved."""
    path, names = _path(), solved()
    if path is not None and name not in names:
        with suppress(OSError):
            _write(path, {*names, name})


def forget() -> None:
    """Delete the file: the next learner on this machine starts afresh."""
    path = _path()
    with suppress(OSError):
        if path is not None:
            path.unlink()


def _path() -> Path | None:
    """Return the file's place; None if none is to be kept, or what is there is no plain file."""
    setting = os.environ.get(SETTING, "")
    if setting.strip().lower() in ("off", "0", "no", "false"):
        return None
    with suppress(RuntimeError, OSError, ValueError):  # no home folder, or no path at all
        path = Path(setting).expanduser() if setting.strip() else Path.home() / FILE
        return path if path.is_file() or not path.exists() else None  # a device may have no end
    return None


def _write(path: Path, names: Iterable[str]) -> None:
    """Replace the file as a whole: two notebooks may note something at the same time."""
    text = json.dumps({"version": 1, "solved": sorted(names)}, indent=2) + "\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(temporary).replace(path)
    except OSError:
        Path(temporary).unlink(missing_ok=True)
        raise
