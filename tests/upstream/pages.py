"""The parts of the three documentation pages, as the site's own sources have them.

    python -m tests.upstream.pages FOLDER

reads `reporting-tool-errors`, `tool-result` and `tool-error-message` (`.mdx` or `.md`) anywhere
below FOLDER, and writes `sandbox_data/pages.json`: for each page the names of its parts, which are
headings, table rows, list items and titled components. No sentence of a page is stored.
`sandbox_data/sections.json` says which cell of a notebook mirrors each part.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from skyl_nb.data import folder

PAGES = ("reporting-tool-errors", "tool-result", "tool-error-message")
STORED = folder("sandbox_data") / "pages.json"

_TITLE = re.compile(r"title: (.+)")
_HEADING = re.compile(r"## (.+)")
_TITLED = re.compile(r'<(?:Recipe|DeepDive|Challenge) title="(.+?)">')
_TROUBLE = re.compile(r'<Trouble problem="(.+?)">')
_SECTIONS = {
    "<YouWillLearn>": "You will learn", "<Recap>": "Recap", "<Challenges>": "Challenges",
}  # fmt: skip
_PLAIN = re.compile(r"<(Parameters|Caveats|Returns|Signature|Pitfall|Hint|Solution)>")
_END = re.compile(r"</(Parameters|Caveats|Pitfall|Recipe|DeepDive|Hint|Solution)>")
_ROW = re.compile(r"\s+\['(.+?)',")
_ITEM = re.compile(r"- (?:\*\*`(\w+)`\*\* — )?")


def parts(source: str) -> Iterator[str]:
    """Yield the names of a page's parts, in order; ` > ` stands between levels."""
    section = component = ""
    number = 0
    for line in _outside_code(source):
        if found := _TITLE.fullmatch(line):
            yield found[1]
        elif found := _HEADING.fullmatch(line):
            section, component, number = found[1], "", 0
            yield section
        elif line in _SECTIONS:
            section, component, number = _SECTIONS[line], "", 0
            yield section
        elif found := _TITLED.search(line) or _TROUBLE.search(line) or _PLAIN.search(line):
            component, number = found[1], 0
            yield _joined(section, component)
        elif _END.search(line):
            component = ""
        elif found := _ROW.match(line):
            yield _joined(section, found[1])
        elif found := _ITEM.match(line):
            number += 1
            yield _joined(section, component, found[1] or str(number))


def _outside_code(source: str) -> Iterator[str]:
    in_code = False
    for line in source.splitlines():
        in_code ^= line.startswith("```")
        if not in_code:
            yield line


def _joined(*names: str) -> str:
    return " > ".join(filter(None, names))


def pages(root: Path) -> dict[str, list[str]]:
    """Return the parts of each page, by its slug.

    Raises:
        FileNotFoundError: a page is nowhere below `root`.
    """
    return {slug: list(parts(_source(root, slug))) for slug in PAGES}


def _source(root: Path, slug: str) -> str:
    for ending in ("mdx", "md"):
        for path in sorted(root.rglob(f"{slug}.{ending}")):
            return path.read_text(encoding="utf-8")
    raise FileNotFoundError(f"no {slug}.mdx and no {slug}.md below {root}")


if __name__ == "__main__":
    found = pages(Path(sys.argv[1]))
    STORED.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
