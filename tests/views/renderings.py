"""What the tests of views share: hostile texts, and what a reader reads of each rendering."""

import re
import xml.etree.ElementTree as ET

from markdown_it import MarkdownIt

HOSTILE = [
    "<script>alert(1)</script>",
    '<img src=x onerror="alert(1)">',
    "</pre></section><h1>out",
    "[x](javascript:alert(1))",
    "``` ````\n# out\n| a | b |",
    "\u202eevil\u200b\x00\x1b[31m",
    "a" * 5000,
]

DRAWN = {"svg", "title", "path", "circle", "text"}
"""The elements of a picture of ours."""


def words(shown):
    """The words of a rendering, without its marks: what a reader reads."""
    return re.findall(r"\w+", shown)


def plain_html(shown):
    """What a reader reads of HTML; a picture is read by the text that stands below it."""
    root = ET.fromstring(shown)
    for figure in root.iter("figure"):
        picture = figure.find("svg")
        assert picture.find("title").text == figure.find("figcaption").text
        figure.remove(picture)
    return " ".join(root.itertext())


def plain_markdown(shown):
    tokens = MarkdownIt().enable("table").parse(shown)
    inline = [token for token in tokens if token.type == "inline"]
    texts = ["".join(child.content for child in token.children) for token in inline]
    return " ".join(texts + [token.content for token in tokens if token.type == "fence"])


def assert_same_words(view):
    expected = sorted(words(view.to_text()))
    assert sorted(words(plain_html(view.to_html()))) == expected
    assert sorted(words(plain_markdown(view.to_markdown()))) == expected


def assert_text_stays_text(view, *, tags):
    """Hostile text makes no element, no attribute, no link, and nothing that cannot be seen."""
    root = ET.fromstring(view.to_html())
    assert {one.tag for one in root.iter()} - DRAWN == tags
    written = [one for one in root.iter() if one.tag not in DRAWN]
    assert {name for one in written for name in one.attrib} <= {
        "style",
        "aria-label",
        "role",
        "open",
    }
    rendered = MarkdownIt().enable("table").render(view.to_markdown())
    assert not re.search("<(script|img|a|h1|table)", rendered)
    for shown in (view.to_text(), view.to_html(), view.to_markdown()):
        assert not set("\u202e\u200b\x00\x1b") & set(shown)


def parts(widget):
    """A live widget and all that it holds, in reading order."""
    yield widget
    for child in getattr(widget, "children", ()):
        yield from parts(child)


def named(view, label):
    """The control of a live view that has this label."""
    (found,) = [one for one in parts(view.widget) if getattr(one, "description", "") == label]
    return found


def html_parts(view):
    """The parts of a live view that show HTML: the line that is read out, then the panes."""
    return [one for one in parts(view.widget) if type(one).__name__ == "HTML"]
