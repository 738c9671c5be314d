"""Where no kernel runs, the same facts are there to read: exported, sanitised, printed."""

import re
import xml.etree.ElementTree as ET
from functools import partial
from html.parser import HTMLParser

import nbformat
import nh3
import pytest
from markdown_it import MarkdownIt
from nbconvert import HTMLExporter, MarkdownExporter

import skyl_nb as skyl
from tests.views.renderings import HOSTILE, words

# About what a site lets through that shows notebooks of strangers: no style, picture, or script.
GITHUB_TAGS = nh3.ALLOWED_TAGS - {"section"}
GITHUB_ATTRIBUTES = {"*": {"open", "role", "scope"}}

VIEWS = {
    "compare_wires": skyl.compare_wires,
    "an empty failure": lambda: skyl.compare_wires(content="", diff=True, copy="gemini"),
    "a success": lambda: skyl.compare_wires(content="22C", is_error=False, answer=True),
    "play_loop": skyl.play_loop,
    "a loop that ends": lambda: skyl.play_loop(content="ERROR: do not retry", copy="cell"),
    "survival_table": skyl.survival_table,
    "an exercise": lambda: skyl.exercise("never-empty"),
    "a verdict": lambda: skyl.exercise("stop-the-retry-loop").check("503"),
}
for number, text in enumerate(HOSTILE):
    VIEWS[f"hostile {number}"] = partial(skyl.compare_wires, content=text)
    VIEWS[f"hostile loop {number}"] = partial(skyl.play_loop, content=text)


@pytest.fixture(params=VIEWS)
def view(request):
    return VIEWS[request.param]()


def stored(view):
    """A notebook that holds the view as one without a kernel does."""
    bundle = view._repr_mimebundle_()
    data = {kind: bundle[kind] for kind in ("text/html", "text/plain")}
    output = nbformat.v4.new_output("execute_result", data=data, execution_count=1)
    cell = nbformat.v4.new_code_cell("", outputs=[output], execution_count=1)
    return nbformat.v4.new_notebook(cells=[cell])


class Reader(HTMLParser):
    """Collects what a browser would show."""

    hidden = frozenset({"style", "script", "head", "svg"})

    def __init__(self):
        super().__init__()
        self.text, self.inside = [], []

    def handle_starttag(self, tag, attrs):
        if tag in self.hidden:
            self.inside.append(tag)

    def handle_endtag(self, tag):
        if self.inside and self.inside[-1] == tag:
            self.inside.pop()

    def handle_data(self, data):
        if not self.inside:
            self.text.append(data)


def read(html):
    reader = Reader()
    reader.feed(html)
    return " ".join(reader.text)


def assert_all_is_there(view, shown):
    """Each line of the view as text stands there, its words in their order."""
    said = " ".join(words(shown))
    for line in view.to_text().splitlines():
        assert " ".join(words(line)) in said, line


def test_it_is_whole_as_a_web_page(view):
    page, _ = HTMLExporter().from_notebook_node(stored(view))
    assert_all_is_there(view, read(page))


def test_it_is_whole_as_a_document(view):
    document, _ = MarkdownExporter().from_notebook_node(stored(view))
    page = MarkdownIt().enable("table").render(document)
    assert_all_is_there(view, read(page))


def test_it_is_whole_and_does_nothing_on_a_site_that_trusts_no_notebook(view):
    safe = nh3.clean(view.to_html(), tags=GITHUB_TAGS, attributes=GITHUB_ATTRIBUTES)
    assert not re.search("<(svg|script|style|iframe|img|a)\\b|<[^>]* (style|on[a-z]+)=", safe)
    assert_all_is_there(view, read(safe))


def test_its_own_markdown_is_whole(view):
    page = MarkdownIt().enable("table").render(view.to_markdown())
    assert_all_is_there(view, read(page))


def test_what_opens_and_closes_works_without_a_style_or_a_script():
    safe = nh3.clean(skyl.compare_wires().to_html(), tags=GITHUB_TAGS, attributes=GITHUB_ATTRIBUTES)
    closed = ET.fromstring(f"<x>{safe}</x>").findall(".//details")
    assert [one.find("summary").text for one in closed] == ["What the provider answers:"] * 4
